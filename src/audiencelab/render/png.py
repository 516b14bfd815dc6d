"""PNG images as chunks: well compressed, and with text that says what they show."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterable, Mapping

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_TEXT, _PIXELS, _END = b"iTXt", b"IDAT", b"IEND"

_MOST = 1_000_000
"""Bytes of a text at most: a compressed one may be of any length."""

Chunk = tuple[bytes, bytes]
"""The kind of a part of an image, and its data."""


def is_png(data: bytes) -> bool:
    """Whether data begin as an image of this format does."""
    return data.startswith(_SIGNATURE)


def compact(image: bytes) -> bytes:
    """The same image in a third of the bytes: the converter compresses for speed."""
    parts = _chunks(image)
    pixels = zlib.decompress(_pixels(parts))
    before = [part for part in parts if part[0] not in (_PIXELS, _END)]
    return _image([*before, (_PIXELS, zlib.compress(pixels)), (_END, b"")])


def with_texts(image: bytes, texts: Mapping[str, str]) -> bytes:
    """The same image with texts by keyword, in place of those that it has under these keywords."""
    parts = [part for part in _chunks(image) if part[0] != _TEXT or _keyword(part[1]) not in texts]
    # A keyword ends with a zero byte; no compression, language and translation follow.
    new = [
        (_TEXT, name.encode("latin-1") + b"\0\0\0\0\0" + words.encode("utf-8", "replace"))
        for name, words in texts.items()
    ]
    return _image([parts[0], *new, *parts[1:]])


def texts_of(image: bytes) -> dict[str, str]:
    """The texts of an image by keyword; raises `ValueError` where it cannot be read."""
    found = (data for kind, data in _chunks(image) if kind == _TEXT)
    return {_keyword(data): _words(data) for data in found}


def pixels_hash(image: bytes) -> str:
    """The SHA-256 of the pixels as they are stored; raises `ValueError` as above."""
    return hashlib.sha256(_pixels(_chunks(image))).hexdigest()


def _keyword(text: bytes) -> str:
    return text.partition(b"\0")[0].decode("latin-1")


def _words(text: bytes) -> str:
    _, _, rest = text.partition(b"\0")
    is_compressed, rest = rest[:1] == b"\1", rest[2:]
    words = rest.partition(b"\0")[2].partition(b"\0")[2]
    try:
        words = zlib.decompressobj().decompress(words, _MOST) if is_compressed else words
    except zlib.error as error:
        raise ValueError(f"A text of this PNG cannot be read: {error}.") from None
    return words[:_MOST].decode("utf-8", "replace")


def _pixels(parts: Iterable[Chunk]) -> bytes:
    return b"".join(data for kind, data in parts if kind == _PIXELS)


def _chunks(image: bytes) -> list[Chunk]:
    """The parts of an image: each has length, kind, data, and the CRC of kind and data."""
    parts: list[Chunk] = []
    at = len(_SIGNATURE)
    while is_png(image) and at + 12 <= len(image):
        length, kind = struct.unpack_from(">I4s", image, at)
        parts.append((kind, image[at + 8 : at + 8 + length]))
        at += 12 + length
    if not parts or at != len(image) or parts[-1][0] != _END:
        raise ValueError("This is not a complete PNG image.")
    return parts


def _image(parts: Iterable[Chunk]) -> bytes:
    return _SIGNATURE + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )

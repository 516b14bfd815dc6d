"""JSON objects from a stream of bytes, however they are framed and wherever the bytes are cut.

Newline-delimited, with record separators (RFC 7464), back to back, pretty-printed, or one array.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

import msgspec

from audiencelab.client.decoding import BOM, read_legible
from audiencelab.wording import plural

T = TypeVar("T")

MAX_OBJECT = 16 * 1024 * 1024
"""Bytes of one object at most."""

_SPACE = b" \t\r\n"
_BOUNDARY = re.compile(rb"\}[ \t\r\n]*(?=\{)")
_TEXT = re.compile(rb"[^ \t\r\n]")
_ENTRY = re.compile(rb"[^ \t\r\n,]")
_OUTSIDE = re.compile(rb'["{}]')
_INSIDE = re.compile(rb'["\\]')
_SHOWN = 60
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class InvalidStream(ValueError):
    """The stream holds something that is not an object of the expected kind.

    document: the text in question, which may be the service's explanation.
    """

    def __init__(self, message: str, document: bytes = b"") -> None:
        super().__init__(message)
        self.document = document


class ObjectStream(Generic[T]):
    """Takes bytes, returns objects of one type.

    kind: the msgspec type of the objects.
    max_object: bytes of one object; beyond, `InvalidStream`.

    JSON has no control character inside strings, so record separators are white space. All objects
    up to the last boundary (`}` before `{` or before the end) are decoded in one go. A boundary
    inside a string makes that fail; then brackets are counted, each byte once.
    """

    def __init__(self, kind: type[T], *, max_object: int = MAX_OBJECT) -> None:
        self._decoder = msgspec.json.Decoder(kind)
        self._max_object = max_object
        self._buffer = bytearray()
        self._scanner: _Scanner | None = None
        self._failure: InvalidStream | None = None
        self._count = 0
        self._has_begun = self._in_array = False

    def feed(self, chunk: bytes) -> list[T]:
        """The objects that these bytes complete.

        Raises `InvalidStream` for anything else, after returning the objects before it.
        """
        objects: list[T] = []
        if self._failure is None:
            chunk = chunk.replace(b"\x1e", b" ")
            if not self._has_begun:
                # Of a chunk that ends within it, the rest is refused.
                chunk = chunk.removeprefix(BOM)
            if not self._buffer:
                chunk = chunk.lstrip(_SPACE)
            if chunk and not self._has_begun:
                self._has_begun, self._in_array = True, chunk.startswith(b"[")
                chunk = chunk[self._in_array :]
            try:
                if self._scanner or self._in_array or not self._decode_run(chunk, objects):
                    self._buffer += chunk
                    self._scan(objects)
                if len(self._buffer) > self._max_object:
                    number, most = self._count + 1, self._max_object
                    raise InvalidStream(
                        f"Object {number:,} is larger than {most:,} bytes, the limit."
                    )
            except InvalidStream as error:
                self._failure = error
        if self._failure is not None and not objects:
            raise self._failure
        return objects

    def finish(self) -> list[T]:
        """The last objects; raises `InvalidStream` if the stream ends inside one, or with text.

        Like `feed`, it first returns the objects before that; call it again until there are none.
        """
        objects = self.feed(b"") if self._buffer or self._failure else []
        if self._failure is None and self._buffer:
            self._failure = InvalidStream(
                f"The stream ends in the middle of object {self._count + 1:,}."
            )
        elif self._failure is None and self._in_array:
            self._failure = InvalidStream("The stream ends before its array does.")
        if self._failure is not None and not objects:
            raise self._failure
        return objects

    def _decode_run(self, chunk: bytes, objects: list[T]) -> bool:
        """Decode all objects up to the last boundary; returns whether there were any."""
        for end in _boundaries(chunk):
            try:
                objects += self._decoder.decode_lines(
                    b"".join((self._buffer, memoryview(chunk)[:end]))
                )
            except _UNREADABLE:
                continue
            self._count += len(objects)
            self._buffer[:] = chunk[end:].lstrip(_SPACE)
            return True
        return False

    def _scan(self, objects: list[T]) -> None:
        """Decode the objects of the buffer one by one, by their brackets."""
        start = self._skip_space(0)
        while start < len(self._buffer):
            if self._in_array and self._buffer[start] == 0x5D:
                self._in_array = False
                start = self._skip_space(start + 1)
                continue
            self._check_start(start)
            self._scanner = self._scanner or _Scanner(start)
            end = self._scanner.end_of_object(self._buffer)
            if end is None:
                break
            objects.append(self._decode(bytes(self._buffer[start:end])))
            self._scanner = None
            start = self._skip_space(end)
        del self._buffer[:start]
        if objects:
            # What is left is the beginning of another object.
            self._scanner = None
        elif self._scanner is not None:
            self._scanner.position -= start

    def _decode(self, text: bytes) -> T:
        try:
            found = read_legible(self._decoder.decode, text)
        except msgspec.ValidationError as error:
            raise InvalidStream(
                f"Object {self._count + 1:,} is not a cell: {error}.", text
            ) from None
        except _UNREADABLE:
            raise InvalidStream(
                f"Object {self._count + 1:,} is not JSON; it begins {text[:_SHOWN]!r}."
            ) from None
        self._count += 1
        return found

    def _check_start(self, start: int) -> None:
        if self._buffer[start] != 0x7B:
            shown = bytes(self._buffer[start : start + _SHOWN])
            raise InvalidStream(
                f"After {plural(self._count, 'object')} comes no JSON object but {shown!r}."
            )

    def _skip_space(self, position: int) -> int:
        found = (_ENTRY if self._in_array else _TEXT).search(self._buffer, position)
        return found.start() if found else len(self._buffer)


def _boundaries(text: bytes) -> Iterator[int]:
    """Where the last object may end: with the text, or before the last `{`."""
    if text.rstrip(_SPACE).endswith(b"}"):
        yield len(text)
    # `deque` keeps the last of all matches.
    for boundary in deque(_BOUNDARY.finditer(text), 1):
        yield boundary.start() + 1


class _Scanner:
    """Finds the end of an object by its brackets, over any number of chunks."""

    def __init__(self, start: int) -> None:
        self.position = start
        self._depth = 0
        self._in_string = False

    def end_of_object(self, buffer: bytearray) -> int | None:
        """The position after the object, or None if it is not complete yet."""
        while found := (_INSIDE if self._in_string else _OUTSIDE).search(buffer, self.position):
            mark = found.group()
            if mark == b"\\":
                if found.end() == len(buffer):
                    # The escaped character has not come: read the backslash again then.
                    self.position = found.start()
                    return None
                self.position = found.end() + 1
                continue
            self.position = found.end()
            if mark == b'"':
                self._in_string = not self._in_string
                continue
            self._depth += 1 if mark == b"{" else -1
            if self._depth == 0:
                return self.position
        self.position = len(buffer)
        return None

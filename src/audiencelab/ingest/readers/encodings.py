"""How the text of a file is encoded: what its bytes prove, else what its letters say."""

from __future__ import annotations

import codecs
import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import IO

from audiencelab.ingest.meaning.guess import Guess
from audiencelab.survey.errors import SurveyError

_BLOCK = 1 << 20
_ASCII = bytes(range(128))
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks; that of UTF-32 begins like that of UTF-16."""

_WIDE = ("utf-16", "utf-16-le", "utf-16-be", "utf-32")

_PIECE = re.compile(rb'[^\x00-\x1f",;]*[\x80-\xff][^\x00-\x1f",;]*')
"""The text of a cell. Signs from | on may be the second byte of a character."""

_LOOKED_AT = 4 * _BLOCK
"""Bytes of blocks with other characters than ASCII in which texts are found."""
_MOST_PIECES = 600
_LONGEST_PIECE = 400
_DAMAGED = 3
"""So many times more texts that are UTF-8 than others: a damaged file, and no other encoding."""

_PRIOR = {"windows-1252": 0.0, "latin-1": 0.0} | dict.fromkeys(
    ("cp850", "cp866", "euc-jp", "iso-8859-2", "koi8-u"), -9.0
)
"""The logarithm of how often files have an encoding; of those that are not here, `_UNUSUAL`."""
_UNUSUAL, _UNLIKELY = -4.0, -5.0
"""Logarithms: of other encodings, and of letters in an unlikely order."""
_NEVER, _RARE = math.log(1e-7), math.log(1e-4)
_AFTER_LATIN = "\u0250"
_SCRIPTS = (_AFTER_LATIN, "\u0400", "\u0530", "\u0600", "\u0780", "\u0e80")
"""What follows the letters of Latin, Greek, Cyrillic, Hebrew, Arabic and Thai."""
_INSIDE = "’´·\u00a0"
_BESIDE = _INSIDE + "‘“”–—…«»®™©²³"
"""Signs between letters, and on one side of them."""
_SOME, _GIBBERISH = 20, -10.0
"""Characters from which on it counts how likely they are, and the logarithm for one of them."""
_CLOSE = 12.0
"""The difference of logarithms below which another encoding is likely, too."""

Opened = Callable[[Path], AbstractContextManager[IO[bytes]]]
"""Opens a file as bytes, unpacked."""


@dataclass(frozen=True)
class Encoding:
    """The encoding of some files.

    name: as Python calls it; "" for UTF-8 and ASCII. example: a text of the files that others would
    read as another one; "" where nothing was guessed. other: the likeliest of these others, and
    other_example the text as it would read it. is_close: whether that is nearly as likely.
    """

    name: str = ""
    example: str = ""
    other: str = ""
    other_example: str = ""
    is_close: bool = False

    @property
    def said(self) -> str:
        """What was guessed, with an example; "" for nothing."""
        if not self.example:
            return ""
        return (
            f"read as {self.name}, by its letters: {self.example!r}, "
            f"which is {self.other_example!r} in {self.other}"
        )

    @property
    def guesses(self) -> tuple[Guess, ...]:
        """The same with the code that changes it, or nothing."""
        if not self.said:
            return ()
        code = f'al.open(…, encoding="{self.other}")'
        return (Guess("file", "encoding", self.said, code, 1 if self.is_close else 2),)


def encoding_of_files(paths: Sequence[Path], opened: Opened) -> Encoding:
    """The one encoding of some files: UTF-8 if all of them is that, else the likeliest.

    UTF-8 also where most of a file is that, and where it is text in none of the encodings that are
    known here: reading it is an error, with the row, then.

    Raises `SurveyError` where they have several, of which one alone can be given.
    """
    names = {path: _proven(path, opened) for path in paths}
    found = {name: path for path, name in names.items()}
    if not any(name in found for name in _WIDE):
        found.pop("ascii", None)
    if len(found) > 1:
        one, other = found
        shown = {"": "not UTF-8", "utf-8": "UTF-8", "ascii": "ASCII"}
        raise SurveyError(
            f"{found[one]} is {shown.get(one, one)}, and {found[other]} is "
            f"{shown.get(other, other)}. Save both in one encoding, such as UTF-8."
        )
    if "" in found:
        return _guessed(paths, opened)
    return Encoding(next((name for name in found if name in _WIDE), ""))


def _proven(path: Path, opened: Opened) -> str:
    """What the bytes of a file prove: "ascii", "utf-8", UTF-16 or UTF-32; "" for anything else."""
    with opened(path) as stream:
        first = stream.read(_BLOCK)
        if mark := next((name for sign, name in _MARKS if first.startswith(sign)), None):
            return mark
        if wide := _without_mark(first):
            return wide
        decoder = codecs.getincrementaldecoder("utf-8")()
        is_ascii, block = True, first
        try:
            while block:
                if not (is_whole := block.isascii()) or decoder.getstate()[0]:
                    decoder.decode(block)
                is_ascii = is_ascii and is_whole
                block = stream.read(_BLOCK)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return ""
    return "ascii" if is_ascii else "utf-8"


def _without_mark(first: bytes) -> str:
    """UTF-16 without a byte order mark: the ends of its lines have a zero beside them."""
    if b"\0" not in first:
        return ""
    for name, ends in (("utf-16-le", (b"\n\0", b"\r\0")), ("utf-16-be", (b"\0\n", b"\0\r"))):
        places = [place for end in ends if (place := first.find(end)) >= 0]
        if places and min(places) % 2 == 0:
            try:
                codecs.getincrementaldecoder(name)().decode(first)
            except UnicodeDecodeError:
                continue
            return name
    return ""


# ---- by letters ----


def _guessed(paths: Sequence[Path], opened: Opened) -> Encoding:
    """The encoding in which the texts of some files are likeliest; UTF-8 for damaged UTF-8."""
    beyond = b""
    pieces: dict[bytes, None] = {}
    looked_at = 0
    for path in paths:
        with opened(path) as stream:
            for block in _blocks(stream):
                if new := block.translate(None, _ASCII + beyond):
                    beyond += bytes({*new})
                if looked_at < _LOOKED_AT and not block.isascii():
                    looked_at += len(block)
                    pieces |= dict.fromkeys(map(bytes.strip, _PIECE.findall(block)))
    texts = sorted(pieces, key=len)[:_MOST_PIECES]
    texts = [each for each in texts if len(each) <= _LONGEST_PIECE] or texts[:1]
    if len(texts) > _DAMAGED * sum(_decoded(each, "utf-8") is None for each in texts):
        return Encoding()
    by_score = sorted(
        ((score, name) for name in _models() if (score := _score(name, texts, beyond)) is not None),
        reverse=True,
    )
    best, name = by_score[0]
    if not _is_text(name, best, texts):
        return Encoding()
    for score, other in by_score[1:]:
        for text in texts:
            mine, theirs = text.decode(name, "replace"), _decoded(text, other)
            if theirs is not None and mine != theirs:
                return Encoding(name, _short(mine), other, _short(theirs), best - score < _CLOSE)
    return Encoding(name)


def _is_text(name: str, score: float, texts: Iterable[bytes]) -> bool:
    """Whether the characters beyond ASCII, if there are some, are likely at all."""
    signs = sum(not sign.isascii() for text in texts for sign in text.decode(name, "replace"))
    return signs < _SOME or score > _GIBBERISH * signs


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """The content in blocks of whole lines, so that no text is cut, unless a line is very long."""
    kept = b""
    while block := stream.read(_BLOCK):
        block = kept + block
        end = block.rfind(b"\n") + 1 or (len(block) if len(block) > 8 * _BLOCK else 0)
        yield block[:end]
        kept = block[end:]
    yield kept


def _short(text: str) -> str:
    """The first word of a text that is not ASCII, with the words around it."""
    words = text.split(" ")
    place = next((place for place, word in enumerate(words) if not word.isascii()), 0)
    shown = " ".join(words[max(0, place - 1) : place + 2])
    return shown if len(shown) <= 40 else words[place][:40]


def _decoded(text: bytes, encoding: str) -> str | None:
    try:
        return text.decode(encoding)
    except UnicodeDecodeError:
        return None


@dataclass(frozen=True)
class _Model:
    """How likely the characters beyond ASCII are, in each language of an encoding.

    has_several: whether characters have several bytes.
    """

    languages: tuple[Mapping[str, float], ...]
    has_several: bool


@cache
def _models() -> dict[str, _Model]:
    raw = files("audiencelab.ingest.readers").joinpath("letters.toml").read_text("utf-8")
    content = tomllib.loads(raw)
    signs = dict(_by_rank(content["signs"]["usual"], 0.08))
    found: dict[str, _Model] = {}
    for name, languages in content["single"].items():
        models = (content["languages"][each] for each in languages)
        found[name] = _Model(tuple(_of_letters(each, signs) for each in models), False)
    for name, said in content["several"].items():
        several = {
            chr(code): share / (ord(last) - ord(first) + 1)
            for first, last, share in said["ranges"]
            for code in range(ord(first), ord(last) + 1)
        }
        for letters, share in said["frequent"]:
            several |= dict.fromkeys(letters, share / len(letters))
        found[name] = _Model((_logarithms(several),), True)
    return found


def _of_letters(letters: str, signs: Mapping[str, float]) -> dict[str, float]:
    lower = dict(_by_rank(letters, 0.82))
    upper = {each.upper(): chance / 8 for each, chance in lower.items() if len(each.upper()) == 1}
    return _logarithms({**signs, **upper, **lower})


def _by_rank(letters: str, share: float) -> Iterator[tuple[str, float]]:
    """Chances that fall with the rank, and add up to a share."""
    weights = [1 / (rank + 2) for rank in range(len(letters))]
    for letter, weight in zip(letters, weights, strict=True):
        yield letter, share * weight / sum(weights)


def _logarithms(chances: Mapping[str, float]) -> dict[str, float]:
    return {each: math.log(chance) for each, chance in chances.items()}


def _score(name: str, texts: Sequence[bytes], beyond: bytes) -> float | None:
    """The logarithm of how likely texts are in an encoding; None where it cannot read them."""
    model = _models()[name]
    # Of the whole file, and not of some texts alone.
    if not model.has_several and _decoded(beyond, name) is None:
        return None
    found: Counter[str] = Counter()
    score = _PRIOR.get(name, _UNUSUAL)
    for text in texts:
        decoded = _decoded(text, name)
        if decoded is None:
            return None
        found.update(sign for sign in decoded if not sign.isascii())
        score += 0 if model.has_several else _UNLIKELY * _oddities(decoded)
    return score + max(
        sum(count * _chance(sign, language) for sign, count in found.items())
        for language in model.languages
    )


def _chance(sign: str, language: Mapping[str, float]) -> float:
    known = language.get(sign)
    if known is not None:
        return known
    return _RARE if sign.isalpha() else _NEVER


def _oddities(text: str) -> float:
    """How often letters follow each other as in no word: aB, ABc, a letter of another script, a§b.

    Only where one of them is not ASCII. Two accents in a row are seldom, and count half.
    """
    found = 0.0
    padded = f"  {text} "
    for second, first, sign, after in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        if sign.isascii():
            found += not first.isascii() and _is_odd_pair(first, sign)
        elif sign.isalpha():
            found += _is_odd_pair(first, sign)
            found += sign.islower() and second.isupper() and first.isupper()
            found += 0.5 * (
                "\x80" < first < _AFTER_LATIN and first.isalpha() and sign < _AFTER_LATIN
            )
        elif first.isalpha() or after.isalpha():
            found += sign not in (_INSIDE if first.isalpha() and after.isalpha() else _BESIDE)
    return found


def _is_odd_pair(first: str, second: str) -> bool:
    if not (first.isalpha() and second.isalpha()):
        return False
    return (first.islower() and second.isupper()) or _script(first) != _script(second)


def _script(letter: str) -> str:
    """The alphabet of a letter, by the first letter of the next one."""
    return next((each for each in _SCRIPTS if letter < each), "")

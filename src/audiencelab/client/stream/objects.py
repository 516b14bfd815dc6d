"""Objects out of a stream of concatenated JSON, however it is framed and wherever it is cut.

Newline-delimited, RS-prefixed (RFC 7464), back to back, pretty-printed, as one array, in chunks of
any size.
What the objects mean is not known here; `cells` knows.

Why this is exact. Outside strings JSON has no control character but white space, and inside
strings none at all: so RS can be taken for white space. A text that is cut inside a string or an
object is no JSON. So every cut is a guess that the decoder confirms, and a good one is where a
`}` meets a `{` or the end of what has come: the first happens only between objects or in a
string. All that has come up to the last such place is decoded in one go, since the decoder of
lines takes objects with any white space between them, or none. Where that fails, objects are
taken one by one, so that those before a broken one are handed out. Text full of `}{` would make
guessing quadratic: after a few wrong guesses in one object a scanner counts its brackets, each
byte once. So it does for every object of an array, where commas stand between them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import msgspec

from audiencelab.wording import plural

T = TypeVar("T")

MAX_OBJECT = 16 * 1024 * 1024
"""Bytes that one object may take before the stream is refused."""

_GUESSES = 8
"""Wrong guesses at the end of one object before its brackets are counted."""

_SPACE = b" \t\r\n"
_BOUNDARY = re.compile(rb"\}[ \t\r\n]*(?=\{)")
_TEXT = re.compile(rb"[^ \t\r\n]")
_ENTRY = re.compile(rb"[^ \t\r\n,]")
_OUTSIDE = re.compile(rb'["{}]')
_INSIDE = re.compile(rb'["\\]')
_SHOWN = 60


class InvalidStream(ValueError):
    """The stream holds something that is no object of the kind expected.

    `document` is the text in question: a service may have written its reason there.
    """

    def __init__(self, message: str, document: bytes = b"") -> None:
        super().__init__(message)
        self.document = document


class ObjectStream(Generic[T]):
    """Feed it bytes, take objects of one type.

    kind: the msgspec type of the objects.
    max_object: bytes that one object may take; beyond, `InvalidStream`.
    """

    def __init__(self, kind: type[T], *, max_object: int = MAX_OBJECT) -> None:
        self._decoder = msgspec.json.Decoder(kind)
        self._max_object = max_object
        self._buffer = bytearray()
        self._searched = 0  # no object that has not been taken ends before this place
        self._guesses = 0
        self._scanner: _Scanner | None = None
        self._failure: InvalidStream | None = None
        self._count = 0
        self._has_begun = self._in_array = False

    def feed(self, chunk: bytes) -> list[T]:
        """The objects that these bytes complete.

        Raises `InvalidStream` where something else stands, after handing out what came before.
        """
        if b"\x1e" in chunk:
            chunk = chunk.replace(b"\x1e", b" ")
        if chunk.isspace():
            return self._take(self._pad, chunk)
        if not self._has_begun and chunk:
            self._has_begun = True
            self._in_array = chunk.lstrip(_SPACE).startswith(b"[")
            chunk = chunk.lstrip(_SPACE)[1:] if self._in_array else chunk
        guesses = self._guesses or self._in_array
        return self._take(self._by_guess if guesses else self._by_run, chunk)

    def finish(self) -> list[T]:
        """The last objects; raises `InvalidStream` if the stream ends inside one, or with text.

        As `feed` does, it hands out what came before that: to be told of it, ask again.
        """
        return self._take(self._by_brackets, b"")

    def _take(self, advance: Callable[[bytes, list[T]], None], chunk: bytes) -> list[T]:
        objects: list[T] = []
        if self._failure is None:
            try:
                advance(chunk, objects)
            except InvalidStream as error:
                self._failure = error
        if self._failure is not None and not objects:
            raise self._failure
        return objects

    def _pad(self, chunk: bytes, _: list[T]) -> None:
        """White space: it ends no object, and before an object it need not be kept."""
        self._buffer += chunk
        self._drop(self._skip_space(0))
        self._check_length()

    def _by_run(self, chunk: bytes, objects: list[T]) -> None:
        """All objects in one go, up to the last place that looks like the end of one.

        That is in this chunk: what ended in those before it has been taken.
        """
        for end in _last_ends(chunk):
            self._searched = 0
            if self._decode_run(chunk, end, objects):
                self._buffer[:] = memoryview(chunk)[end:]
                self._drop(self._skip_space(0))
                self._check_length()
                return
        self._by_guess(chunk, objects)

    def _decode_run(self, chunk: bytes, end: int, objects: list[T]) -> bool:
        """Whether whole objects end there; they are taken then."""
        # Copied once: memory is what decoding waits for.
        text = b"".join((self._buffer, memoryview(chunk)[:end]))
        try:
            objects += self._decoder.decode_lines(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return False
        self._count += len(objects)
        return True

    def _by_guess(self, chunk: bytes, objects: list[T]) -> None:
        """One object after the other, cut where the decoder confirms the guess."""
        self._buffer += chunk
        start = self._skip_space(0)
        while start < len(self._buffer):
            if self._in_array:
                if self._buffer[start] == 0x5D:
                    self._in_array = False
                    start = self._skip_space(start + 1)
                    continue
                self._scanner = self._scanner or _Scanner(start)
            self._check_start(start)
            scanner = self._scanner
            end = scanner.end_of_object(self._buffer) if scanner else self._guess(start)
            if end is None:
                break
            found = self._decode(start, end)
            if found is not None:
                objects.append(found)
                start = self._searched = self._skip_space(end)
                self._guesses, self._scanner = 0, None
                continue
            if scanner is not None:
                shown = bytes(self._buffer[start : min(end, start + _SHOWN)])
                raise InvalidStream(f"Object {self._count + 1:,} is no JSON; it begins {shown!r}.")
            self._searched = end
            self._guesses += 1
            if self._guesses >= _GUESSES:
                self._scanner = _Scanner(start)
        self._drop(start)
        self._check_length()

    def _by_brackets(self, chunk: bytes, objects: list[T]) -> None:
        """All that is left: text behind an object hides its end from every guess."""
        self._by_guess(chunk, objects)
        while self._buffer:
            if self._scanner is not None:
                raise InvalidStream(f"The stream ends in the middle of object {self._count + 1:,}.")
            self._scanner = _Scanner(0)
            self._by_guess(b"", objects)
        if self._in_array:
            raise InvalidStream("The stream ends before its array does.")

    def _guess(self, start: int) -> int | None:
        """Where the object may end: before the next `{`, or with all that has come."""
        if cut := _BOUNDARY.search(self._buffer, max(start, self._searched)):
            return cut.start() + 1
        end = _closed(self._buffer, len(self._buffer))
        if not end:
            self._searched = len(self._buffer)
            return None
        return end if end > self._searched else None

    def _decode(self, start: int, end: int) -> T | None:
        """The object of a slice, or None if the slice is no JSON, for then the cut was wrong."""
        text = bytes(self._buffer[start:end])
        try:
            found = self._decoder.decode(text)
        except msgspec.ValidationError as error:
            # Sound JSON of another shape: the cut was right, the content is not.
            raise InvalidStream(f"Object {self._count + 1:,} is no cell: {error}.", text) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        self._count += 1
        return found

    def _check_start(self, start: int) -> None:
        if self._buffer[start] != 0x7B:
            shown = bytes(self._buffer[start : start + _SHOWN])
            raise InvalidStream(
                f"After {plural(self._count, 'object')} comes no JSON object but {shown!r}."
            )

    def _check_length(self) -> None:
        if len(self._buffer) > self._max_object:
            raise InvalidStream(
                f"Object {self._count + 1:,} is larger than {self._max_object:,} bytes, the limit."
            )

    def _skip_space(self, place: int) -> int:
        found = (_ENTRY if self._in_array else _TEXT).search(self._buffer, place)
        return found.start() if found else len(self._buffer)

    def _drop(self, count: int) -> None:
        del self._buffer[:count]
        self._searched = max(0, self._searched - count)
        if self._scanner is not None:
            self._scanner.place -= count


def _last_ends(text: bytes) -> Iterator[int]:
    """Where the last object may end: with the text, if by a `}`, or before the last other one."""
    if end := _closed(text, len(text)):
        yield end
    place = text.rfind(b"{")
    while place > 0:
        if end := _closed(text, place):
            yield end
            return
        place = text.rfind(b"{", 0, place)


def _closed(text: bytes | bytearray, place: int) -> int:
    """The place after a `}` that has only white space between it and this place, or 0."""
    reach = 1
    while place and text[place - 1] in _SPACE:
        # Looked through in steps that grow, so that padding costs what it is long.
        start = max(0, place - reach)
        place = start + len(text[start:place].rstrip(_SPACE))
        reach *= 2
    return place if place and text[place - 1] == 0x7D else 0


class _Scanner:
    """Finds the end of an object by its brackets, over as many chunks as it takes."""

    def __init__(self, start: int) -> None:
        self.place = start
        self._depth = 0
        self._in_string = False

    def end_of_object(self, buffer: bytearray) -> int | None:
        """The place after the object, or None if it is not whole yet."""
        while found := (_INSIDE if self._in_string else _OUTSIDE).search(buffer, self.place):
            mark = found.group()
            if mark == b"\\":
                if found.end() == len(buffer):
                    # What it escapes has not come: look at the backslash again then.
                    self.place = found.start()
                    return None
                self.place = found.end() + 1
                continue
            self.place = found.end()
            if mark == b'"':
                self._in_string = not self._in_string
                continue
            self._depth += 1 if mark == b"{" else -1
            if self._depth == 0:
                return self.place
        self.place = len(buffer)
        return None

"""Read lines whose cells are at fixed positions, also gzipped, in blocks.

Positions count characters, in any encoding. Blank lines are left out.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from audiencelab.ingest.codebook import canonical_value
from audiencelab.ingest.columns import Piece, Progress
from audiencelab.ingest.readers.csv_dialect import UNREADABLE, open_bytes
from audiencelab.survey.errors import SourceError, SourcePlace

_BLOCK = 8 << 20
_LONGEST = 64 << 20
_NUMBER = re.compile(r"([-+]?)(\d+(?=\.|$)|(?=\.\d))(?:(\.)(\d*))?")
_TWO_NUMBERS = re.compile(r"\d\s+[-+]?\d")
_BLANK, _LINE_END = 32, 10


class LineField(NamedTuple):
    """Where a column is in each line: characters `start` to `stop`, counted from 0, without `stop`.

    decimals: how many of the last digits are behind a decimal point that is not written.
    is_text: whether it holds texts, as they are, and not numbers.
    """

    name: str
    start: int
    stop: int
    decimals: int = 0
    is_text: bool = False

    @property
    def place(self) -> str:
        """Its position as people write it, counted from 1."""
        return f"{self.start + 1:,} to {self.stop:,}"


def fixed_width_pieces(
    path: Path,
    encoding: str,
    cells: Sequence[LineField],
    progress: Progress,
    origin: str = "",
    *,
    skipped: int = 0,
    value: Callable[[LineField, str], str] | None = None,
) -> Iterator[Piece]:
    """The values of some columns of a file of lines.

    origin: the file in messages, by default its path. skipped: lines before the first respondent.
    value: makes the value of the characters of a cell, by default `cell_value`.

    A line may be shorter than others, since editors remove the blanks at its end: cells behind it
    are empty. Raises `SourceError` with line and column for a line that ends inside a number, for
    two numbers in one cell, and for a column that lies behind all lines, which is a sign that the
    positions are those of another file; also for a file that cannot be read or decoded.
    """
    source = origin or str(path)
    meant = value or cell_value
    width = max((cell.stop for cell in cells), default=1)
    lengths: set[int] = set()
    for block in _blocks(path, encoding, width, progress, source, skipped):
        # Two lengths are enough to know whether all lines are equally long.
        lengths |= {int(block.lengths.min()), int(block.lengths.max())}
        for cell in cells:
            yield _piece(block, cell, source, meant)
    if lengths:
        _check_reached(cells, min(lengths), max(lengths), source)


def cell_value(cell: LineField, text: str) -> str:
    """The canonical value of a cell; "" for a blank one."""
    return canonical_value(text) if cell.is_text else number(text, cell.decimals)


def number(text: str, decimals: int = 0) -> str:
    """A number as it is compared: 007 is 7 and 1.50 is 1.5. Other text stays as it is.

    decimals: digits behind a decimal point that is not written.

    >>> number(" 0150", 2), number("-0.50"), number("1.0"), number("A1")
    ('1.5', '-0.5', '1', 'A1')
    """
    text = text.strip()
    if text.isdecimal() and not decimals:  # nearly all are, and there may be millions
        return text.lstrip("0") or "0"
    found = _NUMBER.fullmatch(text)
    if found is None:
        return canonical_value(text)
    sign, whole, point, fraction = found.groups(default="")
    if decimals and not point:
        digits = whole.zfill(decimals)
        whole, fraction = digits[:-decimals], digits[-decimals:]
    shown = ".".join(filter(None, [whole.lstrip("0") or "0", fraction.rstrip("0")]))
    return f"-{shown}" if sign == "-" and shown != "0" else shown


# ---- blocks of lines ----


class _Lines(NamedTuple):
    """Some lines: their numbers in the file, their lengths, and their characters [lines, width].

    Characters are code points, in one byte if that is enough for all, and blanks behind the ends.
    """

    numbers: npt.NDArray[np.intp]
    lengths: npt.NDArray[np.intp]
    characters: npt.NDArray[Any]


def _blocks(
    path: Path, encoding: str, width: int, progress: Progress, origin: str, skipped: int
) -> Iterator[_Lines]:
    """Blocks of the lines that are not blank, cut or filled to a width."""
    number = 1
    for text in _texts(path, encoding, progress, origin):
        characters = _code_points(text)
        ends = np.flatnonzero(characters == _LINE_END)
        starts = np.concatenate([[0], ends[:-1] + 1])
        numbers = np.arange(number, number + len(ends))
        number += len(ends)
        has_any = np.add.reduceat(characters > _BLANK, starts) > 0
        left_out, skipped = skipped, max(0, skipped - int(has_any.sum()))
        kept = np.flatnonzero(has_any)[left_out:]
        lengths = ends - starts
        # A bound on the characters of a block, however short the lines and long the positions are.
        step = max(1, _BLOCK // width)
        for first in range(0, len(kept), step):
            rows = kept[first : first + step]
            matrix = _matrix(characters, starts[rows], lengths[rows], width)
            yield _Lines(numbers[rows], lengths[rows], matrix)


def _texts(path: Path, encoding: str, progress: Progress, origin: str) -> Iterator[str]:
    """The text of a file in blocks of whole lines, each of which ends in a line feed."""
    rest, number = "", 1
    try:
        with path.open("rb") as file, open_bytes(path, file) as stream:
            octets = stream.read(_BLOCK)
            # A byte order mark gives the encoding, and does not count as a character.
            is_marked = octets.startswith(codecs.BOM_UTF8)
            made = codecs.getincrementaldecoder("utf-8-sig" if is_marked else encoding)()
            decoder = io.IncrementalNewlineDecoder(made, translate=True)
            while octets:
                following = stream.read(_BLOCK)
                # One beyond the first block is the whole text of a short file.
                rest += decoder.decode(octets, final=not following)
                whole, line_end, rest = rest.rpartition("\n")
                if line_end:
                    yield f"{whole}\n"
                    number += whole.count("\n") + 1
                if len(rest) > _LONGEST:
                    detail = f"is longer than {_LONGEST:,} characters. The file needs line ends."
                    raise SourceError(SourcePlace(origin, row=number), detail)
                progress.at(file.tell())
                octets = following
            # Old programs of DOS end a file with the character Ctrl-Z.
            if rest := rest.rstrip("\x1a"):
                yield f"{rest}\n"
    except UnicodeDecodeError as error:
        before = error.object[: error.start].count(b"\n") if isinstance(error.object, bytes) else 0
        raise SourceError(
            SourcePlace(origin, row=number + before),
            f'is not {encoding}. Name the file\'s encoding, as in encoding="windows-1252", or in '
            'the codebook: [source] encoding = "windows-1252".',
        ) from None
    except LookupError:
        raise SourceError(
            SourcePlace(origin), f"cannot be read: the encoding {encoding!r} is not known."
        ) from None
    except UNREADABLE as error:
        what = "cannot be read" if isinstance(error, OSError) else "is damaged or cut short"
        raise SourceError(SourcePlace(origin), f"{what}: {error}.") from None


def _code_points(text: str) -> npt.NDArray[Any]:
    """The code points of a text, in one byte each if all of them are small."""
    try:
        return np.frombuffer(text.encode("latin-1"), np.uint8)
    except UnicodeEncodeError:
        return np.frombuffer(text.encode("utf-32-le"), np.uint32)


def _matrix(
    characters: npt.NDArray[Any],
    starts: npt.NDArray[np.intp],
    lengths: npt.NDArray[np.intp],
    width: int,
) -> npt.NDArray[Any]:
    """The first characters of some lines, and blanks behind their ends: [lines, width]."""
    length = int(lengths[0])
    if length >= width and (lengths == length).all() and (np.diff(starts) == length + 1).all():
        first = int(starts[0])
        whole = characters[first : first + len(starts) * (length + 1)]
        return whole.reshape(len(starts), length + 1)[:, :width]
    found = np.full((len(starts), width), _BLANK, characters.dtype)
    columns = np.arange(width)
    # Some lines at a time: the positions take eight bytes a character.
    step = max(1, (1 << 20) // width)
    for first in range(0, len(starts), step):
        some = slice(first, first + step)
        inside = columns < lengths[some, None]
        found[some][inside] = characters[(starts[some, None] + columns)[inside]]
    return found


# ---- cells ----


def _piece(
    block: _Lines, cell: LineField, origin: str, value: Callable[[LineField, str], str]
) -> Piece:
    """The next values of a column."""
    import pyarrow as pa

    if not cell.is_text:
        inside = (block.lengths > cell.start) & (block.lengths < cell.stop)
        if inside.any():
            row = int(np.argmax(inside))
            detail = (
                f"the line has {block.lengths[row]:,} characters, and ends inside a number, which "
                f"is at {cell.place}. The line is cut short, or the positions are those of another "
                "file."
            )
            raise SourceError(SourcePlace(origin, int(block.numbers[row]), cell.name), detail)
    found = np.ascontiguousarray(block.characters[:, cell.start : cell.stop])
    size = found.itemsize * (cell.stop - cell.start)
    texts: Any = pa.Array.from_buffers(
        pa.binary(size), len(found), [None, pa.py_buffer(cast(Any, found))]
    )
    encoded = texts.dictionary_encode()
    # Not `to_numpy`, which imports pandas.
    codes = np.frombuffer(encoded.indices.buffers()[1], np.int32, len(found))
    width, kept = cell.stop - cell.start, encoded.dictionary
    text = kept.buffers()[1].to_pybytes()[: size * len(kept)]
    text = text.decode("latin-1" if found.itemsize == 1 else "utf-32-le")
    different = [text[first : first + width] for first in range(0, len(text), width)]
    if not cell.is_text:
        _check_numbers(block, cell, codes, different, origin)
    return Piece(
        cell.name, codes, [value(cell, each) if each.strip() else "" for each in different]
    )


def _check_numbers(
    block: _Lines,
    cell: LineField,
    codes: npt.NDArray[np.int32],
    different: Sequence[str],
    origin: str,
) -> None:
    """Raise `SourceError` for a cell with two numbers, of which a wrong one would be made."""
    for code, text in enumerate(different):
        if " " in text.strip() and _TWO_NUMBERS.search(text):
            row = int(block.numbers[np.argmax(codes == code)])
            detail = f"holds two numbers at {cell.place}. The positions are those of another file."
            raise SourceError(SourcePlace(origin, row, cell.name, text), detail)


def _check_reached(cells: Sequence[LineField], shortest: int, longest: int, origin: str) -> None:
    """Raise `SourceError` for a column that lies behind all lines.

    A text may be: that of the last column, which no respondent wrote, of lines whose ends were
    removed. They differ in length then.
    """
    for cell in cells:
        if cell.start >= longest and (not cell.is_text or shortest == longest):
            raise SourceError(
                SourcePlace(origin, column=cell.name),
                f"is at {cell.place}, and no line has more than {longest:,} characters. The "
                "positions are those of another file.",
            )

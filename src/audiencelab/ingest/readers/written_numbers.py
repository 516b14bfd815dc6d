"""How the numbers of a text file are written: "1.234,56", "5,759", "1 234,5", "1'234".

What is between groups of three digits is a thousands sign where all numbers of the column allow
it. Codes, versions, dates and lists of codes keep their text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple, cast

from audiencelab.ingest.codebook import canonical_value
from audiencelab.ingest.columns import Piece
from audiencelab.ingest.readers.arrow import arrow_pieces

_BLANKS = " \u00a0\u2009\u202f"
_MARKS: dict[str, str] = {".": r"\.", ",": ",", " ": f"[{_BLANKS}]", "'": "['’]"}
"""The signs that may be between groups, and the characters that are each of them."""

_ANY_MARK = f".,'’{_BLANKS}"
_NUMBER = re.compile(rf"[-+]?\d+(?:[{_ANY_MARK}]\d+)+")
_COMMA_NUMBER = re.compile(r"[-+]?\d+,\d+")
_WITH_DIGITS = rf"^\s*[-+]?[0-9]+([{_ANY_MARK}][0-9]+)*\s*$"
_IN_GROUPS = rf"^\s*[-+]?[1-9][0-9]{{0,2}}([{_ANY_MARK}][0-9]{{3}})+([.,][0-9]+)?\s*$"
_ENOUGH, _FEWEST = 10, 3
"""Different amounts of a column of them, and of one that may be of them."""
_KEPT = 200
"""Numbers of a block without groups that are kept for comparison."""


class Thousands(NamedTuple):
    """The thousands sign of a column, and its decimal sign.

    example: a number with the sign. is_certain: whether the numbers are read by it.
    """

    mark: str
    decimal: str
    example: str
    is_certain: bool = True

    @property
    def number(self) -> str:
        """The number that the example is, by these signs."""
        plain = _without_signs(self.example, _grouped(self.mark, self.decimal), self.decimal)
        return canonical_value(plain.replace(",", "."))

    @property
    def as_is(self) -> str:
        """The number that it is where the thousands sign is a decimal sign."""
        return canonical_value(self.example.replace(",", "."))


class WrittenNumbers:
    """Reads a text column, block by block, and makes its numbers canonical.

    decimal: the decimal sign. in_commas: whether commas are between the cells of the file.
    thousands: what the numbers have between groups, if any have groups; known after `rest`.

    From the first number with groups on, blocks wait for the end of the column, which decides.
    """

    def __init__(self, column: str, decimal: str, *, in_commas: bool) -> None:
        self._column, self._decimal, self._in_commas = column, decimal, in_commas
        self._others: set[str] = set()
        self._waiting: list[Any] = []
        self.thousands: Thousands | None = None

    def pieces(self, array: Any) -> Iterator[Piece]:
        """The pieces of the next rows, as far as they do not wait."""
        import pyarrow.compute

        pc: Any = pyarrow.compute
        block: Any = array.dictionary_encode()
        texts: Any = block.dictionary
        if self._waiting or pc.any(pc.match_substring_regex(texts, _IN_GROUPS)).as_py():
            self._waiting.append(block)
            return
        if len(self._others) < _KEPT:
            found = texts.filter(pc.match_substring_regex(texts, _WITH_DIGITS)).slice(0, _KEPT)
            self._others |= {each.strip() for each in cast(list[str], found.to_pylist())}
        yield from self._canonical(block, self._decimal)

    def rest(self) -> Iterator[Piece]:
        """The pieces that have waited."""
        import pyarrow as pa

        texts: list[list[str]] = [block.dictionary.to_pylist() for block in self._waiting]
        values = self._others.union(each.strip() for block in texts for each in block)
        self.thousands = found = self._decide(values) if texts else None
        sign = found.decimal if found and found.is_certain else self._decimal
        for waiting, written in zip(self._waiting, texts, strict=True):
            block: Any = waiting
            if found and found.is_certain:
                form = _grouped(found.mark, sign)
                plain = [_without_signs(each, form, sign) for each in written]
                arrays: Any = pa.DictionaryArray
                block = arrays.from_arrays(waiting.indices, pa.array(plain, pa.string()))
            yield from self._canonical(block, sign)
        self._waiting.clear()

    def _canonical(self, block: Any, decimal: str) -> Iterator[Piece]:
        for piece in arrow_pieces(self._column, block):
            yield piece if decimal == "." else piece._replace(values=[*map(_pointed, piece.values)])

    def _decide(self, values: Collection[str]) -> Thousands | None:
        own = self._decimal
        other = "." if own == "," else ","
        numbers = [each for each in values if _NUMBER.fullmatch(each)]
        whole = {each.lstrip("-+") for each in values if each.lstrip("-+").isdecimal()}
        signs: list[tuple[str, str]] = [(e, other if e == own else own) for e in _MARKS]
        for mark, decimal in sorted(signs, key=lambda each: each[0] == own):
            form = _grouped(mark, decimal)
            marked = [each for each in numbers if re.search(_MARKS[mark], each)]
            if not marked or not all(map(form.fullmatch, marked)):
                continue
            if _are_lists(marked, whole, mark) or _are_identifiers(marked, whole, mark):
                continue
            found = Thousands(mark, decimal, min(marked, key=lambda each: (len(each), each)))
            groups = max(len(re.findall(_MARKS[mark], each)) for each in marked)
            longest = max(map(len, whole), default=0)
            if any(decimal in each for each in marked):
                return found
            if mark != own:
                is_sure = longest <= 3 if mark == "." else len(marked) >= _ENOUGH
                return found if is_sure or groups > 1 else None
            if groups > 1:
                # No number has two decimal signs.
                return None if self._others - whole else found
            if longest > 3 or len(marked) < _FEWEST:
                continue
            # Programs write a zero at the end in all numbers, or in none, so 2.470 beside 9
            # has a thousands sign.
            if whole and len(marked) >= _ENOUGH and any(each.endswith("0") for each in marked):
                return found
            if own == "," or not self._in_commas or longest == 3:
                return found._replace(is_certain=False)
        return None


def _grouped(mark: str, decimal: str) -> re.Pattern[str]:
    """Numbers with a sign between groups of three digits."""
    return re.compile(rf"[-+]?[1-9]\d{{0,2}}(?:{_MARKS[mark]}\d{{3}})+(?:\{decimal}\d+)?")


def _pointed(value: str | None) -> str | None:
    """A value with a decimal point instead of a decimal comma."""
    if value and _COMMA_NUMBER.fullmatch(value):
        return canonical_value(value.replace(",", "."))
    return value


def _without_signs(text: str, form: re.Pattern[str], decimal: str) -> str:
    """A number with groups without the signs between them; any other text as it is."""
    if not form.fullmatch(text.strip()):
        return text
    return "".join(each for each in text if each.isdecimal() or each in f"+-{decimal}")


def _are_lists(marked: Collection[str], whole: Collection[str], mark: str) -> bool:
    """Whether cells hold several codes, such as "101,102", and not numbers with groups."""
    lists = [re.split(_MARKS[mark], each) for each in marked]
    parts = {part for each in lists for part in each}
    if parts <= {*whole}:
        return True
    are_codes = all(len(part) == len("999") and part[0] != "0" for part in parts)
    return are_codes and all(each == sorted({*each}) for each in lists)


def _are_identifiers(marked: Collection[str], whole: Collection[str], mark: str) -> bool:
    """Whether numbers with groups are all of one form and long, as those of telephones are."""
    forms = {re.sub(r"\d", "0", each) for each in marked}
    return len(forms) == 1 and not whole and len(re.split(_MARKS[mark], forms.pop())) > 2

"""Parse DDI-Codebook (ddialliance.org): what IPUMS, ICPSR, Dataverse and NADA say of data in XML.

Versions 1 to 2.6, in any namespace. A code is missing where the codebook declares it
(`catgry missing="Y"`, `invalrng`), where its label says that the question was not asked ("NIU"),
and, in a codebook that declares none, where its label says that there are no data ("Unknown").
Codes of columns without categories are read from the lines of the coding instructions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PureWindowsPath
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from audiencelab.ingest.codebook import number_of
from audiencelab.ingest.columns import Variable
from audiencelab.ingest.meaning.guess import CODEBOOK, Guess
from audiencelab.ingest.meaning.words import means_no_data, means_not_asked
from audiencelab.ingest.readers.ddi_study import said_of_study
from audiencelab.ingest.readers.fixed_width import number
from audiencelab.ingest.study import as_found
from audiencelab.survey.errors import SourceError, SourcePlace, listed

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)")
_CODE_LINE = re.compile(r"(?:Codes)?\s*([-+]?\d+)\s*[=:]\s*(\S.*)")
"""A line of coding instructions, "999999999 = N.I.U."; IPUMS writes "Codes" before the first."""

_OF_SOME = re.compile(r"\([^()]*\d[^()]*\)")
"""A remark that a code has a meaning in some samples alone: "(1962-1964 only)"."""

_NINES = re.compile(r"-?9+[6-9]")
_IPUMS_ID = re.compile(r"(cb)?serial|pernum|(cps|nhis|hist)\w*id\w*|hhx|fmx|px")
"""Columns of IPUMS that number households, and persons in them, in small letters."""

_LONGEST_TEXT = 500
_SHOWN = 4
"""What changes it: an answer that a codebook of ours lists is one."""

_USER_EXTRACT = "User Extract"
"""How the titles of all extracts of IPUMS begin, which name the file and no survey."""


@dataclass(frozen=True, slots=True)
class DdiVariable:
    """A variable of a codebook.

    identifier: its ID. kind: "numeric", "character" or "" where the codebook does not say.
    decimals: how many of the last digits are behind a decimal point that is not written.
    start, stop: characters of a line, counted from 0, without `stop`; both 0 where not known.
    width: how many characters. files: the identifiers of the files that it is in. record: the types
    of records that have it; segment: on which line of a respondent it is. weights: the identifiers
    of the variables that weigh it. is_weight: whether it is a weight.
    """

    name: str
    identifier: str
    variable: Variable
    kind: str = ""
    decimals: int = 0
    start: int = 0
    stop: int = 0
    width: int = 0
    files: frozenset[str] = frozenset()
    record: str = ""
    segment: str = ""
    weights: frozenset[str] = frozenset()
    is_weight: bool = False


@dataclass(frozen=True, slots=True)
class DescribedFile:
    """A data file of a codebook. charset: its encoding, "" for unknown. records: their types."""

    identifier: str
    name: str
    charset: str = ""
    records: tuple[str, ...] = ()


@dataclass(frozen=True)
class DdiCodebook:
    """What a file of DDI-Codebook says.

    study: to those who cite it, by `STUDY_FIELDS`. inferred: labels by which codes are missing.
    """

    path: Path
    version: str
    title: str
    study: Mapping[str, str]
    files: tuple[DescribedFile, ...]
    fields: tuple[DdiVariable, ...]
    inferred: tuple[str, ...] = ()

    @property
    def guesses(self) -> tuple[Guess, ...]:
        """That codes are missing which the codebook does not declare so."""
        if not self.inferred:
            return ()
        said = f"codes labelled {listed(list(map(repr, self.inferred)), _SHOWN)} are not answers"
        return (Guess("file", "missing", said, CODEBOOK, 2),)

    def of(self, file: DescribedFile | None) -> tuple[DdiVariable, ...]:
        """The variables of one file; of all files for None."""
        known = {each.identifier for each in self.files}
        return tuple(
            each
            for each in self.fields
            # Some codebooks of one file do not say which one a variable is in.
            if file is None or file.identifier in each.files or not known & each.files
        )

    def file_of(self, data: Path) -> DescribedFile | None:
        """The file of a codebook that some data are; None where it describes no file like that."""
        alike = [each for each in self.files if stem_of(each.name).lower() == stem_of(data).lower()]
        return next(iter(alike), self.files[0] if len(self.files) == 1 else None)


def stem_of(path: Path | str) -> str:
    """The name of a file without .gz and its suffix: cps_00157 of cps_00157.dat.gz."""
    name = PureWindowsPath(path).name
    return PureWindowsPath(name[:-3] if name.lower().endswith(".gz") else name).stem


def weights_of(fields: Iterable[DdiVariable]) -> tuple[str, ...]:
    """The weights that a codebook declares; the one that others name as theirs, if it is one."""
    weights = {each.identifier: each.name for each in fields if each.is_weight}
    named = {weight for each in fields for weight in each.weights} & weights.keys()
    return (weights[named.pop()],) if len(named) == 1 else tuple(weights.values())


def parsed(path: Path) -> Element:
    """The root of an XML file, its tags without namespaces.

    Nothing outside the file is read. Raises `SourceError` for a file that is not XML, and for one
    whose entities would fill the memory.
    """
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise SourceError(SourcePlace(str(path)), f"is not XML: {error}.") from None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def read_ddi(path: Path) -> DdiCodebook:
    """Read a file of DDI-Codebook.

    Raises `SourceError` for a file that is not XML or describes no variables.
    """
    root = parsed(path)
    found = root.findall("dataDscr/var")
    declares = any(
        each.get("missing", "").upper() == "Y" and _NUMBER.fullmatch(_text(each.find("catValu")))
        # NADA declares "Sysmiss", which is an empty cell, whatever else is missing.
        for each in root.findall("dataDscr/var/catgry")
    )
    declares = declares or root.find("dataDscr/var/invalrng/*") is not None
    try:
        fields = tuple(_listed(_field(e, infers=not declares), e, path.name) for e in found)
    except ValueError as error:
        raise SourceError(SourcePlace(str(path)), f"is not DDI-Codebook: {error}.") from None
    if not fields:
        raise SourceError(
            SourcePlace(str(path)),
            "describes no variables: it is a codebook of a study, without <var> in <dataDscr>. "
            "Get the codebook of the data file.",
        )
    undeclared = (
        each for var in found for each in var.findall("catgry") if not each.get("missing")
    )
    labels = dict.fromkeys(_text(each.find("labl")) for each in undeclared)
    title = _text(root.find("stdyDscr/citation/titlStmt/titl"))
    return DdiCodebook(
        path,
        root.get("version", ""),
        "" if title.startswith(_USER_EXTRACT) else title,
        as_found(said_of_study(root)),
        tuple(_file(each) for each in root.findall("fileDscr")),
        _positioned(fields),
        tuple(each for each in labels if _is_missing(each, infers=not declares)),
    )


def _file(found: Element) -> DescribedFile:
    # A path of Windows or another machine; only the file's name is looked for.
    name = PureWindowsPath(_text(found.find("fileTxt/fileName"))).name
    kind = found.find("fileTxt/fileType")
    structure = found.find("fileTxt/fileStrc")
    records = [] if structure is None else structure.findall("recGrp")
    shown = [" ".join(filter(None, [e.get("rectype"), _text(e.find("labl"))])) for e in records]
    charset = "" if kind is None else kind.get("charset", "")
    return DescribedFile(found.get("ID", ""), name, charset, tuple(filter(None, shown)))


def _field(var: Element, *, infers: bool) -> DdiVariable:
    name = (var.get("name") or var.get("ID") or "").strip()
    if not name:
        raise ValueError("a <var> has no name")
    place = var.find("location")
    place = Element("location") if place is None else place
    form = var.find("varFormat")
    kind = "" if form is None else form.get("type", "").lower()
    start, width = _integer(place, "StartPos", name), _integer(place, "width", name)
    end = _integer(place, "EndPos", name) or (start + width - 1 if start else 0)
    width = width or (end - start + 1 if start else 0)
    if start and end < start:
        raise ValueError(f"{name} begins at {start} and ends at {end}")
    decimals = _integer(var, "dcml", name) if kind != "character" else 0
    # Dataverse names the file at the position.
    files = f"{var.get('files', '')} {place.get('fileid', '')}".split()
    return DdiVariable(
        name,
        var.get("ID", ""),
        _variable(var, is_text=kind == "character", decimals=decimals, width=width, infers=infers),
        kind,
        decimals,
        max(start - 1, 0),
        end if start else 0,
        width,
        frozenset(files),
        var.get("rectype", ""),
        place.get("RecSegNo", ""),
        frozenset(var.get("wgt-var", "").split()),
        var.get("wgt", "").lower() in ("wgt", "y", "yes", "true", "1"),
    )


def _positioned(fields: tuple[DdiVariable, ...]) -> tuple[DdiVariable, ...]:
    """Variables with their positions, also where only widths are given: each after the other."""
    if any(each.stop for each in fields) or not all(each.width for each in fields):
        return fields
    found: list[DdiVariable] = []
    start = 0
    for each in fields:
        found.append(replace(each, start=start, stop=start + each.width))
        start += each.width
    return tuple(found)


def _integer(element: Element, name: str, variable: str) -> int:
    text = element.get(name, "").strip()
    if text and not re.fullmatch(r"\d{1,9}", text):
        raise ValueError(f"{name}={text!r} of {variable} is not a position or a number of digits")
    return int(text or 0)


# ---- what a variable means ----


def _variable(var: Element, *, is_text: bool, decimals: int, width: int, infers: bool) -> Variable:
    def values(text: str) -> set[str]:
        """A code as the data have it: 01 is 1 in a column of numbers.

        With implied decimals, a code that is too large for the field with a point in it is the one
        of the line, without the point: 9999 in four characters, one of them a decimal, is 999.9.
        """
        if is_text:
            return {text.strip()} - {""}
        if not _NUMBER.fullmatch(text):
            return set()
        return {number(text), number(text, decimals)} if is_raw(float(text)) else {number(text)}

    def is_raw(code: float) -> bool:
        """Whether a code is one of the lines, without the decimal point."""
        return bool(decimals and width) and abs(code) >= 10 ** (width - decimals)

    labels: dict[str, str] = {}
    missing: set[str] = set()
    for each in var.findall("catgry"):
        # System-missing is an empty cell, and not a value.
        codes, label = values(_text(each.find("catValu"))), _text(each.find("labl"))
        labels |= dict.fromkeys(codes, label) if label else {}
        declared = each.get("missing", "").upper()
        if declared == "Y" or (declared != "N" and _is_missing(label, infers=infers)):
            missing |= codes
    missing |= {
        code for each in var.findall("invalrng/item") for code in values(each.get("VALUE", ""))
    }
    doubtful: frozenset[str] = frozenset()
    if not labels and not is_text:
        told = _Codes.of(var.find("codInstr"), width)
        # These are codes as the file writes them, without a decimal point.
        labels = {number(code, decimals): label for code, label in told.labels.items()}
        missing |= {number(code, decimals) for code in told.missing}
        doubtful = frozenset(number(code, decimals) for code in told.doubtful)
    label = _label(var)
    nature = var.get("nature", "").lower()
    return Variable(
        label=label,
        labels=labels,
        missing=frozenset(missing),
        missing_ranges=tuple(_ranges(var, is_raw, 10**decimals)),
        measure=nature if nature in ("nominal", "ordinal") else "",
        text=_question(var, label),
        no_question=_no_question(var),
        universe="; ".join(dict.fromkeys(_text(each) for each in var.findall("universe"))),
        doubtful=doubtful,
    )


def _listed(field: DdiVariable, var: Element, origin: str) -> DdiVariable:
    """The same, with the codebook as what lists all values, unless it names the ends of a scale."""
    variable = field.variable
    codes = variable.labels.keys() - variable.missing
    numbers = [found for each in codes if (found := number_of(each)) is not None]
    are_in_row = bool(numbers) and max(numbers) - min(numbers) == len(numbers) - 1
    is_amount = var.get("intrvl") == "contin" or var.get("nature") in ("interval", "ratio")
    if is_amount or not (are_in_row and len(numbers) > 1):
        return field
    return replace(field, variable=replace(variable, listed_by=origin))


def _is_missing(label: str, *, infers: bool) -> bool:
    """Whether a label says that there is no answer. infers: also that the answer is not known."""
    return means_no_data(label) and (infers or means_not_asked(label))


def _label(var: Element) -> str:
    """The label of a variable in the first of its languages."""
    labels = var.findall("labl")
    own = [each for each in labels if each.get("level", "variable") == "variable"]
    return _text(next(iter(own or labels), None))


def _no_question(var: Element) -> str:
    """Why a variable makes no question."""
    concept = var.find("concept")
    is_id = _IPUMS_ID.fullmatch(var.get("name", "").lower()) is not None
    of_ipums = concept is not None and concept.get("vocab") == "IPUMS"
    return "an identification" if is_id and of_ipums else ""


def _question(var: Element, label: str) -> str:
    """The question as it was asked, else what begins the description; "" where that is the label.

    IPUMS describes each variable on a page, whose first paragraph says what it is.
    """
    asked = " ".join(filter(None, map(_text, var.findall("qstn/qstnLit"))))
    if not asked:
        first, *_ = re.split(r"\n\s*\n", "".join(_lines(var.find("txt"))).strip())
        asked = " ".join(first.split())
    if len(asked) > _LONGEST_TEXT:
        # Whole sentences, as many as fit.
        whole = re.match(rf"(?s).{{1,{_LONGEST_TEXT}}}[.!?](?=\s)", asked)
        asked = whole[0] if whole else ""
    return "" if asked == label else asked


def _ranges(
    var: Element, is_raw: Callable[[float], bool], units: int
) -> Iterator[tuple[float, float]]:
    """Ranges of missing numbers; open ones reach to infinity.

    is_raw: whether a number is one of the lines, where so many units are 1.
    """
    for each in var.findall("invalrng/range"):
        low, high = each.get("min"), each.get("max")
        above, below = each.get("minExclusive"), each.get("maxExclusive")
        lowest = float(low) if low else math.nextafter(float(above), math.inf) if above else None
        highest = float(high) if high else None
        if highest is None and below:
            highest = math.nextafter(float(below), -math.inf)
        ends = [each for each in (lowest, highest) if each is not None]
        divisor = units if any(map(is_raw, ends)) else 1
        if ends:
            yield (
                -math.inf if lowest is None else lowest / divisor,
                math.inf if highest is None else highest / divisor,
            )


@dataclass(frozen=True, slots=True)
class _Codes:
    """The codes of coding instructions, as the file writes them.

    labels: of those that are not amounts. missing: those of them that are certainly not answers.
    doubtful: codes that have such a meaning in some samples alone.
    """

    labels: Mapping[str, str]
    missing: frozenset[str]
    doubtful: frozenset[str]

    @classmethod
    def of(cls, instructions: Element | None, width: int) -> _Codes:
        said: dict[str, list[str]] = {}
        for line in "".join(_lines(instructions)).splitlines():
            found = _CODE_LINE.fullmatch(line.strip())
            if found and (not width or len(found[1].lstrip("+")) <= width):
                said.setdefault(found[1], []).append(found[2].strip())
        labels: dict[str, str] = {}
        missing: set[str] = set()
        doubtful: set[str] = set()
        for code, texts in said.items():
            if not any(map(_says_missing, texts)):
                continue
            of_some = any(map(_OF_SOME.search, texts)) and not _NINES.fullmatch(code)
            if of_some or not all(map(_says_missing, texts)):
                doubtful.add(code)
                continue
            missing.add(code)
            labels[code] = _plain(texts[0])
        # Codes in a row with missing ones, such as 95 "Never" below 97 "Refused", are not amounts.
        for code in sorted(said.keys() - missing - doubtful, key=int, reverse=True):
            text = said[code][0]
            above = f"{int(code) + 1:0{len(code)}}"
            if above in labels and not any(map(str.isdigit, text)):
                labels[code] = text
        return cls(labels, frozenset(missing), frozenset(doubtful))


def _says_missing(text: str) -> bool:
    return means_no_data(_plain(text))


def _plain(text: str) -> str:
    """The meaning of a code without the samples that have it."""
    plain = " ".join(_OF_SOME.sub(" ", text).split()).replace(" ,", ",")
    return plain.removesuffix(".") if plain.count(".") == 1 else plain or text


def _lines(element: Element | None) -> Iterable[str]:
    return () if element is None else element.itertext()


def _text(element: Element | None) -> str:
    """The text of an element in one line."""
    return " ".join("".join(_lines(element)).split())

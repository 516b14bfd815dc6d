"""Recognise the exports of survey platforms by their header rows and the names of columns.

What is recognised becomes metadata of columns: labels, the question that a column is an item of,
the separator of several answers in a cell, and why a column makes no question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from audiencelab.ingest.codebook import number_of
from audiencelab.ingest.columns import Variable
from audiencelab.ingest.markup import composed
from audiencelab.ingest.meaning.stems import item_of
from audiencelab.ingest.readers import redcap
from audiencelab.ingest.readers.base import SurveyFile, distinct_names
from audiencelab.ingest.readers.labelled_items import Form, with_items

READ_AHEAD = 3
"""Rows with cells in them that may be header rows."""

_IMPORT_ID = re.compile(r"""\{\s*["']ImportId["']\s*:\s*["']([^"']*)""")
_ANY_ANSWER = {"response", "open-ended response"}
_FEWEST_ALIKE = 4
"""Fewer columns than that may all have the answer "Response" by chance."""

_QUALTRICS_TEXT = re.compile(r"Q.*_TEXT")
_FORSTA_TEXT = re.compile(r".*r\d+(c\d+)?oe")
_TIMESTAMPS = (
    "timestamp", "zeitstempel", "horodateur", "marca temporal", "tijdstempel",
    "carimbo de data/hora", "informazioni cronologiche",
)  # fmt: skip
"""What Google Forms calls the first column, in several languages."""

_OTHER_TEXT = "the text of another answer"
_COMMENT = "a comment"
_ABOUT = "about the submission"
_QUALTRICS_ABOUT = re.compile(
    r"startdate|enddate|recordeddate|status|responsetype|ipaddress|progress|duration(inseconds)?|"
    r"finished|responseid|recordid|responseset|recipient(first|last)?name|recipientemail|"
    r"emailaddress|"
    r"external(data)?reference|location(latitude|longitude|accuracy)|distributionchannel|"
    r"userlanguage|q(recaptchascore|relevantid\w+|duplicaterespondent|ballotboxstuffing|"
    r"totalduration|unansweredpercentage|url|terminateflag)|"
    # What its questions of the kinds "timing" and "meta info" write.
    r".*_(First[ _]Click|Last[ _]Click|Page[ _]Submit|Click[ _]Count|Browser|Version|"
    r"Operating[ _]System|Resolution)"
)
_LIMESURVEY_ABOUT = re.compile(
    r"(?i)lastpage|startlanguage|seed|token|accesscode|ipaddr(ess)?|refurl|referrerurl|"
    r"(interview|total|group|question)time.*|\d+x\d+x\d+time|"
    # The headings of full texts in German, French and Spanish.
    r"antwortid|letzteseite|startsprache|zufallsstartwert|zugangscode|ipadresse|"
    r"iddelaréponse|dernièrepage|languededépart|têtedesérie|adresseip|"
    r"idderespuesta|últimapágina|lenguajeinicial|semilla"
)
_SURVEYMONKEY_ABOUT = re.compile(
    r"respondentid|collectorid|startdate|enddate|datecreated|datemodified|ipaddress|emailaddress|"
    r"firstname|lastname|custom(data|value)?\d*"
)

_ODK_ABOUT = re.compile(
    r"SubmissionDate|KEY|meta-\w+|instanceID|instanceName|SubmitterID|SubmitterName|DeviceID|"
    r"Attachments(Present|Expected)|Status|ReviewState|Edits|FormVersion"
)


class _Platform(NamedTuple):
    """A platform, and sets of column names (in lower case) of which one is in all its exports.

    separator: between several answers in a cell. about: columns about the submission, by their
    names or by these as `_plain` has them. texts: names of columns with the text of "other".
    labels: how labels in its statistics files name items.
    """

    name: str
    signs: tuple[frozenset[str], ...]
    separator: str = ""
    about: re.Pattern[str] | None = None
    texts: re.Pattern[str] | None = None
    labels: Form = ""

    def fits(self, names: frozenset[str]) -> bool:
        return any(sign <= names for sign in self.signs)

    def why(self, name: str) -> str:
        """Why a column makes no question; "" where it may make one."""
        if self.about is not None and any(map(self.about.fullmatch, (name, _plain(name)))):
            return _ABOUT
        if self.texts is None or not self.texts.fullmatch(name):
            return ""
        return _COMMENT if name.rstrip(".]").lower().endswith("comment") else _OTHER_TEXT


_PLATFORMS = (
    _Platform(
        "Qualtrics",
        (
            frozenset({"responseid", "recordeddate"}),
            frozenset({"responseid", "startdate"}),
            frozenset({"recordid", "recordeddate"}),
        ),
        ",",
        about=_QUALTRICS_ABOUT,
        texts=_QUALTRICS_TEXT,
    ),
    _Platform(
        "SurveyMonkey",
        (frozenset({"respondentid", "collectorid"}),),
        about=_SURVEYMONKEY_ABOUT,
    ),
    _Platform(
        "LimeSurvey",
        (
            frozenset({"id", "submitdate"}),
            frozenset({"id", "lastpage"}),
            frozenset({"response id", "date submitted"}),
            frozenset({"response id", "last page"}),
            frozenset({"antwort id", "datum abgeschickt"}),
            frozenset({"antwort id", "letzte seite"}),
            frozenset({"id de la réponse", "date de soumission"}),
            frozenset({"id de la réponse", "dernière page"}),
            frozenset({"id de respuesta", "fecha de envío"}),
            frozenset({"id de respuesta", "última página"}),
        ),
        about=_LIMESURVEY_ABOUT,
        texts=re.compile(r"(?i)\w+(_other\.text|[\[_.]\w*comment[\].]*)"),
        labels="bracket",
    ),
    _Platform(
        "KoboToolbox",
        (
            frozenset({"_uuid", "_submission_time"}),
            frozenset({"_id", "_uuid"}),
            frozenset({"meta/instanceid"}),
        ),
        # Names in SPSS cannot begin with "_", and have a sign before it.
        about=re.compile(
            r"@?_\w+|meta[/._]\w+|formhub/uuid|instanceID|deviceid|phonenumber|username"
        ),
        labels="slash",
    ),
    _Platform(
        "ODK",
        (frozenset({"submissiondate", "key"}), frozenset({"meta-instanceid"})),
        about=_ODK_ABOUT,
    ),
    _Platform(
        "Forsta (Decipher)",
        (frozenset({"record", "uuid"}),),
        about=re.compile(r"record|uuid|markers|session|ipAddress|userAgent"),
        texts=_FORSTA_TEXT,
    ),
    _Platform(
        "Google Forms",
        tuple(frozenset({each}) for each in _TIMESTAMPS),
        ", ",
        about=re.compile("|".join(_TIMESTAMPS), re.IGNORECASE),
    ),
)

_REDCAP = _Platform("REDCap", ())
"""Recognised by what its columns are, and not by sets of names: `redcap`."""


def recognise(file: SurveyFile, *, has_metadata: bool = False) -> None:
    """Add to an opened file what the names of its columns say.

    has_metadata: the file describes its questions itself; names only say what makes none.
    """
    names = frozenset(name.strip().lower() for name in file.header)
    names |= {name.removeprefix("@") for name in names} | {*map(_plain, file.header)}
    # The first that fits: Google Forms, which a column "Timestamp" alone would show, is the last.
    platform = next((each for each in _PLATFORMS if each.fits(names)), None)
    items = {} if has_metadata else dict(_items(file.header))
    roles: Mapping[str, str] = {}
    if redcap.is_redcap(file.header):
        platform, roles = _REDCAP, redcap.roles(file.header)
    described: dict[str, Variable] = dict(file.variables)
    labelled: dict[str, Variable] = {}
    if has_metadata and platform is not None and platform.labels:
        labelled = with_items(file.header, described, platform.labels)
    # Kobo writes q1 with all answers in a cell, and q1/a, q1/b beside it.
    stems = {stem for stem, _ in items.values()} | {each.stem for each in labelled.values()}
    parents = stems & {*file.header}
    described |= labelled
    for name in file.header:
        found = described.get(name, Variable())
        if name in items and not found.stem:
            stem, item = items[name]
            found = replace(found, stem=stem, label=found.label or f"{stem} - {item}")
        why = "its answers have columns of their own" if name in parents else roles.get(name, "")
        why = (platform.why(name) if platform else "") or why
        # An item has one answer in a cell, and its commas are its own.
        if platform and not (found.stem or has_metadata or why):
            found = replace(found, separator=platform.separator)
        found = replace(found, no_question=why) if why else found
        if found != Variable():
            described[name] = found
    file.variables = described
    if platform is not None and not file.heading:
        file.heading = f"an export of {platform.name}, by its columns"


def _plain(name: str) -> str:
    """A name in lower case, letters and digits alone: "Start Date" and start_date are alike."""
    return re.sub(r"[\W_]+", "", name.lower())


def _items(header: Sequence[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Columns of items, with question and item: `q1[SQ001]`, `Question? - Item`, `q1/item`.

    A slash divides where the part before it is a column too.
    """
    names = {*header}
    items = {name: found for name in header if (found := item_of(name))}
    often = Counter(stem for stem, _ in items.values())
    for name in header:
        before, slash, after = name.rpartition("/")
        if slash and before in names:
            yield name, (before, after)
        # A stem with one item may just be a question with a dash in its text.
        elif (found := items.get(name)) and often[found[0]] > 1:
            yield name, found


# ---- header rows ----


class Heading(NamedTuple):
    """What the header rows say. names: of the columns; variables: metadata of some of them.

    rows: how many header rows there are. reason: why there are several.
    """

    names: tuple[str, ...]
    variables: Mapping[str, Variable]
    rows: int = 1
    reason: str = ""


def heading_of(first: Sequence[Sequence[str]]) -> Heading:
    """The heading of a file that begins with some rows."""
    names = composed(tuple(first[0])) if first else ()
    for place, row in enumerate(first[1:READ_AHEAD], start=1):
        if is_import_id(row):
            texts: Sequence[str] = first[1] if place > 1 else ()
            reason = f"{place + 1} header rows of Qualtrics: names, question texts, import ids"
            return Heading(names, _of_qualtrics(names, texts, row), place + 1, reason)
    if len(first) > 1 and names[:1] == ("V1",) and _plain(first[1][0]) == "responseid":
        names = _renamed(names, first[1])
    if len(first) > 1 and _is_text_row(names, first[1]):
        reason = "2 header rows of Qualtrics: names, question texts"
        return Heading(names, _of_qualtrics(names, first[1]), 2, reason)
    if len(first) > 1 and _is_second_row(names, first[1]):
        joint, variables = _joined(names, first[1])
        return Heading(joint, variables, 2, "2 header rows of SurveyMonkey: questions, answers")
    if len(first) > READ_AHEAD - 1 and _is_row_of_texts(names, *first[1:READ_AHEAD]):
        described = zip(names, first[1], strict=True)
        variables = {name: Variable(" ".join(text.split())) for name, text in described}
        return Heading(names, variables, 2, "2 header rows: names, texts")
    return Heading(names, {})


def _renamed(names: Sequence[str], row: Sequence[str]) -> tuple[str, ...]:
    """Names with what Qualtrics called V1 to V10 until 2017: the texts of the second row."""
    texts = ["RecipientName" if text == "Name" else text for text in row]
    texts += names[len(row) :]
    return tuple(
        text if re.fullmatch(r"V\d+", name) and _QUALTRICS_ABOUT.fullmatch(_plain(text)) else name
        for name, text in zip(names, texts, strict=False)
    )


def _is_row_of_texts(names: Sequence[str], row: Sequence[str], below: Sequence[str]) -> bool:
    """Whether a row describes columns: a text of its own in each, above numbers in most of them."""
    texts = [cell.strip() for cell in row]
    is_described = len(names) == len(row) == len(below) >= _FEWEST_ALIKE and all(texts)
    if not is_described or len({*texts}) < len(texts) or any(map(_is_number, texts)):
        return False
    return 2 * sum(map(_is_number, below)) >= len(below)


def _is_number(cell: str) -> bool:
    return number_of(cell.strip()) is not None


def _of_qualtrics(
    names: Sequence[str], texts: Sequence[str], ids: Sequence[str] = ()
) -> dict[str, Variable]:
    """Question texts as labels; by its import id a column about the submission, however named."""
    found = {
        name: Variable(" ".join(text.split()).replace(" - Selected Choice", ""))
        for name, text in zip(names, texts, strict=False)
    }
    for name, cell in zip(names, ids, strict=False):
        own = _IMPORT_ID.match(cell.strip())
        if own and _QUALTRICS_ABOUT.fullmatch(_plain(own[1])):
            found[name] = replace(found.get(name, Variable()), no_question=_ABOUT)
    return found


def _is_text_row(names: Sequence[str], row: Sequence[str]) -> bool:
    """Whether a row has the texts of Qualtrics' columns: that of `ResponseId` is "Response ID"."""
    plain = [*map(_plain, names)]
    place = next((plain.index(each) for each in ("responseid", "recordid") if each in plain), None)
    return place is not None and _plain([*row, *[""] * len(names)][place]) == "responseid"


def is_import_id(row: Iterable[object]) -> bool:
    """Whether all texts of a row are the JSON objects in which Qualtrics puts its ids."""
    texts = [cell.strip() for cell in row if isinstance(cell, str) and cell.strip()]
    return bool(texts) and all(map(_IMPORT_ID.match, texts))


def _is_second_row(names: Sequence[str], row: Sequence[str]) -> bool:
    """Whether a row names answers: those of columns without a name, and of no respondent.

    The first column, with or without a name, has the number of each respondent, and here it is
    empty. In a file without such a column, the cells of questions are "Response" and the like.
    """
    cells = [cell.strip().lower() for cell in row]
    if len(row) != len(names) or any(number_of(cell) is not None for cell in cells):
        return False
    has_name = [bool(name.strip()) for name in names]
    if cells[0]:
        # The first of several columns of one question is named by the question.
        alone = [
            cell
            for cell, named, goes_on in zip(cells, has_name, [*has_name[1:], True], strict=True)
            if named and goes_on
        ]
        is_long = len(row) >= _FEWEST_ALIKE or not all(has_name)
        return is_long and all(cells) and bool(alone) and {*alone} <= _ANY_ANSWER
    nameless = [cell for cell, named in zip(cells[1:], has_name[1:], strict=True) if not named]
    if nameless:
        return all(nameless)
    found = {*filter(None, cells)}
    return bool(found) and found <= _ANY_ANSWER


def _joined(
    names: Sequence[str], answers: Sequence[str]
) -> tuple[tuple[str, ...], dict[str, Variable]]:
    """Names of question and answer, each once; a question goes on over columns without a name.

    The columns of one question are its items; an answer beside a single question is text.
    """
    full: list[str] = []
    items: list[tuple[str, str]] = []
    question = ""
    for name, answer in zip(names, answers, strict=True):
        question = " ".join(name.split()) or question
        own = " ".join(answer.split())
        own = "" if own.lower() in _ANY_ANSWER else own
        full.append(f"{question} - {own}" if own else question)
        items.append((question, own))
    joint = distinct_names(full)
    often = Counter(question for question, own in items if own)
    variables: dict[str, Variable] = {}
    for name, (question, own) in zip(joint, items, strict=True):
        if own and often[question] > 1:
            variables[name] = Variable(label=f"{question} - {own}", stem=question)
        elif own and question in joint:
            variables[name] = Variable(no_question=_OTHER_TEXT)
    return joint, variables

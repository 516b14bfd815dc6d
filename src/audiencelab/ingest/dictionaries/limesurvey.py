"""Structures of LimeSurvey (.lss, and .lsa archives of them), versions 2 to 6."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from zipfile import BadZipFile, ZipFile

from audiencelab.ingest.codebook import canonical_value
from audiencelab.ingest.columns import Variable
from audiencelab.ingest.dictionaries.base import Dictionary
from audiencelab.ingest.dictionaries.relevance import Relevance
from audiencelab.ingest.markup import plain_text
from audiencelab.ingest.readers.base import distinct_names
from audiencelab.survey.errors import SourceError, SourcePlace

_MOST_BYTES = 256 << 20
"""Of a structure in an archive, which says how long it is."""

_ARRAYS = "ABCEFH"
_NUMBERS = {"5": 5, "A": 5, "B": 10}
_LETTERS = {"Y": "YN", "C": "YUN", "E": "ISD", "G": "FM"}
_NO_QUESTION = {"X": "a text without a question", "|": "uploaded files"}
_OTHER, _OTHER_CODE = "other", "-oth-"
_OTHER_TEXT = "the text of another answer"
_COMMENT, _COMMENT_TEXT = "comment", "a comment"

_WORDS = {
    "en": "Yes|No|Uncertain|Increase|Same|Decrease|Female|Male|Other|Comment|Scale|Rank",
    "de": "Ja|Nein|Unsicher|Zunahme|Gleich|Abnahme|Weiblich|Männlich|Sonstiges|Kommentar|Skala|"
    "Rang",
    "fr": "Oui|Non|Incertain|Augmenter|Sans changement|Diminuer|Féminin|Masculin|Autre|Commentaire|"
    "Échelle|Rang",
    "es": "Sí|No|Dudoso|Aumentar|Igual|Disminuir|Femenino|Masculino|Otro|Comentario|Escala|Rango",
    "it": "Sì|No|Incerto|Aumenta|Uguale|Diminuisce|Femmina|Maschio|Altro|Commento|Scala|Posizione",
    "nl": "Ja|Nee|Onzeker|Toename|Gelijk|Afname|Vrouw|Man|Anders|Commentaar|Schaal|Rang",
    "pt": "Sim|Não|Incerto|Aumentar|Igual|Diminuir|Feminino|Masculino|Outro|Comentário|Escala|Rank",
    "pl": "Tak|Nie|Niepewny|Wzrost|Bez zmian|Spadek|Kobieta|Mężczyzna|Inne|Komentarz|Skala|Pozycja",
}
"""What LimeSurvey itself calls answers and columns, by language; English in all others."""


class _Words(NamedTuple):
    yes: str
    no: str
    uncertain: str
    increase: str
    same: str
    decrease: str
    female: str
    male: str
    other: str
    comment: str
    scale: str
    rank: str

    is_known: bool
    """Whether they are in the language of the survey."""

    @classmethod
    def of(cls, language: str) -> _Words:
        found = _WORDS.get(language.partition("-")[0])
        return cls(*(found or _WORDS["en"]).split("|"), is_known=found is not None)


_Row = Mapping[str, str]


@dataclass
class _Question:
    """A question. items: code and text of rows and of columns; answers: by scale and code."""

    sgqa: str
    kind: str
    title: str
    text: str
    has_other: bool
    relevance: str
    items: tuple[dict[str, str], dict[str, str]] = field(default_factory=lambda: ({}, {}))
    answers: tuple[dict[str, str], dict[str, str]] = field(default_factory=lambda: ({}, {}))
    attributes: dict[str, str] = field(default_factory=dict[str, str])

    def other(self, words: _Words) -> str:
        """What the other answer is called."""
        return self.attributes.get("other_replace_text") or words.other


class _Column(NamedTuple):
    """A column of the responses.

    code: what follows the title of the question in its name. texts: what a heading in full texts
    has in brackets. scale: of an item with two, 0 or 1.
    """

    question: _Question
    variable: Variable
    code: str = ""
    texts: tuple[str, ...] = ()
    scale: int | None = None


def limesurvey_structure(path: Path) -> Dictionary:
    """The columns of a LimeSurvey survey, in its base language, by all names that exports have.

    Raises `SourceError` for any other file.
    """
    root = _parsed(path)
    language = next((row["language"] for row in _rows(root, "surveys") if "language" in row), "")
    language = language or (root.findtext("languages/language") or "").strip()
    words = _Words.of(language)
    try:
        questions = _questions(root, language)
    except KeyError as error:
        raise SourceError(SourcePlace(str(path)), f"is damaged: a row has no {error}.") from None
    columns = [column for each in questions for column in _columns(each, words, path.name)]
    if not columns:
        raise SourceError(SourcePlace(str(path)), "has no questions.")
    titles = [
        row.get("surveyls_title", "")
        for row in _rows(root, "surveys_languagesettings")
        if row.get("surveyls_language") == language
    ]
    named = _named(columns)
    relevance = Relevance({name.lower(): column.variable for name, column in named.items()})
    said = {
        id(column): relevance.completed(column.variable, column.question.relevance)
        for column in columns
    }
    variables = {name: said[id(column)] for name, column in named.items()}
    return Dictionary(path.name, variables, title=plain_text(next(iter(titles), "")))


# ---- the file ----


def _parsed(path: Path) -> Element:
    place = SourcePlace(str(path))
    try:
        root = _root(path)
    except ElementTree.ParseError as error:
        raise SourceError(
            place, f"is not a LimeSurvey structure: it is not XML: {error}."
        ) from None
    except BadZipFile as error:
        raise SourceError(place, f"is not a LimeSurvey archive: {error}.") from None
    kind = (root.findtext("LimeSurveyDocType") or "").strip()
    if kind != "Survey":
        found = f"of type {kind}" if kind else f"<{root.tag}>"
        detail = f"it is {found}. Export the survey structure (.lss)."
        raise SourceError(place, f"is not the structure of a LimeSurvey survey: {detail}")
    return root


def _root(path: Path) -> Element:
    if path.suffix.lower() != ".lsa":
        return ElementTree.parse(path).getroot()
    with ZipFile(path) as archive:
        members = [each for each in archive.infolist() if each.filename.lower().endswith(".lss")]
        if not members or members[0].file_size > _MOST_BYTES:
            raise BadZipFile("it has no structure (.lss)" if not members else "it is too large")
        return ElementTree.fromstring(archive.read(members[0]))


def _rows(root: Element, table: str) -> list[dict[str, str]]:
    """The rows of a table of the database."""
    return [
        {cell.tag: (cell.text or "").strip() for cell in row}
        for row in root.iterfind(f"{table}/rows/row")
    ]


def _texts(rows: Iterable[_Row], key: str, name: str, language: str) -> dict[str, str]:
    """Plain texts by a key: in a language, or in any where that one has none."""
    found: dict[str, str] = {}
    for row in rows:
        if (text := row.get(name)) and (row[key] not in found or row.get("language") == language):
            found[row[key]] = plain_text(text)
    return found


def _number(row: _Row, name: str) -> int:
    text = row.get(name, "")
    return int(text) if text.lstrip("-").isdecimal() else 0


def _questions(root: Element, language: str) -> list[_Question]:
    """The questions in the order of the survey."""
    parents, items = _rows(root, "questions"), _rows(root, "subquestions")
    # Since version 4 texts have tables of their own, and before a row for each language.
    own = [*parents, *items, *_rows(root, "question_l10ns")]
    texts = _texts(own, "qid", "question", language)
    groups = {row["gid"]: row for row in _rows(root, "groups")}
    found: dict[str, _Question] = {}
    order: dict[str, tuple[int, int]] = {}
    for row in parents:
        group = groups.get(row["gid"], {})
        order[row["qid"]] = (_number(group, "group_order"), _number(row, "question_order"))
        conditions = [group.get("grelevance", ""), row.get("relevance", "")]
        found[row["qid"]] = _Question(
            f"{row['sid']}X{row['gid']}X{row['qid']}",
            row["type"],
            row["title"],
            texts.get(row["qid"], row["title"]),
            row.get("other") == "Y",
            " and ".join(f"({each})" for each in conditions if each not in ("", "0", "1")),
        )
    for row in sorted(items, key=lambda row: _number(row, "question_order")):
        if question := found.get(row["parent_qid"]):
            scale = question.items[_number(row, "scale_id") == 1]
            scale[row["title"]] = texts.get(row["qid"], row["title"])
    _add_answers(root, found, language)
    for row in _rows(root, "question_attributes"):
        is_ours = row.get("language", "") in ("", language)
        if (question := found.get(row["qid"])) and row.get("value") and is_ours:
            question.attributes[row["attribute"]] = plain_text(row["value"])
    return [found[qid] for qid in sorted(found, key=order.__getitem__)]


def _add_answers(root: Element, questions: Mapping[str, _Question], language: str) -> None:
    rows = _rows(root, "answers")
    by_id = _texts(_rows(root, "answer_l10ns"), "aid", "answer", language)
    for row in sorted(rows, key=lambda row: _number(row, "sortorder")):
        question = questions.get(row["qid"])
        text = by_id.get(row.get("aid", ""), "") or plain_text(row.get("answer", ""))
        if question is None:
            continue
        answers = question.answers[_number(row, "scale_id") == 1]
        # Of an image without a text nothing is left but its code.
        shown = row["code"] if not text or text.startswith("<img") else text
        if row.get("language", language) == language or row["code"] not in answers:
            answers[canonical_value(row["code"])] = shown


# ---- the columns ----


def _columns(question: _Question, words: _Words, name: str) -> Iterator[_Column]:
    """The columns of a question's responses. name: of the structure."""
    kind = question.kind
    if kind in "MP":
        yield from _choices(question, words)
    elif kind == "1":
        yield from _dual(question, words, name)
    elif kind in ":;":
        yield from _tables(question)
    elif kind == "R":
        for place in range(1, len(question.answers[0]) + 1):
            yield _item(question, f"{place}", f"{words.rank} {place}", question.answers[0], name)
    elif kind in _ARRAYS or kind in "KQ":
        labels = _fixed(kind, words) or question.answers[0]
        for code, item in question.items[0].items():
            yield _item(question, code, item, labels, _listed(kind, words, name))
    else:
        yield from _single(question, words, name)


def _single(question: _Question, words: _Words, name: str) -> Iterator[_Column]:
    """The column of one answer, and those of its other texts, comments or files."""
    kind = question.kind
    labels = _fixed(kind, words) or question.answers[0]
    if question.has_other:
        # Exports of complete answers have this word, whatever the survey shows.
        labels = labels | {_OTHER_CODE: words.other}
    why = _NO_QUESTION.get(kind, "")
    variable = Variable(
        question.text,
        labels,
        measure="scale" if kind == "N" else "",
        no_question=why,
        listed_by=_listed(kind, words, name) if labels else "",
    )
    yield _Column(question, variable)
    if question.has_other:
        yield _aside(question, _OTHER, words.other, _OTHER_TEXT)
    if kind == "O":
        yield _aside(question, _COMMENT, words.comment, _COMMENT_TEXT)
    if kind == "|":
        yield _aside(question, "filecount", "filecount", why)


def _fixed(kind: str, words: _Words) -> dict[str, str]:
    """The answers of kinds that have the same ones in all surveys."""
    numbers = range(1, _NUMBERS.get(kind, 0) + 1)
    own = (words.yes, words.no, words.uncertain, words.increase, words.same, words.decrease)
    letters = dict(zip("YNUISDFM", (*own, words.female, words.male), strict=True))
    return {f"{each}": f"{each}" for each in numbers} | {
        each: letters[each] for each in _LETTERS.get(kind, "")
    }


def _listed(kind: str, words: _Words, name: str) -> str:
    """The structure as what lists all answers; "" where exports have words of another language."""
    return name if words.is_known or kind not in _LETTERS else ""


def _item(
    question: _Question, code: str, text: str, labels: Mapping[str, str], name: str = ""
) -> _Column:
    variable = Variable(
        # A line between the ends of a scale.
        f"{question.text} - {text.replace('|', ' … ')}",
        labels,
        stem=question.title,
        measure="scale" if question.kind == "K" else "",
        listed_by=name if labels else "",
    )
    return _Column(question, variable, code, (text,))


def _aside(question: _Question, code: str, text: str, why: str) -> _Column:
    """A column beside the answers, which makes no question."""
    variable = Variable(f"{question.text} - {text}", no_question=why)
    return _Column(question, variable, code, (text,))


def _choices(question: _Question, words: _Words) -> Iterator[_Column]:
    """The columns of a multiple question: "Y" where an item was chosen; texts of the other one."""
    items = question.items[0] | ({_OTHER: question.other(words)} if question.has_other else {})
    for code, text in items.items():
        # Without labels: exports have Y, 1 or a word for "Yes", in any language.
        column = _item(question, code, text, {})
        if code == _OTHER:
            variable = replace(column.variable, is_other=True)
            column = column._replace(variable=variable, texts=(words.other,))
        yield column
        if question.kind == "P":
            yield _aside(question, f"{code}{_COMMENT}", words.comment, _COMMENT_TEXT)


def _dual(question: _Question, words: _Words, name: str) -> Iterator[_Column]:
    """An array with two scales: a question for each."""
    for scale, letter in enumerate("AB"):
        own = f"{words.scale} {scale + 1}"
        heading = question.attributes.get(f"dualscale_header{letter}") or own
        for code, text in question.items[0].items():
            variable = Variable(
                f"{question.text} [{heading}] - {text}",
                question.answers[scale],
                stem=f"{question.title}_{scale + 1}",
                listed_by=name,
            )
            yield _Column(question, variable, code, (text, own), scale)


def _tables(question: _Question) -> Iterator[_Column]:
    """An array of numbers or texts: a question for each row."""
    is_checkbox = question.attributes.get("multiflexible_checkbox") == "1"
    measure = "scale" if question.kind == ":" and not is_checkbox else ""
    for row, text in question.items[0].items():
        for column, heading in question.items[1].items():
            label = f"{question.text} [{text}] - {heading}"
            stem = f"{question.title}_{row}" if question.kind == ":" else ""
            variable = Variable(label, stem=stem, measure=measure)
            yield _Column(question, variable, f"{row}_{column}", (text, heading))


# ---- the names of columns ----


def _named(columns: Sequence[_Column]) -> dict[str, _Column]:
    """Columns by all names that exports have.

    A name that several may have is that of the first form in which one column alone has it.
    """
    full = distinct_names([_heading(column) for column in columns])
    forms: defaultdict[int, list[tuple[str, _Column]]] = defaultdict(list)
    for heading, column in zip(full, columns, strict=True):
        codes = list(_codes(column))
        names = [*codes, heading, f"{codes[0]}. {_heading(column)}"]
        for place, name in enumerate(names):
            forms[place].append((name, column))
    found: dict[str, _Column] = {}
    taken: set[str] = set()
    for place in sorted(forms):
        often = Counter(name.lower() for name, _ in forms[place])
        new = [each for each in forms[place] if each[0].lower() not in taken]
        found |= {name: column for name, column in new if often[name.lower()] == 1}
        taken |= often.keys()
    return found


def _heading(column: _Column) -> str:
    """The heading of an export in full texts."""
    brackets = "".join(f"[{text}]" for text in column.texts)
    return f"{column.question.text} {brackets}".strip()


def _codes(column: _Column) -> Iterator[str]:
    """The names by codes: `Q1[SQ1]`, `Q1_SQ1`, `123X4X56SQ1`, and those of other programs.

    R replaces brackets by dots, and others drop them.
    """
    title, sgqa, code = column.question.title, column.question.sgqa, column.code
    if not code:
        yield from (title, title, sgqa)
    elif column.scale is None:
        yield from (f"{title}[{code}]", f"{title}_{code}", f"{sgqa}{code}")
        yield from (f"{title}.{code}.", f"{title}.{code}", f"{title}{code}")
        # Version 7 marks what is neither an item nor an answer.
        yield f"{title}[_C{code}]"
    else:
        own, following = column.scale, column.scale + 1
        yield from (f"{title}[{code}][{following}]", f"{title}_{code}_{own}")
        yield from (f"{sgqa}{code}#{own}", f"{title}.{code}..{following}.")
        yield from (f"{title}_{code}.{own}", f"{title}_{code}#{own}")

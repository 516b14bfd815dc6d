"""Forms of KoboToolbox and ODK: an XLSForm, a workbook with the sheets survey and choices."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from audiencelab.ingest.codebook import canonical_value
from audiencelab.ingest.columns import Variable
from audiencelab.ingest.dictionaries.base import Dictionary
from audiencelab.ingest.dictionaries.tables import Rows, sheets_of
from audiencelab.ingest.markup import plain_text
from audiencelab.ingest.readers.base import distinct_names

_SELECT = re.compile(
    r"(?P<kind>select[ _]one|select[ _]multiple|select all that apply|rank)(?: from)? "
    r"(?P<list>\S+)(?P<other> or[ _](?:specify[ _])?other)?"
)
_BEGIN = re.compile(r"begin[ _](?P<what>\w+)")
_END = re.compile(r"end[ _]\w+")

_ABOUT = "about the submission"
_NO_QUESTION = {
    **dict.fromkeys(
        ("start", "end", "today", "deviceid", "subscriberid", "simserial", "phonenumber",
         "username", "email", "audit", "background-audio", "start-geopoint"), _ABOUT,
    ),
    **dict.fromkeys(("image", "audio", "video", "file"), "a file"),
    **dict.fromkeys(("geopoint", "geotrace", "geoshape"), "a position"),
    **dict.fromkeys(("calculate", "hidden", "xml-external", "csv-external"), "calculated"),
    "literacy": "a literacy test in one cell",
    "note": "a note",
    "barcode": "a barcode",
    "time": "a time of day",
}  # fmt: skip
_OTHER_TEXT = "the text of another answer"
_MULTIPLE = "select_multiple"
_ALL = "select_all_that_apply"
_RANK = "a ranking of all items in one cell"

_TERM = re.compile(
    r"(?P<not>not\(\s*)?selected\(\s*\$\{(?P<of>\w+)\}\s*,\s*'(?P<item>[^']*)'\s*\)(?(not)\s*\))|"
    r"\$\{(?P<name>\w+)\}\s*(?P<sign>!?=)\s*'(?P<value>[^']*)'"
)
"""A comparison in `relevant`: `${q1} = 'yes'`, `selected(${q2}, 'tea')`."""


@dataclass(frozen=True)
class _Row:
    """A row of a sheet: cells by column, and labels by language."""

    cells: Mapping[str, str]
    labels: Mapping[str, str]

    def cell(self, *names: str) -> str:
        return next((self.cells[name] for name in names if self.cells.get(name)), "")

    def label(self, language: str) -> str:
        """The label in a language, else the first that there is, else the name."""
        found = [self.labels.get(language, ""), *self.labels.values(), self.cell("name", "value")]
        return next((plain_text(each) for each in found if each), "")


@dataclass(frozen=True)
class _Question:
    """A question of the form, and the groups that it is in, from the outermost one.

    choices: what can be chosen. repeat: the innermost group that repeats; "" for none.
    """

    row: _Row
    kind: str
    groups: tuple[_Row, ...]
    choices: tuple[_Row, ...] = ()
    repeat: str = ""

    def answers(self, language: str) -> dict[str, str]:
        return {
            canonical_value(each.cell("name", "value")): each.label(language)
            for each in self.choices
        }


@dataclass
class _Form:
    """The questions of a form, and its languages, the default one first."""

    name: str
    languages: Sequence[str]
    choices: Mapping[str, Sequence[_Row]]
    questions: list[_Question] = field(default_factory=list[_Question])

    def add(self, rows: Sequence[_Row]) -> None:
        groups: list[tuple[_Row, str]] = []
        for row in rows:
            kind = " ".join(row.cell("type").lower().split())
            if begun := _BEGIN.fullmatch(kind):
                groups.append((row, begun["what"]))
            elif _END.fullmatch(kind):
                groups = groups[:-1]
            elif row.cell("name"):
                self.questions += self._questions(row, kind, groups)

    def _questions(
        self, row: _Row, kind: str, groups: Sequence[tuple[_Row, str]]
    ) -> Iterator[_Question]:
        inside = tuple(group for group, _ in groups)
        repeats = [group.cell("name") for group, what in groups if what in ("repeat", "looped")]
        repeat = repeats[-1] if repeats else ""
        if kind in ("score__row", "rank__level"):
            own = inside[-1].cell("kobo--score-choices", "kobo--rank-items") if inside else ""
            yield _Question(row, kind, inside, (*self.choices.get(own, ()),), repeat)
        elif "literacy" in row.cell("appearance"):
            yield _Question(row, "literacy", inside, (), repeat)
        elif found := _SELECT.fullmatch(kind):
            # Names of lists keep their case.
            own = row.cell("type").split()[-1 - len((found["other"] or "").split())]
            choices = (*self.choices.get(own, ()),)
            if found["other"]:
                choices += (_Row({"name": "other"}, {"": "Other"}),)
                other = _Row({"name": row.cell("name") + "_other"}, {})
                yield _Question(other, "other", inside, (), repeat)
            own_kind = found["kind"].replace(" ", "_").replace(_ALL, _MULTIPLE)
            yield _Question(row, own_kind, inside, choices, repeat)
        else:
            yield _Question(row, kind, inside, (), repeat)

    def variables(self) -> dict[str, Variable]:
        """The columns, by the names that exports of XML values and of labels give them."""
        found: dict[str, Variable] = {}
        # Names last: where one is the label of another question, headers have names more often.
        for language in reversed(self.languages):
            found |= self._named(language, [*self._paths(language)], use_labels=True)
        named = [[each.cell("name") for each in (*q.groups, q.row)] for q in self.questions]
        return found | self._named(self.languages[0], named, use_labels=False)

    def _paths(self, language: str) -> Iterator[list[str]]:
        for question in self.questions:
            groups = [each.label(language) for each in question.groups]
            yield [*groups, question.row.label(language)]

    def _named(
        self, language: str, paths: Sequence[Sequence[str]], *, use_labels: bool
    ) -> dict[str, Variable]:
        alone = distinct_names([path[-1] for path in paths])
        found: dict[str, Variable] = {}
        for question, path, own in zip(self.questions, paths, alone, strict=True):
            variable = self._variable(question, language)
            # KoboToolbox divides groups by "/", ODK by "-".
            for name in dict.fromkeys((own, "/".join(path), "-".join(path))):
                found[name] = variable
                for choice in question.choices if question.kind.startswith(_MULTIPLE) else ():
                    label = choice.label(language)
                    item = label if use_labels else choice.cell("name", "value")
                    found[f"{name}/{item}"] = self._item(question, variable, label)
        return found

    def _variable(self, question: _Question, language: str) -> Variable:
        row, kind = question.row, question.kind
        answers, universe = question.answers(language), self._universe(question, language)
        why = _OTHER_TEXT if kind == "other" else _NO_QUESTION.get(kind, "")
        label, stem = row.label(language), ""
        if question.groups and _is_of_grid(question):
            group = question.groups[-1]
            stem, label = group.cell("name"), f"{group.label(language)} - {label}"
        return Variable(
            label=label,
            labels={} if kind == "rank" else answers,
            measure="scale" if kind in ("integer", "decimal", "range") else "",
            is_date=kind in ("date", "datetime"),
            separator=" " if kind.startswith(_MULTIPLE) else "",
            stem=stem,
            no_question=_RANK if kind == "rank" else why,
            universe=universe,
            listed_by=self.name if answers and kind != "rank" else "",
        )

    @staticmethod
    def _item(question: _Question, whole: Variable, label: str) -> Variable:
        return Variable(
            label=f"{whole.label} - {label}",
            stem=question.row.cell("name"),
            text=whole.label,
            universe=whole.universe,
        )

    def _universe(self, question: _Question, language: str) -> str:
        """Who was asked, with labels in place of names: of the question and of its groups."""
        known = {each.row.cell("name"): each for each in self.questions}

        def in_words(term: re.Match[str]) -> str:
            if (of := known.get(term["of"] or term["name"])) is None:
                return term[0]
            value = term["item"] if term["of"] else term["value"]
            answer = of.answers(language).get(canonical_value(value), value)
            label = of.row.label(language)
            if term["of"]:
                return f"{label}: {'not ' if term['not'] else ''}{answer}"
            return f"{label} {'=' if term['sign'] == '=' else '≠'} {answer}"

        rules = [each.cell("relevant") for each in (*question.groups, question.row)]
        return " and ".join(_TERM.sub(in_words, " ".join(rule.split())) for rule in rules if rule)


def _is_of_grid(question: _Question) -> bool:
    """Whether a question is a row of a table of ratings."""
    if question.kind == "score__row":
        return True
    looks = f"{question.groups[-1].cell('appearance')} {question.row.cell('appearance')}"
    return question.kind == "select_one" and bool(re.search("table-list|list-nolabel", looks))


def xlsform(path: Path) -> Dictionary | None:
    """An XLSForm; None for any other workbook."""
    sheets = {name.strip().lower(): _rows(rows) for name, rows in sheets_of(path).items()}
    survey = sheets.get("survey", [])
    if not any(row.cell("type") and row.cell("name") for row in survey):
        return None
    choices: dict[str, list[_Row]] = {}
    for row in sheets.get("choices", []):
        if row.cell("name", "value"):
            choices.setdefault(row.cell("list_name"), []).append(row)
    settings = next(iter(sheets.get("settings", [])), _Row({}, {}))
    languages = [*dict.fromkeys(each for row in survey for each in row.labels)] or [""]
    default = settings.cell("default_language")
    languages.sort(key=lambda each: each != default)
    form = _Form(path.name, languages, choices)
    form.add(survey)
    repeats: dict[str, list[str]] = {}
    for question in form.questions:
        if question.repeat:
            repeats.setdefault(question.repeat, []).append(question.row.cell("name"))
    title = settings.cell("form_title")
    return Dictionary(path.name, form.variables(), title=title, repeats=repeats)


def _rows(rows: Rows) -> list[_Row]:
    """The rows of a sheet. `label::English (en)` is a label, `list name` the same as list_name."""
    heads = [head.partition(":") for head in rows[0]] if rows else []
    columns = [(re.sub(r"\s+", "_", name.strip().lower()), tail) for name, _, tail in heads]
    found: list[_Row] = []
    for row in rows[1:]:
        cells: dict[str, str] = {}
        labels: dict[str, str] = {}
        for (name, tail), cell in zip(columns, map(str.strip, row), strict=False):
            if name == "label":
                labels[tail.strip(": ")] = cell
            elif not tail:
                cells.setdefault(name, cell)
        found.append(_Row(cells, labels))
    return found

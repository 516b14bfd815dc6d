"""The codebook of a survey as it reads a further file: without what is gone, with what is new.

New columns make questions as in a draft, further items belong to the set or grid of their
neighbours, and values that the codebook does not know are answers, after those that it knows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import structs

from audiencelab.ingest.codebook import (
    Codebook,
    CodedDatapoint,
    CodedQuestion,
    CodedSuffix,
    CodedText,
    ColumnOf,
    DesignColumns,
    Scalar,
    Source,
    canonical_value,
    datapoint_codes,
    meanings_of,
    natural,
    number_of,
    suffix_codes,
)
from audiencelab.ingest.draft.questions import scalar, scalars
from audiencelab.ingest.meaning.guess import Guess, quoted
from audiencelab.ingest.meaning.profile import ColumnProfile
from audiencelab.survey.errors import listed

_Columns = Mapping[str, ColumnProfile]
_Part = TypeVar("_Part", CodedDatapoint, CodedSuffix)

_FEWEST_KEYS = 20
"""Different values of a column that was left out before, which a key of some files may have."""

_MOST_NEW = 40
"""New values without labels that become answers; of more, they are a text or a number."""


def further(
    book: Codebook,
    drafted: Codebook,
    columns: _Columns,
    taken: Sequence[str] = (),
    *,
    without: str = "",
    unused: Collection[str] = (),
) -> tuple[Codebook, list[Guess]]:
    """A survey's codebook as it reads a further file, and what was taken for granted for that.

    drafted: the codebook of the file alone. columns: the file's. taken: codes that no new question
    may have. without: the code of a question whose column is the wave.
    unused: columns of the files before that make no question.
    """
    return _Further(book, drafted, columns, unused).read(taken, without)


class _Further:
    def __init__(
        self, book: Codebook, drafted: Codebook, columns: _Columns, unused: Collection[str]
    ) -> None:
        self._book = book
        self._drafted = drafted
        self._columns = columns
        self._guesses: list[Guess] = []
        left = [name for name in unused if name in columns and _may_be_key(columns[name])]
        self._known = {*book.columns, *left}
        self._drafts = {name: each for each in drafted.questions for name in each.columns}

    def read(self, taken: Sequence[str], without: str) -> tuple[Codebook, list[Guess]]:
        questions = {
            each.code: self._with_answers(kept)
            for each in self._book.questions
            if each.code != without and (kept := self._present(each)) is not None
        }
        codes = {*(each.code for each in self._book.questions), *taken, "location", "waves"}
        for each in self._drafted.questions:
            new = [name for name in each.columns if name not in self._known]
            if not new:
                continue
            owner = self._owner(each) if len(new) < len(each.columns) else None
            if owner in questions:
                questions[owner] = _with_items(questions[owner], each, {*new})
            elif (rest := _of_columns(each, {*new})) is not None:
                code = _free(each.code, codes)
                codes.add(code)
                questions[f"+{code}"] = structs.replace(rest, code=code)
        read = structs.replace(
            self._book,
            questions=tuple(questions.values()),
            source=self._source(),
            design=self._design(),
            texts=self._texts(),
            key=self._key(),
        )
        return read, self._guesses

    # ---- what is there ----

    def _present(self, question: CodedQuestion) -> CodedQuestion | None:
        """A question with the columns that the file has; None without any."""
        kept = _of_columns(question, {*self._columns})
        if kept is None:
            return None
        conditions = tuple(e for e in kept.asked_of if e.column in self._columns)
        if len(conditions) < len(kept.asked_of):
            gone = [e.column for e in kept.asked_of if e.column not in self._columns]
            said = f"{listed(gone)} is not in the file, so that all count as asked who may be"
            self._guesses.append(Guess(question.code, "base", said, severity=1))
            kept = structs.replace(kept, asked_of=conditions)
        return kept

    def _design(self) -> DesignColumns:
        """The design of the sample as far as the file has its columns."""
        design = self._book.design
        gone = [name for name in design.columns if name not in self._columns]
        if not gone:
            return design
        said = f"{listed(gone)} is not in the file: tests take this wave's sample without it"
        self._guesses.append(Guess("design", "design", said, severity=1))
        single = ("strata", "clusters", "fpc", "person")
        kept: dict[str, Any] = {n: v for n in single if (v := getattr(design, n)) in self._columns}
        if "clusters" in kept:
            kept["clusters_recur"] = design.clusters_recur
        if design.replicates and {*design.replicates} <= self._columns.keys():
            recur = kept.get("clusters_recur", False)
            return structs.replace(design, **{n: kept.get(n) for n in single}, clusters_recur=recur)
        return DesignColumns(**kept)

    def _key(self) -> ColumnOf | None:
        """The column that names respondents, where it does so in the file; else its rows do."""
        key = self._book.key
        column = None if key is None else self._columns.get(key.column)
        if key is None or (column is not None and column.filled == column.distinct == column.rows):
            return key
        said = f"{key.column} is not different for each respondent of the file: its rows are keys"
        self._guesses.append(Guess("file", "key", said, severity=1))
        return None

    def _texts(self) -> tuple[CodedText, ...]:
        """The open answers: those of the survey in the file, and those that its draft finds."""
        mine = {each.column: each for each in self._book.texts if each.column in self._columns}
        new = [each for each in self._drafted.texts if each.column not in self._known]
        return (*mine.values(), *new)

    # ---- what is new ----

    def _owner(self, drafted: CodedQuestion) -> str | None:
        """The question that has most columns of a drafted one, if it may have the others too."""
        counts = {
            each.code: len({*each.columns} & {*drafted.columns})
            for each in self._book.questions
            if each.kind == drafted.kind and not each.shares_values and not drafted.shares_values
        }
        found = max(counts, key=lambda code: counts[code], default=None)
        return found if found is not None and counts[found] else None

    def _with_answers(self, question: CodedQuestion) -> CodedQuestion:
        """A question with the values of the file that it does not know as answers."""
        drafted = next(filter(None, map(self._drafts.get, question.columns)), None)
        question = self._with_missing(question, drafted)
        if question.kind == "multiple" and not question.shares_values:
            return self._with_signs(question, drafted)
        labels = self._new_values(question, drafted)
        if not labels:
            return question
        answers = question.suffixes if question.kind == "grid" else question.points
        if len(labels) > _MOST_NEW and not all(map(self._labels(question).__contains__, labels)):
            said = f"{len(labels):,} new values without labels are not answers"
            self._guesses.append(Guess(question.code, "unknown value", said, severity=1))
            return question
        midpoints = _midpoints(drafted, is_grid=question.kind == "grid")
        off = _off_scale(question, drafted, labels)
        if question.kind == "grid":
            codes = suffix_codes(question.suffixes)
            more = _more(CodedSuffix, answers, codes, labels, midpoints, "")
            kept = [
                structs.replace(e, code=c) for e, c in zip(question.suffixes, codes, strict=True)
            ]
            return structs.replace(question, suffixes=(*kept, *more), off_scale=off)
        codes = datapoint_codes(question, question.points)
        more = _more(CodedDatapoint, answers, codes, labels, midpoints, f"{question.code}_")
        points = [structs.replace(e, code=c) for e, c in zip(question.points, codes, strict=True)]
        return structs.replace(question, labels={}, datapoints=(*points, *more), off_scale=off)

    def _meaning_elsewhere(self, question: CodedQuestion) -> set[str]:
        """Values that mean no answer to a question, by its lists and those of the survey."""
        source = self._book.source
        asked = source.not_asked if question.not_asked is None else question.not_asked
        chosen = source.not_selected if question.not_selected is None else question.not_selected
        return {canonical_value(v) for v in (*asked, *chosen, *question.missing, *source.missing)}

    def _labels(self, question: CodedQuestion) -> dict[str, str]:
        """The labels of answers in the question's columns of the file."""
        found = [self._columns[name] for name in question.columns]
        return {value: label for each in reversed(found) for value, label in each.labels.items()}

    def _new_values(self, question: CodedQuestion, drafted: CodedQuestion | None) -> dict[str, str]:
        """The labels of values that the question does not know as answers, in their order."""
        answers = question.suffixes if question.kind == "grid" else question.points
        known = {value for each in answers for value in meanings_of(each)}
        known |= self._meaning_elsewhere(question) | self._unanswered(drafted)
        bands = [e for e in question.points if e.is_band] if question.kind == "single" else []
        labels = self._labels(question)
        if question.separator is not None or question.across:
            parts = (
                {}
                if drafted is None
                else {v: e.name for e in drafted.points for v in meanings_of(e)}
            )
            return {value: name for value, name in parts.items() if value not in known}
        found = dict.fromkeys(labels)
        for name in question.columns:
            found |= dict.fromkeys(sorted(self._columns[name].answers, key=natural))
        new = [v for v in found if v not in known and not _in_band(v, bands, labels)]
        # Without labels a number beside bands belongs to none, and is reported.
        return {v: labels.get(v) or v for v in new if v in labels or not bands}

    def _unanswered(self, drafted: CodedQuestion | None) -> set[str]:
        """Values of the file that its draft takes for no answer."""
        source = self._drafted.source
        own = () if drafted is None else drafted.missing
        return {canonical_value(v) for v in (*own, *source.missing, *source.not_asked)}

    def _with_missing(
        self, question: CodedQuestion, drafted: CodedQuestion | None
    ) -> CodedQuestion:
        """A question with the codes of no answer that the file shows in its columns."""
        if drafted is None or not drafted.missing:
            return question
        answers = question.suffixes if question.kind == "grid" else question.points
        known = {value for each in answers for value in meanings_of(each)}
        known |= {*map(canonical_value, question.selected)} | self._meaning_elsewhere(question)
        more = [v for v in drafted.missing if canonical_value(v) not in known]
        return structs.replace(question, missing=(*question.missing, *more)) if more else question

    def _with_signs(self, question: CodedQuestion, drafted: CodedQuestion | None) -> CodedQuestion:
        """A set with the values for chosen and not chosen that the file has beside its own."""
        if drafted is None or drafted.kind != "multiple" or not question.selected:
            return question
        known = self._meaning_elsewhere(question) | {*map(canonical_value, question.selected)}
        selected = [v for v in drafted.selected if canonical_value(v) not in known]
        others = [v for v in drafted.not_selected or () if canonical_value(v) not in known]
        own = question.not_selected
        rejected = self._book.source.not_selected if own is None else own
        return structs.replace(
            question,
            selected=(*question.selected, *selected),
            not_selected=(*rejected, *others) if others else own,
        )

    def _source(self) -> Source:
        """How the file is read: as a draft of it, and with the survey's values for no answer."""
        mine, own = self._book.source, self._drafted.source
        answers = {
            value
            for each in self._book.questions
            for answer in (*each.points, *each.suffixes)
            for value in meanings_of(answer)
        }
        known = {*map(canonical_value, (*mine.not_asked, *mine.not_selected, *mine.missing))}
        known |= answers | {canonical_value(v) for e in self._book.questions for v in e.selected}

        def more(values: tuple[Scalar, ...], taken: str) -> tuple[Scalar, ...]:
            new = tuple(each for each in values if canonical_value(each) not in known)
            self._guesses += [self._new_code(canonical_value(each), taken) for each in new]
            return new

        return structs.replace(
            own,
            not_asked=(*mine.not_asked, *more(own.not_asked, "not asked")),
            not_selected=mine.not_selected,
            missing=(*mine.missing, *more(own.missing, "no answer")),
        )

    def _new_code(self, value: str, taken: str) -> Guess:
        """That a value of several columns, or a word, is not taken as an answer of the file."""
        held = {n: count for n, each in self._columns.items() if (count := each.counts.get(value))}
        shown = value if number_of(value) is not None else repr(value)
        said = f"{shown} ({sum(held.values()):,}) in {listed([*held], 3)} is new: taken as {taken}"
        code = f"client.add_wave(…, missing={{{quoted(next(iter(held)))}: []}})" if held else ""
        return Guess("file", "missing", said, code, 1)


# ---- parts of questions ----


def _may_be_key(column: ColumnProfile) -> bool:
    """Whether a column may be what it was left out as: a key, a time or a text."""
    return not column.labels and column.distinct > _FEWEST_KEYS


def _of_columns(question: CodedQuestion, columns: set[str]) -> CodedQuestion | None:
    """A question with some of its columns alone; None without any of them."""
    if not columns.intersection(question.columns):
        return None
    if question.column is not None:
        return question
    if question.across:
        kept = tuple(name for name in question.across if name in columns)
        return structs.replace(question, across=kept)
    points: list[CodedDatapoint] = []
    # Codes are written out: those that follow from the position would change.
    for code, point in zip(
        datapoint_codes(question, question.points), question.points, strict=True
    ):
        cells = {suffix: name for suffix, name in point.columns.items() if name in columns}
        if cells or point.column in columns:
            points.append(structs.replace(point, code=code, columns=cells))
    return structs.replace(question, datapoints=tuple(points))


def _with_items(question: CodedQuestion, drafted: CodedQuestion, new: set[str]) -> CodedQuestion:
    """A set or grid with the items of a drafted one that have some columns."""
    found = _of_columns(drafted, new)
    codes = datapoint_codes(question, question.points)
    names = {point.name for point in question.points}
    items: list[CodedDatapoint] = []
    for point in found.points if found else ():
        code = _free(point.code or f"{question.code}_{len(codes) + 1}", codes)
        codes.append(code)
        name = point.name if point.name not in names else f"{point.name} ({code})"
        items.append(structs.replace(point, code=code, name=name))
    return structs.replace(question, datapoints=(*question.points, *items))


def _more(
    kind: type[_Part],
    answers: Sequence[CodedDatapoint | CodedSuffix],
    codes: Sequence[str],
    labels: Mapping[str, str],
    midpoints: Mapping[str, float | None],
    stem: str,
) -> Iterator[_Part]:
    """An answer for each new value, with a code and a name of its own."""
    taken, names = [*codes], {each.name for each in answers}
    for value, label in labels.items():
        number = value if value.isdecimal() else f"{len(taken) + 1}"
        code = _free(f"{stem}{number}", taken)
        taken.append(code)
        name = label if label not in names else f"{label} ({value})"
        names.add(name)
        yield kind(name=name, code=code, value=scalar(value), midpoint=midpoints.get(value))


def _midpoints(drafted: CodedQuestion | None, *, is_grid: bool) -> dict[str, float | None]:
    answers = () if drafted is None else drafted.suffixes if is_grid else drafted.points
    return {value: each.midpoint for each in answers for value in meanings_of(each)}


def _off_scale(
    question: CodedQuestion, drafted: CodedQuestion | None, new: Mapping[str, str]
) -> tuple[Scalar, ...] | None:
    """The answers off the scale, where the codebook lists them, with those of the draft."""
    if question.off_scale is None or drafted is None or drafted.off_scale is None:
        return question.off_scale
    more = [each for each in drafted.off_scale if canonical_value(each) in new]
    return (*question.off_scale, *scalars(map(canonical_value, more)))


def _in_band(value: str, bands: Sequence[CodedDatapoint], labels: Mapping[str, str]) -> bool:
    """Whether a value is a number in a band, and not a code with a label of its own."""
    number = number_of(value)
    if number is None or (value in labels and number_of(labels[value]) is None):
        return False
    return any(band.holds(number) for band in bands)


def _free(code: str, taken: Sequence[str] | set[str]) -> str:
    """The code, with a number where it is taken."""
    found, number = code, 2
    while found in taken:
        found, number = f"{code}_{number}", number + 1
    return found

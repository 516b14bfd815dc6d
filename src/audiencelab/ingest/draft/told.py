"""What a draft takes for granted of questions and of columns that it leaves out, as guesses."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from audiencelab.ingest.codebook import CodedQuestion
from audiencelab.ingest.draft.roles import DATE
from audiencelab.ingest.meaning.forms import FormedColumns
from audiencelab.ingest.meaning.groups import QuestionGroup
from audiencelab.ingest.meaning.guess import Guess, GuessOption, Severity, quoted
from audiencelab.ingest.records import RecordsOfFile
from audiencelab.schema.scope import BaseOf
from audiencelab.survey.errors import listed
from audiencelab.wording import plural

_SHOWN = 4
_SPAN = re.compile(r"^.*? … .*? have (?=one )")
_ADVICE = re.compile(r" \(in the codebook: [^()]*\)|\. In the codebook, .*")


@dataclass(frozen=True)
class Told:
    """What a draft in the making tells.

    reasons: comments of the codebook, by the part of it. guesses: what was taken for granted.
    """

    reasons: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    guesses: list[Guess] = field(default_factory=list[Guess])

    def tell(
        self,
        part: str,
        said: str,
        code: str = "",
        severity: Severity = 2,
        choices: Sequence[GuessOption] = (),
    ) -> None:
        """A guess about a part of the survey, which is a comment of the codebook as well."""
        self.reasons[part].append(said)
        about = "waves" if part == "wave" else part
        self.guesses.append(Guess(about, about, said, code, severity, choices=tuple(choices)))


def group_guess(
    question: CodedQuestion, group: QuestionGroup, choices: Sequence[GuessOption] = ()
) -> Guess:
    """That some columns make one question; and its items that no respondent chose."""
    subject = "grid" if question.kind == "grid" else "several answers"
    said = without_advice(group.reason.removeprefix(f"{question.kind}: "))
    said = _SPAN.sub("", said)
    if group.kind == "items":
        chosen = {value for column in group.columns for value in column.answers}
        chosen = {*group.selected} or chosen.difference(group.not_selected)
        never = [
            point.name
            for point, column in zip(question.datapoints, group.columns, strict=True)
            if chosen.isdisjoint(column.answers)
        ]
        said += f"; never chosen: {listed(never, _SHOWN)}" if never else ""
    return Guess(question.code, subject, said, choices=tuple(choices))


def band_guess(question: CodedQuestion) -> Guess:
    """That numbers were put into bands, and the code that makes others."""
    lowest = [point.min for point in question.datapoints if point.is_band and point.min is not None]
    edges = ", ".join(f"{each:.12g}" for each in lowest)
    code = f"client[{quoted(question.code)}].bins([{edges}])"
    bands = sum(point.is_band for point in question.datapoints)
    return Guess(question.code, "bands", f"numbers in {bands} bands", code, 3)


def off_scale_guesses(questions: Sequence[CodedQuestion]) -> Iterator[Guess]:
    """Which answers, such as "Don't know", shares count and means do not."""
    for question in questions:
        keys = set(question.off_scale or ())
        points = question.suffixes if question.kind == "grid" else question.points
        names = [each.name for each in points if keys & {each.value, *each.values}]
        if names:
            said = f"{listed(list(map(repr, names)))}: in shares, and not in means"
            edit = {"question": question.code, "missing": [*(question.off_scale or ())]}
            choices = [
                GuessOption("answers, in shares and not in means", present=True),
                GuessOption(f"no answer: {listed(names)}", edits=edit),
            ]
            yield Guess.of_choices(question.code, "base", said, choices, 1)


def form_guess(code: str, found: FormedColumns) -> Guess:
    """That columns are ranks or parts of a sum. code: of the question of the first one."""
    edit = {"question": code, "top": "first"}
    choices = [
        GuessOption("without a top", present=True),
        GuessOption("rank 1 is the top", edits=edit),
    ]
    said = f"{found.said}: a question each"
    return Guess.of_choices(code, "numbers", said, choices if found.form == "rank" else ())


def left_out_guesses(left_out: Mapping[str, str]) -> Iterator[Guess]:
    """Columns that make no question, a guess for each reason."""
    grouped: defaultdict[str, list[str]] = defaultdict(list)
    for name, why in left_out.items():
        # What follows the first sign are figures of one column.
        grouped[re.split("[:;,]", why)[0]].append(name or "(no name)")
    for why, names in grouped.items():
        code = f"al.open(…, wave={quoted(names[0])})" if left_out.get(names[0]) == DATE else ""
        yield Guess("file", "left out", f"{listed(names, _SHOWN)} ({why})", code, 3)


def unanswered_guesses(unanswered: Mapping[str, str]) -> Iterator[Guess]:
    """Answers that the file declares missing, which are in no base."""
    for code, values in unanswered.items():
        said = f"{values} not in the base: the file declares it missing"
        yield Guess.of_choices(code, "base", said, base_choices("valid"))


def base_choices(base_of: BaseOf) -> list[GuessOption]:
    """Whom a cell counts: those who answered its questions, or everyone."""
    words: dict[BaseOf, str] = {
        "valid": "those who answered each question",
        "everyone": "everyone, whether asked or not",
    }
    choices = [
        GuessOption(text, each == base_of, {"base_of": each}) for each, text in words.items()
    ]
    return sorted(choices, key=lambda each: not each.present)


def doubts(
    subject: str,
    lines: Sequence[str],
    severity: Severity = 1,
    choices: Mapping[str, Sequence[GuessOption]] = MappingProxyType({}),
) -> list[Guess]:
    """Sentences about the whole file as guesses. choices: the ways to take them, by sentence."""
    return [
        Guess.of_choices("file", subject, without_advice(each), choices.get(each, ()), severity)
        for each in lines
    ]


def without_advice(reason: str) -> str:
    """A reason without what to write in the codebook."""
    return _ADVICE.sub("", reason)


def event_guess(records: RecordsOfFile, *, is_wave: bool) -> Guess:
    """That records have several rows, and the code that joins them."""
    rows = f"{records.rows:,} rows of {plural(records.records, 'record')}"
    name = quoted(records.record)
    code = f"al.open({records.frame}.groupby({name}, as_index=False).first())"
    if not is_wave:
        return Guess("file", "rows", f"records count several times: {rows}", code, 0)
    said = f"{rows}: each event is a wave, and each record a person; questions of different events "
    said += "have no table of both, unless the rows of a record are joined"
    return Guess("file", "rows", said, code, 1)

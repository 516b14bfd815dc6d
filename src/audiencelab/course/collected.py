"""The work that was handed in as the lines of a report: whose it is, and its marks.

Stored results are not trusted: every answer is checked again, in the survey of the student's name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from pathlib import Path

from audiencelab.course.errors import CourseError
from audiencelab.course.exercises import EXERCISES, NO_ANSWER, grade
from audiencelab.course.records import ExerciseRecord, ProgressFile
from audiencelab.course.reference import Respondents
from audiencelab.course.students import (
    in_exam,
    is_seed_of,
    respondents_with,
    seed_of,
    student_name,
)
from audiencelab.course.submissions import handed_in, named

Entries = dict[str, ExerciseRecord]


@dataclass(frozen=True, slots=True)
class ReportLine:
    """The work in one folder, or in several copies of a student's folder.

    student: the name, or that of a folder in which there is only work of another student. folder:
    its path below the folder of the report. entries: checked again, by the number of the exercise.
    note: what the instructor should look at; may be empty. person: as in `HandedIn`.
    """

    student: str
    folder: str
    entries: Entries
    note: str = ""
    person: str = ""


@dataclass(frozen=True, slots=True)
class _Work:
    """The entries of one student in one file.

    whose: the names that say whose the file is, the outermost folder first. person: as in
    `HandedIn`. seed: of the survey; None where the file has none.
    """

    student: str
    path: str
    whose: tuple[str, ...]
    person: str
    entries: Entries
    seed: int | None

    @property
    def content(self) -> str:
        """All answers with their attempts; "" where there are none."""
        answers = {n: [e.answer, e.attempts] for n, e in self.entries.items() if e.attempts}
        return json.dumps(answers, sort_keys=True) if answers else ""

    @property
    def is_exam(self) -> bool:
        """Whether the survey is of an exam."""
        return in_exam(self.seed, self.student)

    @property
    def folder(self) -> str:
        """The folder as text."""
        return "/".join(self.whose) or "."

    @property
    def rank(self) -> tuple[int, int]:
        """How well the folder is named as the student, the best first, and at which level."""
        fits = [-named([each], self.student) for each in self.whose]
        best = min(fits, default=0)
        return best, fits.index(best) if best else 0


def collect(root: Path, exam: str) -> tuple[list[ReportLine], list[str]]:
    """The lines of all work below a folder or in a zip file, and the files that are not read.

    exam: the salt of an exam; "" for exercises.
    """
    works: list[_Work] = []
    faults: list[str] = []
    for file in handed_in(root):
        try:
            if file.fault:
                raise CourseError(file.fault)
            record = ProgressFile.parse(file.data, Path(file.path))
        except CourseError as error:
            faults.append(str(error))
            continue
        for student, entries in record.students.items():
            try:
                name = student_name(student)
            except CourseError:
                continue  # the file was edited
            known = {number: each for number, each in entries.items() if number in EXERCISES}
            seed = record.seeds.get(student)
            work = _Work(name, file.path, file.whose, file.person, known, seed)
            works.append(work)
    exams = [work for work in works if work.is_exam]
    if exam and exams and all(_seed(work, exam)[0] is None for work in exams):
        raise CourseError("The salt is not that of any of these folders: look for a typing error.")
    return _lines(_below_common_folder(works), exam), faults


def _below_common_folder(works: list[_Work]) -> list[_Work]:
    """The work with the folders by which it differs: not that of the class."""
    paths = {work.whose[:-1] for work in works}
    same = takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False))
    common = len(list(same)) if len({work.whose for work in works}) > 1 else 0
    return [replace(work, whose=work.whose[common:]) for work in works]


def _lines(works: list[_Work], exam: str) -> list[ReportLine]:
    own: dict[tuple[str, str], ReportLine] = {}
    homes: dict[tuple[str, ...], tuple[str, str]] = {}
    foreign: list[tuple[_Work, int]] = []
    ordered = sorted(works, key=lambda work: (work.student, work.path))
    copied = dict(_copied(ordered, exam))
    for student, each in groupby(ordered, lambda work: work.student):
        claims, others = _claims(list(each))
        for mine in claims:
            line = _joined(student, mine, exam, copied)
            key = student, line.person
            own[key] = _disputed(line, mine, [claim for claim in claims if claim is not mine])
            homes |= {work.whose: key for work in mine}
        foreign += [(work, claims[0][0].rank[1]) for work in others]
    by_path: dict[str, ReportLine] = {}
    for work, level in foreign:
        note = f"answers are of {work.student}"
        # The folder is another student's, or is in it.
        outer = (work.whose[:depth] for depth in range(len(work.whose), 0, -1))
        holder = next((homes[each] for each in outer if each in homes), None)
        if holder is not None and holder[0] != work.student:
            line = own[holder]
            own[holder] = replace(line, note=_joint(line.note, f"{work.folder}: {note}"))
        else:
            # The folder at the level at which others are named as their students.
            name = (*work.whose[: level + 1], ".")[min(level, max(len(work.whose) - 1, 0))]
            line = by_path.get(work.path, ReportLine(name, work.folder, {}, "", work.person))
            by_path[work.path] = replace(line, note=_joint(line.note, note))
    found = (*own.values(), *by_path.values())
    return sorted(found, key=lambda line: (line.student, line.folder))


def _claims(works: list[_Work]) -> tuple[list[list[_Work]], list[_Work]]:
    """The own work of each user of a learning platform with this name, and other work.

    Two users may sign in with one name; neither is taken for the other where the platform's names
    fit both, or none. A user with exactly this name is the student.
    """
    best = min(work.rank for work in works)
    fitting = [work for work in works if work.rank == best and work.person]
    users = dict.fromkeys(work.person for work in fitting)
    is_exact = any(work.folder.casefold() == work.student for work in fitting)
    if len(users) < 2 or is_exact:
        own, others = _own(works)
        return [own], others
    claims = [[work for work in fitting if work.person == user] for user in users]
    return claims, [work for work in works if work not in fitting]


def _disputed(line: ReportLine, mine: list[_Work], rivals: list[list[_Work]]) -> ReportLine:
    """A line with notes of other users with its name; equal work of two users does not count."""
    contents = {work.content for work in mine} - {""}
    for rival in rivals:
        if contents & {work.content for work in rival}:
            note = f"the same work as {rival[0].folder}: ask whose it is"
            line = replace(line, entries={}, note=_joint(line.note, note))
        else:
            note = f"{rival[0].folder} signs in with the same name"
            line = replace(line, note=_joint(line.note, note))
    return line


def _own(works: list[_Work]) -> tuple[list[_Work], list[_Work]]:
    """The copies of a student's own work, and the same student's work in folders of others.

    Own are the folders that are named best as the student, of one user of a learning platform. If
    none is named so, the first one is.
    """
    first = min(works, key=lambda work: (work.rank, len(work.person), work.path))
    own = [
        work
        for work in works
        if work is first or (work.rank == first.rank < (0, 0) and work.person == first.person)
    ]
    return own, [work for work in works if work not in own]


def _joined(student: str, copies: Sequence[_Work], exam: str, copied: dict[str, str]) -> ReportLine:
    """One line of a student's copies: right in any is right."""
    folders = sorted({work.folder for work in copies}, key=lambda folder: (len(folder), folder))
    notes = [f"read from {len(folders)} folders: {', '.join(folders)}"] if len(folders) > 1 else []
    checked: list[Entries] = []
    for work in copies:
        if original := copied.get(f"{work.path}\n{student}"):
            notes.append(f"answers are of {original}")
            continue
        seed, note = _seed(work, exam)
        notes += [note] if note else []
        if seed is not None:
            checked.append(_checked(work, respondents_with(seed)))
    numbers = {number: None for entries in checked for number in entries}
    entries = {
        number: _best([entries[number] for entries in checked if number in entries])
        for number in numbers
    }
    note = _joint(*dict.fromkeys(notes))
    return ReportLine(student, folders[0], entries, note, copies[0].person)


def _best(entries: Sequence[ExerciseRecord]) -> ExerciseRecord:
    most = max(entries, key=lambda entry: entry.attempts)
    right = next((entry for entry in entries if entry.solved), most)
    hints = max(entry.hints for entry in entries)
    return replace(most, solved=right.solved, answer=right.answer, hints=hints)


def _seed(work: _Work, exam: str) -> tuple[int | None, str]:
    """The seed to check work with, None if it does not count; and a note, which may be empty."""
    if exam and not work.is_exam:
        return None, "this is not work of an exam"
    if work.seed is None or is_seed_of(work.seed, work.student, exam=exam):
        return work.seed or seed_of(work.student), ""
    note = "the seed of this folder is not that of the name"
    return None, note if exam else f"{note}: for an exam, give the salt that it was started with"


def _checked(work: _Work, respondents: Respondents) -> Entries:
    return {
        number: replace(entry, solved=_is_right(number, entry, respondents))
        for number, entry in work.entries.items()
    }


def _is_right(number: str, entry: ExerciseRecord, respondents: Respondents) -> bool:
    if not entry.attempts or entry.answer is None:
        return False
    try:
        return grade(EXERCISES[number], entry.answer, respondents).state == "right"
    except NO_ANSWER:
        return False  # the file was edited: `check` does not write this


def _copied(works: Iterable[_Work], exam: str) -> Iterator[tuple[str, str]]:
    """Work that equals another student's in all answers and attempts, and whose it is.

    Each is a path with a student. The figures are right for the other student and not for this
    one; work that is right for both is of both.
    """
    by_content = sorted(works, key=lambda work: work.content)
    for same, group in groupby(by_content, lambda work: work.content):
        alike = list(group)
        if not same or len({work.student for work in alike}) == 1:
            continue
        right = {work.student: _right(work, exam) for work in alike}
        for work in alike:
            more = [name for name in right if right[name] > right[work.student]]
            if more:
                yield f"{work.path}\n{work.student}", max(more, key=lambda name: len(right[name]))


def _right(work: _Work, exam: str) -> set[str]:
    """The exercises that are right in the student's own survey."""
    seed = _seed(work, exam)[0] or seed_of(work.student, exam=exam)
    checked = _checked(work, respondents_with(seed))
    return {number for number, each in checked.items() if each.solved}


def _joint(*notes: str) -> str:
    """The notes in one text, each once."""
    each = (part for note in notes for part in note.split("; ") if part)
    return "; ".join(dict.fromkeys(each))

"""A survey for each student: the demo study with other synthetic respondents.

The name of a student is the seed. All students get the same questions and waves, with different
values; on every machine the same name gives the same values.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from audiencelab.client import Client
from audiencelab.client import connect as connect_to
from audiencelab.course.altair_display import show_altair_offline
from audiencelab.course.errors import CourseError
from audiencelab.course.records import ProgressFile
from audiencelab.course.reference import Respondents
from audiencelab.course.screening import RESPONDENTS, first_distinct, tried
from audiencelab.survey import Survey, demo_survey

_LONGEST = 80

_signed_in: list[str] = []
"""The students of this session, the latest last: the default of `check`."""


def student_name(student: str | int) -> str:
    """The normalized name: "  Ada  LOVELACE" and "ada lovelace" are one student.

    Raises `CourseError` for a name that is empty, too long, or neither `str` nor `int`.
    """
    if isinstance(student, bool) or not isinstance(student, str | int):
        raise CourseError('The name of a student must be a str or an int, such as student="ada".')
    name = " ".join(unicodedata.normalize("NFKC", str(student)).casefold().split())
    if not name or len(name) > _LONGEST or not name.isprintable():
        raise CourseError(f"A student's name has 1 to {_LONGEST} characters that can be printed.")
    return name


def seed_of(student: str | int, *, exam: str = "") -> int:
    """The seed of a student's survey: an integer below 2³² that depends only on the name.

    Of a fixed series of seeds it is the first in whose survey no common mistake leads to, or near,
    the right answer of an exercise. exam: the salt of an exam, which gives other surveys.

    >>> seed_of("Ada Lovelace") == seed_of("ada lovelace")
    True
    """
    return first_distinct(_seeded(student, exam))


def is_seed_of(seed: int, student: str | int, *, exam: str = "") -> bool:
    """Whether a seed belongs to a name, now or with the exercises of another version."""
    return seed in tried(_seeded(student, exam))


def in_exam(seed: int | None, student: str | int) -> bool:
    """Whether the survey of a folder is of an exam: its seed does not belong to the name alone.

    Answers are kept then and not judged. Nothing else in the folder says so, which a student could
    edit: with another seed, the figures are others too.
    """
    return seed is not None and not is_seed_of(seed, student)


def _seeded(student: str | int, exam: str) -> str:
    """The text that the seeds of a student are made of."""
    salt = exam.strip()
    return f"audiencelab course: {student_name(student)}" + (f" in exam {salt}" if salt else "")


def survey(student: str | int) -> Survey:
    """The survey of a student: 6,000 respondents of their own, in the questions of the demo study.

    It is generated at the first call, in about a second, and stored in the cache folder under the
    seed, not the student's name. Raises `CourseError` for a name that is not valid.

    >>> from audiencelab import course
    >>> course.survey("Ada")
    <Survey 'Everyday Lives (demo)': 12 waves, 6,000 respondents>
    """
    return demo_survey(RESPONDENTS, seed=seed_of(student))


def respondents_of(student: str) -> Respondents:
    """The respondents of the survey of a student's name."""
    return respondents_with(seed_of(student))


@lru_cache(maxsize=4)
def respondents_with(seed: int) -> Respondents:
    """The respondents of a seed; those of the last few are cached."""
    return Respondents(demo_survey(RESPONDENTS, seed=seed))


def connect(student: str | int | None = None) -> Client:
    """A client of a student's own survey, which `check` compares with from now on.

    student: the name; by default the one that this folder was made for with `start`. Raises
    `CourseError` where neither is known.

    >>> from audiencelab import course
    >>> mine = course.connect("Ada")
    >>> mine.stats("Gender").to_frame()["sample"].tolist()
    [2687, 3263, 50]
    """
    name = who(student)
    # That of the folder, so that another version of the exercises changes no survey.
    seed = ProgressFile.here().seeds.get(name) or seed_of(name)
    client = connect_to(survey=demo_survey(RESPONDENTS, seed=seed))
    show_altair_offline()
    _signed_in.append(name)
    return client


def classroom() -> Client:
    """A client of the survey that the text of the lessons uses, the same for all students.

    >>> from audiencelab import course
    >>> course.classroom().size(client["Gender"] == "Male").sample
    3727.0
    """
    show_altair_offline()
    return connect_to(survey=demo_survey())


def who(student: str | int | None = None) -> str:
    """The student: the one named, else the one signed in, else the folder's.

    Raises `CourseError` if none is known, and in the folder of an exam for another name than that
    of the exam.
    """
    if student is not None:
        name = student_name(student)
        sits = [each for each, seed in ProgressFile.here().seeds.items() if in_exam(seed, each)]
        if sits and name not in sits:
            raise CourseError(
                f"This folder is for the exam of {sits[0]!r}: sign in with that name, "
                f"course.connect(student={sits[0]!r})."
            )
        return name
    if _signed_in:
        return _signed_in[-1]
    known = list(ProgressFile.here().students)
    if len(known) == 1:
        return known[0]
    raise CourseError(
        'Say who you are first: run the cell with course.connect(student="…") in this notebook.'
    )

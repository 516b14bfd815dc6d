"""The course: six lessons on reading surveys, with a survey of their own for each student.

    from audiencelab import course

    mine = course.connect(student="ada")     # the demo study, with figures that only Ada has
    course.check("1.2", 14.9)                # right, or which slip it looks like
    course.hint("1.2")
    course.progress()

    course.report("handed-in")               # for the instructor: who solved what
    course.answers("ada")

Rooms: `students` names and their surveys; `respondents` a survey as plain arrays; `kinds` what can
be an answer; `exercises` the exercises of each lesson; `judging` what an answer is worth;
`keeping` the file of progress; `asking` what students call, `marking` what instructors do;
`handing_out` the lessons as files. The lessons themselves are notebooks (`notebooks/course`, in an
installation the folder `lessons` of this package). Nothing leaves the machine.
"""

from __future__ import annotations

from audiencelab.course.asking import Check, Hints, Progress, check, hint, progress
from audiencelab.course.errors import AnswerError, CourseError
from audiencelab.course.handing_out import start
from audiencelab.course.marking import Report, answers, report
from audiencelab.course.students import classroom, connect, seed_of, survey

__all__ = [
    "AnswerError",
    "Check",
    "CourseError",
    "Hints",
    "Progress",
    "Report",
    "answers",
    "check",
    "classroom",
    "connect",
    "hint",
    "progress",
    "report",
    "seed_of",
    "start",
    "survey",
]


def __dir__() -> list[str]:
    return __all__

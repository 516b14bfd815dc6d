"""The course: six lessons on reading surveys, with a survey of their own for each student.

    from audiencelab import course

    mine = course.connect(student="ada")     # the demo study, with figures that only Ada has
    course.check("1.2", 14.9)                # right, or which slip it looks like
    course.hint("1.2")
    course.progress()

    course.report("handed-in")               # for the instructor: who solved what
    course.answers("ada")

`students` has names and their surveys, `reference` a survey as plain arrays, `exercises` the
exercises with their texts (exercises.toml) and formulas (`lessons_1_to_3`, `lessons_4_to_6`),
`answer_types` and `chart_answers` what can be an answer, `records` the file of progress; `student`
is what students call, `instructor` what instructors call, `distribute` hands the lessons out as
files. The lessons themselves are notebooks (`notebooks/course`, in an installation the folder
`lessons` of this package). Nothing leaves the machine.
"""

from __future__ import annotations

from audiencelab.course.distribute import start
from audiencelab.course.errors import AnswerError, CourseError
from audiencelab.course.instructor import Report, answers, report
from audiencelab.course.student import Check, Hints, Progress, check, hint, progress
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

"""The course: lessons on reading surveys, with a survey of their own for each student.

    from audiencelab import course

    mine = course.connect(student="ada")     # the demo study, with figures that only Ada has
    course.published("star wars")            # a real survey that comes with the course
    course.ask("2a")                         # a question for a show of hands
    course.play.ask_again(share=37)          # a simulation: what chance does to a survey
    course.check("1.2", 14.9)                # right, or the mistake that it looks like
    course.hint("1.2")
    course.progress()

    course.report("handed-in")               # for the instructor: results by student
    course.answers("ada")

Modules: `students` (names and their surveys), `screening` (which seeds they get), `published` (real
surveys), `reference` (a survey as arrays), `exercises` (texts in `texts/lesson_1.toml` and so on,
with formulas in the modules of `formulas`), `answer_types`, `given_numbers` and `chart_answers`
(types of answers), `ask` (questions for a show of hands), `play` (simulations), `records` (the
progress file), `student` (functions for students), `instructor` (functions for instructors),
`submissions` and `collected` (what was handed in, and whose it is), `distribute` (copies of the
lessons), `solutions`, `exports` and `lesson_cells` (other notebooks of them). The lessons
themselves are notebooks (`notebooks/course`, in an installation the folder `lessons` of this
package). Nothing leaves the machine.
"""

from __future__ import annotations

from audiencelab.course import play
from audiencelab.course.ask import ask
from audiencelab.course.distribute import start
from audiencelab.course.errors import CourseError
from audiencelab.course.instructor import Report, answers, report
from audiencelab.course.published import published
from audiencelab.course.student import Check, CourseProgress, check, hint, progress
from audiencelab.course.students import classroom, connect, survey

__all__ = [
    "Check",
    "CourseError",
    "CourseProgress",
    "Report",
    "answers",
    "ask",
    "check",
    "classroom",
    "connect",
    "hint",
    "play",
    "progress",
    "published",
    "report",
    "start",
    "survey",
]


def __dir__() -> list[str]:
    return __all__

"""What goes wrong in the course, told to students and instructors."""

from __future__ import annotations

from audiencelab.errors import AudienceError


class CourseError(AudienceError):
    """The course cannot do what was asked; the message says what to do instead."""


class AnswerError(CourseError, TypeError):
    """An answer is of another kind than its exercise asks for."""

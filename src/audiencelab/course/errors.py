"""The errors of the course, with messages for students and instructors."""

from __future__ import annotations

from audiencelab.errors import AudienceError


class CourseError(AudienceError):
    """The course cannot do what was requested; the message contains the remedy."""


class AnswerError(CourseError, TypeError):
    """An answer is of another type than its exercise requires; `check` shows it as a result."""

"""What is said when a survey's files cannot be written: the disk is full, or not ours to write."""

from __future__ import annotations

import errno
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from audiencelab.files import why_not_written
from audiencelab.survey.errors import SurveyError

__all__ = ["writes"]


@contextmanager
def writes(target: Path) -> Generator[None]:
    """Around what writes files for the survey at `target`: the system's errors as `SurveyError`."""
    try:
        yield
    except OSError as error:
        raise SurveyError(f"{target} could not be written: {_why(error, target.parent)}") from error


def _why(error: OSError, folder: Path) -> str:
    if error.errno is None:
        # numpy counts what it could not write, and tells no number of an error.
        error = OSError(errno.ENOSPC, str(error))
    return why_not_written(error, folder)

"""Compares the files that a cell writes with those that it wrote before."""

from __future__ import annotations

from typing import Any

from audiencelab.notebook.change import Change
from audiencelab.notebook.file_reading import READ, read_file
from audiencelab.notebook.output_diff import form_changes, source_changes
from audiencelab.notebook.run_log import WrittenFile
from audiencelab.notebook.sameness import Circumstances, only_more_facts
from audiencelab.render.records import record_in


def is_read(file: WrittenFile) -> bool:
    """Whether a file is compared: it was there before, and is of a kind that can be read."""
    return file.before is not None and file.path.suffix.casefold() in READ


def file_changes(file: WrittenFile, known: Circumstances | None = None) -> tuple[Change, ...]:
    """How a file differs from the one that was there before; dates in it are left out."""
    if file.before is None or file.before == file.now:
        return ()
    before = read_file(file.path, file.before)
    if file.now is None:
        return (Change("the file", "there", "", before.name),)
    circumstances = known or Circumstances()
    now = read_file(file.path, file.now)
    strict = circumstances.one_version
    changes = form_changes(before, now, circumstances, strict=strict, worded=only_more_facts)
    told = source_changes(before, _records(file.before), now, _records(file.now))
    return (*changes, *told)


def _records(content: bytes) -> list[dict[str, Any]]:
    """What a file says that it is of; [] where that cannot be read."""
    try:
        return [each.to_dict() for each in record_in(content)]
    except ValueError:
        return []

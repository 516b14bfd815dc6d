"""A difference of a column between two waves, and those of its missing codes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from audiencelab.ingest.codebook import natural
from audiencelab.ingest.drift.record import Decision, DriftKind
from audiencelab.ingest.drift.seen import MOST_POINTS, Seen, plain


@dataclass(frozen=True)
class Difference:
    """One difference, as a `Drift` has it. decision: what the line of code that decides suggests.

    reads: values of the new file and what they are read as, where labels and shares agree.
    """

    kind: DriftKind
    said: str
    is_break: bool = False
    refuses: bool = False
    decision: Decision = "break"
    value: str = ""
    label: str = ""
    reads: dict[str, str] = field(default_factory=dict[str, str])


def missing_codes(old: Seen, new: Seen) -> Iterator[Difference]:
    """The codes that are missing in one wave and an answer in the other, or may be a new one."""
    apart = new.apart - {*old.values}
    for value in sorted({*old.missing, *new.missing, *apart}, key=natural):
        count = new.counts.get(value) or (new.missing_counts or {}).get(value, 0)
        shown = f"{count:,} of {new.answered + (new.missing_counts or {}).get(value, 0):,}"
        is_declared = value in new.declared
        if value in old.missing:
            if count and not is_declared and (value in new.counts or value in old.declared):
                yield _not_declared(value, old, new, shown)
        elif value in old.counts and value in new.missing:
            label = new.missing[value] or old.labels.get(value, "")
            said = f"{_coded(value, label)} was an answer ({old.share(value)})"
            said += ", and is a missing code"
            yield Difference("missing codes", said, True, True, value=value)
        elif count and not is_declared:
            # What it is taken for is decided as in any file, and is among the guesses.
            said = f"{value} ({shown}) is new, has no label and is far from the others"
            yield Difference("missing codes", said, value=value)


def apart_codes(old: Seen, new: Seen) -> set[str]:
    """Numbers without labels that are far from the points of before."""
    added = new.counts.keys() - {*old.values}
    if not added or old.form != "answers" or not old.counts or len(old.points) > MOST_POINTS:
        return set()
    return added & new.apart


def _not_declared(value: str, old: Seen, new: Seen, shown: str) -> Difference:
    """A missing code of before that the file does not declare any more."""
    label, named = old.missing[value], new.labels.get(value, "")
    count = (old.missing_counts or {}).get(value, 0)
    was = f"{_coded(value, label)} was a missing code"
    was += f" ({count:,} of {old.answered + count:,})" if count else ""
    is_other = bool(label and named) and plain(label) != plain(named)
    if is_other or (old.numbers and not old.labels and _is_inside(value, old)):
        said = f"{was}, and is an answer now ({new.named(value)}, {shown})"
        return Difference("missing codes", said, True, True, value=value)
    said = f"{was}, and is not declared any more ({shown}): still a missing code"
    return Difference("missing codes", said, value=value)


def _is_inside(value: str, old: Seen) -> bool:
    numbers = [*old.numbers]
    number = natural(value)[1]
    return bool(numbers) and min(numbers) <= number <= max(numbers)


def _coded(value: str, label: str) -> str:
    return f"{value} {label!r}" if label else value

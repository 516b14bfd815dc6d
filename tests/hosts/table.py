"""The table of hosts for the guide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from tests.hosts.hosts import BY_CONSTRUCTION, Host
from tests.hosts.visits import Visit

__all__ = ["Found", "table"]

HEADS = ("Host", "Version", "Tried", "Outcome", "When")


@dataclass
class Found:
    """What came of one host."""

    host: Host
    day: date
    versions: str = ""
    visits: list[Visit] = field(default_factory=list)
    missing: str = ""

    @property
    def failed(self) -> bool:
        return any(not visit.good for visit in self.visits)


def table(found: Sequence[Found]) -> str:
    """In Markdown, as it was seen."""
    lines = ["<!-- written by python -m tests.hosts --write -->", ""]
    lines += ["| " + " | ".join(HEADS) + " |", "| " + " | ".join("---" for _ in HEADS) + " |"]
    lines += ["| " + " | ".join(_cells(each)) + " |" for each in found]
    lines += [f"| {name} | – | by construction | {why} | – |" for name, why in BY_CONSTRUCTION]
    return "\n".join(lines) + "\n"


def _cells(found: Found) -> list[str]:
    when = found.day.isoformat()
    if found.missing:
        return [found.host.name, "–", "by construction", _plain(found.missing), when]
    tried = ", ".join(visit.name for visit in found.visits)
    if not found.failed:
        outcome = "good"
    else:
        outcome = "; ".join(
            f"**{visit.name}**: " + ", ".join(dict.fromkeys(visit.faults))
            for visit in found.visits
            if not visit.good
        )
    return [found.host.name, found.versions, tried, _plain(outcome), when]


def _plain(text: str) -> str:
    return " ".join(text.replace("|", "/").split())

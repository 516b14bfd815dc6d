"""What `audiencelab survey rake` reads and prints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
from msgspec import UNSET
from msgspec.structs import replace

from audiencelab.cli.output import text_table
from audiencelab.ingest.raking import Rake, RakedSurvey
from audiencelab.survey.raking_targets import Margin, MarginCell, Target, Targets, load_targets

# A share is what follows the last sign, since labels may have one too.
_SHARE = re.compile(r"\s*(?P<answer>.+?)\s*=\s*(?P<share>[0-9.]+%?)\s*(?:,|$)")


def read_targets(file: str | None, margins: Sequence[str], given: Mapping[str, Any]) -> Rake:
    """The raking that options ask for; raises `click.UsageError` for others.

    given: the other options, by name.
    """
    if bool(file) == bool(margins):
        raise click.UsageError(
            'Give the margins as --targets FILE, or as --target "Gender: Female=51, Male=49".'
        )
    targets = load_targets(file) if file else Targets((Target(tuple(map(_margin, margins))),))
    limits = {name: given[name] for name in ("cap", "floor", "trim") if given[name] is not None}
    if "cap" in limits:
        limits["max_weight"] = None
    start = given["start"]
    start = UNSET if start is None else None if start.casefold() == "none" else start
    return Rake(replace(targets, **limits), given["name"], start, given["by"])


def _margin(text: str) -> Margin:
    """A margin as text: "Gender: Female=51, Male=49", "Gender × Age: Female × 18-34=12, …"."""
    name, _, shares = text.partition(":")
    found = list(_SHARE.finditer(shares))
    if not name.strip() or not found or "".join(each[0] for each in found) != shares:
        raise click.UsageError(
            f'--target {text!r} is not valid: write "Gender: Female=51, Male=49".'
        )
    cells = [(each["answer"], float(each["share"].rstrip("%"))) for each in found]
    asked = _parts(name)
    if len(asked) == 1:
        return Margin(asked[0], dict(cells))
    combined = tuple(MarginCell(_parts(answers), share) for answers, share in cells)
    return Margin(questions=asked, cells=combined)


def _parts(text: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.split(" × "))


def raked_lines(found: RakedSurvey, name: str) -> Iterator[str]:
    """What raking did to each group of respondents; name: of a new weight, "" for the usual one."""
    columns = ("wave", "location", "respondents", "unanswered", "iterations", "at cap")
    yield from text_table(
        (*columns, "effective before", "effective after", "design effect", "efficiency"),
        [
            (
                group.wave or "(all)",
                ", ".join(group.locations) or "(all)",
                f"{group.respondents:,}",
                f"{group.unanswered:,}",
                f"{group.iterations:,}",
                f"{group.capped:,}",
                f"{group.before:,.1f}",
                f"{group.after:,.1f}",
                f"{group.design_effect:.3f}",
                f"{100 / group.design_effect:.1f}%",
            )
            for group in found.raked.groups
        ],
    )
    yield f"wrote     {found.survey.path}"
    if name:
        yield f"weight    {name}, beside the usual one: --weight {name}, or weight={name!r}"

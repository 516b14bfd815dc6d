"""What `audiencelab panel` prints: descriptions, checks and changes, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from audiencelab.panel.adding import Added
from audiencelab.panel.catalogue import PanelQuestion
from audiencelab.panel.checking import Coverage, PanelCheck, WeightSummary
from audiencelab.panel.deriving import code_of
from audiencelab.panel.importing.report import ImportReport
from audiencelab.panel.raking import Raked
from audiencelab.panel.reader import Panel
from audiencelab.panel.recipes import Recipe
from audiencelab.panel.text_table import text_table

__all__ = ["added_lines", "check_lines", "derived_lines", "info_lines", "raked_lines"]


def info_lines(panel: Panel) -> Iterator[str]:
    """A panel's description, a table of its waves, and the coverage of its questions."""
    catalogue, manifest = panel.catalogue, panel.manifest
    octets = sum(stored.octets for stored in manifest.files.values())
    yield f"{panel.name}  ({panel.path})"
    if manifest.description:
        yield manifest.description
    yield ""
    weight = f"weight: {manifest.weight}; " if manifest.weight else ""
    yield (
        f"format {manifest.version}, {octets / 1e6:,.1f} MB on disk; "
        f"{weight}weights in steps of 2^-{manifest.weight_bits}"
    )
    yield (
        f"{len(catalogue.questions):,} questions with "
        f"{sum(len(each.datapoints) for each in catalogue.questions):,} datapoints "
        f"({sum(each.rows for each in catalogue.questions):,} with suffixes); "
        f"location: {catalogue.location_question}"
    )
    yield ""
    yield from text_table(
        ("wave", "name", "from", "to", "respondents", "weighted", "mean weight", "questions"),
        [_wave_row(panel, wave.code) for wave in panel.waves],
    )
    yield ""
    yield from _coverage_lines(panel)


def _wave_row(panel: Panel, code: str) -> tuple[str, ...]:
    data = panel.wave(code)
    wave = data.wave
    asked = sum(code in question.waves for question in panel.catalogue.questions)
    return (
        code if wave.accessible else f"{code} (closed)",
        wave.name,
        str(wave.starts),
        str(wave.ends),
        f"{data.respondents:,}",
        f"{data.size:,.0f}",
        f"{data.size / data.respondents:,.2f}",
        str(asked),
    )


def _coverage_lines(panel: Panel) -> Iterator[str]:
    partial = [
        (question.canonical, question.name, ", ".join(question.waves))
        for question in panel.catalogue.questions
        if len(question.waves) < len(panel.waves)
    ]
    if not partial:
        yield "Every question was asked in every wave."
        return
    yield f"Asked in some waves only ({len(partial)} of {len(panel.catalogue.questions)}):"
    yield from text_table(("question", "name", "waves"), partial)


def check_lines(panel: Panel, check: PanelCheck) -> Iterator[str]:
    """What a check found: the weights, the coverage, and the findings, the grave ones first."""
    yield f"{panel.name}  ({panel.path})"
    yield ""
    yield from text_table(_WEIGHT_COLUMNS, [_weight_row(each) for each in check.weights])
    yield ""
    yield from _reach_lines(check)
    for matters, title in ((True, "To be put right:"), (False, "Worth knowing:")):
        found = [each for each in check.findings if each.matters == matters]
        if found:
            yield ""
            yield title
            for finding in found:
                yield f"  {finding.place or 'the panel'}: {finding.detail}"
    if check.sound:
        yield ""
        yield "The panel is sound."


_WEIGHT_COLUMNS = (
    "wave",
    "location",
    "respondents",
    "weight 0",
    "weighted",
    "least",
    "most",
    "CV",
    "effective base",
)


def _weight_row(summary: WeightSummary) -> tuple[str, ...]:
    return (
        summary.wave,
        summary.location or "(all)",
        f"{summary.respondents:,}",
        f"{summary.unweighted:,}",
        f"{summary.total:,.1f}",
        f"{summary.least:,.3f}",
        f"{summary.most:,.3f}",
        f"{summary.variation:.3f}",
        f"{summary.effective_base:,.1f}",
    )


def _reach_lines(check: PanelCheck) -> Iterator[str]:
    """The questions that were not answered by all respondents of their waves."""
    partial = [each for each in check.coverage if each.answered < each.respondents]
    if not partial:
        yield "Every question was answered by all respondents of its waves."
        return
    yield f"Not answered by everybody ({len(partial)} of {len(check.coverage)} questions):"
    yield from text_table(
        ("question", "name", "waves", "respondents", "asked", "answered"),
        [_reach_row(each) for each in partial],
    )


def _reach_row(covered: Coverage) -> tuple[str, ...]:
    return (
        covered.question.canonical,
        covered.question.name,
        str(len(covered.waves)),
        f"{covered.respondents:,}",
        f"{covered.asked:,}",
        f"{covered.answered:,}",
    )


def derived_lines(panel: Panel, recipes: Sequence[Recipe]) -> Iterator[str]:
    """The questions that recipes made, and how many gave each of their datapoints."""
    for recipe in recipes:
        question = panel.catalogue.question(code_of(recipe, panel.catalogue.base_namespace))
        yield f"{question.canonical}  {question.name} ({question.kind})"
        yield from text_table(
            ("datapoint", "name", "respondents"),
            [
                (point.code, point.name, f"{_given(panel, question, point.code):,}")
                for point in question.datapoints
            ],
        )
        yield ""
    yield f"wrote     {panel.path}"


def added_lines(added: Added) -> Iterator[str]:
    """What the import of further waves read and dropped, and how they joined the panel."""
    yield from msgspec.convert(added.panel.import_report or {}, ImportReport).lines()
    yield ""
    joined = added.joined
    for title, told in (
        ("new questions", joined.questions),
        ("new answers", joined.answers),
        ("labels kept", joined.changes),
    ):
        for each in told:
            yield f"{title:<15}{each}"
    old, new = added.weight_bits
    if new != old:
        yield (
            f"All weights were rounded anew, to steps of 2^{-new} instead of 2^{-old}: "
            "together they are too heavy for the old grid to sum exactly."
        )
    yield f"wrote     {added.panel.path}, with {', '.join(added.waves)}"


def raked_lines(raked: Raked) -> Iterator[str]:
    """What raking did to each group of respondents."""
    columns = ("wave", "location", "respondents", "unanswered", "sweeps")
    yield from text_table(
        (*columns, "effective before", "effective after", "design effect"),
        [
            (
                group.wave,
                ", ".join(group.locations) or "(all)",
                f"{group.respondents:,}",
                f"{group.unanswered:,}",
                f"{group.sweeps:,}",
                f"{group.before:,.1f}",
                f"{group.after:,.1f}",
                f"{group.design_effect:.3f}",
            )
            for group in raked.groups
        ],
    )
    yield f"wrote     {raked.panel.path}"


def _given(panel: Panel, question: PanelQuestion, datapoint: str) -> int:
    waves = (panel.wave(code).question(question.canonical) for code in question.waves)
    return sum(int(np.bitwise_count(each.datapoint(datapoint)).sum()) for each in waves if each)

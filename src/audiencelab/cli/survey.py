"""The subcommand `audiencelab panel`: describing a panel, checking and changing it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import msgspec
import numpy as np

from audiencelab.cli.output import echo, echo_lines, examples, text_table
from audiencelab.panel.adding import Added
from audiencelab.panel.adding import add_wave as import_waves
from audiencelab.panel.catalogue import PanelQuestion
from audiencelab.panel.checking import Coverage, PanelCheck, WeightSummary, check_panel
from audiencelab.panel.deriving import code_of
from audiencelab.panel.exporting import export_panel
from audiencelab.panel.importing import ImportReport
from audiencelab.panel.raking import Raked
from audiencelab.panel.raking import rake as rake_panel
from audiencelab.panel.reader import Panel
from audiencelab.panel.recipes import Recipe, load_recipes

_folder = click.argument("folder", metavar="DIR")
_out = click.option(
    "--out", metavar="DIR", help="Write a new panel there, and leave the old one as it is."
)
UNSOUND = 2


@click.group()
def panel() -> None:
    """Describe a panel, check it and change it."""


@panel.command(epilog=examples("panel info my-panel"))
@_folder
@click.option("--verify", is_flag=True, help="Compare all files with their checksums.")
def info(folder: str, verify: bool) -> None:
    """Show waves, respondents, weights, questions and coverage."""
    found = Panel.open(Path(folder))
    if verify:
        found.verify()
    echo_lines(_info_lines(found))
    if verify:
        echo("\nEvery file is as it was written.")


@panel.command(epilog=examples("panel check my-panel"))
@_folder
def check(folder: str) -> int:
    """Check every file, weight and code; exit code 2 if figures may be wrong."""
    found = Panel.open(Path(folder))
    checked = check_panel(found)
    echo_lines(_check_lines(found, checked))
    return 0 if checked.sound else UNSOUND


@panel.command(epilog=examples("panel derive my-panel --add recipes.toml"))
@_folder
@click.option("--add", required=True, metavar="FILE", help="The recipes (.toml).")
@_out
def derive(folder: str, add: str, out: str | None) -> None:
    """Add nets, bands and crosses of questions."""
    found = Panel.open(Path(folder))
    recipes = load_recipes(add)
    echo_lines(_derived_lines(found.derive(*recipes, out=out), recipes))


@panel.command(
    "add-wave", epilog=examples("panel add-wave my-panel summer.csv --codebook summer.toml")
)
@_folder
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--codebook", required=True, metavar="FILE", help="What the columns mean (.toml or .json)."
)
@_out
def add_wave(folder: str, sources: tuple[str, ...], codebook: str, out: str | None) -> None:
    """Import survey files as further waves."""
    echo_lines(_added_lines(import_waves(folder, sources, codebook, out=out)))


@panel.command(epilog=examples("panel rake my-panel --targets margins.toml --out raked"))
@_folder
@click.option("--targets", required=True, metavar="FILE", help="The margins (.toml).")
@_out
def rake(folder: str, targets: str, out: str | None) -> None:
    """Rake a panel's weights to known margins."""
    echo_lines(_raked_lines(rake_panel(folder, targets, out=out)))


@panel.command(epilog=examples("panel export my-panel --out answers.parquet"))
@_folder
@click.option(
    "--out", required=True, metavar="PATH", help="A .parquet file, or a folder for the two files."
)
@click.option("--replace", is_flag=True, help="Replace existing files.")
def export(folder: str, out: str, replace: bool) -> None:
    """Write a panel as Parquet, with its codebook."""
    found = export_panel(Panel.open(Path(folder)), out, replace=replace)
    echo(f"wrote     {found.respondents}: {found.rows:,} rows, {found.columns:,} columns")
    echo(f"wrote     {found.codebook}")


def _info_lines(panel: Panel) -> Iterator[str]:
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


def _check_lines(panel: Panel, check: PanelCheck) -> Iterator[str]:
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


def _derived_lines(panel: Panel, recipes: Sequence[Recipe]) -> Iterator[str]:
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


def _added_lines(added: Added) -> Iterator[str]:
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


def _raked_lines(raked: Raked) -> Iterator[str]:
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

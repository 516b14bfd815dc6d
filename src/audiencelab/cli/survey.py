"""The subcommand `audiencelab survey`: describing a survey, checking and changing it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args
from urllib.parse import unquote

import click
import numpy as np

from audiencelab.cli.add_wave import add_wave
from audiencelab.cli.found_questions import found_lines
from audiencelab.cli.help import SETTINGS, HeadedGroup
from audiencelab.cli.imported import imported_lines
from audiencelab.cli.opening import survey_of
from audiencelab.cli.output import (
    FINDINGS,
    echo,
    echo_lines,
    examples,
    out_option,
    quiet_option,
    text_table,
)
from audiencelab.cli.rake import raked_lines, read_targets
from audiencelab.cli.suggestions import SuggestedCommand
from audiencelab.cli.with_columns import with_columns
from audiencelab.ingest.codebook_files import codebook_toml
from audiencelab.ingest.kept import codebook_of
from audiencelab.ingest.raking import USUAL_NAME, rake_survey, rake_usual
from audiencelab.schema.breaks import BREAK_FLAG, breaks_of
from audiencelab.schema.queries import DEFAULT_WAVES
from audiencelab.schema.scales import RECORD_FLAGS
from audiencelab.survey.answers import Bits
from audiencelab.survey.catalogue import SurveyQuestion
from audiencelab.survey.derivations import Definition, code_of, load_definitions
from audiencelab.survey.export import export_survey
from audiencelab.survey.raking_targets import By
from audiencelab.survey.reader import Survey
from audiencelab.survey.record import SurveyRecord
from audiencelab.survey.study import study_of
from audiencelab.survey.text_removal import drop_texts
from audiencelab.survey.update import derive as derive_questions
from audiencelab.survey.update import open_to_change
from audiencelab.survey.validate import SurveyCheck, check_survey

_folder = click.argument("folder", metavar="DIR")
_source = click.argument("source", metavar="SOURCE")
_out = out_option("DIR", "Write a new survey there, and leave the old one as it is.")


@click.group(cls=HeadedGroup, context_settings=SETTINGS)
def survey() -> None:
    """Describe a survey, check it and change it."""


survey.add_command(with_columns)


@survey.command(
    epilog=examples(
        "survey info my-survey",
        "survey info answers.sav --report",
        "survey info my-survey --find brand",
    )
)
@_source
@click.option("--find", metavar="WORDS", help="Show the questions with these words, with answers.")
@click.option("--verify", is_flag=True, help="Compare all files with their checksums.")
@click.option("--report", is_flag=True, help="Show all that its import took for granted.")
def info(source: str, find: str | None, verify: bool, report: bool) -> None:
    """Show waves, respondents, weights and questions, and what the import took for granted.

    SOURCE is a survey folder, or a file as for crosstab.
    """
    found = survey_of(source)
    if verify:
        found.verify()
    if find is not None:
        echo_lines(found_lines(found, find))
        return
    echo_lines(_info_lines(found))
    if lines := [*imported_lines(found, whole=report)]:
        echo_lines(["", *lines])
    if verify:
        echo("\nEvery file is as it was written.")


@survey.command(epilog=examples("survey check my-survey"))
@_source
def check(source: str) -> int:
    """Check every file, weight and code.

    SOURCE is as for info. The exit code is 1 if figures may be wrong.
    """
    found = survey_of(source)
    checked = check_survey(found)
    echo_lines(_check_lines(found, checked))
    return 0 if checked.sound else FINDINGS


@survey.command(epilog=examples("survey codebook my-survey"))
@_source
def codebook(source: str) -> None:
    """Print the codebook that made the survey, with all edits, as TOML.

    SOURCE is as for info.
    """
    echo(codebook_toml(codebook_of(survey_of(source))).rstrip("\n"))


@survey.command(epilog=examples("survey derive my-survey --add derived.toml"))
@_folder
@click.option("--add", required=True, metavar="FILE", help="The definitions (.toml).")
@_out
@quiet_option
def derive(folder: str, add: str, out: Path | None, quiet: bool) -> None:
    """Add nets, bands, crosses and groups of questions."""
    found = open_to_change(folder)
    definitions = load_definitions(add)
    derived = derive_questions(found, *definitions, out=out)
    if not quiet:
        echo_lines(_derived_lines(derived, definitions))


survey.add_command(add_wave)


@survey.command(
    epilog=examples(
        'survey rake my-survey --target "Gender: Female=51, Male=49" --cap 5',
        "survey rake my-survey --targets margins.toml -o raked",
    )
)
@_folder
@click.option("--targets", metavar="FILE", help="The margins (.toml).")
@click.option(
    "--target",
    "margins",
    multiple=True,
    metavar="MARGIN",
    help='A margin, such as "Gender: Female=51, Male=49"; repeat it for several.',
)
@click.option("--name", default=USUAL_NAME, metavar="NAME", help="The new weight's name.")
@click.option("--start", metavar="WEIGHT", help="The weight to rake, or `none` for 1.")
@click.option("--cap", type=float, metavar="N", help="The largest weight, in means.")
@click.option("--floor", type=float, metavar="N", help="The smallest weight, in means.")
@click.option("--trim", type=float, metavar="N", help="Cut larger weights after raking.")
@click.option("--by", type=click.Choice(get_args(By)), default="waves", help="Who meets them.")
@click.option("--replace-usual", is_flag=True, help="Rake the usual weight itself.")
@_out
@quiet_option
def rake(
    folder: str,
    targets: str | None,
    margins: tuple[str, ...],
    replace_usual: bool,
    out: Path | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Rake a weight to known margins, beside the weights that the survey has.

    Questions and answers are named by label, code or value.
    """
    wanted = read_targets(targets, margins, given)
    found = Survey.open(Path(folder))
    if replace_usual:
        raked = rake_usual(found, wanted.targets, out=out)
    else:
        raked = rake_survey(found, wanted, out=out)
    if not quiet:
        echo_lines(raked_lines(raked, "" if replace_usual else wanted.name))


@survey.command(
    epilog=examples(
        "survey export my-survey -o answers.parquet", "survey export answers.sav -o answers.sss"
    )
)
@_source
@out_option("PATH", "A .parquet, .sav or .sss file, or a folder.", required=True)
@click.option("--replace", is_flag=True, help="Replace existing files.")
@quiet_option
def export(source: str, out: Path, replace: bool, quiet: bool) -> None:
    """Write a survey as Parquet, SPSS or triple-S.

    SOURCE is as for info. Its codebook or definitions are written beside it.
    """
    if out.suffix.casefold() not in ("", ".parquet", ".sav", ".sss"):
        other = {str(out): [str(out.with_suffix(".parquet"))]}
        raise SuggestedCommand(f"{out} must end in .parquet, .sav or .sss.", other)
    found = export_survey(survey_of(source), out, replace=replace)
    if not quiet:
        echo(f"wrote     {found.respondents}: {found.rows:,} rows, {found.columns:,} columns")
        echo(f"wrote     {found.codebook}")


@survey.command("drop-text", epilog=examples("survey drop-text my-survey -o for-others"))
@_folder
@click.argument("names", nargs=-1, metavar="[COLUMN]...")
@_out
@quiet_option
def drop_text(folder: str, names: tuple[str, ...], out: Path | None, quiet: bool) -> None:
    """Remove open answers and keys of respondents.

    By default all that the survey keeps, before it is given to others.
    """
    changed = drop_texts(folder, *names, out=out)
    if not quiet:
        echo_lines(_text_lines(changed))
        echo(f"wrote     {changed.path}")


def _info_lines(survey: Survey) -> Iterator[str]:
    """A survey's description, a table of its waves, and one of its questions."""
    catalogue, manifest = survey.catalogue, survey.manifest
    octets = sum(stored.octets for stored in manifest.files.values())
    yield f"{survey.name}  ({survey.path})"
    if manifest.description:
        yield manifest.description
    for name, text in study_of(manifest).items():
        yield f"{name.replace('_', ' ')}: {text}"
    yield ""
    weight = f"weight: {manifest.weight}; " if manifest.weight else ""
    if others := [each.name for each in manifest.other_weights]:
        weight += f"other weights: {', '.join(others)}; "
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
    yield _who_counts(survey.record)
    yield ""
    yield from text_table(
        ("wave", "name", "from", "to", "respondents", "weighted", "mean weight", "questions"),
        [_wave_row(survey, wave.code) for wave in survey.waves],
    )
    yield ""
    yield from _text_lines(survey)
    yield from _question_lines(survey)
    yield from _scale_lines(survey)
    yield from _item_lines(survey)


def _text_lines(survey: Survey) -> Iterator[str]:
    """The open answers and keys that the survey keeps; nothing where it keeps none."""
    rows = [
        (
            each.name,
            "key of respondents" if each.is_key else each.label,
            each.question,
            _waves(survey, [s.wave.code for s in survey.manifest.waves if each.name in s.texts]),
        )
        for each in survey.texts
    ]
    if rows:
        yield from text_table(("text", "label", "question", "waves"), rows)
        yield ""


def _who_counts(record: SurveyRecord) -> str:
    """What a query counts that names neither a base nor waves."""
    base = {"valid": "those who answered, by question", "everyone": "all respondents"}
    latest = f"the latest {DEFAULT_WAVES} waves, of stats queries all waves"
    waves = "all waves" if record.waves == "all" else latest
    sizes = {"average": "averages of", "sum": "sums over"}[record.sizes]
    return f"base: {base[record.base_of]}; {waves}; weighted sizes are {sizes} waves"


def _item_lines(survey: Survey) -> Iterator[str]:
    """The answers and items that have a base of their own: offered in some waves, asked of some."""
    found: list[tuple[str, ...]] = []
    for question in survey.catalogue.questions:
        code = question.canonical
        bits = [survey.wave(wave).question(code) for wave in question.waves]
        for point in question.datapoints:
            own = [each for each in bits if each and point.code in each.items]
            waves = [w for w in question.waves if survey.record.offers(w, code, point.code)]
            if own or len(waves) < len(question.waves):
                asked = sum(_count(each.asked_of(point.code)) for each in bits if each)
                given = sum(_count(each.datapoint(point.code)) for each in bits if each)
                row = (code, point.code, point.name, _waves(survey, waves))
                found.append((*row, f"{asked:,}", f"{given:,}"))
    if found:
        yield ""
        columns = ("question", "item", "name", "offered in", "asked", "chose it")
        yield from text_table(columns, found)


def _waves(survey: Survey, waves: Sequence[str]) -> str:
    return "all" if len(waves) == len(survey.waves) else ", ".join(waves)


def _count(bits: Bits) -> int:
    return int(np.bitwise_count(bits).sum())


def _wave_row(survey: Survey, code: str) -> tuple[str, ...]:
    data = survey.wave(code)
    wave = data.wave
    asked = sum(code in question.waves for question in survey.catalogue.questions)
    return (
        code if wave.accessible else f"{code} (closed)",
        wave.name,
        *(str(day) if wave.is_dated else "not known" for day in (wave.starts, wave.ends)),
        f"{data.respondents:,}",
        f"{data.size:,.0f}",
        f"{data.size / data.respondents:,.2f}",
        str(asked),
    )


def _question_lines(survey: Survey) -> Iterator[str]:
    yield from text_table(
        ("question", "name", "answers", "waves"),
        [
            (
                each.canonical,
                each.name,
                str(len(each.datapoints)),
                _waves(survey, each.waves),
            )
            for each in survey.catalogue.questions
        ],
    )


def _scale_lines(survey: Survey) -> Iterator[str]:
    """The questions of which the survey says what their answers mean."""
    found = [
        (each.canonical, words) for each in survey.catalogue.questions if (words := _scale(each))
    ]
    if found:
        yield ""
        yield from text_table(("question", "scale"), found)


def _scale(question: SurveyQuestion) -> str:
    """What the survey says of the scale of a question: "top first, off scale q5_8"."""
    said = [flag for flag in question.flags if flag.startswith(RECORD_FLAGS)]
    words = [each.replace(":", " ", 1) for each in said if not each.startswith(BREAK_FLAG)]
    words += [f"break at {each.wave} ({each.why})" for each in breaks_of(said)]
    return ", ".join(unquote(each).strip().replace("off_scale", "off scale") for each in words)


def _check_lines(survey: Survey, check: SurveyCheck) -> Iterator[str]:
    """What a check found: the weights, the coverage, and the findings, the grave ones first."""
    yield f"{survey.name}  ({survey.path})"
    yield ""
    columns = ("wave", "location", "respondents", "weight 0", "weighted", "least", "most", "CV")
    yield from text_table(
        (*columns, "effective base"),
        [
            (
                each.wave,
                each.location or "(all)",
                f"{each.respondents:,}",
                f"{each.unweighted:,}",
                f"{each.total:,.1f}",
                f"{each.least:,.3f}",
                f"{each.most:,.3f}",
                f"{each.variation:.3f}",
                f"{each.effective_base:,.1f}",
            )
            for each in check.weights
        ],
    )
    yield ""
    yield from _coverage_check_lines(check)
    for matters, title in ((True, "To fix:"), (False, "Worth knowing:")):
        found = [each for each in check.findings if each.matters == matters]
        if found:
            yield f"\n{title}"
        for finding in found:
            yield f"  {finding.where or 'the survey'}: {finding.detail}"
    if check.sound:
        yield "\nThe survey is sound."


def _coverage_check_lines(check: SurveyCheck) -> Iterator[str]:
    """The questions that were not answered by all respondents of their waves."""
    partial = [each for each in check.coverage if each.answered < each.respondents]
    if not partial:
        yield "Every question was answered by all respondents of its waves."
        return
    yield f"Not answered by all respondents ({len(partial)} of {len(check.coverage)} questions):"
    yield from text_table(
        ("question", "name", "waves", "respondents", "asked", "answered"),
        [
            (
                each.question.canonical,
                each.question.name,
                str(len(each.waves)),
                f"{each.respondents:,}",
                f"{each.asked:,}",
                f"{each.answered:,}",
            )
            for each in partial
        ],
    )


def _derived_lines(survey: Survey, definitions: Sequence[Definition]) -> Iterator[str]:
    """The derived questions, and how many gave each of their datapoints."""
    for definition in definitions:
        question = survey.catalogue.question(code_of(definition, survey.catalogue.base_namespace))
        yield f"{question.canonical}  {question.name} ({question.kind})"
        yield from text_table(
            ("datapoint", "name", "respondents"),
            [
                (point.code, point.name, f"{_given(survey, question, point.code):,}")
                for point in question.datapoints
            ],
        )
        yield ""
    yield f"wrote     {survey.path}"


def _given(survey: Survey, question: SurveyQuestion, datapoint: str) -> int:
    waves = (survey.wave(code).question(question.canonical) for code in question.waves)
    return sum(_count(each.datapoint(datapoint)) for each in waves if each)

"""The subcommands `audiencelab mean`, `median`, `proportion` and their like."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from audiencelab.cli.help import TABULATED, HeadedCommand, command, option
from audiencelab.cli.opening import open_client
from audiencelab.cli.output import echo, examples, one, options_of
from audiencelab.cli.reading import reading_options
from audiencelab.cli.table_files import (
    ENDINGS,
    check_file,
    groups_of,
    names_of,
    parted,
    questions_option,
    write_table,
    written_options,
)
from audiencelab.cli.table_options import SCOPE, condition, names, scope_of
from audiencelab.client import Client


def _command(name: str, text: str, *typed: str, what: str = "QUESTION") -> HeadedCommand:
    """A command for a method of the client; typed: examples of what follows its name."""

    def run(words: tuple[str, ...], questions: list[str], by: list[str], **options: Any) -> None:
        _run(name, words, questions, by, options)

    run.__doc__ = (
        f"{text}, with standard errors and intervals.\n\nSOURCE is as for crosstab; without it, it "
        "is the survey that connect() works on. The first figure is that of everyone."
    )
    extra = [_probabilities] if name == "quantile" else []
    decorated = options_of(
        click.argument("words", nargs=-1, metavar=f"[SOURCE] [{what}]..."),
        questions_option,
        names("--by", "QUESTION,…", "Groups: questions, waves, 'gender > age'.", heading=TABULATED),
        *extra,
        option(
            "--level",
            metavar="PERCENT",
            default="95",
            heading=TABULATED,
            help="Confidence level of the intervals (default: 95).",
        ),
        *SCOPE.values(),
        reading_options(),
        *written_options,
    )(run)
    return command(name, check=_check, epilog=examples(*(f"{name} {each}" for each in typed)))(
        decorated
    )


_probabilities = names(
    "--probabilities",
    "SHARE,…",
    "Parts of the people at or below the amount: 0.25,0.5,0.75 (default: 0.5).",
    heading=TABULATED,
)


def _check(
    words: tuple[str, ...], questions: list[str], out: Path | None, replace: bool, **others: Any
) -> None:
    del others
    parted(words, questions)
    if out is not None:
        check_file(out, ENDINGS, replace=replace)


def _run(
    name: str, words: tuple[str, ...], questions: list[str], by: list[str], options: dict[str, Any]
) -> None:
    words, by = groups_of(words, by)
    sources, asked = parted(words, questions)
    out, form, quiet = (options.pop(each) for each in ("out", "form", "quiet"))
    del options["replace"]
    given: dict[str, Any] = {"level": _share("level", options.pop("level"))}
    shares: list[str] = options.pop("probabilities", [])
    if name == "quantile":
        # svyquantile(~income, design, 0.25) has them without a name.
        shares += [each for each in asked if re.fullmatch(r"0?\.\d+", each)]
        asked = [each for each in asked if each not in shares]
    if shares:
        given["probabilities"] = one([_share("probabilities", each) for each in shares])
    with open_client(sources, options, quiet=quiet) as client:
        scope = scope_of(client, options, quiet=quiet)
        scope.pop("progress")
        what: list[Any] = names_of(client, asked)
        if name == "proportion":
            what = [_audience(client, each) for each in what]
        asked_of = what if name == "correlation" else [one(what)]
        if name == "correlation" and len(what) != 2:
            raise click.UsageError(
                "A correlation is of two questions: correlation answers.sav q3 q5."
            )
        groups = one(names_of(client, by)) or None
        found = getattr(client, name)(*asked_of, by=groups, **given, **scope)
    if not write_table(found, out, form, {}, quiet=quiet):
        echo(str(found))


def _audience(client: Client, text: str) -> Any:
    """A question, or those who are in a condition."""
    return text if text in client.catalogue else condition(client, text, "proportion")


def _share(name: str, text: str) -> float:
    try:
        share = float(text.removesuffix("%"))
    except ValueError:
        raise click.UsageError(f"--{name} {text!r} is not a number.") from None
    return share / 100 if share > 1 else share


mean = _command(
    "mean",
    "Means of numbers and of scales",
    "answers.sav age income --by gender",
    "answers.sav q5 --by waves --base 'region=North' --weight wgt",
)
median = _command("median", "Medians of numbers and of scales", "answers.sav income --by region")
quantile = _command(
    "quantile",
    "Quantiles of numbers and of scales",
    "answers.sav income --probabilities 0.25,0.5,0.75",
)
total = _command("total", "Weighted sums of numbers", "answers.sav income --by region")
nps = _command("nps", "Net promoter scores of scales from 0 to 10", "tracker.sav q3 --by waves")
correlation = _command(
    "correlation",
    "Correlation of two questions with numbers or scales",
    "answers.sav q3 q5 --by gender",
)
proportion = _command(
    "proportion",
    "Shares of answers, or of those in a condition",
    "answers.sav q5 --by gender",
    "answers.sav 'age>=65' 'q5=4|5' --by region -o shares.csv",
    what="QUESTION|CONDITION",
)

"""Options of tables: their figures are those of pandas, their names those of Python."""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab import cli
from audiencelab.cli.crosstab import crosstab
from audiencelab.cli.other_words import CHOICES, COMMANDS, INSTEAD, OPTIONS, SHORT
from audiencelab.cli.reading import OPTIONS as READING
from audiencelab.cli.suggestions import in_our_commands
from audiencelab.cli.table_options import ARRANGED
from audiencelab.results.arrangement import AS_IT_IS
from audiencelab.words import ARGUMENTS
from tests.cli.test_cli import COMMANDS as ALL
from tests.first_hour.tracker import frame, write

DF = frame()
W = DF["weight"]


@pytest.fixture(scope="module")
def tracker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("table-options")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDIENCELAB_CACHE", str(folder / "cache"))
        yield write(folder)


@pytest.fixture
def table(tracker: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., pd.DataFrame]:
    """What a crosstab prints as CSV: names of rows and columns, and the column percentage."""

    def run(*options: str) -> pd.DataFrame:
        assert cli.main(["crosstab", str(tracker), *options, "-q", "--format", "csv"]) == 0
        return pd.read_csv(io.StringIO(capsys.readouterr().out))

    return run


def share(mask: pd.Series, of: pd.Series) -> float:
    return float(100 * W[mask & of].sum() / W[of].sum())


def cell(found: pd.DataFrame, row: str, column: str, group: str | None = None) -> float:
    kept = (found["row"] == row) & (found["column"] == column)
    if group is not None:
        kept &= found["column_group"] == group
    [value] = found.loc[kept, "column_percentage"]
    return value


def test_base_and_net(table: Callable[..., pd.DataFrame]) -> None:
    base = ["--base", "age>=35", "--base", "region=North|South"]
    found = table("--rows", "q5", "--columns", "gender", "--net", "Happy=4|5", *base)
    women = (DF.gender == 2) & (DF.age >= 35) & DF.region.isin([1, 2])
    assert cell(found, "Happy", "Female") == pytest.approx(share(DF.q5 >= 4, women))
    assert cell(found, "Satisfied", "Female") == pytest.approx(share(DF.q5 == 4, women))


def test_nest_and_boxes(table: Callable[..., pd.DataFrame]) -> None:
    found = table("--rows", "q5", "--nest", "region,gender", "--top2", "--bottom2", "q5")
    who = (DF.region == 3) & (DF.gender == 1)
    rows = {name.partition(" (")[0]: name for name in found["row"].unique()}
    for name, answers in (("top 2", [4, 5]), ("bottom 2", [1, 2])):
        row = rows[f"Satisfaction overall: {name}"]
        nested = found[(found["row"] == row) & (found["column"] == "Male")]
        [value] = nested.loc[nested["column_group"].str.contains("East"), "column_percentage"]
        assert value == pytest.approx(share(DF.q5.isin(answers), who))


def test_means_and_scores(tracker: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--mean", "age", "--median", "income", "--nps", "q3", "--decimals", "4"]
    assert cli.main(["crosstab", str(tracker), "--columns", "gender", *words, "-q"]) == 0
    lines: dict[str, list[str]] = {}
    for line in capsys.readouterr().out.splitlines()[1:]:
        # Notes below the table begin with the same names.
        lines.setdefault(line.partition(":")[0], line.split())
    women = (DF.gender == 2) & DF.age.notna()
    assert float(lines["Age in years"][-1]) == pytest.approx(
        np.average(DF.age[women], weights=W[women]), abs=1e-4
    )
    asked = (DF.gender == 2) & DF.q3.notna()
    score = share(DF.q3 >= 9, asked) - share(DF.q3 <= 6, asked)
    shown = lines["How likely are you to recommend us?"][-1].replace("−", "-")
    assert float(shown) == pytest.approx(score, abs=1e-4)


def test_missing_codes_leave_the_base(table: Callable[..., pd.DataFrame]) -> None:
    found = table("--rows", "q5", "--columns", "gender", "--missing", "q5=98")
    valid = (DF.gender == 2) & DF.q5.notna()
    assert cell(found, "Satisfied", "Female") == pytest.approx(share(DF.q5 == 4, valid))


def test_a_design_and_a_correction_are_those_of_python(
    tracker: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--strata", "none", "--clusters", "none", "--test", "columns", "--correction", "holm"]
    command = ["crosstab", str(tracker), "--rows", "q5", "--columns", "region", *words, "-q"]
    assert cli.main([*command, "--format", "markdown"]) == 0
    with al.open(tracker, strata=None, clusters=None, quiet=True) as client:
        asked = client.crosstab("q5", "region")
        expected = asked.to_markdown(metrics=["column"], comparison=asked.test(correction="holm"))
    assert capsys.readouterr().out.strip() == expected.strip()


def test_a_tab_book_has_the_base_and_the_rows_of_its_options(
    tracker: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "book.html"
    words = ["--questions", "q5", "--top2", "q5", "--base", "age>=35", "--test", "none"]
    assert cli.main(["tab-book", str(tracker), "--banner", "gender", *words, "-o", str(out)]) == 0
    top = share(DF.q5 >= 4, (DF.gender == 2) & (DF.age >= 35))
    assert f"{top:.1f}%" in out.read_text("utf-8")


def test_options_have_the_names_of_arguments() -> None:
    arguments = {*inspect.signature(al.open).parameters}
    of_folders = {"source", "key", "text", "to", "name", "store", "snapshot", "quiet", "study"}
    of_scope = {"waves", "base_of", "minimum_base"}
    assert {*READING} - {"no_weight"} == arguments - of_folders - of_scope
    assert {*ARRANGED} == {*AS_IT_IS}


def test_every_word_is_for_an_option_that_a_command_has() -> None:
    known = {each.name for command in ALL.values() for each in command.params}
    # Words of Python are for arguments, of which a shell has some.
    own = {word: names for word, names in OPTIONS.items() if ARGUMENTS.get(word) != names}
    assert {name for names in own.values() for name in names} <= known


@pytest.mark.parametrize("word", INSTEAD)
def test_a_word_for_an_option_ends_in_a_command_that_is_read(
    word: str, tracker: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    value = ["mean"] if INSTEAD[word].value else []
    option = f"--{word.replace('_', '-')}"
    # A file is named behind the command, whatever it is called in front of it.
    source = [] if INSTEAD[word].words("a", []) == ["a"] else [str(tracker)]
    value = value if source else [str(tracker)]
    assert cli.main(["crosstab", *source, "--rows", "q5", option, *value]) == 2
    *_, meant = capsys.readouterr().err.splitlines()
    assert meant.startswith("  audiencelab crosstab ")
    assert option not in meant


def test_letters_and_values_are_of_options_that_there_are() -> None:
    long = {name for each in crosstab.params for name in each.opts}
    named = {*SHORT.values()} - {"--file", "--input", "--data", "--probabilities"}
    assert named <= long
    assert {option for option, _ in CHOICES} <= {each.name for each in crosstab.params}


@pytest.mark.parametrize("word", COMMANDS)
def test_a_word_for_a_command_is_one(word: str) -> None:
    first, *rest = in_our_commands([word, "a.sav"])
    found = cli.audiencelab.get_command(click.Context(cli.audiencelab), first)
    if isinstance(found, click.Group):
        assert rest[0] in found.commands

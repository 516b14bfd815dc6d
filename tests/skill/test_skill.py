"""The skill has the form that assistants read, its code runs, and its reference is current."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tools.skill_reference import reference

from audiencelab import cli
from audiencelab.cli.skill import SKILL
from tests.first_hour import tracker
from tests.skill.running import PAGES, blocks, figures, run, write_files

RECIPES = sorted((PAGES / "recipes").glob("*.md"))
FIRST = (PAGES / "SKILL.md").read_text(encoding="utf-8")


def test_the_first_page_says_what_it_is_for() -> None:
    head, body = re.fullmatch(r"---\n(.*?)\n---\n(.*)", FIRST, re.DOTALL).groups()
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert fields["name"] == "audiencelab"
    assert 100 < len(fields["description"]) <= 1024
    # A colon would make a mapping of it.
    assert ": " not in fields["description"]
    assert len(body.splitlines()) <= 200


def test_the_first_page_names_every_other() -> None:
    named = set(re.findall(r"\]\(([\w/-]+\.md)\)", FIRST))
    assert named == {str(page.relative_to(PAGES)) for page in PAGES.rglob("*.md")} - {"SKILL.md"}


def test_pages_are_short_enough_to_be_read() -> None:
    long = {page.name: page.stat().st_size for page in PAGES.rglob("*.md")}
    assert {name for name, size in long.items() if size > 9_000} <= {"reference.md", "SKILL.md"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("pyreadstat")
    made = tmp_path_factory.mktemp("recipes")
    write_files(made)
    return made


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "100")
    before = set(folder.iterdir())
    yield folder
    # So that a page finds what it would find for a reader.
    assert {path.name for path in before} <= {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("page", [PAGES / "SKILL.md", *RECIPES], ids=lambda page: page.stem)
def test_the_code_of_a_page_prints_what_it_says(page: Path, here: Path) -> None:
    names: dict[str, Any] = {}
    found = list(blocks(page.read_text(encoding="utf-8")))
    assert found
    for block in found:
        printed = run(block, names)
        if block.output is not None:
            said = "python -m tests.skill.running writes it again"
            assert figures(printed) == figures(block.output), f"{said}\n{printed}"


def spans() -> list[str]:
    """Code in the tables of the first pages that can be run by itself."""
    text = FIRST + (PAGES / "traps.md").read_text(encoding="utf-8")
    code = re.findall(r"`((?:client|table|al\.answered)[\w.\[(][^`]*)`", text)
    return sorted({each for each in code if "…" not in each})


def test_code_between_words_runs(here: Path) -> None:
    import audiencelab as al

    client = al.open("tracker.sav", weight="weight", wave="wave", quiet=True)
    names = {"al": al, "client": client, "table": client.crosstab("q5", "gender")}
    names |= {"rows": "q5", "columns": "gender", "condition": client["age"] >= 50}
    names |= {"audience": client["q3"] >= 9, "name": "Groups"}
    assert len(spans()) > 30
    for each in spans():
        exec(each, dict(names))


def test_figures_are_those_of_pandas(here: Path) -> None:
    """A figure of each kind that pages show, computed by other means."""
    df = tracker.frame()
    raw = df.fillna({"q3": 98, "q5": 98})
    women, pages = df.gender == 2, {page.stem: page.read_text("utf-8") for page in RECIPES}

    def share(some: Any, of: Any) -> float:
        return 100 * df.weight[some & of].sum() / df.weight[of].sum()

    def mean(question: str, of: Any) -> float:
        of = of & df[question].notna()
        return (df.weight * df[question])[of].sum() / df.weight[of].sum()

    last, rated = df.wave == 4, raw.q3 <= 10
    three = df[["q1_1", "q1_3", "q1_4", "q1_5"]].sum(axis=1) >= 3
    fans = df.q3.isin([9, 10])
    shown = {
        "top-2": f"{share(df.q5 >= 4, women):.1f}%",
        "several-answers": f"{share(three, last & women):.2f}",
        "nps-by-wave": f"{share(fans, last & rated) - share(df.q3 <= 6, last & rated):.2f}",
        "turf": f"{share((df.q1_1 + df.q1_2) > 0, df.age.notna() | True):.2f}",
        "numbers": f"{mean('age', df.age.notna()):.3f}",
    }
    missing = {name: figure for name, figure in shown.items() if figure not in pages[name]}
    assert missing == {}


def test_the_reference_is_that_of_this_version() -> None:
    written = (PAGES / "reference.md").read_text(encoding="utf-8")
    assert written == reference(), "python tools/skill_reference.py writes it"


def test_the_command_prints_where_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["skill"]) == 0
    assert Path(capsys.readouterr().out.strip()) == SKILL
    assert SKILL == PAGES


def test_the_command_copies_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / ".claude" / "skills" / "audiencelab"
    assert cli.main(["skill", "-o", str(copy.parent)]) == 0
    assert capsys.readouterr().out.strip() == str(copy / "SKILL.md")
    (copy / "recipes" / "gone.md").write_text("of an older version", encoding="utf-8")
    assert cli.main(["skill", "-o", str(copy)]) == 0
    names = {str(path.relative_to(copy)) for path in copy.rglob("*.md")}
    assert names == {str(path.relative_to(PAGES)) for path in PAGES.rglob("*.md")}


def test_the_command_spares_other_folders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "audiencelab" / "analysis.py"
    mine.parent.mkdir()
    mine.write_text("mine", encoding="utf-8")
    assert cli.main(["skill", "-o", str(tmp_path)]) == 2
    assert "is not a copy of the skill" in capsys.readouterr().err
    assert mine.read_text(encoding="utf-8") == "mine"

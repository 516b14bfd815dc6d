"""The reference leaves no public name out."""

import ast
import re
from pathlib import Path
from typing import Any

import click
import pytest

import audiencelab
from audiencelab import cli
from tests.messages import fails

DOCS = Path(__file__).parents[1] / "docs"
REFERENCE = DOCS / "reference"


def test_every_public_name_is_documented() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in REFERENCE.glob("*.md"))
    documented = set(re.findall(r"^\.\. auto\w+:: (?:audiencelab\.)?(\w+)$", pages, re.MULTILINE))
    assert set(audiencelab.__all__) - {"__version__"} - documented == set()


COMMAND = re.compile(r"^\| `audiencelab ((?:[a-z][a-z-]* ?)+)(.*?)` \|", re.MULTILINE)
SHARED = r"\n### ([A-Z]+)\n(.*?)(?=\n### |\n## |\Z)"
"""Options that several commands have, under the word for them in those commands' rows."""
OPTION = re.compile(r"(?<!\w)--[a-z][a-z0-9-]*")


def test_the_page_of_commands_lists_every_command_with_all_of_its_options() -> None:
    page = (REFERENCE / "command-line.md").read_text(encoding="utf-8")
    listed = COMMAND.findall(page)
    assert {words.split()[0] for words, _ in listed} == set(cli.COMMANDS)
    shared = dict(re.findall(SHARED, page, re.DOTALL))
    for words, options in listed:
        text = options + "".join(shared.get(name, "") for name in re.findall(r"[A-Z]+", options))
        assert set(OPTION.findall(text)) == options_of(words.split()), words


def options_of(words: list[str]) -> set[str]:
    command = cli.audiencelab
    for word in words:
        command = command.get_command(click.Context(command), word)
    return {name for each in command.params for name in each.opts if name.startswith("--")}


def test_the_code_of_the_front_page_runs() -> None:
    pytest.importorskip("anywidget")
    page = (DOCS / "index.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code.replace("al.Crosstab(", "grid = al.Crosstab("), names)
    grid = names["grid"].wait(60)
    assert len(grid.to_frame()) == 20 * 7
    grid.close()


def test_the_code_of_the_guide_to_codes_runs() -> None:
    page = (DOCS / "how-to" / "codes.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec("".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)), names)
    assert len(names["client"].catalogue.search("video day")) > 0
    assert (names["gender"].code, names["gender"].datapoints[1].code) == ("q2", "q2_2")
    assert names["women"] == audiencelab.Q("q2").any("q2_2")
    assert names["table"].shape == (7, 1)
    assert len(names["brazil"]) == 1


def test_the_code_of_the_page_of_errors_runs(capsys: pytest.CaptureFixture[str]) -> None:
    from audiencelab.client import UnknownCodeError

    page = (DOCS / "how-to" / "errors.md").read_text(encoding="utf-8")
    refused, unknown, stream = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(refused, names)
    assert "Did you mean" in capsys.readouterr().out
    with fails(UnknownCodeError):
        exec(unknown, names)
    exec(stream, names)
    assert names["table"].missing() == []


def test_the_code_of_the_guide_to_charts_and_audiences_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "how-to" / "charts-and-audiences.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec("".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)), names)
    assert names["saved"].description == "Age is 18 to 24 or 25 to 34"
    assert names["chart"].name == "Young and social"
    assert not names["calculation"].complete
    assert capsys.readouterr().out.startswith("404 not_found /datapoint_code: ")
    assert names["frame"]["audience_name"].dropna().unique().tolist()[0] == "18 to 34"
    assert "What a greener basket may cost" in names["titles"]
    names["client"].close()


def test_the_tutorial_lists_every_notebook() -> None:
    page = (DOCS / "tutorial" / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"<notebooks/([\w-]+)>`", page)
    # In the order of their numbers, which is that of the files.
    assert listed == sorted(path.stem for path in (DOCS.parent / "notebooks").glob("*.ipynb"))
    # The way through them is the same beside the pages as on this one.
    assert re.findall(r"^[\w ,]+ <notebooks/([\w-]+)>$", page, re.MULTILINE) == listed


def test_the_guide_to_sharing_has_the_whole_file_for_nbval() -> None:
    page = (DOCS / "how-to" / "share.md").read_text(encoding="utf-8")
    ours = (Path(__file__).parent / "nbval.cfg").read_text(encoding="utf-8")
    assert f"```ini\n{ours}```" in page


def test_what_settles_a_complaint_of_analysts_exists() -> None:
    why = (DOCS / "explanation" / "why-audiencelab.md").read_text(encoding="utf-8")
    numbers = [int(each) for each in re.findall(r"^(\d+)\. \*\*", why, re.MULTILINE)]
    assert numbers == list(range(1, 26))
    evidence = (DOCS / "project" / "evidence.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", evidence, re.MULTILINE)
    assert [int(number) for number, _ in rows] == numbers
    for number, named in rows:
        tests = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", named)
        assert tests, number
        for file, name in tests:
            assert name in _functions(DOCS.parent / file), f"{file}::{name}"


def _functions(file: Path) -> set[str]:
    """The tests of a file, those within classes included."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}

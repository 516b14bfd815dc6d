"""What the README shows must be so: its code runs, its commands exist, its links lead somewhere."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import audiencelab as al
from audiencelab.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_its_code_makes_the_table_that_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for extra in ("scipy", "xlsxwriter"):
        pytest.importorskip(extra)
    monkeypatch.chdir(tmp_path)
    [code] = blocks("python")
    names: dict[str, Any] = {}
    exec(code, names)
    assert (tmp_path / "ai.xlsx").stat().st_size > 0
    table = names["table"]
    made = table.to_markdown(metrics=["column"], comparison=table.test())
    assert rows(README) == rows(made)
    assert len(rows(README)) == 9
    assert table.test().method_note in " ".join(README.split())


def rows(text: str) -> list[str]:
    """Rows of a Markdown table, without the one of its alignment."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [line for line in lines if not set(line) <= set("|:- ")]


def test_its_commands_exist() -> None:
    commands = re.findall(r"^\$ audiencelab (\S+)", "".join(blocks("console")), re.MULTILINE)
    assert "lab" in commands
    for verb in commands:
        assert main([verb, "--help"]) == 0
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^\$ make (\w+)", "".join(blocks("console")), re.MULTILINE)
    assert targets == ["lab", "test"]
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_its_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    local = [target for target in targets if not target.startswith("https://")]
    assert len(local) > 10
    assert [target for target in local if not (ROOT / target).exists()] == []
    # The one address is that of the project.
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(targets) - set(local) <= set(project["urls"].values())


def test_links_are_absolute_on_the_page_of_the_package() -> None:
    hook = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]
    page = README
    for rule in hook["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        page = re.sub(rule["pattern"], rule["replacement"], page)
    targets = re.findall(r"\]\(([^)]+)\)|(?:src|srcset)=\"([^\"]+)\"", page)
    assert len(targets) > 15
    assert all(link.startswith("https://") for pair in targets for link in pair if link)


def test_the_citation_is_valid() -> None:
    yaml = pytest.importorskip("yaml")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    # What the format requires, and what it allows for an author that is not a person.
    assert all(citation[key] for key in ("message", "title", "authors"))
    assert all(set(author) == {"name"} for author in citation["authors"])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert citation["repository-code"] == project["urls"]["Repository"]


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 110


def test_the_example_of_the_package_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = (al.__doc__ or "").splitlines()
    code = [line.removeprefix("    ") for line in lines if line.startswith("    ")]
    own = [line for line in code if "al.open(" not in line]
    assert len(own) == len(code) - 1
    exec("\n".join(own), {})
    assert (tmp_path / "tabs.xlsx").exists()

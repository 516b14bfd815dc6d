"""What the README shows must be so: its code runs, its commands exist, its links lead somewhere."""

import re
from pathlib import Path
from typing import Any

import pytest

import audiencelab as al
from audiencelab.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_its_code_runs_and_says_what_it_promises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for extra in ("anywidget", "altair", "scipy", "uvicorn"):
        pytest.importorskip(extra)
    monkeypatch.chdir(tmp_path)
    [code] = blocks("python")
    names: dict[str, Any] = {}
    exec(code, names)
    index = names["table"].to_wide("index")
    assert index.shape == (20, 3)
    assert (index > 0).all(axis=None)
    assert names["al"].Q("q4").any("q4_2", "q4_3") == names["young"].expression
    assert len(names["grid"].rows) == len(names["bench"].grid.rows) == 20
    assert names["replayed"].to_frame().equals(names["apps"].to_frame())


def test_its_commands_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ (\S+) (\S+)", "".join(blocks("console")), re.MULTILINE)
    assert ("make", "lab") in commands
    for program, verb in commands:
        if program == "make":
            assert re.search(rf"^{verb}:", makefile, re.MULTILINE), verb
        else:
            assert program == "audiencelab"
            assert main([verb, "--help"]) == 0


def test_its_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_it_fits_on_a_screen() -> None:
    assert len(README.splitlines()) <= 80


def test_the_example_of_the_package_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = (al.__doc__ or "").splitlines()
    code = [line.removeprefix("    ") for line in lines if line.startswith("    ")]
    own = [line for line in code if "al.open(" not in line]
    assert len(own) == len(code) - 1
    exec("\n".join(own), {})
    assert (tmp_path / "tabs.xlsx").exists()

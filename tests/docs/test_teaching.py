"""The pages for teachers: their code and commands run, and their plans are of the lessons."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from audiencelab import cli, course
from audiencelab.course.exercises import EXERCISES, LESSONS, texts

TEACHING = Path(__file__).parents[2] / "docs" / "teaching"


def blocks(page: str, language: str) -> list[str]:
    text = (TEACHING / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_idioms_print_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    printed: list[str] = []
    for block in blocks("idioms", "python"):
        exec(block, names)
        printed.append(capsys.readouterr().out)
    assert [each for each in printed if each] == blocks("idioms", "text")


@pytest.mark.parametrize("page", ["students", "instructor", "marking"])
def test_the_commands_of_a_page_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder with a list of names, and with work that was handed in."""
    monkeypatch.chdir(tmp_path)
    Path("names.txt").write_text("Ada Lovelace\nZoë O'Brien\n", encoding="utf-8")
    course.start("handed-in/ada", "ada")
    text = (TEACHING / f"{page}.md").read_text(encoding="utf-8")
    commands = re.findall(r"^ *\$ audiencelab (course .*?)(?: > .*)?$", text, re.MULTILINE)
    assert commands
    for command in commands:
        assert cli.main(shlex.split(command)) == 0, command
    # Of other programs and commands: the files that they open are there.
    opened = re.findall(r"^ *\$ (?:audiencelab lab|otter assign) (\S+)", text, re.MULTILINE)
    assert all(list(Path().rglob(Path(each).name)) for each in opened)
    for block in blocks(page, "python"):
        if "report" in block:
            exec(block, {})


def plans() -> dict[int, str]:
    """The plan of each lesson, by its number."""
    text = (TEACHING / "lessons.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (\d+) ", text, flags=re.MULTILINE)[1:]
    return {int(number): plan for number, plan in zip(parts[::2], parts[1::2], strict=True)}


def test_there_is_a_plan_for_each_lesson() -> None:
    heads = {number: plan.partition("\n")[0] for number, plan in plans().items()}
    for number, title in enumerate(LESSONS, 1):
        assert heads[number].lower().removeprefix("the ") == title.lower()


@pytest.mark.parametrize("lesson", range(1, len(LESSONS) + 1))
def test_a_plan_fills_its_minutes_and_names_all_of_its_lesson(lesson: int) -> None:
    plan = plans()[lesson]
    rows = re.findall(r"^\| (\d+|home) \| (\d+) \| (.*) \|$", plan, re.MULTILINE)
    assert sum(int(short) for short, _, _ in rows if short != "home") == 45
    assert sum(int(long) for _, long, _ in rows) == 90
    parts = " ".join(part for _, _, part in rows)
    exercises = [
        f"{each.number}: {each.title}" for each in EXERCISES.values() if each.lesson == lesson
    ]
    named = [part.partition("exercise ")[2] for _, _, part in rows if "exercise " in part]
    ends = [each.partition(" <!--")[0] for each in named]
    assert ends == exercises
    hands = [f"{lesson}{letter}" for letter in texts(lesson)["ask"]]
    assert re.findall(r"hands (\w+)", parts) == hands

"""The commands of the guide to tables in a terminal print what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from audiencelab import cli
from audiencelab.results.record import without_run

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "terminal.md"
SHOWN = [
    block
    for block in re.findall(
        r"```console\n\$ audiencelab (.*?)```", PAGE.read_text("utf-8"), re.DOTALL
    )
    if not block.rstrip().endswith(".xlsx") and "\n$" not in block
]


@pytest.mark.parametrize("block", SHOWN, ids=lambda block: block.partition("\n")[0])
def test_a_command_prints_what_the_page_shows(block: str, capsys) -> None:
    command, _, shown = block.partition("\n")
    code = cli.main(shlex.split(command))
    streams = capsys.readouterr()
    expected = shown.removesuffix("…\n").rstrip("\n").splitlines()
    printed = (streams.err if code else streams.out).splitlines()
    # Day and version of the source line are those of another run.
    found = [without_run(line.rstrip()) for line in printed]
    assert found[: len(expected)] == list(map(without_run, expected))
    assert "…" in shown or len(printed) == len(expected)


def test_the_page_shows_tables() -> None:
    assert len(SHOWN) == 4

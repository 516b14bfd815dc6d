"""What IPython shows of errors: the callers' lines and the message, and every frame where asked."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any, TypeAlias

import pytest

Shown: TypeAlias = dict[str, dict[str, Any]]

MISTAKES = {
    "a mistyped question": "client.crosstab('Gendr', 'Age')",
    "a mistyped answer": "client['Gender'] == 'Femal'",
    "a mistyped wave": "client.stats('Gender', waves='Q9 2025')",
    "a mistyped metric": "client.crosstab('Gender', 'Age')['colum']",
    "a mistyped option": "client.crosstab('Gender', 'Age').test(correction='bonferonni')",
    "a mistyped argument": "client.crosstab('Gender', 'Age', base_audeince='Male')",
    "a mistyped method": "client.crostab('Gender', 'Age')",
    "a missing argument": "client.stats()",
    "a missing file": "al.open('nowhere.sav')",
    "a file of another kind": "al.open(__file__)",
    "a value of another type": "client.size(5)",
    "a widget of a mistyped question": "al.Crosstab(client, 'Gendr')",
    "a mistyped question of a widget": "al.Crosstab(client, 'Gender').rows.add('Agee')",
    "a chart of a mistyped metric": "client.crosstab('Gender', 'Age').chart.bar('colum')",
}
OTHERS = {
    "in a function": "def ask(what):\n    return client.size(what)\nask('Gendr')",
    "over lines": "client.crosstab(\n    'Gendr',\n    'Age',\n)",
    "of the caller's own code": "1 / 0",
    "of pandas": "client.crosstab('Gender', 'Age').to_frame().loc['x', 'y']",
    "a defect": "al.keywords.near(None, 3)",
    "a caller's error handled": "try:\n    {}['a']\nexcept KeyError:\n    client.size('Gendr')",
    "timed": "%time client.size('Gendr')",
    "again": "%tb",
    "switched on": "%env AUDIENCELAB_DEBUG=1\nclient.size('Gendr')",
    "switched off": "%env AUDIENCELAB_DEBUG=\nclient.size('Gendr')",
    "verbose": "%xmode Verbose\nclient.size('Gendr')",
}
SCRIPT = """
import json, sys, traceback
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(colors="nocolor")
shell.user_ns["__file__"] = __file__ if "__file__" in globals() else sys.executable
shell.run_cell("import audiencelab as al; from audiencelab import keywords; client = al.connect()")
shown = {}
shell._showtraceback = lambda kind, error, lines: shown.update(lines=lines)
for name, code in json.loads(sys.stdin.read()).items():
    shown.clear()
    ran = shell.run_cell(code, store_history=True)
    held = traceback.extract_tb(getattr(ran.error_in_exec, "__traceback__", None))
    debugged = traceback.extract_tb(sys.last_traceback)
    shown["held"] = [len(held), len(debugged), len(traceback.extract_tb(shell.InteractiveTB.tb))]
    sys.__stdout__.write(json.dumps([name, shown]) + chr(10))
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps(MISTAKES | OTHERS),
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path_factory.mktemp("ipython"),
    )
    return dict(json.loads(line) for line in ran.stdout.splitlines() if line.startswith('["'))


def lines_of(entry: dict[str, Any]) -> list[str]:
    lines: list[str] = "\n".join(entry["lines"]).splitlines()
    return lines


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_the_callers_line_and_the_message(shown: Shown, mistake: str) -> None:
    place, line, message, *more = lines_of(shown[mistake])
    assert re.fullmatch(r"Cell In\[\d+\], line 1", place)
    assert line == f"----> 1 {MISTAKES[mistake]}"
    assert re.match(r"\w+Error: ", message)
    assert len([each for each in more if not each.startswith("More: ")]) == 0


def test_every_line_of_the_callers_code_is_shown(shown: Shown) -> None:
    assert lines_of(shown["in a function"])[:4] == [
        "Cell In[15], line 3",
        "----> 3 ask('Gendr')",
        "Cell In[15], line 2, in ask",
        "----> 2     return client.size(what)",
    ]
    assert lines_of(shown["over lines"])[1:5] == [
        "----> 1 client.crosstab(",
        "      2     'Gendr',",
        "      3     'Age',",
        "      4 )",
    ]
    assert len(lines_of(shown["timed"])) == 5
    assert "KeyError: 'a'" in lines_of(shown["a caller's error handled"])


@pytest.mark.parametrize("error", ["of the caller's own code", "of pandas", "a defect"])
def test_errors_that_are_not_ours_keep_their_frames(shown: Shown, error: str) -> None:
    lines = lines_of(shown[error])
    assert lines[0] == "-" * 75
    frames = [each for each in lines if re.match(r"(File|Cell) .*(:\d+|, line \d+)", each)]
    assert len(frames) >= shown[error]["held"][0] - 1  # the first is IPython's


def test_every_frame_is_kept_and_shown_where_it_is_asked_for(shown: Shown) -> None:
    held = {name: tuple(each["held"]) for name, each in shown.items() if name != "again"}
    assert {kept for kept in held.values() if len({*kept}) > 1} == set()
    assert held["a mistyped question"][0] > 5
    assert len(lines_of(shown["again"])) == 5
    for name in ("switched on", "verbose"):
        assert len(lines_of(shown[name])) > 60
    assert len(lines_of(shown["switched off"])) == 4

"""The Jupyter server's part attacked where `tests/jupyter/server` does not go.

Surveys that lie, services that say the credential in what the sidebar asks, odd names.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

import audiencelab as al
from tests.jupyter.server.jupyter import CANARY, World, put_surveys, world

# Manifests, by the name of the folder that has them.
HOSTILE: dict[str, bytes] = {
    "deep": b"[" * 200_000,
    "deep-object": b'{"format":"audiencelab-panel","version":1,"provenance":'
    + b'{"a":' * 50_000
    + b"1"
    + b"}" * 50_000
    + b"}",
    "not-utf8": b'{"format": "\xff\xfe"}',
    "nothing": b"",
    "null": b"null",
    "numbers": b'{"format":"audiencelab-panel","version":1e999}',
    "digits": b'{"format":"audiencelab-panel","version":' + b"9" * 10_000 + b"}",
    "surrogate": b'{"format":"audiencelab-panel","version":1,"name":"\\ud800"}',
}


ODD_NAME = "line\nbreak'quote\"/survey"


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[World]:
    with world(tmp_path_factory.mktemp("hostile")) as made:
        put_surveys(made)
        root = made.jupyter.notebooks
        for name, manifest in HOSTILE.items():
            (root / "bad" / name).mkdir(parents=True)
            (root / "bad" / name / "panel.json").write_bytes(manifest)
        for name, change in LIES.items():
            put_lie(root / "lies" / name, change)
        shutil.copytree(al.demo_survey().path, root / ODD_NAME)
        yield made


# Changes of a manifest's first wave.
LIES: dict[str, Callable[[dict], None]] = {
    "huge": lambda wave: wave["wave"].update(respondents=10**15),
    "negative": lambda wave: wave["wave"].update(respondents=-5),
    "before": lambda wave: wave.update(questions=dict.fromkeys(wave["questions"], -40)),
    "behind": lambda wave: wave.update(questions=dict.fromkeys(wave["questions"], 10**9)),
    "beside": lambda wave: wave["wave"].update(
        code=f"../../../surveys/mine/waves/{wave['wave']['code']}"
    ),
    "elsewhere": lambda wave: wave["wave"].update(code="../../../surveys/mine/waves/x"),
    "absolute": lambda wave: wave["wave"].update(code="/etc"),
    "nul": lambda wave: wave["wave"].update(code="a\0b"),
}


def put_lie(folder: Path, change: Callable[[dict], None]) -> None:
    shutil.copytree(al.demo_survey().path, folder)
    manifest = json.loads((folder / "panel.json").read_bytes())
    change(manifest["waves"][0])
    (folder / "panel.json").write_text(json.dumps(manifest))


def test_surveys_that_are_none_hide_no_others(there: World) -> None:
    answer = there.get("/surveys")
    assert answer.status_code == 200
    paths = [each["path"] for each in answer.json()["surveys"]]
    assert "surveys/mine" in paths
    assert not [path for path in paths if path.startswith("bad/")]


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_a_manifest_that_is_none_is_told_in_words(there: World, name: str) -> None:
    answer = there.post("/surveys/open", {"path": f"bad/{name}"})
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "SurveyError")
    assert f"bad/{name}" in answer.json()["error"]["message"]


@pytest.mark.parametrize("name", sorted(LIES))
def test_a_survey_that_lies_is_refused_and_reads_nothing_elsewhere(there: World, name: str) -> None:
    answer = there.post("/surveys/open", {"path": f"lies/{name}"})
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "SurveyError")
    assert "is damaged" in answer.json()["error"]["message"]


def test_a_folder_with_any_name_makes_code_that_names_it(there: World) -> None:
    made = there.post("/surveys/open", {"path": ODD_NAME}).json()
    opened: dict = {}
    exec(made["code"].replace("al.connect", "found = dict"), opened)
    assert opened["found"]["survey"].endswith(ODD_NAME)
    created = there.post(
        "/templates/starter/create", {"folder": "", "connection": made["name"]}
    ).json()["path"]
    notebook = json.loads((there.jupyter.notebooks / created).read_text())
    first = next(each for each in notebook["cells"] if each["cell_type"] == "code")
    assert "\nbreak" not in "".join(first["source"])


@pytest.mark.parametrize("op", ["catalogue", "question", "figures", "coverage", "size", "code"])
def test_what_a_page_asks_says_no_credential(there: World, op: str) -> None:
    for mode in ("echo-in-a-header", "redirect", "page", "bomb"):
        selection = [{"question": f"core.{mode}", "datapoints": [], "suffixes": []}]
        there.ask("evil", op, question=f"core.{mode}", start=0, selection=selection)
    there.post("/connections/evil/check")
    assert any(CANARY.encode() in head for head in there.evil.heads)
    assert not any(CANARY.encode() in answer for answer in there.seen)


ODD = [None, 0, -1, 1e308, "x" * 10_000, [], {}, [[]], [None], {"__proto__": 1}, "../..", True]


@pytest.mark.parametrize(
    "op", ["catalogue", "question", "figures", "size", "code", "snippet", "saved_size"]
)
def test_odd_arguments_are_refused_in_words(there: World, op: str) -> None:
    """An error of ours each time: nobody is shown an exception of Python's own."""
    names = ("question", "start", "selection", "mode", "id", "kind")
    told = []
    for odd in ODD:
        args = dict.fromkeys(names, odd)
        answer = there.post("/connections/demo/ask", {"op": op, "args": args})
        assert answer.status_code == 200
        found = answer.json()
        if not found["ok"] and found["error"]["type"] in (
            *("AttributeError", "TypeError", "IndexError", "KeyError", "ValueError"),
            *("AssertionError", "RecursionError", "OverflowError"),
        ):
            told.append((odd if len(str(odd)) < 100 else "long", found["error"]))
    assert told == []


def test_nothing_went_wrong_unseen(there: World) -> None:
    log = there.jupyter.log_text()
    assert CANARY not in log
    assert "Traceback" not in log, log[log.index("Traceback") :][:3_000]

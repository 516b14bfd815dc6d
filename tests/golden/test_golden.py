"""Every golden result is what the current tree computes, or has a name in `changes.json`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden import changes
from tests.golden.api import Surveys
from tests.golden.changes import Difference, differences
from tests.golden.make import compared
from tests.golden.tea import CASES

CHANGES = changes.load()


@pytest.fixture(scope="module")
def surveys(tmp_path_factory: pytest.TempPathFactory) -> Surveys:
    return Surveys(tmp_path_factory.mktemp("golden"))


@pytest.mark.parametrize("case", CASES)
def test_results_are_those_of_before(case: str, surveys: Surveys) -> None:
    found, exactly = compared(case, surveys)
    assert list(map(str, changes.unnamed(found, CHANGES, exactly=exactly)))[:20] == []
    assert changes.outdated(found, CHANGES, case) == []


def test_sees_a_changed_bit() -> None:
    found = differences({"a": [1.0, None]}, {"a": [1.5, None]})
    assert list(map(str, found)) == ["/a/0: 1.0 is now 1.5"]
    assert list(differences({"a": [1]}, {"a": [1, 2]})) != []
    assert list(differences({"a": 1}, {})) != []


def test_a_named_change_has_one_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "FILE", tmp_path / "changes.json")
    named: changes.Named = {}
    found = [Difference("a/0", 1.0, 2.0), Difference("a/1", "x", None)]
    changes.name(found, named, "First", "a")
    changes.save(named)
    assert changes.load() == named == {"First": {"a/0": [1.0, 2.0], "a/1": ["x", None]}}
    assert changes.unnamed(found, named) == changes.outdated(found, named, "a") == []
    # Of two values that had changed one changes again, and one is as recorded.
    again = [Difference("a/0", 1.0, 3.0)]
    assert changes.unnamed(again, named) == again
    assert changes.outdated(again, named, "a") == ["a/1"]
    changes.name(again, named, "Second", "a")
    changes.save(named)
    assert changes.load() == {"Second": {"a/0": [1.0, 3.0]}}

"""The file of messages, and how a test is compared with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.messages import KNOWN, TESTS, Messages, steady


def test_every_message_belongs_to_a_test() -> None:
    def is_there(test: str) -> bool:
        path, *_, name = re.split("::", test.split("[")[0])
        file = TESTS / path
        return file.exists() and f"def {name}(" in file.read_text("utf-8")

    assert [test for test in KNOWN if not is_there(test)] == []


def test_a_message_that_the_file_does_not_have_fails() -> None:
    with pytest.raises(pytest.fail.Exception, match="--write-messages adds it"):
        Messages().check(ValueError("new"))


def test_a_changed_message_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    test = next(iter(KNOWN))
    monkeypatch.setenv("PYTEST_CURRENT_TEST", f"tests/{test} (call)")
    kind, _, text = KNOWN[test][0].partition(": ")
    Messages().check(type(kind, (Exception,), {})(text))
    with pytest.raises(AssertionError):
        Messages().check(type(kind, (Exception,), {})(f"{text}."))


def test_paths_and_ports_of_one_run_are_left_out(tmp_path: Path) -> None:
    message = f"{tmp_path / 'a.csv'}: nothing answers at 127.0.0.1:{50_123}"
    assert steady(message) == "TMP/a.csv: nothing answers at 127.0.0.1:PORT"

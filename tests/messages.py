"""The messages of errors, word for word, in one file: `tests/data/messages.json`.

A test says what fails, the file what people read then:

    with fails(ValueError):
        client.crosstab("Gender", "Age").to_wide("colum")

`pytest --write-messages tests/client` writes the messages of the tests that it runs; the diff of
the file shows what became of the words. Paths, ports and other values of one run are left out.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import TypeVar

import pytest

from audiencelab import __version__

TESTS = Path(__file__).parent
FILE = TESTS / "data" / "messages.json"
KNOWN: dict[str, list[str]] = json.loads(FILE.read_text("utf-8"))
"""The messages of each test by its path, name and case, in the order in which it provokes them."""

_ANY_TMP = f"(/private)?{re.escape(gettempdir())}"
_OF_A_RUN: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (re.escape(str(TESTS.parent)), "ROOT"),
    (rf"{_ANY_TMP}/pytest-of-[^/\s]+/pytest-\d+/(popen-gw\d+/)?\w+?\d+(?=\W|$)", "TMP"),
    (rf"{_ANY_TMP}/[^/\s'\"),:;]+", "TMP"),
    (re.escape(str(Path.home())), "HOME"),
    (r"(127\.0\.0\.1|localhost|\[::1\]):\d+", lambda found: f"{found[1]}:PORT"),
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "UUID"),
    (r"\b[0-9a-f]{32,64}\b", "DIGEST"),
    (r"0x[0-9a-f]{6,}", "0x…"),
    (re.escape(__version__), "VERSION"),
)


E = TypeVar("E", bound=BaseException)


class Messages:
    """What the running tests have failed with, of which each is compared or written."""

    def __init__(self) -> None:
        self.writes = False
        self.found: dict[str, list[str]] = {}
        self._test = ""

    def check(self, error: BaseException) -> None:
        """Compare the message of the running test, or keep it to be written."""
        test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0].removeprefix("tests/")
        if test != self._test:
            self._test, self.found[test] = test, []
        found = self.found[test]
        found.append(steady(f"{type(error).__name__}: {error}"))
        if self.writes:
            return
        known = KNOWN.get(test, ())
        if len(found) > len(known):
            pytest.fail(f"{FILE.name} has no such message of this test; --write-messages adds it.")
        assert found[-1] == known[len(found) - 1]


MESSAGES = Messages()


@contextmanager
def fails(error: type[E] | tuple[type[E], ...]) -> Generator[pytest.ExceptionInfo[E]]:
    """Expect an error, with the message that the file has for the running test."""
    with pytest.raises(error) as caught:
        yield caught
    MESSAGES.check(caught.value)


def write(found: dict[str, list[str]]) -> None:
    """Write the messages of tests into the file, beside those of the others."""
    known = json.loads(FILE.read_text("utf-8")) | found
    FILE.write_text(json.dumps(dict(sorted(known.items())), ensure_ascii=False, indent=1) + "\n")


def steady(message: str) -> str:
    """A message without what differs between two runs."""
    for pattern, replacement in _OF_A_RUN:
        message = re.sub(pattern, replacement, message)
    return message

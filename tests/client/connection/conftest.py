"""A keyring, a person at a terminal and another user, made for a test."""

from __future__ import annotations

import getpass
import io
import os
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import pytest

ADDRESS = "https://research.example"

AnswerWith = Callable[[object], None]


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], Any]:
    """A keyring that is there."""
    kept: dict[tuple[str, str], Any] = {}

    def get_password(service: str, user: str) -> Any:
        answer = kept.get((service, user))
        if isinstance(answer, Exception):
            raise answer
        return answer

    module = types.ModuleType("keyring")
    module.get_password = get_password  # type: ignore[attr-defined] -- a module made here
    monkeypatch.setitem(sys.modules, "keyring", module)
    return kept


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> AnswerWith:
    """Somebody at a terminal, who answers as told."""
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", screen)

    def answer_with(given: object) -> None:
        def ask(prompt: str) -> str:
            assert prompt == f"Token for {ADDRESS}: "
            if isinstance(given, Warning):
                warnings.warn(given, stacklevel=1)
            if isinstance(given, Exception):
                raise given
            return str(given)

        monkeypatch.setattr(getpass, "getpass", ask)

    return answer_with


@pytest.fixture
def as_another_user(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes the files of this user those of another one."""
    return lambda: monkeypatch.setattr(os, "getuid", lambda: 4_242_424)

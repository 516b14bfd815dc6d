"""The public names and their signatures are those that were last written down."""

from __future__ import annotations

import difflib

from tests.public_api import WRITTEN, public_api

MOST_LINES = 480


def test_what_is_public_has_not_changed_unnoticed() -> None:
    before = WRITTEN.read_text(encoding="utf-8").splitlines()
    now = public_api().splitlines()
    changes = "\n".join(difflib.unified_diff(before, now, "written down", "now", lineterm="", n=2))
    assert not changes, f"{changes}\nOn purpose? python -m tests.public_api, and the changelog."


def test_what_is_promised_can_be_read_in_one_sitting() -> None:
    assert len(WRITTEN.read_text(encoding="utf-8").splitlines()) <= MOST_LINES

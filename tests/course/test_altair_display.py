"""Charts of altair in a lesson: no CDN is asked."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from audiencelab import course

alt = pytest.importorskip("altair")


@pytest.mark.parametrize(
    ("chosen", "shown"), [("default", "audiencelab"), ("mimetype", "mimetype")]
)
def test_a_lesson_shows_altair_without_a_network(
    chosen: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with alt.renderers.enable(chosen):
        course.classroom()
        assert alt.renderers.active == chosen  # not a notebook
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=object))
        course.classroom()
        assert alt.renderers.active == shown

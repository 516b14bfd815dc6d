"""The saved form in a widget's state: there once it is shown, and as it is shown."""

from __future__ import annotations

import contextvars
import json
import logging
import re
import threading
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

import ipywidgets
import pytest
from ipywidgets.embed import dependency_state

import audiencelab as al
from audiencelab import background
from audiencelab.client import Client
from audiencelab.markup import card
from audiencelab.render.room import SAVED
from audiencelab.widgets.base import LabWidget
from audiencelab.widgets.saved_form import MOST_BYTES, Settling, settling
from tests.widgets.conftest import Wire, form_of
from tests.widgets.gated import GatedClient
from tests.widgets.test_base import Sample

TIMEOUT = 60.0
SOON = 0.05


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes are settled at once."""
    monkeypatch.setattr(settling, "_seconds", SOON)


def show(widget: LabWidget) -> str:
    """Display a widget; its form in the notebook."""
    shown = widget._repr_mimebundle_()
    assert shown is not None
    return shown[0]["text/html"]


def saved(widget: LabWidget) -> str:
    """The form as it should be saved."""
    return str(widget._static_html(SAVED))


def until(found: Callable[[], bool]) -> None:
    end = time.monotonic() + TIMEOUT
    while not found():
        assert time.monotonic() < end
        time.sleep(0.01)


def quiet() -> None:
    """Wait until nothing is left to settle."""
    until(lambda: not settling._due and settling._next is None)


class TestWhenItIsSet:
    def test_it_is_there_once_the_widget_is_displayed(self, wire: Wire) -> None:
        sample = Sample()
        assert wire.form(sample) == ""
        show(sample)
        assert wire.form(sample) == saved(sample)

    def test_it_is_the_same_text_for_the_same_form(self, wire: Wire) -> None:
        first, second = Sample(), Sample()
        show(first)
        show(second)
        assert wire.state(first)["_saved"] == wire.state(second)["_saved"]

    def test_it_follows_what_is_shown(self, wire: Wire, small_client: Client) -> None:
        grid = al.Crosstab(small_client, "Gender", "Age").wait(TIMEOUT)
        show(grid)
        assert "Male" in wire.form(grid)
        grid.arrangement = {"rows": {"hidden": [0]}}
        grid.metrics = ("index", "row")
        until(lambda: "Index / Row %" in wire.form(grid))
        assert "Male" not in wire.form(grid)
        quiet()
        assert wire.form(grid) == saved(grid)

    def test_several_changes_are_sent_once_and_none_not_at_all(
        self, wire: Wire, small_client: Client
    ) -> None:
        picker = al.QuestionPicker(small_client)
        show(picker)
        for code in ("q4_2", "q4_3", "q4_4"):
            picker.value = [al.Q("q4").any(code)]
        quiet()
        assert len(wire.updates(picker, "_saved")) == 2
        picker.value = []
        picker.value = [al.Q("q4").any("q4_4")]
        quiet()
        assert len(wire.updates(picker, "_saved")) == 2

    def test_nothing_is_made_for_a_widget_that_nobody_sees(
        self, wire: Wire, small_client: Client
    ) -> None:
        picker = al.QuestionPicker(small_client)
        picker.value = [al.Q("q4").any("q4_2")]
        assert settling._due == {}
        assert wire.form(picker) == ""

    def test_a_page_that_asks_shows_it(self, wire: Wire, small_client: Client) -> None:
        """Within a box of other widgets it has no display of its own."""
        picker = al.QuestionPicker(small_client)
        wire.request(picker, "ping")
        until(lambda: wire.form(picker) == saved(picker))
        picker.value = [al.Q("q4").any("q4_2")]
        until(lambda: "18 to 24" in wire.form(picker))

    def test_a_form_that_takes_long_waits_longer(
        self, wire: Wire, small_client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        picker, made = al.QuestionPicker(small_client), al.QuestionPicker._static_html
        slow: Any = lambda *given: time.sleep(0.05) or made(*given)  # noqa: E731
        monkeypatch.setattr(al.QuestionPicker, "_static_html", slow)
        show(picker)
        picker.value = [al.Q("q4").any("q4_2")]
        until(lambda: "18 to 24" in wire.form(picker))
        begun = time.monotonic()
        picker.value = []
        until(lambda: "18 to 24" not in wire.form(picker))
        assert time.monotonic() - begun >= 0.5

    def test_a_closed_widget_is_left_alone(self, wire: Wire, small_client: Client) -> None:
        picker = al.QuestionPicker(small_client)
        show(picker)
        picker.value = [al.Q("q4").any("q4_2")]
        model, heard = picker.model_id, len(wire.messages)
        picker.close()
        assert settling._due == {}
        quiet()
        later = [each for each in wire.messages[heard:] if each.comm_id == model]
        assert [each.kind for each in later] == ["comm_close"]

    def test_it_is_sent_from_where_the_widget_was_shown(
        self, wire: Wire, small_client: Client
    ) -> None:
        """Shiny refuses messages that come from outside of a visitor's session."""
        session, sent_in = contextvars.ContextVar("session", default=""), list[str]()
        picker = al.QuestionPicker(small_client)
        picker.observe(lambda _: sent_in.append(session.get()), "_saved")
        session.set("first visitor")
        show(picker)
        session.set("another")
        picker.value = [al.Q("q4").any("q4_2")]
        until(lambda: len(sent_in) == 2)
        assert sent_in == ["first visitor"] * 2

    def test_a_table_that_fills_is_sent_when_it_is_complete(
        self, wire: Wire, small_client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("audiencelab.widgets.crosstab.widget._STATIC_TIMEOUT", 0)
        gated: Any = GatedClient(small_client)
        grid = al.Crosstab(gated, al.Q("q2").any("q2_1"), "Age")
        form = show(grid)
        assert wire.form(grid) == form
        assert "not counted yet" in form
        grid.metrics = ("index",)
        quiet()
        assert len(wire.updates(grid, "_saved")) == 1
        gated.let(10)
        grid.wait(TIMEOUT)
        until(lambda: "not counted" not in wire.form(grid))
        assert len(wire.updates(grid, "_saved")) == 2

    def test_one_too_large_is_the_one_of_the_notebook(
        self, wire: Wire, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("audiencelab.widgets.base.MOST_BYTES", 100)
        sample = Sample()
        assert show(sample) == wire.form(sample)
        assert MOST_BYTES == 200_000


def test_a_chart_is_a_picture_that_follows_the_selection(wire: Wire, small_client: Client) -> None:
    grid = al.Crosstab(small_client, "Gender", "Age").wait(TIMEOUT)
    chart = grid.linked_chart("bar")
    show(chart)
    (before,) = re.findall("<img src='data:image/svg[+]xml,(.+?)' alt=.+?>", wire.form(chart))
    assert unquote(before) == grid.chart("bar").svg()
    wire.set_state(grid, _selected_cells={"rows": [0], "columns": [0, 1]})
    until(lambda: before not in wire.form(chart))
    assert quote(grid.chart("bar").svg()) in wire.form(chart)


class TestWhatItTakesWithIt:
    @pytest.fixture
    def workbench(self, wire: Wire, small_client: Client) -> al.Workbench:
        workbench = al.Workbench(small_client, "Gender", "Age")
        workbench.grid.wait(TIMEOUT)
        return workbench

    def test_a_workbench_has_the_form_of_its_parts(
        self, wire: Wire, workbench: al.Workbench
    ) -> None:
        show(workbench)
        for part in (workbench.grid, workbench.picker, workbench.editor):
            wire.request(part, "ping")
        workbench.editor.value = al.Audience("Young", al.Q("q4").any("q4_2"))
        until(lambda: "Young" in wire.form(workbench))
        workbench.grid.metrics = ("row",)
        until(lambda: "Row %" in wire.form(workbench))
        assert wire.form(workbench.grid) == wire.form(workbench.editor) == ""
        show(workbench.grid)
        assert "Row %" in wire.form(workbench.grid)

    def test_a_page_that_is_embedded_has_all_models_and_forms(
        self, wire: Wire, workbench: al.Workbench
    ) -> None:
        state = dependency_state([workbench], drop_defaults=True)
        parts = (workbench, workbench.grid, workbench.picker, workbench.editor)
        assert {each.model_id for each in parts} <= state.keys()
        assert {each.channel.model_id for each in parts} <= state.keys()
        kept = state[workbench.model_id]["state"]
        assert kept["kind"] == "workbench"
        assert kept["_view_name"] == "AnyView"
        assert form_of(kept) == saved(workbench)
        assert form_of(state[workbench.grid.model_id]["state"]) == ""
        whole = ipywidgets.Widget.get_manager_state(drop_defaults=True)["state"]
        assert whole[workbench.model_id]["state"] == kept
        json.dumps(whole)


class TestSettling:
    @pytest.fixture
    def own(self) -> Settling:
        return Settling(SOON)

    def test_one_thread_makes_all_calls(self, own: Settling) -> None:
        made: list[threading.Thread] = []
        calls = [lambda n=n: made.append(threading.current_thread()) for n in range(50)]
        for call in calls:
            own.touch(call)
        before = threading.active_count()
        until(lambda: len(made) == 50)
        assert len(set(made)) == 1
        assert before <= threading.active_count() + 1

    def test_a_change_puts_off_the_call(self, own: Settling) -> None:
        own._seconds, made = 0.3, list[float]()
        call, begun = lambda: made.append(time.monotonic()), time.monotonic()
        own.touch(call)
        time.sleep(0.15)
        own.touch(call)
        until(lambda: bool(made))
        assert made[0] - begun >= 0.45
        until(lambda: own._next is None)
        assert len(made) == 1

    def test_what_takes_long_is_called_less_often(self, own: Settling) -> None:
        made, begun = dict[str, float](), time.monotonic()
        own.touch(lambda: made.update(slow=time.monotonic()), 0.5)
        own.touch(lambda: made.update(quick=time.monotonic()))
        until(lambda: len(made) == 2)
        assert list(made) == ["quick", "slow"]
        assert made["slow"] - begun >= 0.5

    def test_without_threads_and_event_loop_it_calls_at_once(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As Python in a browser, in a program that awaits nothing."""
        monkeypatch.setattr(background, "_has_threads", False)
        own, made = Settling(), list[int]()
        own.touch(lambda: made.append(1))
        own.touch(lambda: made.append(2))
        assert (made, own._next) == ([1, 2], None)

    def test_an_error_leaves_the_others(
        self, own: Settling, caplog: pytest.LogCaptureFixture
    ) -> None:
        done = threading.Event()

        def fail() -> None:
            raise ValueError(card("broken"))

        caplog.set_level(logging.INFO, "audiencelab.widgets")
        own.touch(fail)
        own.touch(done.set)
        assert done.wait(TIMEOUT)
        assert "a widget's form was not saved" in caplog.text

"""Properties of every widget: shared front end, a channel beside its state, static forms."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from typing import Any

import ipywidgets
import pytest
import traitlets

import audiencelab as al
from audiencelab.client import AsyncClient, Client
from audiencelab.markup import Html, card, table
from audiencelab.widgets import bundle
from audiencelab.widgets.base import LabWidget
from audiencelab.widgets.bundle import front_end
from tests.messages import fails
from tests.widgets.conftest import Message, Wire


class Sample(LabWidget):
    kind = traitlets.Unicode("sample", read_only=True).tag(sync=True)

    def _describe(self) -> str:
        return "Sample(<b>)"

    def _static_html(self) -> Html:
        return card("Sample <b>", table(["Name"], [["<img onerror=alert(1)>"]]))


class TestState:
    def test_the_page_gets_the_kind_and_the_channel(self, wire: Wire) -> None:
        sample = Sample()
        opened = wire.wait_for(lambda m: m.comm_id == sample.model_id)
        assert opened.data["state"]["kind"] == "sample"
        assert opened.data["state"]["_channel"] == sample.channel.model_id

    def test_the_channel_opens_before_the_page_looks_for_it(self, wire: Wire) -> None:
        sample = Sample()
        opened = [m.comm_id for m in wire.messages if m.kind == "comm_open"]
        assert opened.index(sample.channel.model_id) < opened.index(sample.model_id)

    def test_closing_the_widget_closes_its_channel(self, wire: Wire) -> None:
        sample = Sample()
        channel, state = sample.channel.model_id, sample.model_id
        sample.close()
        closed = [m.comm_id for m in wire.messages if m.kind == "comm_close"]
        assert {channel, state} <= set(closed)
        sample.close()

    def test_no_class_is_created_for_each_widget(self, wire: Wire) -> None:
        sample = Sample()
        assert type(sample) is Sample
        opened = wire.wait_for(lambda m: m.comm_id == sample.model_id)
        assert opened.data["state"]["_anywidget_id"] == f"{__name__}.Sample"

    def test_a_trait_can_be_added_to_one_widget(self, wire: Wire) -> None:
        sample, other = Sample(), Sample()
        sample.add_traits(note=traitlets.Unicode("seen"))
        assert sample.trait_values()["note"] == "seen"
        assert not other.has_trait("note")


class TestTheFrontEnd:
    """Module and style sheet are sent once, however many widgets there are."""

    def opened(self, wire: Wire, widget: Any) -> Message:
        return wire.wait_for(lambda m: m.kind == "comm_open" and m.comm_id == widget.model_id)

    def test_all_widgets_share_one_front_end(self, wire: Wire) -> None:
        states = [self.opened(wire, Sample()).data["state"] for _ in range(3)]
        (named,) = {state["_front_end"] for state in states}
        opened = [m for m in wire.messages if m.kind == "comm_open" and m.comm_id == named]
        assert len(opened) == 1

    def test_it_contains_the_built_files(self, wire: Wire) -> None:
        message = self.opened(wire, front_end())
        (packed,) = message.buffers
        static = bundle.STATIC
        assert json.loads(zlib.decompress(packed, wbits=-15)) == [
            (static / name).read_text("utf-8") for name in ("widget.js", "widget.css")
        ]

    def test_a_widget_itself_has_a_kilobyte_or_two(self, wire: Wire) -> None:
        state = self.opened(wire, Sample()).data["state"]
        assert len(json.dumps(state)) < 3_000

    def test_it_is_created_again_after_closing_all_widgets(self, wire: Wire) -> None:
        Sample()
        ipywidgets.Widget.close_all()
        again = self.opened(wire, Sample()).data["state"]["_front_end"]
        assert again == front_end().model_id
        assert front_end().comm is not None


class TestWords:
    def test_the_repr_is_the_widget_s_description(self, wire: Wire) -> None:
        assert repr(Sample()) == "Sample(<b>)"

    def test_a_display_has_the_view_and_the_escaped_static_form(self, wire: Wire) -> None:
        sample = Sample()
        bundle = sample._repr_mimebundle_()
        assert bundle is not None
        data, _ = bundle
        assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == sample.model_id
        assert data["text/plain"] == "Sample(<b>)"
        assert "<img" not in data["text/html"]
        assert "&lt;img onerror=alert(1)&gt;" in data["text/html"]


class TestWhatIsMissing:
    def test_without_the_extra_the_error_names_it(self) -> None:
        script = (
            "import sys; sys.modules['anywidget'] = None\n"
            "import audiencelab as al\n"
            "try: al.QuestionPicker\n"
            "except ImportError as error: print(error)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        )
        assert 'pip install "audiencelab[widgets]"' in done.stdout

    def test_the_package_itself_does_not_import_the_widget_libraries(self) -> None:
        script = (
            "import sys, audiencelab, audiencelab.widgets\n"
            "print([m for m in ('anywidget', 'ipywidgets', 'traitlets') if m in sys.modules])"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "[]"


WIDGETS = [al.AudienceEditor, al.Crosstab, al.QuestionPicker, al.Workbench]
YOUNG = al.Q("q4").any("q4_2")


class TestTheClient:
    @pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: widget.__name__)
    @pytest.mark.parametrize(
        "first",
        ["q4", YOUNG, None, al.connect, Client, AsyncClient.__new__(AsyncClient)],
        ids=["code", "audience", "nothing", "function", "class", "async"],
    )
    def test_must_be_a_client(self, widget: Any, first: object, wire: Wire) -> None:
        with fails(TypeError):
            widget(first)
        with fails(TypeError):
            widget()
        assert not [message for message in wire.messages if message.kind == "comm_open"]

    @pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: widget.__name__)
    def test_is_readable_and_cannot_be_replaced(
        self, widget: Any, small_client: Client, wire: Wire
    ) -> None:
        made = widget(client=small_client)
        assert made.client is small_client
        with pytest.raises(AttributeError):
            made.client = small_client

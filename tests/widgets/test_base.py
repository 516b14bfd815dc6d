"""Properties of every widget: the code that pages ask for, a channel, static forms."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from io import BytesIO
from typing import Any

import pytest
import traitlets

import audiencelab as al
from audiencelab.client import AsyncClient, Client
from audiencelab.markup import Card, card, table
from audiencelab.render.room import NOTEBOOK, Room
from audiencelab.widgets import bundle
from audiencelab.widgets.base import LabWidget
from audiencelab.widgets.rpc_types import NoArgs, PageOperation
from tests.messages import fails
from tests.widgets.conftest import Wire

MANIFEST = json.loads((bundle.STATIC / bundle.MANIFEST).read_text("utf-8"))


class Sample(LabWidget):
    kind = traitlets.Unicode("chart", read_only=True).tag(sync=True)

    def _describe(self) -> str:
        return "Sample(<b>)"

    def _static_html(self, room: Room = NOTEBOOK) -> Card:
        return card("Sample <b>", table(["Name"], [["<img onerror=alert(1)>"]]))


class TestState:
    def test_the_page_gets_the_kind_and_the_channel(self, wire: Wire) -> None:
        sample = Sample()
        opened = wire.wait_for(lambda m: m.comm_id == sample.model_id)
        assert opened.data["state"]["kind"] == "chart"
        assert opened.data["state"]["_channel"] == f"IPY_MODEL_{sample.channel.model_id}"

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
    """A page asks for the modules of a kind that it does not have yet."""

    def test_the_state_names_the_module_of_the_kind(self, wire: Wire) -> None:
        assert wire.state(Sample())["_front_end"] == MANIFEST["kinds"]["chart"]

    @pytest.mark.parametrize("kind", MANIFEST["kinds"])
    def test_the_modules_come_in_one_buffer_each_after_its_imports(
        self, wire: Wire, kind: str
    ) -> None:
        asked = {"module": MANIFEST["kinds"][kind], "have": []}
        answer = wire.request(Sample(), "front_end", asked)
        modules, (buffer,) = dict(answer.content["data"]["modules"]), answer.buffers
        content, before = BytesIO(gzip.decompress(buffer)), set[str]()
        for name, size in modules.items():
            text = content.read(size)
            assert name == f"{sha256(text).hexdigest()[:16]}.js"
            assert text == (bundle.STATIC / name).read_bytes()
            assert set(MANIFEST["imports"][name]) <= before
            before.add(name)
        assert list(modules)[-1] == MANIFEST["kinds"][kind]
        assert not content.read()

    def test_what_the_page_has_is_not_sent(self, wire: Wire) -> None:
        grid = MANIFEST["kinds"]["grid"]
        others = MANIFEST["imports"].keys() - {grid}
        sample, asked = Sample(), {"module": grid, "have": ["x.js", *others]}
        answer = wire.request(sample, "front_end", asked)
        assert [name for name, _ in answer.content["data"]["modules"]] == [grid]
        everything = {"module": grid, "have": list(MANIFEST["imports"])}
        answer = wire.request(sample, "front_end", everything)
        assert answer.content["data"]["modules"] == []

    @pytest.mark.parametrize("name", ["0123456789abcdef.js", "../base.py", "loader.js"])
    def test_only_modules_are_sent(self, wire: Wire, name: str) -> None:
        sample = Sample()
        answer = wire.answer(wire.ask(sample, "front_end", {"module": name}))
        assert not answer.content["ok"]
        assert "There is no module" in answer.content["error"]["message"]
        assert not answer.buffers

    def test_they_come_while_a_request_takes_long(self, wire: Wire) -> None:
        """The page asks on a thread of the kernel while a cell runs on another."""
        sample, release = Sample(), threading.Event()
        slow = PageOperation("slow", NoArgs, bool)
        sample.channel.on(slow, lambda _: release.wait(60))
        waiting = wire.ask(sample, "slow")
        asked = {"module": MANIFEST["kinds"]["grid"]}
        with ThreadPoolExecutor() as page:
            answer = page.submit(wire.request, sample, "front_end", asked).result(60)
        assert answer.buffers
        release.set()
        assert wire.answer(waiting).content["data"] is True

    def test_a_widget_itself_has_a_loader_only(self, wire: Wire) -> None:
        state = wire.state(Sample())
        assert len(state.pop("_esm")) <= 12_000
        assert len(json.dumps(state)) < 1_000


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

"""A canary: a token planted in every way it can come in is found in nothing that comes out.

What comes out is whatever a notebook shows, logs, pickles or saves. The search is that of a reader
who wants to find a token: as it is, escaped, percent-encoded and in base64.
"""

from __future__ import annotations

import asyncio
import copy
import gc
import logging
import pickle
import socket
import traceback
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest
from IPython.core.ultratb import VerboseTB

import audiencelab as al
from audiencelab.client import Client, CredentialError, Secret, connect, connect_async
from audiencelab.client.transports.http import keep_headers_out_of_logs
from audiencelab.client.veil import holds_secret
from audiencelab.errors import AudienceError
from tests.client.conftest import TOKEN, Served
from tests.widgets.conftest import form_of

MEN = al.Audience(name="Men", expression=al.Q("q2").any("q2_1"))

PASSWORD = "canary-of-the-proxy"


def assert_absent(*shown: str | bytes, secret: str = TOKEN) -> None:
    parts = [each.encode() if isinstance(each, str) else each for each in shown]
    assert any(parts)
    assert not holds_secret([Secret(secret)], parts)


def verbose(error: BaseException) -> str:
    """A traceback with every argument and local, as a notebook and the standard library show it.

    The first frame is left out: it is the test's own, which has the token in its hands.
    """
    assert error.__traceback__ is not None
    inner = error.__traceback__.tb_next
    notebook = VerboseTB(theme_name="nocolor").structured_traceback(type(error), error, inner)
    library = traceback.TracebackException(type(error), error, inner, capture_locals=True)
    return "\n".join([*notebook, *library.format()])


def reachable(start: object) -> Iterator[object]:
    """Whatever an object holds, directly or not; code and what it can import are no part of it."""
    seen: set[int] = set()
    queue = [start]
    while queue:
        thing = queue.pop()
        if id(thing) in seen or isinstance(thing, types.ModuleType | types.FunctionType | type):
            continue
        seen.add(id(thing))
        yield thing
        queue.extend(gc.get_referents(thing))


WAYS = ("argument", "environment", "file", "function")


@pytest.fixture(params=WAYS)
def planted(
    request: pytest.FixtureRequest,
    served: Served,
    settings: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> dict[str, Any]:
    """What to give to `connect()` beside the address."""
    if request.param == "argument":
        return {"token": TOKEN}
    if request.param == "function":
        return {"token": lambda: TOKEN}
    if request.param == "environment":
        monkeypatch.setenv("AUDIENCELAB_TOKEN", TOKEN)
    else:
        settings.mkdir()
        path = settings / "tokens.toml"
        path.touch(mode=0o600)
        path.write_text(f'"{served.url}" = "{TOKEN}"\n')
    return {}


@pytest.fixture
def used(served: Served, planted: dict[str, Any]) -> Iterator[Client]:
    """A client that has sent the token, by whichever way it came in."""
    with connect(served.url, **planted) as client:
        client.catalogue  # noqa: B018 -- loads it
        yield client
    assert served.authorizations[-1] == f"Bearer {TOKEN}"


def test_nothing_that_a_client_shows(used: Client) -> None:
    assert_absent(*(repr(each) for each in reachable(used) if not isinstance(each, str)))
    assert_absent(str(used), f"{used}", repr(vars(used)), repr(copy.copy(vars(used))))


def test_nothing_that_a_client_holds_in_the_open(used: Client) -> None:
    used.stats("q4")
    plain = (each for each in reachable(used) if type(each) in (str, bytes, bytearray))
    assert not [each for each in plain if TOKEN in str(each)]


def test_no_result_and_no_frame(used: Client) -> None:
    stats = used.stats("q4", audiences=[MEN])
    table = used.crosstab(rows=[MEN], columns=used.catalogue.audiences("q4"))
    for result in (stats, table):
        frame = result.to_frame()
        assert_absent(repr(result), result._repr_html_(), pickle.dumps(result))
        assert_absent(pickle.dumps(frame), repr(frame.attrs), pickle.dumps(copy.deepcopy(result)))
    assert_absent(pickle.dumps(used.catalogue), pickle.dumps(used.sender.options))


def test_no_log_line(used: Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        used.stats("q4")
    assert {record.name.partition(".")[0] for record in caplog.records} >= {"httpx", "httpcore"}
    assert_absent(caplog.text, *(repr(vars(record)) for record in caplog.records))


def test_no_log_line_of_http2(caplog: pytest.LogCaptureFixture) -> None:
    """Its header compression logs what it writes; some versions do so in plain."""
    keep_headers_out_of_logs()
    with caplog.at_level(logging.DEBUG):
        for name in ("hpack.hpack", "hpack.table"):
            logging.getLogger(name).debug("Adding %s to the header table", ("authorization", TOKEN))
            logging.getLogger(name).warning("still heard")
    assert_absent(caplog.text)
    assert caplog.text.count("still heard") == 2


def test_no_snapshot(used: Client, tmp_path: Path) -> None:
    path = tmp_path / "canary.audiencelab.jsonl"
    with used.recording(path):
        used.stats("q4")
    assert_absent(path.read_bytes())


def failing(client: Client) -> Iterable[BaseException]:
    for question in ("nonsense", "q4\n", "../q4"):
        with pytest.raises(AudienceError) as caught:
            client.stats(question)
        yield caught.value
    client.close()
    with pytest.raises(RuntimeError) as closed:
        client.stats("q4")
    yield closed.value


def test_no_traceback(used: Client) -> None:
    for error in failing(used):
        assert_absent(verbose(error), repr(error), str(error))
        if isinstance(error, AudienceError):
            assert_absent(pickle.dumps(error), repr(vars(error)))


def test_no_traceback_of_a_service_that_is_not_there(planted: dict[str, Any]) -> None:
    token = planted.get("token", TOKEN)
    with (
        connect("http://127.0.0.1:9", token=token, retries=0) as client,
        pytest.raises(AudienceError) as caught,
    ):
        client.stats("q4")
    assert caught.value.__context__ is None
    assert_absent(verbose(caught.value))


def test_no_traceback_of_a_call_that_is_cancelled(planted: dict[str, Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        token = planted.get("token", TOKEN)

        async def cancelled() -> str:
            async with connect_async(address, token=token) as client:
                asking = asyncio.create_task(client.stats("q4"))
                await asyncio.sleep(0.2)
                asking.cancel()
                with pytest.raises(asyncio.CancelledError) as caught:
                    await asking
                return verbose(caught.value)

        assert_absent(asyncio.run(cancelled()))


def test_nothing_of_a_function_that_fails(served: Served) -> None:
    def supply() -> str:
        stale = TOKEN
        raise LookupError(stale)

    with connect(served.url, token=supply) as client, pytest.raises(CredentialError) as caught:
        client.stats("q4")
    assert "LookupError in line" in str(caught.value)
    assert caught.value.__context__ is None
    assert_absent(verbose(caught.value), pickle.dumps(caught.value))


WRONG: tuple[tuple[str, dict[str, Any]], ...] = (
    ("nowhere", {"token": TOKEN}),
    (f"https://{TOKEN}@a.example", {"token": "t"}),
    (f"https://user:{TOKEN}@a.example", {}),
    ("https://a.example", {"token": TOKEN + "\n"}),
    ("https://a.example", {"token": TOKEN + "ä"}),
    ("https://a.example", {"token": TOKEN, "timeout": -1}),
    ("https://a.example", {"token": "t", "headers": {"Authorization": TOKEN}}),
    ("https://a.example", {"token": "t", "headers": {"Cookie": TOKEN}}),
    ("https://a.example", {"token": "t", "http": {"proxy": f"nonsense://u:{TOKEN}@p.example"}}),
    ("https://a.example", {"token": "t", "http": {"proxy": f"http://u:{TOKEN}@p:nan"}}),
    ("https://a.example", {"token": "t", "http": {"auth": ("user", TOKEN)}}),
    ("http://127.0.0.1", {"token": "t", "http": {"proxy": f"http://u:{TOKEN}@p.example"}}),
)


@pytest.mark.parametrize(("address", "arguments"), WRONG)
def test_no_traceback_of_a_connection_that_cannot_be(
    address: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises((AudienceError, ValueError)) as caught:
        connect(address, **arguments)
    assert_absent(verbose(caught.value), str(caught.value), pickle.dumps(caught.value))


@pytest.mark.parametrize("way", ["setting", "environment"])
def test_nothing_of_a_proxys_password(
    way: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    proxy = f"http://{PASSWORD}:{PASSWORD}@127.0.0.1:9"
    http = {"proxy": proxy} if way == "setting" else None
    if way == "environment":
        monkeypatch.setenv("HTTPS_PROXY", proxy)
    with (
        caplog.at_level(logging.DEBUG),
        connect("https://a.example", token=TOKEN, retries=0, http=http) as client,
        pytest.raises(AudienceError) as caught,
    ):
        client.stats("q4")
    shown = [verbose(caught.value), caplog.text, repr(vars(client)), repr(client.sender.options)]
    assert_absent(*shown)
    assert_absent(*shown, secret=PASSWORD)


def test_no_widget(used: Client) -> None:
    pytest.importorskip("anywidget")
    widgets = [
        al.QuestionPicker(used, value=[MEN.expression]),
        al.AudienceEditor(used, value=MEN),
        al.Crosstab(used, rows=[MEN], columns=[MEN]).wait(60),
    ]
    for widget in widgets:
        assert_absent(repr(widget), repr(widget._repr_mimebundle_()))
        assert_absent(repr(widget.get_state()), form_of(widget.get_state()))
        widget.close()


NOTEBOOK = """
import logging, os, signal, socket, threading, audiencelab as al
logging.basicConfig(level=logging.DEBUG)
client = al.connect()
%xmode Verbose
---
client, vars(client)
---
%whos
---
client.stats("nonsense")
---
client.catalogue["nonsense"]
---
client.stats("q4").to_frame()
---
men = al.Audience(name="Men", expression=al.Q("q2").any("q2_1"))
al.Crosstab(client, rows=client.catalogue.audiences("q4"), columns=[men])
---
al.QuestionPicker(client)
---
asynchronous = al.connect_async()
await asynchronous.stats("nonsense")
---
silent = socket.create_server(("127.0.0.1", 0))
supply = lambda: os.environ["AUDIENCELAB_TOKEN"]
mute = al.connect(f"http://127.0.0.1:{silent.getsockname()[1]}", token=supply)
threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
mute.stats("q4")
---
al.connect("http://research.example", token=supply).stats("q4")
---
import pickle; pickle.dumps(client)
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_no_saved_notebook(served: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AUDIENCELAB_BASE_URL", served.url)
    monkeypatch.setenv("AUDIENCELAB_TOKEN", TOKEN)
    v4 = nbformat.v4
    cells = [v4.new_code_cell(source.strip()) for source in NOTEBOOK.split("---")]
    notebook = v4.new_notebook(cells=cells)
    nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", allow_errors=True, store_widget_state=True
    ).execute()
    path = tmp_path / "canary.ipynb"
    nbformat.write(notebook, path)
    outputs = [output for cell in notebook.cells for output in cell.outputs]
    failed = [output.ename for output in outputs if output.output_type == "error"]
    assert failed == [
        "InvalidRequest",
        "UnknownCodeError",
        "InvalidRequest",
        "KeyboardInterrupt",
        "InsecureConnectionError",
        "TypeError",
    ]
    assert "widgets" in notebook.metadata
    assert_absent(path.read_bytes())

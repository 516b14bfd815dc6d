"""connect() and connect_async(): exactly one place, and errors that name the choices."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from audiencelab.client import (
    AuthenticationError,
    Client,
    ConnectionChoiceError,
    ConnectionFailed,
    CredentialError,
    InsecureConnectionError,
    NotFound,
    Secret,
    connect,
    connect_async,
)
from audiencelab.client.transports.http import check_settings
from audiencelab.service.http import serve
from audiencelab.survey import Survey, SurveyError
from tests.client.conftest import TOKEN, Served
from tests.ingest.sources import imported
from tests.messages import fails


def test_a_survey_folder_and_an_open_survey_are_the_same_place(survey: Survey) -> None:
    with connect(survey=str(survey.path)) as by_name, connect(survey=survey) as opened:
        assert len(by_name.catalogue) == len(opened.catalogue) > 0
        assert repr(by_name) == repr(opened) == "<Client of the embedded service, survey>"


def test_with_no_argument_the_environment_decides(
    survey: Survey, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIENCELAB_SURVEY", str(survey.path))
    with connect() as client:
        assert "embedded" in repr(client)
    monkeypatch.delenv("AUDIENCELAB_SURVEY")
    monkeypatch.setenv("AUDIENCELAB_BASE_URL", served.url)
    monkeypatch.setenv("AUDIENCELAB_TOKEN", TOKEN)
    with connect() as client:
        assert repr(client) == f"<Client of {served.url}>"
        assert client.questions.get("q2").name == "Gender"
    with connect(survey=survey) as client:
        assert "embedded" in repr(client)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"base_url": "https://a.example", "survey": "folder"}, "got 2: base_url and survey"),
        ({"survey": "folder", "snapshot": "file"}, "got 2: survey and snapshot"),
        ({"snapshot": "file", "token": "t"}, "a remote service, and this is a snapshot"),
        ({"snapshot": "file", "store": "charts.sqlite"}, "only applies to the embedded"),
        ({"http": {"proxy": "http://p.example"}}, "http only applies"),
        ({"survey": "folder", "token": "t"}, "token only applies"),
        ({"token": "t"}, "this is the embedded service"),
        ({"base_url": "https://a.example"}, "needs a credential"),
        ({"base_url": "https://a.example", "token": "t", "scheme": "a\nb"}, "scheme"),
        ({"base_url": "https://a.example", "token": "t", "user_agent": "ü"}, "user_agent"),
        ({"base_url": "https://a.example", "token": b"t"}, "got bytes"),
        ({"base_url": "my/survey", "token": "t"}, "survey=…"),
        ({"base_url": "ftp://a.example", "token": "t"}, "https://"),
        ({"base_url": "https://a.example:port", "token": "t"}, "colon and its number: https://"),
        ({"base_url": "https://user:hunter2@a.example", "token": "t"}, "user name or password"),
        ({"base_url": "https://a.example?key=1", "token": "t"}, "end before"),
    ],
)
def test_anything_but_one_place_is_an_error_that_says_what_to_do(
    arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(ConnectionChoiceError) as caught:
        connect(**arguments)
    assert words in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_survey_is_a_folder_an_address_or_open(tmp_path: Path) -> None:
    with pytest.raises(SurveyError):
        connect(survey=tmp_path)
    with fails(TypeError):
        connect(survey=cast(Any, 3))


def test_a_store_outlives_the_client_and_belongs_to_the_embedded_service(
    survey: Survey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = {"argument": tmp_path / "argument.sqlite", "environment": tmp_path / "env.sqlite"}
    monkeypatch.setenv("AUDIENCELAB_STORE", str(stores["environment"]))
    with fails(ValueError):
        connect(survey=survey, store=stores["argument"], retries=-1)
    assert not any(path.exists() for path in stores.values())
    given: list[dict[str, Any]] = [{"store": stores["argument"]}, {}]
    for options, others in (given, given[::-1]):
        with connect(survey=survey, **options) as client:
            chart = client.charts.create("Ages")
        with connect(survey=survey, **options) as again:
            assert again.charts.update(chart.id, name="Ages of viewers") == chart.id
        with connect(survey=survey, **others) as other, pytest.raises(NotFound):
            other.charts.update(chart.id, name="Ages")
    with connect("https://research.example", token="t"):
        pass  # the environment's store is no reason to refuse a remote service


def test_a_survey_of_ones_own_knows_its_own_locations(tmp_path: Path) -> None:
    with connect(survey=imported(tmp_path)) as client:
        assert [each.name for each in client.locations()] == ["The north", "The south"]
        assert [each.code for each in client.waves()] == ["w1", "w2"]


@pytest.mark.parametrize(
    ("options", "header"),
    [
        ({"token": TOKEN}, f"Bearer {TOKEN}"),
        ({"token": TOKEN, "scheme": None}, TOKEN),
        ({"token": lambda: TOKEN}, f"Bearer {TOKEN}"),
        ({"token": Secret(TOKEN)}, f"Bearer {TOKEN}"),
    ],
)
def test_the_token_goes_out_as_bearer_raw_or_from_a_function(
    served: Served, options: dict[str, Any], header: str
) -> None:
    with connect(served.url, **options) as client:
        client.questions.get("q2")
    assert served.authorizations[-1] == header


def test_a_client_says_how_to_connect_again_without_its_token(
    served: Served, survey: Survey, tmp_path: Path
) -> None:
    assert connect().to_code() == "al.connect()"
    with connect(survey=survey) as client, client.recording(tmp_path / "survey.jsonl"):
        assert client.to_code() == f"al.connect(survey={survey.address!r})"
        client.waves()
    with connect(snapshot=tmp_path / "survey.jsonl") as client:
        assert client.to_code() == f"al.connect(snapshot={str(tmp_path / 'survey.jsonl')!r})"
    with connect(served.url, token=TOKEN) as client:
        assert client.to_code() == f"al.connect({served.url!r})"


def test_every_place_is_there_for_await(served: Served, survey: Survey, tmp_path: Path) -> None:
    recorded = tmp_path / "gender.audiencelab.jsonl"
    with connect(survey=survey) as client, client.recording(recorded):
        name = client.questions.get("q2").name

    assert inspect.signature(connect).parameters == inspect.signature(connect_async).parameters

    async def ask(**place: Any) -> str:
        async with connect_async(**place) as client:
            return (await client.questions.get("q2")).name

    for place in (
        {"survey": survey},
        {"base_url": served.url, "token": TOKEN},
        {"snapshot": recorded},
    ):
        assert asyncio.run(ask(**place)) == name


def test_a_server_of_ones_own_needs_no_token(
    survey: Survey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with serve(survey) as url, connect(url) as client:
        assert client.questions.get("q2").name == "Gender"


def test_a_refused_token_is_told_by_where_it_came_from(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIENCELAB_TOKEN", "stale-token")
    with connect(served.url) as client, pytest.raises(AuthenticationError) as caught:
        client.stats("q4")
    assert "It came from AUDIENCELAB_TOKEN." in str(caught.value)
    assert "stale-token" not in str(caught.value)


def test_a_token_that_changes_is_asked_for_each_time(served: Served) -> None:
    # A refused token is asked for once more.
    turns = iter((TOKEN, "outdated", "outdated since"))
    with connect(served.url, token=lambda: next(turns)) as client:
        client.questions.get("q2")
        with pytest.raises(AuthenticationError):
            client.questions.get("q2")
        with fails(CredentialError):
            client.questions.get("q2")


@pytest.mark.parametrize("given", [None, b"bytes", "", "a\nb"])
def test_a_function_that_gives_no_token_is_told(served: Served, given: Any) -> None:
    with (
        connect(served.url, token=lambda: given) as client,
        pytest.raises(CredentialError, match="given to connect"),
    ):
        client.questions.get("q2")


def test_the_client_says_who_it_is_and_for_whom(served: Served) -> None:
    with connect(served.url, token=TOKEN, user_agent="my-tool/1.0") as client:
        client.questions.get("q2")
    own, name, python, library = (served.user_agents[-1] or "").split(" ")
    assert own == "my-tool/1.0"
    assert [each.partition("/")[0] for each in (name, python, library)] == [
        "audiencelab",
        "python",
        "python-httpx",
    ]


@pytest.mark.parametrize("place", ["survey", "address"])
def test_times_retries_and_headers_are_the_calls_own(
    place: str, survey: Survey, served: Served
) -> None:
    where: dict[str, Any] = (
        {"survey": survey} if place == "survey" else {"base_url": served.url, "token": TOKEN}
    )
    with connect(**where, timeout=3, deadline=None, retries=0, headers={"X-Team": "a"}) as client:
        options = client.sender.options
        assert (options.timeout, options.deadline, options.retries) == (3.0, None, 0)
        assert options.headers == {"x-team": "a"}
    for wrong, words in (
        ({"timeout": 0}, "positive"),
        ({"retries": -1}, "at least 0"),
        ({"headers": {"Authorization": "Bearer x"}}, "connect"),
        ({"headers": {"Idempotency-Key": "1"}}, "set by the client"),
    ):
        with pytest.raises(ValueError, match=words):
            connect(**where, **wrong)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"auth": ("a", "b")}, "token="),
        ({"timeout": 3}, "deadline="),
        ({"follow_redirects": True}, "redirect"),
        ({"event_hooks": {}}, "see the credential"),
        ({"transport": None}, "mounts"),
        ({"proxy_url": "http://p.example"}, "Did you mean 'proxy'"),
        ({"zzz": 1}, "It takes cert, http1"),
        ("proxy", "must map settings of httpx"),
        ({"proxy": "nonsense://user:hunter2@p.example"}, "ValueError"),
        ({"verify": "/no/such/file.pem"}, "does not accept"),
    ],
)
@pytest.mark.filterwarnings("ignore:`verify=<str>`:DeprecationWarning")
def test_settings_that_are_not_the_librarys_are_refused(
    settings: Any, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(ConnectionChoiceError) as caught:
        connect("https://a.example", token="t", http=settings)
    assert words in str(caught.value)
    assert "hunter2" not in str(caught.value) + caplog.text


@pytest.mark.parametrize("source", ["environment", "argument"])
def test_a_proxy_is_used_for_other_machines(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = "http://user:hunter2@127.0.0.1:9"
    http = {"proxy": proxy} if source == "argument" else None
    if source == "environment":
        monkeypatch.setenv("HTTPS_PROXY", proxy)
    with (
        connect("https://audiencelab.invalid", token=TOKEN, http=http, retries=0) as client,
        pytest.raises(ConnectionFailed) as caught,
    ):
        client.questions.get("q2")
    # The proxy's refusal, not the name that resolves nowhere.
    assert "refused" in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "ALL_PROXY"])
def test_no_proxy_of_the_environment_reads_what_is_meant_for_this_machine(
    served: Served, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:9")
    with connect(served.url, token=TOKEN, retries=0) as client:
        assert client.questions.get("q2").name == "Gender"


@pytest.mark.parametrize(
    ("address", "proxy", "allowed"),
    [
        ("http://127.0.0.1:1", "http://proxy.example:3128", False),
        ("http://[::1]:1", "http://proxy.example:3128", False),
        ("http://127.0.0.1:1", "http://127.0.0.1:port", False),
        ("http://127.0.0.1:1", "http://127.0.0.1:3128", True),
        ("https://127.0.0.1:1", "http://proxy.example:3128", True),
        ("http://a.example", "http://proxy.example:3128", True),
    ],
)
def test_a_distant_proxy_is_no_way_to_this_machine(address: str, proxy: str, allowed: bool) -> None:
    settings: Mapping[str, Any] = {"proxy": proxy}
    if allowed:
        assert check_settings(settings, address, allow_insecure=False) == settings
        return
    with fails(InsecureConnectionError):
        check_settings(settings, address, allow_insecure=False)
    assert check_settings(settings, address, allow_insecure=True) == settings


def test_a_client_is_not_pickled(client: Client) -> None:
    with fails(TypeError):
        client.__reduce__()

"""The life of a server: `with audiencelab.serve(…) as url`."""

from __future__ import annotations

import asyncio
import gc
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn

import audiencelab
from audiencelab import local_servers
from audiencelab.service.http import ServeError
from audiencelab.service.http.server import _listening
from audiencelab.survey import Survey
from tests.messages import fails
from tests.service.asking import TOKEN


def get(url: str, path: str, token: str | None) -> httpx.Response:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return httpx.get(url + path, headers=headers, trust_env=False, timeout=60)


def test_the_token_it_makes_is_found_by_its_own_user_and_gone_afterwards(survey: Survey) -> None:
    with audiencelab.serve(survey) as url:
        assert get(url, "/v2/questions/q2", local_servers.find_token(url)).status_code == 200
        assert get(url, "/v2/questions/q2", None).status_code == 401
    assert local_servers.find_token(url) is None


def test_it_runs_where_a_loop_runs_already(survey: Survey) -> None:
    async def cell() -> int:
        with audiencelab.serve(survey, token=TOKEN) as url:
            async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
                return (await client.get(f"{url}/health")).status_code

    assert asyncio.run(cell()) == 200


def test_leaving_ends_its_threads_and_sockets(survey: Survey) -> None:
    def once() -> None:
        with audiencelab.serve(survey, token=TOKEN) as url, ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: get(url, "/v2/questions/q2", TOKEN), range(8)))

    once()
    before = set(threading.enumerate())
    once()
    # Those that end may need a moment for it on a busy machine; those that stay would stay.
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
        assert not thread.is_alive(), thread
    gc.collect()  # under the tests' settings a socket that was left open would warn, and so fail


def test_a_port_in_use_is_told(survey: Survey) -> None:
    with audiencelab.serve(survey) as url:
        taken = urlsplit(url).port
        assert taken is not None
        with pytest.raises(ServeError, match=f"port {taken}: Address already in use"):
            audiencelab.serve(survey, port=taken).__enter__()


@pytest.mark.parametrize("port", [-1, 65_536])
def test_what_is_no_port_is_refused(survey: Survey, port: Any) -> None:
    with fails(ServeError):
        audiencelab.serve(survey, port=port).__enter__()


@pytest.mark.parametrize("host", ["a" * 64, "lab..example.org", "\udcff"])
def test_what_is_no_hosts_name_is_refused(survey: Survey, host: str) -> None:
    with fails(ServeError):
        audiencelab.serve(survey, host=host, token="of-my-own").__enter__()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_others_are_let_in_only_with_a_token_of_your_choosing(survey: Survey, host: str) -> None:
    with fails(ServeError):
        audiencelab.serve(survey, host=host).__enter__()


def test_listening_everywhere_gives_an_address_that_can_be_reached(survey: Survey) -> None:
    with audiencelab.serve(survey, host="0.0.0.0", token=TOKEN) as url:
        assert url.startswith("http://127.0.0.1:")
        assert get(url, "/health", None).status_code == 200


def test_an_answer_in_two_packets_does_not_wait_for_the_first_to_be_acknowledged() -> None:
    with _listening("127.0.0.1", 0) as listener:
        caller = socket.create_connection(listener.getsockname())
        accepted, _ = listener.accept()
        with caller, accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine knows no IPv6")
def test_version_six_of_the_address(survey: Survey) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    with audiencelab.serve(survey, host="::1") as url:
        assert url.startswith("http://[::1]:")
        assert get(url, "/v2/questions/q2", local_servers.find_token(url)).status_code == 200


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "größe"])
def test_a_token_that_fits_in_no_header_is_refused_and_not_shown(
    survey: Survey, token: str
) -> None:
    with fails(ServeError) as refusal:
        audiencelab.serve(survey, token=token).__enter__()
    assert not token or token not in str(refusal.value)


def test_a_folder_without_a_survey_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    before = threading.active_count()
    with fails(audiencelab.AudienceError):
        audiencelab.serve(tmp_path).__enter__()
    assert threading.active_count() == before


def test_a_server_that_cannot_start_is_told_and_not_waited_for(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise OSError("no more files")

    monkeypatch.setattr(uvicorn.Server, "startup", fail)
    with fails(ServeError), audiencelab.serve(survey):
        pass

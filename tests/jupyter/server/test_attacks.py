"""The extension attacked: by strangers, by other sites, by paths, by services that misbehave.

Long because everything that the server answers in this file is kept, and searched for the
credential at the end.
"""

import json
import re
import socket
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

import audiencelab as al
from audiencelab.client.credentials import DOTS
from tests.jupyter.server.jupyter import CANARY, LARGEST, World, world
from tests.waiting import wait_until

OURS = "/audiencelab/connections"
SILENCE = 5
"""Seconds: two tests wait as long, and every other service has to begin within them."""

# (method, path) of everything that the extension answers.
EVERYTHING = [
    ("GET", "/audiencelab/connections"),
    ("POST", "/audiencelab/connections/demo/check"),
    ("POST", "/audiencelab/connections/demo/ask"),
    ("GET", "/audiencelab/surveys"),
    ("POST", "/audiencelab/surveys/open"),
    ("GET", "/audiencelab/templates"),
    ("POST", "/audiencelab/templates/starter/create"),
    ("GET", "/audiencelab/connections/demo/service/v2/questions/core.q4"),
    ("POST", "/audiencelab/connections/demo/service/v2/query/stats"),
    ("PUT", "/audiencelab/connections/demo/service/v1/charts/x"),
    ("PATCH", "/audiencelab/connections/demo/service/v2/saved/audiences/x"),
]


def status(answer: bytes) -> int:
    return int(answer.split(b" ")[1]) if answer else 0


def asked_evil(there: World, mode: str) -> httpx.Response:
    return there.get(f"/connections/evil/service/v2/questions/core.{mode}")


def question(there: World, path: str, *, headers: str = "", host: str = "") -> bytes:
    """A request for a path exactly as it stands here, logged in by the token."""
    return there.raw(
        f"GET {path} HTTP/1.1\r\nHost: {host or f'127.0.0.1:{there.jupyter.port}'}\r\n"
        f"Authorization: token {there.jupyter.token}\r\n{headers}Connection: close\r\n\r\n".encode()
    )


# -- strangers and other sites -------------------------------------------------------------------


@pytest.mark.parametrize(("method", "path"), EVERYTHING)
@pytest.mark.parametrize("token", [None, "wrong"])
def test_a_stranger_is_let_in_nowhere(
    there: World, method: str, path: str, token: str | None
) -> None:
    headers = {"Authorization": f"token {token}"} if token else {}
    answer = httpx.request(method, there.jupyter.url + path, headers=headers, json={}, timeout=120)
    assert answer.status_code == 403
    assert set(answer.json()) == {"error"}


@contextmanager
def page(there: World) -> Generator[httpx.Client]:
    """A browser that has logged in, and so has cookies and sends no token by itself."""
    with httpx.Client(base_url=there.jupyter.url, timeout=120) as browser:
        browser.get("/login")  # where the cookie against cross-site requests comes from
        browser.get(f"/login?token={there.jupyter.token}")
        assert any("username" in name for name in browser.cookies)
        yield browser


@pytest.mark.parametrize(("method", "path"), EVERYTHING)
@pytest.mark.parametrize("site", ["https://evil.example", "null", None])
def test_another_site_cannot_use_the_cookies(
    there: World, method: str, path: str, site: str | None
) -> None:
    """A form or a script elsewhere: the browser sends the cookies, and not the XSRF header."""
    headers = {"Origin": site, "Referer": "https://evil.example/x"} if site else {}
    with page(there) as browser:
        answer = browser.request(method, path, headers=headers, content=b"{}")
    assert answer.status_code in (403, 404), answer.text
    assert "access-control-allow-credentials" not in answer.headers
    assert answer.headers.get("access-control-allow-origin", "") == ""
    assert not {"connections", "surveys", "templates", "question", "ok"} & set(answer.json())


def test_a_page_of_this_server_may(there: World) -> None:
    with page(there) as browser:
        same = {"Referer": there.jupyter.url + "/lab"}
        assert browser.get(OURS, headers=same).status_code == 200
        xsrf = {"X-XSRFToken": browser.cookies["_xsrf"]} | same
        checked = browser.post(f"{OURS}/demo/check", headers=xsrf, json={})
        assert checked.json()["status"] == "ready"
        wrong = {"X-XSRFToken": f"2|00000000|{'00' * 16}|0"} | same
        assert browser.post(f"{OURS}/demo/check", headers=wrong, json={}).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8888", "127.0.0.1.evil.example"])
def test_another_name_for_this_machine_is_refused(there: World, host: str) -> None:
    """A site that has its name lead to this machine (DNS rebinding)."""
    assert status(question(there, OURS, host=host)) == 403


# -- where a request goes --------------------------------------------------------------------------

ESCAPES = [
    "//evil.example/v2/questions/core.q4",
    "/http://evil.example/v2/questions/core.q4",
    "/@evil.example/v2/questions/core.q4",
    "/v2/questions/../../v1/charts",
    "/v2/questions/..",
    "/v2/questions/%2e%2e",
    "/v2/questions/%2e%2e%2fcharts",
    "/v2/questions/..%2f..%2fadmin",
    "/v2/questions/%252e%252e",
    "/v2/questions/a%2fb",
    "/v2/questions/a%5cb",
    "/v2/questions/a\\b",
    "/v2/questions/a%3fb=c",
    "/v2/questions/core.q4%00",
    "/v2/questions/core.q4%0d%0aHost:%20evil.example",
    "/v2/questions/core.q4;x/extra",
    "/v2/questions/",
    "/v2/questions",
    "/health",
    "/openapi.json",
    "/v2//questions/core.q4",
    "/V2/questions/core.q4",
    "",
    "/",
]


@pytest.mark.parametrize("path", ESCAPES)
@pytest.mark.parametrize("name", ["demo", "evil"])
def test_no_path_leads_anywhere_but_to_an_operation(there: World, name: str, path: str) -> None:
    before = len(there.evil.heads)
    answer = question(there, f"{OURS}/{name}/service{path}")
    assert status(answer) in (302, 400, 404), answer[:300]
    if status(answer) == 302:  # Jupyter takes a slash at the end away; it stays on this server
        assert re.search(rb"\r\nLocation: /audiencelab/", answer), answer[:300]
    assert len(there.evil.heads) == before


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("ada:pw@evil.example", "ada%3Apw%40evil.example"),
        ("a%23b", "a%23b"),
        ("%C3%A9t%C3%A9%20%26", "%C3%A9t%C3%A9%20%26"),
        ("core.q4;x=1", "core.q4%3Bx%3D1"),
    ],
)
def test_an_id_stays_one_whatever_stands_in_it(there: World, path: str, sent: str) -> None:
    question(there, f"{OURS}/evil/service/v2/questions/{path}")
    line = there.evil.heads[-1].splitlines()[0].decode()
    assert line == f"GET /v2/questions/{sent} HTTP/1.1"


@pytest.mark.parametrize("method", ["DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"])
def test_no_other_method_is_passed_on(there: World, method: str) -> None:
    before = len(there.evil.heads)
    url = f"{there.jupyter.url}{OURS}/evil/service/v2/questions/core.q4"
    there.asks.request(method, url)
    assert len(there.evil.heads) == before


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_absolute_form_leads_nowhere(there: World, scheme: str) -> None:
    before = len(there.evil.heads)
    target = f"{scheme}://127.0.0.1:{there.evil.url.rpartition(':')[2]}/v2/questions/core.q4"
    assert status(question(there, target)) in (400, 403, 404)
    assert len(there.evil.heads) == before


@pytest.mark.parametrize(
    "name", ["http:%2f%2f127.0.0.1", "evil.example", "..", "%2e%2e", "evil%2fservice", "demo%00"]
)
def test_no_name_is_an_address(there: World, name: str) -> None:
    before = len(there.evil.heads)
    for path in ("service/v2/questions/core.q4", "check"):
        assert status(question(there, f"{OURS}/{name}/{path}")) in (400, 404, 405)
    assert len(there.evil.heads) == before


@pytest.mark.parametrize("field", ["url", "base_url", "target", "host", "connection", "token"])
def test_nothing_in_a_body_or_query_says_where_to(there: World, field: str) -> None:
    before = len(there.evil.heads)
    body = {"op": "question", "args": {"question": "core.q4"}, field: there.evil.url}
    assert there.post("/connections/demo/ask", body).json()["ok"]
    query = {field: there.evil.url}
    there.get("/connections/demo/service/v2/questions/core.q4", params=query)
    there.post("/connections/demo/check", {field: there.evil.url})
    assert len(there.evil.heads) == before


# -- what goes with it ----------------------------------------------------------------------------


def test_of_the_browsers_headers_hardly_any_goes_on(there: World) -> None:
    sent = {
        "Cookie": "_xsrf=mine; username=ada",
        "Host": f"127.0.0.1:{there.jupyter.port}",
        "Referer": "http://localhost/lab/tree/private-name.ipynb",
        "Origin": there.jupyter.url,
        "X-Forwarded-For": "10.0.0.9",
        "X-Forwarded-Host": "evil.example",
        "X-Real-IP": "10.0.0.9",
        "Forwarded": "for=10.0.0.9",
        "Proxy-Authorization": "Basic c2VjcmV0",
        "Via": "1.1 secret-proxy",
        "User-Agent": "Secret Browser",
        "X-XSRFToken": "mine",
        "Accept-Language": "tlh",
        "Range": "bytes=0-1",
        "Idempotency-Key": "key-1",
        "X-Request-Id": "id-1",
    }
    query = {"include": "datapoints", "token": there.jupyter.token, "x": "private-name"}
    there.get("/connections/evil/service/v2/questions/core.plain", headers=sent, params=query)
    head = there.evil.heads[-1].decode()
    assert head.startswith("GET /v2/questions/core.plain?include=datapoints HTTP/1.1")
    names = {line.partition(":")[0].lower() for line in head.splitlines()[1:]}
    assert names <= {
        *("host", "accept", "accept-encoding", "connection", "user-agent", "authorization"),
        *("idempotency-key", "x-request-id"),
    }
    assert f"Authorization: Bearer {CANARY}".lower() in head.lower()
    for private in (there.jupyter.token, "private-name", "Secret", "evil.example", "10.0.0.9"):
        assert private not in head


@pytest.mark.parametrize(
    "header",
    [
        "X-Request-Id: a\r\n b: evil\r\n",
        "X-Request-Id: a\rX-Evil: 1\r\n",
        "Idempotency-Key: a\x0bb\r\n",
        "X-Request-Id: " + "a" * 5_000 + "\r\n",
        "Idempotency-Key: caf\xe9\r\n",
    ],
)
def test_no_header_can_add_another(there: World, header: str) -> None:
    before = len(there.evil.heads)
    question(there, f"{OURS}/evil/service/v2/questions/core.plain", headers=header)
    for head in there.evil.heads[before:]:  # some are refused by Jupyter itself
        assert b"x-evil" not in head.lower()
        assert b"\nb: evil" not in head
        assert b"x-request-id: a" not in head.lower()
        assert b"idempotency-key" not in head.lower()


@pytest.mark.parametrize(
    "include", ["datapoints%0d%0aX-Evil:1", "datapoints&token=x", "datapoints%26a=b", "a b"]
)
def test_no_parameter_can_add_anything(there: World, include: str) -> None:
    question(there, f"{OURS}/evil/service/v2/questions/core.plain?include={include}")
    first = there.evil.heads[-1].splitlines()[0]
    assert first in (
        b"GET /v2/questions/core.plain HTTP/1.1",
        b"GET /v2/questions/core.plain?include=datapoints HTTP/1.1",
    )
    assert b"x-evil" not in there.evil.heads[-1].lower()


def test_a_body_that_is_too_large_is_not_read(there: World) -> None:
    port, token = there.jupyter.port, there.jupyter.token
    start = (
        f"POST {OURS}/evil/service/v2/query/stats HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Authorization: token {token}\r\nContent-Type: application/json\r\n"
    ).encode()
    before = len(there.evil.heads)
    declared = there.raw(start + b"Content-Length: 99000000\r\n\r\n{")
    assert status(declared) == 413
    endless = there.raw(start + b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n{")
    assert status(endless) in (400, 413)
    with socket.create_connection(("127.0.0.1", port), timeout=60) as wire:
        wire.sendall(start + b"Transfer-Encoding: chunked\r\n\r\n")
        chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
        with suppress(ConnectionError):
            wire.sendall(chunk * 60)
        wire.settimeout(60)
        with suppress(ConnectionError):
            assert status(wire.recv(65_536)) in (0, 400, 413)
    assert len(there.evil.heads) == before


def test_a_question_that_is_too_large_is_not_read(there: World) -> None:
    answer = there.post("/connections/demo/ask", {"op": "code", "args": {"x": "x" * 1_000_000}})
    assert answer.status_code == 413


def test_a_body_goes_on_as_it_came(there: World) -> None:
    body = {"question": "é\u2028\U0001f600"}
    there.post("/connections/evil/service/v2/query/stats", body)
    assert json.loads(there.evil.bodies[-1]) == body


# -- what comes back ------------------------------------------------------------------------------


def test_a_redirect_is_not_followed(there: World) -> None:
    answer = asked_evil(there, "redirect")
    assert answer.status_code == 502
    assert "location" not in answer.headers
    assert "redirects are not followed" in answer.json()["error"]["message"]
    assert not any(b"/caught" in head for head in there.evil.heads)


@pytest.mark.parametrize("mode", ["page", "picture", "untyped", "refused-with-a-page"])
def test_what_a_browser_might_run_is_not_passed_on(there: World, mode: str) -> None:
    answer = asked_evil(there, mode)
    assert answer.status_code == 502
    assert answer.headers["content-type"] == "application/json"
    assert "<" not in answer.text


def test_of_the_services_headers_hardly_any_comes_back(there: World) -> None:
    answer = asked_evil(there, "heads")
    assert answer.status_code == 200
    headers = answer.headers
    assert headers["x-ratelimit-remaining"] == "7"
    assert headers["x-request-id"] == "abc-1"
    assert "theirs" not in str(headers)
    assert headers["content-security-policy"] == (
        "default-src 'none'; frame-ancestors 'none'; sandbox"
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers.get("access-control-allow-origin", "") == ""
    gone = {"x-forwarded-host", "www-authenticate", "link", "clear-site-data", "refresh"}
    assert not gone & set(headers)
    assert "evil" not in str(headers)
    assert "x-leak" not in asked_evil(there, "echo-in-a-header").headers
    assert asked_evil(there, "echo-in-a-body").json() == {"sent": DOTS}


def test_an_answer_without_an_end_or_that_unpacks_to_a_huge_one_is_cut_off(there: World) -> None:
    assert asked_evil(there, "bomb").status_code == 502
    there.evil.cut_off.clear()
    with pytest.raises(httpx.RemoteProtocolError):
        asked_evil(there, "huge")
    wait_until(there.evil.cut_off.is_set)


def test_a_service_that_says_nothing_is_given_up(there: World) -> None:
    there.evil.cut_off.clear()
    assert asked_evil(there, "silent").status_code == 504
    there.evil.cut_off.set()


@pytest.mark.parametrize("mode", ["stalls", "breaks"])
def test_half_an_answer_is_not_taken_for_a_whole(there: World, mode: str) -> None:
    there.evil.cut_off.clear()
    with pytest.raises(httpx.RemoteProtocolError):
        asked_evil(there, mode)
    there.evil.cut_off.set()


def test_when_the_browser_goes_away_the_service_is_let_go(there: World) -> None:
    there.evil.cut_off.clear()
    path = "/connections/evil/service/v2/questions/core.slowly"
    with there.asks.stream("GET", path) as answer:
        next(answer.iter_raw())
    wait_until(there.evil.cut_off.is_set)


def test_a_browser_that_does_not_read_slows_the_service_down(there: World) -> None:
    """What is on its way stays small, however much the service would say."""
    there.evil.cut_off.clear()
    with socket.socket() as wire:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        wire.connect(("127.0.0.1", there.jupyter.port))
        there.evil.poured = 0
        wire.sendall(
            f"GET {OURS}/evil/service/v2/questions/core.huge HTTP/1.1\r\n"
            f"Host: 127.0.0.1:{there.jupyter.port}\r\n"
            f"Authorization: token {there.jupyter.token}\r\n\r\n".encode()
        )
        assert wire.recv(100).startswith(b"HTTP/1.1 200")
        poured = -1
        while poured != there.evil.poured:
            poured = there.evil.poured
            time.sleep(0.5)
        # Buffers are full, and nobody was cut off for saying too much.
        assert 0 < poured < LARGEST
        assert not there.evil.cut_off.is_set()
    wait_until(there.evil.cut_off.is_set)


def test_too_many_at_once_are_asked_to_come_again(there: World) -> None:
    path = "/connections/evil/service/v2/questions/core.slowly"
    there.evil.cut_off.clear()
    streams = [there.asks.stream("GET", path) for _ in range(8)]
    answers = [stream.__enter__() for stream in streams]
    try:
        assert {answer.status_code for answer in answers} == {200}
        refused = there.get(path)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert there.get("/connections").status_code == 200
    finally:
        for stream in streams:
            stream.__exit__(None, None, None)
    wait_until(lambda: asked_evil(there, "plain").status_code == 200)


# -- the disk -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../outside/survey",
        "surveys/../../outside/survey",
        "/etc",
        "link",
        "surveys/up/survey",
        ".hidden/survey",
        "surveys/./.hidden",
        "",
        ".",
        "surveys\\mine",
        "surveys/mine\0",
        "~/survey",
        "broken",
        "s3://bucket/survey",
        "file:///etc",
        "http://127.0.0.1/survey",
    ],
)
def test_no_survey_outside_the_servers_folder_is_opened(there: World, path: str) -> None:
    answer = there.post("/surveys/open", {"path": path})
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] in ("OutsideRoot", "SurveyError")


def test_a_survey_is_opened_by_a_relative_path_alone(there: World) -> None:
    for path in (str(there.outside / "survey"), str(al.demo_survey().path)):
        answer = there.post("/surveys/open", {"path": path})
        assert answer.json()["error"]["type"] == "OutsideRoot"
    for body in ({}, {"path": 3}, {"path": ["surveys"]}):
        answer = there.post("/surveys/open", body)
        assert answer.status_code == 400
        assert answer.json()["error"]["message"] == "path says which folder."
    found = there.get("/surveys").json()["surveys"]  # neither by a link nor in a hidden folder
    assert [each["path"] for each in found] == ["surveys/mine"]


@pytest.mark.parametrize(
    "folder", ["..", "../outside", "/..", "surveys/../..", "link", "surveys/up", ".hidden", "nope"]
)
def test_no_notebook_is_written_outside_the_servers_folder(there: World, folder: str) -> None:
    before = sorted(_notebooks(there.jupyter.home.parent))
    answer = there.post("/templates/starter/create", {"folder": folder, "connection": "demo"})
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "NoFolder")
    assert sorted(_notebooks(there.jupyter.home.parent)) == before


def _notebooks(folder: Path) -> list[Path]:
    return list(folder.rglob("*.ipynb"))


@pytest.mark.parametrize("name", ["..%2f..%2fetc%2fpasswd", "%2e%2e", "starter.ipynb", "x%00"])
def test_no_template_is_a_path(there: World, name: str) -> None:
    answer = there.raw(
        f"POST /audiencelab/templates/{name}/create HTTP/1.1\r\nContent-Length: 2\r\n"
        f"Host: 127.0.0.1:{there.jupyter.port}\r\n"
        f"Authorization: token {there.jupyter.token}\r\nConnection: close\r\n\r\n{{}}".encode()
    )
    assert status(answer) in (400, 404)


@pytest.mark.parametrize("body", [b"[]", b"1", b"{", b"\xff", b"[" * 100_000, b'{"op": 3}'])
def test_a_body_that_is_none_is_refused_in_words(there: World, body: bytes) -> None:
    answer = there.asks.post("/connections/demo/ask", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"]


# -- the end --------------------------------------------------------------------------------------


def test_where_nothing_is_to_be_passed_on_nothing_is(tmp_path: Path) -> None:
    with world(tmp_path, proxy=False) as closed:
        answer = closed.get("/connections/demo/service/v2/questions/core.q4")
        assert answer.status_code == 403
        assert "c.AudienceLab.proxy" in answer.json()["error"]["message"]
        assert closed.ask("demo", "question", question="core.q4")["ok"]


def test_the_credential_was_said_nowhere(there: World) -> None:
    """Last, so that everything above has happened: in no answer, and in no line of the log."""
    for name in ("evil", "gone"):
        there.post(f"/connections/{name}/check")
        there.ask(name, "catalogue", start=0)
    # It was sent where it belongs, or nothing would have been shown here.
    assert any(CANARY.encode() in head for head in there.evil.heads)
    log = there.jupyter.log_text()
    for secret in (CANARY, "right-token-77"):
        assert secret not in log
        assert not any(secret.encode() in answer for answer in there.seen)
    assert "Traceback" not in log

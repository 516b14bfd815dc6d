"""`audiencelab serve`, the real command in a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from audiencelab import local_servers
from audiencelab.cli import main
from audiencelab.survey import Survey

CANARY = "canary-7f3a9d"


@contextmanager
def command(*arguments: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "audiencelab", "serve", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().removesuffix("\n")


def get(url: str, path: str, token: str | None = None) -> httpx.Response:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return httpx.get(url + path, headers=headers, trust_env=False, timeout=60)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_the_first_line_is_an_address_that_answers_and_a_signal_ends_it_cleanly(
    survey: Survey, ending: signal.Signals
) -> None:
    with command("--survey", str(survey.path)) as process:
        url = address(process)
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
        token = local_servers.find_token(url)
        assert token is not None
        assert get(url, "/v2/questions/q2", token).status_code == 200
        process.send_signal(ending)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert str(local_servers.token_path(url)) in err
    assert token not in err
    assert "Traceback" not in err
    assert local_servers.find_token(url) is None


def until_it_takes_no_more(url: str) -> None:
    with suppress(httpx.TransportError):
        while True:
            get(url, "/health")


@contextmanager
def half_sent(url: str, token: str) -> Iterator[socket.socket]:
    """A connection whose request the server is waiting for the end of."""
    place = urlsplit(url)
    lines = ["POST /v2/query/stats HTTP/1.1", "Host: x", f"Authorization: Bearer {token}"]
    length = len(b'{"question": "q2"}')
    sent = "\r\n".join([*lines, f"Content-Length: {length}", "", '{"question"'])
    with socket.create_connection((place.hostname, place.port), timeout=60) as connection:
        connection.sendall(sent.encode())
        yield connection


def test_an_answer_under_way_is_finished(survey: Survey) -> None:
    with command("--survey", str(survey.path), "--token", CANARY) as process:
        url = address(process)
        with half_sent(url, CANARY) as connection:
            # Another request, answered, proves that the server has seen the first.
            assert get(url, "/health").status_code == 200
            process.send_signal(signal.SIGTERM)
            until_it_takes_no_more(url)
            connection.sendall(b': "q2"}')
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert answer.endswith(b"0\r\n\r\n")
        process.communicate(timeout=60)
    assert process.returncode == 0


def test_a_second_signal_ends_it_at_once(survey: Survey) -> None:
    with command("--survey", str(survey.path), "--token", CANARY) as process:
        url = address(process)
        with half_sent(url, CANARY):
            assert get(url, "/health").status_code == 200
            process.send_signal(signal.SIGTERM)
            until_it_takes_no_more(url)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)  # the grace period is longer
    assert process.returncode == -signal.SIGTERM


@pytest.mark.parametrize("way", ["--token-file", "--token", "environment"])
def test_a_token_of_your_own_is_asked_for_and_shown_nowhere(
    survey: Survey, way: str, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.touch(0o600)
    file.write_text(CANARY + "\n")
    arguments = {"--token-file": [way, str(file)], "--token": [way, CANARY]}.get(way, [])
    environment = {"AUDIENCELAB_TOKEN": CANARY} if way == "environment" else {}
    with command("--survey", str(survey.path), *arguments, **environment) as process:
        url = address(process)
        assert get(url, "/v2/questions/q2", CANARY).status_code == 200
        assert get(url, "/v2/questions/q2", "another").status_code == 401
        assert local_servers.find_token(url) is None
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert CANARY not in out + err


def test_a_rate_limit_is_kept(survey: Survey) -> None:
    options = ["--survey", str(survey.path), "--token", CANARY, "--rate-limit", "0.001"]
    with command(*options) as process:
        url = address(process)
        answers = [get(url, "/v2/questions/q2", CANARY) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 429]
        assert int(answers[1].headers["retry-after"]) > 0
        assert get(url, "/health").status_code == 200


def test_a_chart_outlives_the_server_in_its_store(survey: Survey, tmp_path: Path) -> None:
    options = [
        "--survey",
        str(survey.path),
        "--token",
        CANARY,
        "--store",
        str(tmp_path / "kept.db"),
    ]
    sent = {"headers": {"Authorization": f"Bearer {CANARY}"}, "trust_env": False, "timeout": 60}
    with command(*options) as process:
        url = address(process)
        made = httpx.post(f"{url}/v1/charts", json={"name": "Kept"}, **sent).json()["id"]
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    with command(*options) as process:
        url = address(process)
        again = httpx.put(f"{url}/v1/charts/{made}", json={"color": "red"}, **sent)
        assert again.json() == made


def test_listening_to_others_is_warned_of(survey: Survey) -> None:
    with command("--survey", str(survey.path), "--host", "0.0.0.0", "--token", CANARY) as process:
        url = address(process)
        assert get(url, "/health").status_code == 200
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert "plain HTTP" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--host", "0.0.0.0"], "a token that you chose"),
        (["--rate-limit", "0"], "a rate must be a number above 0"),
        (["--rate-limit", "inf"], "a rate must be a number above 0"),
        (["--port", "99999"], "port must be from 0"),
        (["--host", "nowhere.invalid", "--token", CANARY], "Cannot listen on nowhere.invalid"),
        (["--survey", "no-such-folder"], "no-such-folder"),
        (["--token-file", "no-such-file"], "no-such-file"),
        (["--token", "a", "--token-file", "b"], "not allowed with"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    survey: Survey,
    arguments: list[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AUDIENCELAB_TOKEN", "")
    default = [] if "--survey" in arguments else ["--survey", str(survey.path)]
    code = main(["serve", *default, *arguments])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1
    assert CANARY not in err


def test_a_file_without_a_token_is_told_and_not_taken_for_an_empty_one(
    survey: Survey, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "token"
    file.touch(0o600)
    file.write_text(" \n")
    assert main(["serve", "--survey", str(survey.path), "--token-file", str(file)]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", f"audiencelab: {file} contains no token.\n")


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
def test_a_token_file_that_others_can_read_is_refused(
    survey: Survey, tmp_path: Path, capsys: pytest.CaptureFixture[str], mode: int
) -> None:
    file = tmp_path / "token"
    file.write_text(CANARY)
    file.chmod(mode)
    assert main(["serve", "--survey", str(survey.path), "--token-file", str(file)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert f"chmod 600 '{file}'" in told.err
    assert CANARY not in told.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--survey", "no\x1b[2J\x1b]0;title\x07\u202esuch-folder"],
        ["--host", "\x1b[2Jnowhere.invalid", "--token", CANARY],
        ["--token-file", "no\x1b[2J\x9bsuch-file"],
        ["--scheduler", "\x1b]8;;http://x.example\x07nonsense"],
        ["--nonsense\x1b[2J"],
    ],
)
def test_nothing_that_acts_on_a_terminal_is_written_to_it(
    survey: Survey, capfd: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    default = [] if "--survey" in arguments else ["--survey", str(survey.path)]
    with suppress(SystemExit):
        main(["serve", *default, *arguments])
    told = capfd.readouterr()
    assert told.err
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", told.out + told.err
    )


def test_credentials_are_made_listed_and_revoked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "team.toml")
    assert main(["credentials", "add", file, "ana@example.org", "--write"]) == 0
    assert main(["credentials", "add", file, "reports"]) == 0
    assert main(["credentials", "add", file, "reports"]) == 0
    first, second, third = capsys.readouterr().out.split()
    assert len({first, second, third}) == 3
    assert not any(token in Path(file).read_text() for token in (first, second, third))
    with command("--credentials", file) as process:
        url = address(process)

        def statuses(*tokens: str) -> list[int]:
            return [get(url, "/v2/questions/q2", token).status_code for token in tokens]

        assert statuses(first, second, third, "other") == [200, 200, 200, 401]
        assert main(["credentials", "revoke", file, "reports", "--old"]) == 0
        assert statuses(second, third) == [401, 200]
        assert main(["credentials", "revoke", file, "ana@example.org"]) == 0
        assert statuses(first) == [401]
    assert main(["credentials", "list", file]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["reports", "read", "1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["revoke", "FILE", "nobody"], "has no credential 'nobody'. It has: reports."),
        (["add", "FILE", "two words"], "takes 1 to 128 letters, digits"),
        (["add", "FILE", "reports", "--write"], "reports may only read."),
        (["list", "nowhere.toml"], "There is no file nowhere.toml"),
    ],
)
def test_what_is_wrong_with_credentials_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    file = str(tmp_path / "team.toml")
    assert main(["credentials", "add", file, "reports"]) == 0
    assert main(["credentials", *(file if each == "FILE" else each for each in arguments)]) == 2
    assert message in capsys.readouterr().err


def logged(file: Path) -> str:
    """The path of the request in a log, once its line is there: it follows the answer."""
    for _ in range(1_000):
        if file.exists() and (line := file.read_text()):
            return json.loads(line)["path"]
        time.sleep(0.01)
    raise AssertionError(f"{file} stays empty")


def test_the_log_of_requests_is_a_file_that_may_be_rotated(survey: Survey, tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    with command("--survey", str(survey.path), "--access-log", str(log)) as process:
        url = address(process)
        get(url, "/v2/questions/q2")
        assert logged(log) == "/v2/questions/q2"
        log.rename(tmp_path / "access.log.1")
        get(url, "/v2/questions/q4")
        assert logged(log) == "/v2/questions/q4"


def test_a_file_is_served_as_it_is_read_for_a_table(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text("age,tea\n" + "31,yes\n47,no\n" * 20)
    with command(str(file), AUDIENCELAB_CACHE=str(tmp_path / "cache")) as process:
        url = address(process)
        assert get(url, "/v2/questions/tea", local_servers.find_token(url)).status_code == 200
    assert main(["serve", str(file), "--survey", "other"]) == 2
    assert main(["serve", str(file.with_name("answer.csv"))]) == 2

"""Named credentials: who may read, who may write, and what changes while the service runs."""

from __future__ import annotations

import base64
import json
import logging
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from audiencelab.service import Service
from audiencelab.service.credentials import (
    AnyCredentials,
    Credential,
    CredentialsError,
    CredentialsFile,
    OpenIdIssuer,
    digest_of,
    read_credentials,
    write_credentials,
)
from audiencelab.survey import Survey
from tests.service.asking import ask

QUESTION, CHARTS = "/v2/questions/core.q2", "/v1/charts"
CHART = {"name": "Chart"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "team.toml"
    write_credentials(
        path,
        {
            "ana@example.org": Credential([digest_of("ana-token")], "write"),
            "reports": Credential([digest_of("reports-token")]),
        },
    )
    return path


@pytest.fixture
def service(survey: Survey, file: Path) -> Iterator[Service]:
    with Service(survey, CredentialsFile(file)) as service:
        yield service


def statuses(service: Service, token: str) -> tuple[int, int]:
    """Of a read and of a write."""
    read = ask(service, "GET", QUESTION, token=token).status
    return read, ask(service, "POST", CHARTS, CHART, token=token).status


def test_rights_are_those_of_the_file(service: Service) -> None:
    assert statuses(service, "ana-token") == (200, 200)
    assert statuses(service, "reports-token") == (200, 403)
    assert statuses(service, "other") == (401, 401)


def test_a_write_without_rights_is_refused_before_its_body_is_read(service: Service) -> None:
    answer = ask(service, "POST", CHARTS, b"{", token="reports-token")
    assert answer.status == 403
    assert "may read" in answer.json["detail"]


def test_tokens_are_revoked_and_rotated_while_the_service_runs(
    service: Service, file: Path
) -> None:
    known = read_credentials(file)
    known["ana@example.org"].sha256.append(digest_of("ana-new"))
    del known["reports"]
    write_credentials(file, known)
    assert statuses(service, "ana-token") == statuses(service, "ana-new") == (200, 200)
    assert statuses(service, "reports-token") == (401, 401)
    known["ana@example.org"].sha256.pop(0)
    write_credentials(file, known)
    assert statuses(service, "ana-token") == (401, 401)
    assert statuses(service, "ana-new") == (200, 200)


@pytest.mark.parametrize("text", ["[ana", '[ana]\nsha256 = ["short"]', "[ana]\nrights = 'all'"])
def test_a_broken_file_changes_nothing_while_the_service_runs(
    service: Service, file: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    file.write_text(text)
    assert statuses(service, "ana-token") == (200, 200)
    assert str(file) in caplog.text


def test_a_file_that_is_gone_changes_nothing(service: Service, file: Path) -> None:
    file.unlink()
    assert statuses(service, "ana-token") == (200, 200)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[ana", "is not a file of credentials"),
        ('[ana]\nsha256 = ["short"]', "is not a file of credentials"),
        ('[ana]\nsha256 = []\nrights = "admin"', "rights"),
        ("[ana]\ntoken = 'x'", "token"),
    ],
)
def test_a_broken_file_is_refused_at_the_start(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "broken.toml"
    path.write_text(text)
    with pytest.raises(CredentialsError, match=message):
        CredentialsFile(path)
    with pytest.raises(CredentialsError, match="There is no file"):
        CredentialsFile(tmp_path / "nowhere.toml")


@pytest.mark.parametrize("name", ["", "two words", 'a"]\n[b', "x" * 129])
def test_a_name_that_could_break_the_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CredentialsError, match="name of a credential"):
        write_credentials(tmp_path / "team.toml", {name: Credential([])})
    assert not list(tmp_path.iterdir())


def test_only_this_user_may_read_the_file(file: Path) -> None:
    assert file.stat().st_mode & 0o077 == 0


def test_a_chart_has_its_creator_as_owner(service: Service, file: Path) -> None:
    known = read_credentials(file)
    write_credentials(file, known | {"bea": Credential([digest_of("bea-token")], "write")})
    ids = {
        token: ask(service, "POST", CHARTS, CHART, token=token).json["id"]
        for token in ("ana-token", "bea-token")
    }
    again = ask(service, "POST", CHARTS, CHART, token="ana-token").json["id"]
    ana, bea = (service.chart(ids[token]) for token in ("ana-token", "bea-token"))
    assert ana.owner_id == service.chart(again).owner_id != bea.owner_id
    assert (ana.owner_email, bea.owner_email) == ("ana@example.org", None)


def test_keys_against_repetition_are_apart_for_each_caller(service: Service, file: Path) -> None:
    known = read_credentials(file)
    write_credentials(file, known | {"bea": Credential([digest_of("bea-token")], "write")})
    headers = {"Idempotency-Key": "first"}
    made = [
        ask(service, "POST", CHARTS, CHART, token=token, headers=headers).json["id"]
        for token in ("ana-token", "bea-token", "ana-token")
    ]
    assert made[0] == made[2] != made[1]


# OpenID Connect

AUDIENCE = "audiencelab"


class Issuer:
    """An issuer on this machine: its discovery document and its keys, by HTTP."""

    def __init__(self) -> None:
        self.keys = {"first": ec.generate_private_key(ec.SECP256R1())}
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                documents: dict[str, Any] = {
                    "/.well-known/openid-configuration": {"jwks_uri": f"{issuer.url}/keys"},
                    "/keys": {"keys": [issuer.public(name) for name in issuer.keys]},
                }
                body = json.dumps(documents.get(self.path, {})).encode()
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def public(self, name: str) -> dict[str, Any]:
        key = self.keys[name].public_key()
        found = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(key))
        return found | {"kid": name, "use": "sig", "alg": "ES256"}

    def token(self, key: str = "first", **claims: Any) -> str:
        payload = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": "1234",
            "exp": datetime.now(UTC) + timedelta(hours=1),
        } | claims
        given = {name: value for name, value in payload.items() if value is not None}
        return jwt.encode(given, self.keys[key], "ES256", headers={"kid": key})


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    issuer = Issuer()
    thread = threading.Thread(target=issuer.server.serve_forever)
    thread.start()
    yield issuer
    issuer.server.shutdown()
    issuer.server.server_close()
    thread.join()


@pytest.fixture
def guarded(survey: Survey, issuer: Issuer) -> Iterator[Service]:
    with Service(survey, OpenIdIssuer(issuer.url, AUDIENCE)) as service:
        yield service


@pytest.mark.parametrize(
    "claims",
    [
        {"scope": "openid audiencelab:write"},
        {"scp": ["audiencelab:write"]},
        {"roles": ["other", "audiencelab:write"]},
    ],
)
def test_a_scope_or_a_role_lets_write(guarded: Service, issuer: Issuer, claims: Any) -> None:
    assert statuses(guarded, issuer.token()) == (200, 403)
    assert statuses(guarded, issuer.token(**claims)) == (200, 200)


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "another"},
        {"iss": "https://another.example.org"},
        {"exp": datetime.now(UTC) - timedelta(minutes=5)},
        {"exp": None},
        {"sub": None},
        {"nbf": datetime.now(UTC) + timedelta(hours=1)},
    ],
)
def test_a_token_for_others_or_out_of_its_time_is_refused(
    guarded: Service, issuer: Issuer, claims: Any
) -> None:
    assert statuses(guarded, issuer.token(**claims)) == (401, 401)


def test_tokens_that_the_issuer_did_not_sign_are_refused(
    guarded: Service, issuer: Issuer, caplog: pytest.LogCaptureFixture
) -> None:
    stranger = Issuer()
    stranger.server.server_close()
    payload = {"iss": issuer.url, "aud": AUDIENCE, "sub": "1", "exp": 4_000_000_000}
    public = base64.b64decode(issuer.public("first")["x"] + "==", altchars=b"-_")
    forged = [
        stranger.token(iss=issuer.url),
        jwt.encode(payload, public, "HS256", headers={"kid": "first"}),
        jwt.encode(payload, None, "none", headers={"kid": "first"}),
        jwt.encode(payload, stranger.keys["first"], "ES256", headers={"kid": "unknown"}),
        "no.json.web-token",
    ]
    with caplog.at_level(logging.ERROR):
        assert [statuses(guarded, token) for token in forged] == [(401, 401)] * len(forged)
    assert not caplog.records


def test_an_issuer_that_does_not_answer_is_named_at_the_start() -> None:
    gone = Issuer()
    gone.server.server_close()
    with pytest.raises(CredentialsError, match="does not name the keys"):
        OpenIdIssuer(gone.url, AUDIENCE)


def test_a_file_and_an_issuer_go_together(survey: Survey, file: Path, issuer: Issuer) -> None:
    both = AnyCredentials([CredentialsFile(file), OpenIdIssuer(issuer.url, AUDIENCE)])
    with Service(survey, both) as service:
        assert statuses(service, "ana-token") == (200, 200)
        assert statuses(service, issuer.token()) == (200, 403)
        assert statuses(service, "other") == (401, 401)

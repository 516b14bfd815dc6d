"""A small survey, the embedded service over it, and the same service behind a real socket."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from audiencelab.client import Client, connect
from audiencelab.client.operations import profile, tab_book
from audiencelab.service import Request, Response, Service
from audiencelab.service.http import running, serve
from audiencelab.survey import Survey
from tests.client.odd_services import Opened, opening
from tests.service.surveys import build_survey

TOKEN = "canary-7d1f0c6b4e"

SETTINGS = ("BASE_URL", "TOKEN", "SURVEY", "SNAPSHOT", "STORE", "TOKEN_FILE")
PROXIES = ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Whatever the machine and its user are set to, these tests start from nothing.

    Gives the user's folder of settings, empty.
    """
    for name in SETTINGS:
        monkeypatch.delenv(f"AUDIENCELAB_{name}", raising=False)
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    # Somebody may run the tests at a terminal, and is not to be asked for tokens there.
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    folder = tmp_path_factory.mktemp("settings")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    return folder / "audiencelab"


@pytest.fixture
def short_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """A profile and a tab book of a few rows take several requests, as large ones do."""
    for module in (profile, tab_book):
        monkeypatch.setattr(module, "_MOST_ROWS", 2)


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Opens a client of a service that answers by a handler."""
    with opening() as open_client:
        yield open_client


@pytest.fixture(scope="session")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    return build_survey(tmp_path_factory.mktemp("client") / "survey")


@pytest.fixture(scope="session")
def client(survey: Survey) -> Iterator[Client]:
    with connect(survey=survey) as connected:
        yield connected


@dataclass
class Served:
    """A running service: its address, and what came in its requests' headers, the latest last."""

    url: str
    authorizations: list[str | None]
    user_agents: list[str | None]


@pytest.fixture(scope="session")
def served(survey: Survey) -> Iterator[Served]:
    """The service behind a socket of this machine."""
    authorizations: list[str | None] = []
    user_agents: list[str | None] = []

    class AttentiveService(Service):
        def handle(self, request: Request) -> Response:
            authorizations.append(request.headers.get("authorization"))
            user_agents.append(request.headers.get("user-agent"))
            return super().handle(request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "Service", AttentiveService)
        with serve(survey, token=TOKEN) as url:
            yield Served(url, authorizations, user_agents)


@pytest.fixture(scope="session")
def distant(served: Served) -> Iterator[Client]:
    """A client of the same survey over HTTP."""
    with connect(served.url, token=TOKEN) as connected:
        yield connected


@pytest.fixture(params=["client", "distant"])
def any_client(request: pytest.FixtureRequest) -> Client:
    """Both of them, one after the other."""
    return request.getfixturevalue(request.param)

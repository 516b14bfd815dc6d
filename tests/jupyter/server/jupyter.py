"""A real Jupyter server with the extension, and what surrounds it: surveys, deployments, tokens."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

import audiencelab as al
from tests.browser.server import LabServer
from tests.jupyter.server.misbehaving import Deployment, misbehaving

CANARY = "canary-6f2c91d4e8"

# Ours alone: the others take seconds to start.
EXTENSIONS = {
    **dict.fromkeys(("jupyterlab", "notebook", "notebook_shim", "jupyter_lsp"), False),
    "jupyter_server_terminals": False,
    "audiencelab.jupyter.server": True,
}

LARGEST = 20_000_000


class Jupyter(LabServer):
    """The server alone, without a face; knows the connections of the test.

    configured: `c.AudienceLab.connections`. named: the contents of the user's own file.
    silence: `c.AudienceLab.timeout`, in seconds.
    """

    def __init__(
        self,
        home: Path,
        *,
        configured: dict[str, object],
        named: str,
        tokens: str,
        proxy: bool,
        silence: float,
    ) -> None:
        super().__init__(home)
        self._app = "jupyter_server"
        self._configured = configured
        self._named = named
        self._tokens = tokens
        self._proxy = proxy
        self._silence = silence

    def _write_configuration(self) -> None:
        super()._write_configuration()
        with (self.home / "config.py").open("a") as config:
            config.write(f"c.AudienceLab.connections = {self._configured!r}\n")
            config.write(f"c.AudienceLab.proxy = {self._proxy!r}\n")
            config.write(f"c.AudienceLab.timeout = {self._silence}\n")
            config.write(f"c.AudienceLab.largest_answer = {LARGEST}\n")
            config.write("c.ServerApp.log_level = 'DEBUG'\n")
            config.write(f"c.ServerApp.jpserver_extensions = {EXTENSIONS!r}\n")
        (self.home / "connections.toml").write_text(self._named)
        tokens = self.home / "tokens.toml"
        tokens.write_text(self._tokens)
        tokens.chmod(0o600)

    def _environment(self) -> dict[str, str]:
        return super()._environment() | {
            "AUDIENCELAB_CONNECTIONS": str(self.home / "connections.toml"),
            "AUDIENCELAB_TOKEN_FILE": str(self.home / "tokens.toml"),
        }


@dataclass
class World:
    """The server, and the deployment that misbehaves.

    asks: a client that is logged in by the token. seen: every answer that it got, as bytes.
    """

    jupyter: Jupyter
    evil: Deployment
    outside: Path
    seen: list[bytes] = field(default_factory=list[bytes])

    def __post_init__(self) -> None:
        self.asks = httpx.Client(
            base_url=f"{self.jupyter.url}/audiencelab",
            headers={"Authorization": f"token {self.jupyter.token}"},
            timeout=120,
            event_hooks={"response": [self._see]},
        )

    def _see(self, response: httpx.Response) -> None:
        self.seen.append(repr(response.headers.raw).encode())

    def get(self, path: str, **options) -> httpx.Response:
        return self._kept(self.asks.get(path, **options))

    def post(self, path: str, body: object = None, **options) -> httpx.Response:
        return self._kept(self.asks.post(path, json={} if body is None else body, **options))

    def ask(self, connection: str, op: str, **args: object) -> dict:
        return self.post(f"/connections/{connection}/ask", {"op": op, "args": args}).json()

    def raw(self, request: bytes) -> bytes:
        """What the server answers to these very bytes, which ask it to hang up."""
        with socket.create_connection(("127.0.0.1", self.jupyter.port), timeout=60) as wire:
            wire.sendall(request)
            found = b""
            while chunk := wire.recv(65_536):
                found += chunk
        self.seen.append(found)
        return found

    def _kept(self, response: httpx.Response) -> httpx.Response:
        self.seen.append(response.content)
        return response


@contextmanager
def world(home: Path, *, proxy: bool = True, silence: float = 60) -> Generator[World]:
    """A Jupyter server in `home`, and connections of every kind to ask."""
    outside = home / "outside"
    shutil.copytree(al.demo_survey().path, outside / "survey")
    with misbehaving() as evil, al.serve(token="right-token-77") as team:
        jupyter = Jupyter(
            home / "jupyter",
            configured={"survey": str(outside / "survey"), "team": {"url": team, "title": "Team"}},
            named=f'[evil]\nurl = "{evil.url}"\n'
            '[tokenless]\nurl = "https://tokenless.example"\n'
            '[gone]\nurl = "http://127.0.0.1:9"\n',
            tokens=f'"{team}" = "right-token-77"\n"{evil.url}" = "{CANARY}"\n'
            f'"http://127.0.0.1:9" = "{CANARY}"\n',
            proxy=proxy,
            silence=silence,
        )
        jupyter.home.mkdir()
        jupyter.start()
        made = World(jupyter, evil, outside)
        try:
            yield made
        finally:
            made.asks.close()
            jupyter.stop()


def put_surveys(made: World) -> None:
    """Surveys below the server's folder, and things that look like some."""
    root = made.jupyter.notebooks
    shutil.copytree(al.demo_survey().path, root / "surveys" / "mine")
    shutil.copytree(al.demo_survey().path, root / ".hidden" / "survey")
    (root / "link").symlink_to(made.outside / "survey", target_is_directory=True)
    (root / "surveys" / "up").symlink_to(made.outside, target_is_directory=True)
    (root / "broken").mkdir()
    (root / "broken" / "panel.json").write_text(json.dumps({"format": "something else"}))

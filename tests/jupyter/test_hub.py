"""A JupyterHub on this machine whose users ask one service, each with a token of their own."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

import audiencelab
from audiencelab.service.credentials import Credential, digest_of, write_credentials

pytest.importorskip("jupyterhub", reason="jupyterhub is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not shutil.which("configurable-http-proxy"),
        reason="configurable-http-proxy is not installed (npm install -g configurable-http-proxy)",
    ),
]

DOCS = Path(__file__).parents[2] / "docs"
CONFIG, HOW_TO = DOCS / "deploy" / "jupyterhub_config.py", DOCS / "how-to" / "deploy.md"
ADMIN = "token-of-the-test"
USERS = {"ana": "ana-canary", "bea": "bea-canary"}


def ports(count: int) -> list[int]:
    """Free ports, all different."""
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    found = [each.getsockname()[1] for each in listeners]
    for each in listeners:
        each.close()
    return found


@contextmanager
def hub(service: str, folder: Path) -> Iterator[httpx.Client]:
    """A hub with the configuration of the docs, asked by an administrator."""
    tokens = folder / "tokens"
    tokens.mkdir()
    for user, token in USERS.items():
        (tokens / user).write_text(token + "\n")
    text = CONFIG.read_text()
    for known, here in {
        "https://survey.example.org": service,
        "/etc/jupyterhub/audiencelab-tokens": str(tokens),
    }.items():
        assert known in text
        text = text.replace(known, here)
    [connections] = re.findall(
        r"^c\.AudienceLab\.connections = .*$", HOW_TO.read_text(), re.MULTILINE
    )
    (folder / "etc").mkdir()
    (folder / "etc" / "jupyter_server_config.py").write_text(
        "c = get_config()\n" + connections.replace("https://survey.example.org", service) + "\n"
    )
    public, api, inner = ports(3)
    text += f"""
c.JupyterHub.bind_url = "http://127.0.0.1:{public}"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{inner}"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api}"
c.JupyterHub.authenticator_class = "dummy"
c.JupyterHub.spawner_class = "simple"
c.Authenticator.allow_all = True
c.Spawner.args = ["--allow-root"]
c.Spawner.http_timeout = c.Spawner.start_timeout = 180
c.Spawner.environment = {{"JUPYTER_CONFIG_PATH": {str(folder / "etc")!r}}}
c.JupyterHub.services = [{{"name": "test", "api_token": {ADMIN!r}}}]
c.JupyterHub.load_roles = [{{"name": "test", "services": ["test"],
    "scopes": ["admin:users", "admin:servers", "access:servers"]}}]
"""
    config = folder / "jupyterhub_config.py"
    config.write_text(text)
    home = {name: str(folder / name) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
    binaries = str(Path(sys.executable).parent)
    environment = {
        **{name: value for name, value in os.environ.items() if "AUDIENCELAB" not in name},
        **home,
        "PATH": f"{binaries}:{os.environ['PATH']}",
        "CONFIGPROXY_AUTH_TOKEN": "of-the-proxy",
    }
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(
            [sys.executable, "-m", "jupyterhub", "--config", str(config)],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=log,
        ) as process,
        httpx.Client(
            base_url=f"http://127.0.0.1:{public}",
            headers={"Authorization": f"token {ADMIN}"},
            trust_env=False,
            timeout=60,
        ) as http,
    ):
        try:
            until(lambda: http.get("/hub/api/").status_code == 200, folder)
            yield http
        finally:
            process.terminate()


def until(holds: object, folder: Path) -> None:
    deadline = time.monotonic() + 240
    while True:
        try:
            if holds():  # type: ignore[operator]
                return
        except httpx.TransportError:
            pass
        assert time.monotonic() < deadline, (folder / "log").read_text()[-3000:]
        time.sleep(0.5)


def test_each_user_of_a_hub_asks_the_service_in_their_own_name(tmp_path: Path) -> None:
    team = tmp_path / "team.toml"
    write_credentials(team, {user: Credential([digest_of(token)]) for user, token in USERS.items()})
    with audiencelab.serve(credentials=team) as service, hub(service, tmp_path) as http:
        for user in USERS:
            assert http.post(f"/hub/api/users/{user}").status_code == 201
            assert http.post(f"/hub/api/users/{user}/server").status_code in (201, 202)
        for user in USERS:
            server = f"/user/{user}/audiencelab/connections"
            until(lambda at=server: http.get(at).status_code == 200, tmp_path)
            listed = http.get(server).json()
            found = {each["name"]: each for each in listed["connections"]}
            assert listed["default"] == "environment"
            assert found["team"]["title"] == "Team survey"
            for name in ("environment", "team"):
                checked = http.post(f"{server}/{name}/check").json()
                assert checked["status"] == "ready", checked
        # Without ana's credential the service still knows bea, and only her.
        write_credentials(team, {"bea": Credential([digest_of(USERS["bea"])])})
        outcomes = {
            user: http.post(f"/user/{user}/audiencelab/connections/team/check").json()["status"]
            for user in USERS
        }
        assert outcomes == {"ana": "refused", "bea": "ready"}
        answers = http.get("/user/bea/audiencelab/connections").text
    assert not any(token in answers for token in USERS.values())
    assert not any(token in (tmp_path / "log").read_text() for token in USERS.values())

"""A JupyterLab server that is isolated from the configuration of its machine.

All its folders (configuration, data, runtime, workspaces, settings, IPython) are new ones, so
neither the developer's extensions nor their settings can make a test pass or fail.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Literal

import httpx
from ipykernel.kernelspec import write_kernel_spec

import audiencelab
from tests.browser.ports import free_port

START_SECONDS = 270
# A kernel that computes is given some time to end, and a busy machine takes its own.
ANSWER_SECONDS = 120

CONFIG = """
c = get_config()
c.ServerApp.ip = "127.0.0.1"
c.ServerApp.port = {port}
c.ServerApp.port_retries = 0
c.ServerApp.open_browser = False
c.ServerApp.allow_root = True
c.ServerApp.root_dir = {root!r}
c.IdentityProvider.token = {token!r}
c.LabApp.expose_app_in_browser = True
c.JupyterNotebookApp.expose_app_in_browser = True
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabApp.extension_manager = "readonly"
"""

# windowingMode: every cell is in the page, also the ones out of sight.
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
    },
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
}

# Else every page that opens has the server start Node, to ask whether Lab wants to be built again.
PAGE = {"buildAvailable": False, "buildCheck": False}


class LabServer:
    """One JupyterLab on a free loopback port, serving `notebooks`.

    app: which of Jupyter's faces; Notebook 7 is made of the same parts.
    python: the interpreter whose JupyterLab and kernel it is; by default the one that runs this.
    settings: of Lab's plugins, by their names, over those that tests need.
    """

    def __init__(
        self,
        home: Path,
        *,
        app: Literal["jupyterlab", "notebook"] = "jupyterlab",
        python: str | Path = sys.executable,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.home = home
        self._app = app
        self._python = str(python)
        self._settings = SETTINGS | dict(settings or {})
        self.notebooks = home / "notebooks"
        self.token = secrets.token_hex(16)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = home / "jupyterlab.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._kernels: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._write_configuration()
        with self.log.open("wb") as log:
            if hasattr(os, "fork") and (self._app, self._python) == ("jupyterlab", sys.executable):
                self._fork_kernels(log)
            self._process = subprocess.Popen(
                [self._python, "-m", self._app, f"--config={self.home / 'config.py'}"],
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._environment(),
                cwd=self.home,
            )
        self._wait_until_up()

    def stop(self) -> None:
        """End the server, and with it every kernel."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._kernels is not None:
            self._kernels.terminate()
            self._kernels.wait()

    def api(self, method: str, path: str) -> httpx.Response:
        """Call the server's own REST interface."""
        response = httpx.request(
            method,
            f"{self.url}/api/{path}",
            headers={"Authorization": f"token {self.token}"},
            timeout=ANSWER_SECONDS,
        )
        response.raise_for_status()
        return response

    def run(self, *arguments: str) -> str:
        """What a command of ours says, run as its user would in a terminal."""
        return subprocess.run(
            [self._python, "-m", "audiencelab", *arguments],
            env=self._environment(),
            cwd=self.home,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    def forget(self, *folders: str) -> None:
        """End all kernels, and drop what pages stored, and these folders: a test is to start."""
        for session in self.api("GET", "sessions").json():
            self._end(session["id"])
        for folder in ("workspaces", "settings", *folders):
            shutil.rmtree(self.home / folder, ignore_errors=True)
        # What a page saved while it was closed may have kept it from being removed.
        self.notebooks.mkdir(exist_ok=True)

    def _end(self, session: str) -> None:
        try:
            self.api("DELETE", f"sessions/{session}")
        except httpx.HTTPStatusError as error:
            # It may have ended by itself since it was listed.
            if error.response.status_code != httpx.codes.NOT_FOUND:
                raise

    def log_text(self) -> str:
        """All that the server has logged."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def _write_configuration(self) -> None:
        self.notebooks.mkdir()
        config = CONFIG.format(port=self.port, root=str(self.notebooks), token=self.token)
        (self.home / "config.py").write_text(config, encoding="utf-8")
        folder = self.home / "config" / "labconfig"
        folder.mkdir(parents=True)
        if self._python == sys.executable:
            # The extension of the package that is tested, wherever that is.
            extensions = self.home / "forked" / "labextensions"
            extensions.mkdir(parents=True)
            built = Path(audiencelab.__file__).parent / "jupyter" / "labextension"
            (extensions / "audiencelab").symlink_to(built)
        for name, values in (("default_setting_overrides", self._settings), ("page_config", PAGE)):
            (folder / f"{name}.json").write_text(json.dumps(values), encoding="utf-8")

    def _fork_kernels(self, log: IO[bytes]) -> None:
        """Have the kernels be those of `kernels.py`."""
        program = str(Path(__file__).with_name("kernels.py"))
        # Without the environment's packages: it starts in a tenth of the time.
        launcher = [self._python, "-I", "-S", program, str(self.home), "{connection_file}"]
        folder = self.home / "forked" / "kernels" / "python3"
        folder.parent.mkdir(parents=True)
        write_kernel_spec(folder, overrides={"argv": launcher})
        self._kernels = subprocess.Popen(
            [self._python, program],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=self._environment(),
            cwd=self.home,
        )

    def _environment(self) -> dict[str, str]:
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("JUPYTER", "AUDIENCELAB_", "IPYTHON", "PYTEST"))
        }
        folders = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_PATH": "forked",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "IPYTHONDIR": "ipython",
            "AUDIENCELAB_CONNECTIONS": "connections.toml",
            "AUDIENCELAB_TOKEN_FILE": "tokens.toml",
        }
        ours = {name: str(self.home / folder) for name, folder in folders.items()}
        return inherited | ours | {"JUPYTER_PREFER_ENV_PATH": "1"}

    def _wait_until_up(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError(f"JupyterLab ended at once:\n{self.log_text()}")
            try:
                self.api("GET", "status")
            except httpx.HTTPError:
                time.sleep(0.1)
            else:
                return
        raise RuntimeError(f"JupyterLab did not answer:\n{self.log_text()}")

"""Try the widgets in other hosts: `python -m tests.hosts`, or some hosts by name.

Each host is installed in an environment of its own with the wheel, started, and opened in Chromium
by a first visitor, again after a reload, and by a second visitor. The network ends at this machine;
what a host loads from a CDN comes from the same packages of npm. `--write` keeps the table for the
guide. Ends with 1 if anything failed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx
import platformdirs
from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import CHROMIUM_OPTIONS, find_chromium
from tests.browser.ports import free_port
from tests.elsewhere.environment import CannotBeHad, build_wheel
from tests.hosts.cdn import serve_packages
from tests.hosts.environment import Environment
from tests.hosts.hosts import HOSTS, Host
from tests.hosts.jupyter import notebook, try_lab
from tests.hosts.table import Found, table
from tests.hosts.visits import LIVE, SAVED, Heard, Visit, Visitor, click, look

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "docs" / "figures" / "hosts.md"
APPS = Path(__file__).with_name("apps")
SECONDS = 60
HEARD = "heard.jsonl"
# Else marimo's editor waits for a click on each cell.
SETTINGS = "[tool.marimo.runtime]\nauto_instantiate = true\n"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hosts", description=__doc__)
    parser.add_argument("hosts", nargs="*", help="parts of the names of hosts, such as marimo")
    parser.add_argument("--write", action="store_true", help="keep the table for the guide")
    cache = Path(platformdirs.user_cache_dir("audiencelab-hosts"))
    parser.add_argument("--folder", type=Path, default=cache, help="of environments and packages")
    parser.add_argument("--pictures", type=Path, default=ROOT / ".artifacts" / "hosts")
    parser.add_argument("--wheel", type=Path, help="of the package, instead of building it")
    parser.add_argument("--seconds", type=float, default=60, help="to wait for what is drawn")
    options = parser.parse_args(arguments)
    asked = [each.casefold() for each in options.hosts]
    hosts = [h for h in HOSTS if not asked or any(a in h.name.casefold() for a in asked)]
    if not hosts:
        parser.error("no such host; there are " + ", ".join(host.name for host in HOSTS))
    wheel = options.wheel or build_wheel(ROOT, options.folder / "dist")
    options.pictures.mkdir(parents=True, exist_ok=True)
    found: list[Found] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=CHROMIUM_OPTIONS, headless=True
        )
        for host in hosts:
            print(f"\n== {host.name} ==", flush=True)
            found.append(Trial(host, browser, options).run(wheel))
            (options.pictures / "hosts.md").write_text(table(found), encoding="utf-8")
            if options.write:
                TABLE.write_text(table(found), encoding="utf-8")
        browser.close()
    print("\n" + table(found))
    return int(any(each.failed for each in found))


class Trial:
    """One host, tried from its environment to the last visitor."""

    def __init__(self, host: Host, browser: Browser, options: argparse.Namespace) -> None:
        self._host = host
        self._browser = browser
        self._folder: Path = options.folder
        self._pictures: Path = options.pictures
        self._seconds: float = options.seconds
        self._work = self._folder / "work" / _plain(host.name)
        self._environment = Environment(host.environment, host.requirements, self._folder)

    def run(self, wheel: Path) -> Found:
        """All visits; what goes wrong outside of them is the fault of one called "start"."""
        found = Found(self._host, datetime.now(UTC).date())
        shutil.rmtree(self._work, ignore_errors=True)
        shutil.copytree(APPS, self._work)
        (self._work / "pyproject.toml").write_text(SETTINGS)
        try:
            self._environment.make(wheel)
            found.versions = self._environment.versions(self._host.packages)
            for visit in self._visits():
                found.visits.append(visit)
                print(f"{visit.name}: {'; '.join(visit.faults) or 'good'}", flush=True)
                print(f"  drawn in {visit.seconds:.1f} s, reached: {visit.reached}", flush=True)
                if visit.refused:
                    print(f"  asked of others: {sorted(set(visit.refused))[:5]}", flush=True)
        except CannotBeHad as error:
            found.missing = str(error)
            print(f"skipped: {error}", flush=True)
        except Exception as error:
            traceback.print_exc()
            found.visits.append(Visit("start", [f"{type(error).__name__}: {error}"[:300]]))
        return found

    def _visits(self) -> Iterator[Visit]:
        match self._host.way:
            case "lab":
                python = self._environment.python
                yield from try_lab(
                    self._host, python, self._work, self._come, self._picture, self._seconds
                )
            case "app":
                yield from self._visit_app()
            case "written":
                yield from self._visit_written()

    def _visit_app(self) -> Iterator[Visit]:
        port = free_port()
        address = f"http://127.0.0.1:{port}/{self._host.page}"
        with self._server(port):
            first = self._come("visitor 1", "light")
            first.page.goto(address, timeout=SECONDS * 1000)
            yield self._seen(first)

            first.visit = Visit("reload")
            first.page.reload(timeout=SECONDS * 1000)
            yield self._seen(first)

            if self._host.alone:
                first.leave()
            second = self._come("visitor 2", "dark")
            second.page.goto(address + self._host.dark, timeout=SECONDS * 1000)
            yield self._seen(second)
            second.leave()
            if not self._host.alone:
                first.leave()

    def _seen(self, visitor: Visitor) -> Visit:
        look(visitor, LIVE, seconds=self._seconds)
        click(visitor, Heard(self._work / HEARD))
        self._picture(visitor)
        return visitor.visit

    def _visit_written(self) -> Iterator[Visit]:
        self._write()
        address = (self._work / self._host.page).as_uri()
        for name, colours in (("visitor 1", "light"), ("visitor 2", "dark")):
            visitor = self._come(name, colours)
            visitor.page.goto(address, timeout=SECONDS * 1000)
            look(visitor, SAVED, seconds=self._seconds)
            self._picture(visitor)
            visitor.leave()
            yield visitor.visit

    def _write(self) -> None:
        if self._host.app == "book":
            book = self._work / "book"
            book.mkdir()
            for file in APPS.glob("*.py"):
                shutil.copy(file, book)
            notebook(book)
            (book / "_config.yml").write_text(
                "title: Hosts\nexecute:\n  execute_notebooks: force\n"
            )
            (book / "_toc.yml").write_text("format: jb-book\nroot: notebook\n")
        else:
            notebook(self._work)
        done = subprocess.run(
            self._command(0),
            cwd=self._work,
            env=self._variables(),
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode(errors="replace")[-1000:])
        page = self._work / self._host.page
        # Of a minified file, which the package of npm does not have.
        page.write_text(re.sub(r'\sintegrity="[^"]*"', "", page.read_text("utf-8")), "utf-8")

    def _command(self, port: int) -> list[str]:
        app = "notebook.ipynb" if self._host.app == "notebook" else self._host.app
        arguments = [each.format(port=port, app=app) for each in self._host.command]
        return [str(self._environment.python), *arguments]

    def _variables(self) -> dict[str, str]:
        strange = ("PYTHON", "VIRTUAL_ENV", "JUPYTER", "IPYTHON", "PYTEST", "AUDIENCELAB")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(strange)}
        binaries = self._environment.python.parent
        kept["PATH"] = f"{binaries}{os.pathsep}{kept.get('PATH', '')}"
        kept["HOME"] = kept["XDG_CONFIG_HOME"] = str(self._work)  # Nothing of the user's settings.
        kept["JUPYTER_PREFER_ENV_PATH"] = "1"
        # Its own copies of a CDN's files are of another version.
        kept["SOLARA_ASSETS_PROXY"] = "False"
        kept["AUDIENCELAB_HEARD"] = str(self._work / HEARD)
        return kept

    @contextmanager
    def _server(self, port: int) -> Iterator[None]:
        if self._host.app == "notebook":
            notebook(self._work)
        log = self._work / "log.txt"
        with log.open("wb") as written:
            server = subprocess.Popen(
                self._command(port),
                cwd=self._work,
                env=self._variables(),
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=subprocess.STDOUT,
            )
        try:
            deadline = time.monotonic() + SECONDS
            while True:
                try:
                    httpx.get(f"http://127.0.0.1:{port}/", timeout=SECONDS)
                    break
                except httpx.HTTPError:
                    if server.poll() is not None or time.monotonic() > deadline:
                        said = log.read_text(errors="replace")[-1000:]
                        raise RuntimeError(f"it did not start: {said}") from None
                    time.sleep(0.2)
            yield
        finally:
            server.terminate()
            try:
                server.wait(timeout=15)
            except subprocess.TimeoutExpired:
                server.kill()

    def _come(self, name: str, colours: str) -> Visitor:
        """A visitor in a browser of their own."""
        context = self._browser.new_context(
            viewport={"width": 1300, "height": 2400},
            color_scheme="dark" if colours == "dark" else "light",
        )
        visit = Visit(name)
        visit.refused = serve_packages(context, self._folder)
        return Visitor(context, visit, self._host.own_faults)

    def _picture(self, visitor: Visitor) -> None:
        name = f"{_plain(self._host.name)}-{_plain(visitor.visit.name)}.png"
        path = self._pictures / name
        visitor.page.screenshot(path=path, full_page=True, animations="disabled")


def _plain(name: str) -> str:
    return "-".join(name.casefold().replace(",", "").split())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

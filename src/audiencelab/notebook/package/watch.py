"""Notes what a notebook that is packaged needs: files, packages, and what its client asks.

It runs in the notebook's kernel, begun by a startup file (`startup`), so that no cell is changed.
"""

from __future__ import annotations

import atexit
import importlib.metadata
import json
import os
import platform
import re
import site
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from audiencelab._version import __version__
from audiencelab.files import cache_folder

VARIABLE = "AUDIENCELAB_PACKAGING"
"""The variable of the kernel that holds the `Settings`."""

STARTUP = (
    "from audiencelab.notebook.package import watch as _audiencelab_watch\n"
    "_audiencelab_watch.begin()\n"
    "del _audiencelab_watch\n"
)
"""The startup file of the kernel."""

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")


class Settings(msgspec.Struct, frozen=True):
    """What is noted. folder: which files; log: where; cells: how many code cells there are.

    snapshot: the file that the notebook's client is recorded into; "" for none.
    codebooks: whether the codebooks of surveys that it imports are noted.
    """

    folder: str
    log: str
    cells: int
    snapshot: str = ""
    codebooks: bool = False


class CellFiles(msgspec.Struct, frozen=True):
    """The files that a cell read, with absolute paths.

    read: those in the folder that no cell has changed yet. outside: those elsewhere that belong to
    no program.
    """

    read: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()


class Watched(msgspec.Struct, frozen=True):
    """What a run of a notebook did.

    cells: its files, cell by cell. packages: the versions of what ran, by name. local: packages
    that were not installed from an index. machine: the system that it ran on.
    recorded: how many responses the snapshot holds. clients: how many clients of surveys and
    services there were, without the demo survey and snapshots; services: the addresses of those.
    codebooks: of the surveys that were imported, by the name of their source. personal: their
    columns of open answers, those that no question uses, and questions that may name people.
    """

    cells: tuple[CellFiles, ...] = ()
    packages: dict[str, str] = {}
    local: tuple[str, ...] = ()
    python: str = ""
    machine: str = ""
    recorded: int = 0
    clients: int = 0
    services: tuple[str, ...] = ()
    codebooks: dict[str, str] = {}
    personal: dict[str, tuple[str, ...]] = {}


def begin() -> None:
    """Note what the kernel does from now on, as `VARIABLE` says."""
    settings = msgspec.json.decode(os.environ.pop(VARIABLE), type=Settings)
    os.environ.pop("PYTHONSTARTUP", None)
    from IPython.core.getipython import get_ipython

    watch = _Watch(settings)
    sys.addaudithook(watch.hear)
    events: Any = get_ipython().events  # pyright: ignore[reportOptionalMemberAccess] -- in a kernel
    events.register("pre_run_cell", watch.before)
    events.register("post_run_cell", watch.after)
    atexit.register(watch.write)


class _Watch:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = Path(settings.folder)
        self._programs = tuple(_program_folders())
        self._opened: dict[str, None] = {}
        self._cells: list[CellFiles] = []
        self._known = _state(self._folder)
        for path in self._folder.rglob("*"):
            if path.is_file():
                # An access time of long before shows who reads the file, whatever library does.
                os.utime(path, ns=(0, path.stat().st_mtime_ns))
        self._clients = _Clients(settings)

    def hear(self, event: str, given: tuple[Any, ...]) -> None:
        """An audit hook: keep the paths of files that are opened to be read."""
        if event != "open" or not isinstance(given[0], str | bytes):
            return
        flags = given[2] if isinstance(given[2], int) else 0
        if not flags & (os.O_WRONLY | os.O_CREAT | os.O_TRUNC):
            try:
                self._opened.setdefault(os.path.abspath(os.fsdecode(given[0])))  # noqa: PTH100 -- without links resolved
            except (OSError, ValueError):
                return

    def before(self, *_: object) -> None:
        self._opened.clear()

    def after(self, *_: object) -> None:
        now = _state(self._folder)
        same = [path for path, state in self._known.items() if now.get(path) == state]
        opened = [*self._opened]
        outside = [
            path
            for path in opened
            if not path.startswith((self._settings.folder + os.sep, *self._programs))
            and os.path.isfile(path)  # noqa: PTH113 -- as fast as it can be
        ]
        read = [path for path in same if path in self._opened or _was_read(path)]
        self._cells.append(CellFiles(tuple(read), tuple(outside)))
        if len(self._cells) >= self._settings.cells:
            self.write()

    def write(self) -> None:
        """Write what was noted so far."""
        self._clients.save()
        packages, local = _packages()
        found = Watched(
            cells=tuple(self._cells),
            packages=packages,
            local=local,
            python=platform.python_version(),
            machine=" ".join((platform.system(), platform.machine())),
            recorded=self._clients.recorded,
            clients=len(self._clients.own),
            services=tuple(each.place for each in self._clients.own if not each.embedded),
            codebooks=self._clients.codebooks() if self._settings.codebooks else {},
            personal=self._clients.personal() if self._settings.codebooks else {},
        )
        Path(self._settings.log).write_bytes(msgspec.json.encode(found))


class _Clients:
    """The clients that the notebook makes; the first one is recorded where that is asked for."""

    def __init__(self, settings: Settings) -> None:
        from audiencelab.client.client import Client

        self._settings = settings
        self.own: list[Any] = []
        self._recording: Any = None
        self.recorded = 0
        made = Client.__init__

        def make(client: Client, *given: Any, **named: Any) -> None:
            made(client, *given, **named)
            self._add(client.sender.context)

        setattr(Client, "__init__", make)  # noqa: B010 -- as no type of a class allows

    def _add(self, context: Any) -> None:
        from audiencelab.client.context import DEMO_PLACE
        from audiencelab.client.snapshots.recording import Recording

        is_demo = context.embedded and context.place == DEMO_PLACE
        if is_demo or context.snapshot is not None or any(each is context for each in self.own):
            return
        self.own.append(context)
        if self._settings.snapshot and self._recording is None:
            self._recording = Recording(self._settings.snapshot, context).start()

    def save(self) -> None:
        """Write the snapshot, if anything was recorded since."""
        if self._recording is None or not len(self._recording):
            return
        self.recorded = len(self._recording)
        self._recording.save()

    def codebooks(self) -> dict[str, str]:
        from audiencelab.ingest.codebook_files import codebook_toml
        from audiencelab.ingest.kept import codebook_of

        return {name: codebook_toml(codebook_of(each)) for name, each in self._imported().items()}

    def personal(self) -> dict[str, tuple[str, ...]]:
        from audiencelab.notebook.check_people import names_people

        found: dict[str, tuple[str, ...]] = {}
        for name, survey in self._imported().items():
            report: dict[str, Any] = survey.import_report or {}
            sources: list[dict[str, Any]] = report.get("sources", [])
            columns = [each.name for each in survey.texts if not each.is_key]
            columns += [column for each in sources for column in each.get("unused_columns", ())]
            named = [each.name for each in survey.catalogue.questions if names_people(each.name)]
            if listed := tuple(dict.fromkeys([*columns, *named])):
                found[name] = listed
        return found

    def _imported(self) -> dict[str, Any]:
        """The surveys that were imported, by the name of their source."""
        return {
            each.source.name or "frame": each.service.survey
            for each in reversed(self.own)
            if each.service is not None and each.source is not None and each.source.card
        }


def _state(folder: Path) -> dict[str, tuple[int, int]]:
    """When each file of a folder was changed, and its size."""
    found: dict[str, tuple[int, int]] = {}
    for path in folder.rglob("*"):
        try:
            state = path.stat()
        except OSError:
            continue
        if path.is_file():
            found[str(path)] = (state.st_mtime_ns, state.st_size)
    return found


def _was_read(path: str) -> bool:
    """Whether a file was read since the notebook began, where the file system notes it."""
    return os.stat(path).st_atime_ns > 0  # noqa: PTH116 -- as fast as it can be


def _program_folders() -> Iterable[str]:
    """The folders whose files belong to the system, to Python, or to the user's settings."""
    home = str(Path.home())
    folders = [sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values()]
    folders += [*site.getsitepackages(), site.getusersitepackages(), tempfile.gettempdir()]
    folders += [str(Path(__file__).parents[2]), str(cache_folder())]
    folders += ["/usr", "/etc", "/proc", "/sys", "/dev", "/lib", "/lib64", "/opt", "/var", "/run"]
    folders += ["/System", "/Library", os.environ.get("SYSTEMROOT", ""), f"{home}/Library"]
    return {f"{folder}{os.sep}" for folder in folders if folder} | {f"{home}{os.sep}."}


def _packages() -> tuple[dict[str, str], tuple[str, ...]]:
    """The versions of the packages that are loaded, with those that they need; and local ones."""
    of_module = importlib.metadata.packages_distributions()
    loaded = {name.partition(".")[0] for name in [*sys.modules]}
    wanted = {name for module in loaded for name in of_module.get(module, ())}
    found = {"audiencelab": __version__}
    local: list[str] = []
    # `audiencelab verify` needs these, whatever the notebook does.
    waiting = [("audiencelab", frozenset({"lab"})), *((name, frozenset[str]()) for name in wanted)]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, extras = waiting.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if (key, extras) in seen:
            continue
        seen.add((key, extras))
        try:
            known = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # for another system, or not needed here
        if key != "audiencelab":
            found[key] = known.version
        if _is_local(known):
            local.append(key)
        for line in known.requires or ():
            marker = _EXTRA.search(line)
            if marker is not None and marker[1] not in extras:
                continue
            if needed := _REQUIREMENT.match(line):
                chosen = re.match(r"\s*[\w.-]+\s*\[([^\]]*)\]", line)
                names = frozenset(each.strip() for each in chosen[1].split(",")) if chosen else ()
                waiting.append((needed[1], frozenset(names)))
    return dict(sorted(found.items())), tuple(sorted({*local}))


def _is_local(known: importlib.metadata.Distribution) -> bool:
    """Whether a package was installed from a folder, a file or a repository."""
    written = known.read_text("direct_url.json")
    return bool(written) and bool(json.loads(written or "{}").get("url"))

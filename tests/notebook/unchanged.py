"""One notebook received in other places and environments where nothing it counts has changed.

`python -m tests.notebook.unchanged OUT` makes the environments in OUT (minutes, from PyPI), runs
the notebook of `coffee` as its author, lets each receiver verify it, and writes OUT/unchanged.md.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.elsewhere.environment import UV, build_wheel, find_python
from tests.notebook import coffee

__all__ = ["GERMAN", "RECEIVERS", "Receiver", "shuffle_rows"]

ROOT = Path(__file__).parents[2]
SANITIZED = ROOT / "tests" / "nbval.cfg"


def shuffle_rows(folder: Path) -> None:
    """The same respondents in another order."""
    path = folder / "kahve.csv"
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    random.Random(1).shuffle(rows)
    path.write_text("\n".join([header, *rows, ""]), encoding="utf-8", newline="\n")


@dataclass(frozen=True, slots=True)
class Receiver:
    """Who verifies the notebook, and what is other there than at its author's.

    variables: of the environment. change: of the received folder. patch: whether audiencelab is
    a patch version later. writable: whether the folder may be written to.
    """

    name: str
    folder: str = "kahve"
    python: str = "3.11"
    pandas: str = "3"
    variables: dict[str, str] = field(default_factory=dict[str, str])
    change: Callable[[Path], None] | None = None
    patch: bool = False
    writable: bool = True
    nbval: bool = False

    @property
    def environment(self) -> str:
        return f"env-{self.python}-pandas{self.pandas}{'-patch' * self.patch}"


EXECUTE = ("jupyter", "execute", "--inplace", "kahve.ipynb")
AUTHOR = Receiver("the author")
GERMAN = {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "LANGUAGE": "de"}
OTHER_USER = {"USER": "ayşe", "LOGNAME": "ayşe", "HOME": "/tmp/ayşe's home"}
RECEIVERS = (
    Receiver("the same place"),
    Receiver("folder Prüfung Ö 1", folder="Prüfung Ö 1"),
    Receiver("German locale", variables=GERMAN),
    Receiver("time zone of Kathmandu", variables={"TZ": "Asia/Kathmandu"}),
    Receiver("a year later", variables={"SOURCE_DATE_EPOCH": "1830000000"}),
    Receiver("rows shuffled", change=shuffle_rows),
    Receiver("another user", variables=OTHER_USER),
    Receiver("read-only folder", writable=False),
    Receiver("Python 3.12", python="3.12"),
    Receiver("Python 3.13", python="3.13"),
    Receiver("pandas 2.2", python="3.12", pandas="2.2"),
    Receiver("patch version", patch=True),
    Receiver(
        "all of it",
        folder="Prüfung Ö 2",
        python="3.13",
        pandas="2.2",
        variables={**GERMAN, **OTHER_USER, "TZ": "Asia/Kathmandu"},
        change=shuffle_rows,
        patch=True,
    ),
    Receiver("nbval", nbval=True),
    Receiver("nbval elsewhere", "Prüfung Ö 3", "3.13", variables=GERMAN, nbval=True),
)


def _patched(wheel: Path, folder: Path) -> Path:
    """The wheel as a patch version would be."""
    name, version, rest = wheel.name.split("-", 2)
    release = re.match(r"\d+\.\d+\.\d+", version)
    assert release
    later = f"{release[0].rpartition('.')[0]}.{int(release[0].rpartition('.')[2]) + 1}"
    path = folder / f"{name}-{later}-{rest}"
    with zipfile.ZipFile(wheel) as read, zipfile.ZipFile(path, "w") as write:
        for member in read.infolist():
            data = read.read(member)
            if member.filename.endswith(("_version.py", "METADATA", "RECORD")):
                data = data.replace(version.encode(), later.encode())
            write.writestr(member.filename.replace(f"-{version}.", f"-{later}."), data)
    return path


def _make(receiver: Receiver, out: Path, wheel: Path) -> Path:
    """The Python of a receiver's environment, made if it is not there yet."""
    folder = out / receiver.environment
    python = folder / "bin" / "python"
    if not python.exists():
        interpreter = find_python(receiver.python)
        subprocess.run([*UV, "venv", "-p", interpreter, str(folder)], check=True)
    given = f"{_patched(wheel, out) if receiver.patch else wheel}[all]"
    pins = ["nbval", "pytest", f"pandas=={receiver.pandas}.*"]
    installed = [*UV, "pip", "install", "--reinstall-package", "audiencelab"]
    subprocess.run([*installed, "--python", str(python), given, *pins], check=True)
    return python


def _variables(receiver: Receiver, python: Path) -> dict[str, str]:
    strange = ("PYTHON", "VIRTUAL_ENV", "JUPYTER", "IPYTHON", "PYTEST", "AUDIENCELAB")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(strange)}
    path = f"{python.parent}{os.pathsep}{kept.get('PATH', '')}"
    if home := receiver.variables.get("HOME"):
        Path(home).mkdir(exist_ok=True)
    return {**kept, "PATH": path, **receiver.variables}


def _run(receiver: Receiver, python: Path, folder: Path, *command: str) -> tuple[int, str]:
    words = [str(python), "-m", *command]
    if not receiver.writable:
        # Permissions do not bind the root user, a read-only mount does.
        mount = f'mount --bind "{folder}" "{folder}" && mount -o remount,bind,ro "{folder}"'
        words = ["unshare", "-m", "sh", "-c", f'{mount} && cd "{folder}" && "$@"', "sh", *words]
    done = subprocess.run(
        words,
        cwd=folder,
        env=_variables(receiver, python),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout or done.stderr


def _verified(receiver: Receiver, python: Path, folder: Path) -> tuple[int, str]:
    """The exit code, and what was found in a line."""
    if receiver.nbval:
        options = ["--nbval", "--nbval-current-env", "--nbval-sanitize-with", str(SANITIZED)]
        pytest = ("pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider")
        code, said = _run(receiver, python, folder, *pytest, *options, "kahve.ipynb")
        return code, said.strip().splitlines()[-1]
    code, said = _run(receiver, python, folder, "audiencelab", "verify", "kahve.ipynb", "--json")
    if not said.startswith("["):
        return code, said.strip().splitlines()[-1]
    [found] = json.loads(said)
    (folder.parent / f"{receiver.name}.json").write_text(said, encoding="utf-8")
    states = [cell["state"] for cell in found["cells"]]
    counts = {state: states.count(state) for state in dict.fromkeys(states)}
    return code, ", ".join(f"{count} {state}" for state, count in counts.items())


def main(out: Path, wheel: Path | None) -> int:
    out.mkdir(parents=True, exist_ok=True)
    wheel = wheel or build_wheel(ROOT, out / "wheel")
    pythons: dict[str, Path] = {}
    rows: list[str] = []
    for receiver in (AUTHOR, *RECEIVERS):
        python = pythons.get(receiver.environment) or _make(receiver, out, wheel)
        pythons[receiver.environment] = python
        if receiver is AUTHOR:
            authored = out / "author"
            shutil.rmtree(authored, ignore_errors=True)
            authored.mkdir()
            coffee.write_notebook(authored)
            code, said = _run(AUTHOR, python, authored, *EXECUTE)
            assert code == 0, said
            continue
        folder = out / "received" / receiver.name.replace(" ", "-") / receiver.folder
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(authored, folder)
        if receiver.change is not None:
            receiver.change(folder)
        code, said = _verified(receiver, python, folder)
        rows.append(f"| {receiver.name} | {receiver.environment} | {code} | {said} |")
        print(rows[-1], flush=True)
    head = ["| receiver | environment | exit code | found |", "|---|---|---|---|"]
    (out / "unchanged.md").write_text("\n".join([*head, *rows, ""]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    given = [Path(each).resolve() for each in sys.argv[1:]]
    sys.exit(main(given[0], given[1] if given[1:] else None))

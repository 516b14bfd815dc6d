"""Writes the page of licences: `python tools/licences.py`.

Of Python what `pyproject.toml` names for users, as their installed metadata says; of the front end
what the builds say they bundled.
"""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
OURS = "BSD-3-Clause"
PAGE = ROOT / "docs" / "reference" / "licences.md"
BUNDLED = (
    "src/audiencelab/widgets/static/third-party-licenses.json",
    "src/audiencelab/jupyter/labextension/static/third-party-licenses.json",
)
_BY_CLASSIFIER = re.compile(r"License :: OSI Approved :: (.+)")


def required() -> dict[str, str]:
    """What users install, by name: the extra that asks for it, "" for everybody."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    asked = [("", each) for each in project["dependencies"]]
    for extra, names in project["optional-dependencies"].items():
        asked += [(extra, each) for each in names]
    found: dict[str, str] = {}
    for extra, requirement in asked:
        name = re.split(r"[^A-Za-z0-9._-]", requirement)[0]
        if name != "audiencelab":
            found.setdefault(name, extra)
    return found


def licence_of(package: str) -> str:
    """The licence as the installed package's metadata names it, in a few words."""
    about: Any = metadata(package)
    classified = [
        found[1]
        for each in about.get_all("Classifier") or ()
        if (found := _BY_CLASSIFIER.fullmatch(each))
    ]
    told = (about.get("License") or "").strip().splitlines()
    short = told[0] if told and len(told[0]) < 40 else ""
    return about.get("License-Expression") or short or ", ".join(classified)


def bundled() -> dict[str, str]:
    """Licences of what the built front end holds, by package."""
    found: dict[str, str] = {}
    for path in BUNDLED:
        packages = json.loads((ROOT / path).read_text(encoding="utf-8"))["packages"]
        found |= {each["name"]: each["licenseId"] for each in packages}
    return dict(sorted(found.items()))


def page() -> str:
    """The page, as it should stand."""
    python = [
        f"| {name} | {licence_of(name)} | {f'`{extra}`' if extra else 'always'} |"
        for name, extra in sorted(required().items())
    ]
    front = [f"| {name} | {licence} |" for name, licence in bundled().items()]
    return "\n".join(
        [
            "# Licences of what audiencelab uses",
            "",
            "audiencelab itself is under the BSD 3-Clause licence. Its front end holds",
            "code under ISC and MIT too, so that the wheel names all three. Written by",
            "`tools/licences.py`; a test holds it against `pyproject.toml` and what is bundled.",
            "",
            "## Python packages",
            "",
            "Installed beside audiencelab, always or with an extra, and under licences of their",
            "own. What these need in turn is theirs to say.",
            "",
            "| package | licence | installed |",
            "|---|---|---|",
            *python,
            "",
            "## Bundled in the front end",
            "",
            "Part of the files in the wheel; `third-party-licenses.json` beside them has the full",
            "texts.",
            "",
            "| package | licence |",
            "|---|---|",
            *front,
            "",
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

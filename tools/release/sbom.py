"""The software bill of materials (CycloneDX) of a version: Python packages and the front end's."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from tools.release.building import UV

__all__ = ["write_sbom"]

_BUNDLED = "third-party-licenses.json"


def write_sbom(wheel: Path, interpreter: str, folder: Path) -> Path:
    """Write the bill of materials beside a wheel, and return its path.

    Python packages are those of an empty environment in which the wheel is installed with all its
    extras, of the day on which it is written; the front end's are those bundled in the wheel.
    Raises `subprocess.CalledProcessError` if the installation fails.
    """
    environment = folder / "sbom"
    python = str(environment / "bin" / "python")
    for command in (
        [*UV, "venv", "--clear", "--python", interpreter, str(environment)],
        [*UV, "pip", "install", "--python", python, f"{wheel}[all]"],
    ):
        subprocess.run(command, check=True, capture_output=True, text=True)
    done = subprocess.run(
        [sys.executable, "-m", "cyclonedx_py", "environment", "--short-PURLs", python],
        check=True,
        capture_output=True,
        text=True,
    )
    name, version = wheel.name.split("-")[:2]
    out = wheel.with_name(f"{name}-{version}.cdx.json")
    whole = _with_front_end(json.loads(done.stdout), name, _bundled(wheel))
    out.write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")
    return out


def _bundled(wheel: Path) -> list[dict[str, str]]:
    """What the built front end in a wheel holds: name, version and licence of each package."""
    found: dict[str, dict[str, str]] = {}
    with zipfile.ZipFile(wheel) as archive:
        for path in archive.namelist():
            if path.endswith(_BUNDLED):
                for each in json.loads(archive.read(path))["packages"]:
                    found[each["name"]] = each
    return [found[name] for name in sorted(found)]


def _with_front_end(
    bill: dict[str, Any], name: str, bundled: list[dict[str, str]]
) -> dict[str, Any]:
    """A bill of Python packages with our own as its subject, and the npm packages in it."""
    [subject] = [each for each in bill["components"] if each["name"] == name]
    # It names the file that was installed, by its path on this machine.
    subject.pop("externalReferences", None)
    npm = [
        {
            "bom-ref": f"npm:{each['name']}",
            "type": "library",
            "name": each["name"],
            "version": each["versionInfo"],
            "licenses": [{"license": {"id": each["licenseId"]}}],
            "purl": f"pkg:npm/{each['name'].replace('@', '%40')}@{each['versionInfo']}",
        }
        for each in bundled
    ]
    bill["components"] = [each for each in bill["components"] if each is not subject] + npm
    bill["metadata"]["component"] = subject
    for each in bill["dependencies"]:
        if each["ref"] == subject["bom-ref"]:
            each["dependsOn"] = each.get("dependsOn", []) + [part["bom-ref"] for part in npm]
    bill["dependencies"] += [{"ref": part["bom-ref"]} for part in npm]
    return bill

"""What must hold before a version may be made: each obstacle as a sentence that says what to do."""

from __future__ import annotations

import re
import subprocess
import tomllib
from contextlib import suppress
from datetime import date
from pathlib import Path

from packaging.version import InvalidVersion, Version

__all__ = ["changelog_entry", "git", "obstacles"]

BRANCH = "main"
_HEADING = re.compile(r"^## \[(?P<name>[^\]]+)\](?P<rest>.*)$", re.MULTILINE)


def git(folder: Path, *arguments: str) -> str:
    """What git prints in a folder.

    Raises:
        subprocess.CalledProcessError: git refused; its words are in `stderr`.
    """
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def obstacles(root: Path, version: str) -> list[str]:
    """Why this version cannot be made of what is committed; empty where it can."""
    wrong = _version(version)
    if wrong:
        return [wrong]
    return [each for each in (*_repository(root, version), *_texts(root, version)) if each]


def _version(version: str) -> str:
    try:
        told = Version(version)
    except InvalidVersion:
        return f"{version!r} is no version: write it as 1.0.0, or 1.1.0rc1 for a candidate."
    if told.dev is not None or told.local:
        return f"{version} is a version of work in progress: leave out .dev and what follows a +."
    if str(told) != version:
        return f"Write the version as Python packages do: {told} instead of {version}."
    return ""


def _repository(root: Path, version: str) -> list[str]:
    branch = git(root, "rev-parse", "--abbrev-ref", "HEAD")
    tags = git(root, "tag", "--list", "v*").split()
    changed = git(root, "status", "--porcelain").splitlines()
    found: list[str] = []
    if branch != BRANCH:
        found.append(f"This is the branch {branch}: `git switch {BRANCH}` first.")
    if changed:
        found.append(f"{_count(len(changed))} not committed: commit them or put them away.")
    if f"v{version}" in tags:
        found.append(f"There is a tag v{version} already: a version is made once. Take the next.")
    later = [made for made in _versions(tags) if made > Version(version)]
    if later:
        found.append(f"{max(later)} was made already: {version} would be older. Take a later one.")
    unset = [key for key in ("user.name", "user.email") if not _setting(root, key)]
    found += [f"git does not know who you are: `git config {key} …`." for key in unset]
    return found


def _count(files: int) -> str:
    return "1 file is" if files == 1 else f"{files} files are"


def _versions(tags: list[str]) -> list[Version]:
    found: list[Version] = []
    for tag in tags:
        # A tag that is none of ours may begin with a v too.
        with suppress(InvalidVersion):
            found.append(Version(tag.removeprefix("v")))
    return found


def _setting(root: Path, key: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), "config", key], capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def _texts(root: Path, version: str) -> list[str]:
    """What is committed counts, not what lies in the folder."""
    changelog = git(root, "show", "HEAD:CHANGELOG.md")
    project = tomllib.loads(git(root, "show", "HEAD:pyproject.toml"))["project"]
    return [_changelog(changelog, version), _classifiers(project["classifiers"], version)]


def _changelog(text: str, version: str) -> str:
    entry = changelog_entry(text, version)
    form = f"## [{version}] - {date.today().isoformat()}"
    if entry is None:
        return f'CHANGELOG.md has no entry for {version}: make "## [Unreleased]" into "{form}".'
    heading, body = entry
    if not re.fullmatch(r" - \d{4}-\d\d-\d\d", heading):
        return f'The entry of {version} in CHANGELOG.md needs its day: "{form}".'
    if not body:
        return f"The entry of {version} in CHANGELOG.md is empty: say what changed for a user."
    return ""


def changelog_entry(text: str, version: str) -> tuple[str, str] | None:
    """What stands behind a version in its heading, and below it; None where there is none."""
    headings = list(_HEADING.finditer(text))
    for place, heading in enumerate(headings):
        if heading["name"] == version:
            end = headings[place + 1].start() if place + 1 < len(headings) else len(text)
            return heading["rest"].rstrip(), text[heading.end() : end].strip()
    return None


def _classifiers(classifiers: list[str], version: str) -> str:
    """A finished version that calls itself an alpha would be passed over."""
    told = Version(version)
    [status] = [each for each in classifiers if each.startswith("Development Status")]
    if told.major >= 1 and not told.is_prerelease and "Stable" not in status:
        wanted = "Development Status :: 5 - Production/Stable"
        return f'pyproject.toml says "{status}": make it "{wanted}".'
    return ""

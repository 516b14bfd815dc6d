"""The page of licences names what users install and what is bundled, and none that binds them."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError

import pytest
from tools import licences

PAGE = licences.PAGE.read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (\S+) \| ([^|]+?) \|", PAGE, re.MULTILINE))


def test_every_package_stands_on_the_page_and_no_other() -> None:
    named = set(licences.required()) | set(licences.bundled())
    assert ROWS.keys() - {"package"} == named, "write it anew: python tools/licences.py"


def test_what_is_bundled_is_under_the_licence_that_is_told() -> None:
    assert ROWS.items() >= licences.bundled().items()


def test_the_distribution_is_under_our_licence_and_those_of_what_is_bundled() -> None:
    project = tomllib.loads((licences.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    told = project["project"]["license"].split(" AND ")
    assert told == [licences.OURS, *sorted({*licences.bundled().values()} - {licences.OURS})]


@pytest.mark.parametrize("package", sorted(licences.required()))
def test_an_installed_package_tells_a_licence_that_may_be_used_beside_ours(package: str) -> None:
    try:
        told = licences.licence_of(package)
    except PackageNotFoundError:
        pytest.skip(f"not installed; it belongs to audiencelab[{licences.required()[package]}]")
    assert told
    assert ROWS[package].strip()
    assert not re.search(r"\bA?GPL|Affero|proprietary|unknown", told, re.IGNORECASE)

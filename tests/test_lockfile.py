"""The lock file of the front end installs anywhere, and from any registry."""

import json
from pathlib import Path

LOCK = Path(__file__).parents[1] / "js" / "package-lock.json"


def packages() -> dict[str, dict]:
    return json.loads(LOCK.read_text(encoding="utf-8"))["packages"]


def test_names_no_registry() -> None:
    assert [name for name, entry in packages().items() if "resolved" in entry] == []


def test_every_package_is_pinned_by_its_hash() -> None:
    locked = packages().items()
    assert [name for name, entry in locked if name and "integrity" not in entry] == []


def test_holds_the_binaries_of_every_platform() -> None:
    # npm leaves out an optional package that its registry does not have, and then
    # `npm ci` refuses the whole file elsewhere.
    locked = packages()
    wanted = {
        f"node_modules/{dependency}"
        for entry in locked.values()
        for dependency in entry.get("optionalDependencies", {})
    }
    assert wanted - set(locked) == set()

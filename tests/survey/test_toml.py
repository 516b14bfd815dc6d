"""TOML within bounds: long keys are refused before they are parsed, and nothing else is."""

from __future__ import annotations

import time
import tomllib

import pytest

from audiencelab.survey.toml import MOST_PARTS, parse_toml

MANY = MOST_PARTS + 1


@pytest.mark.parametrize(
    "text",
    [
        ".".join(["x"] * MANY) + " = 1",
        " . ".join(["x"] * MANY) + "\t= 1",
        "a = 1\n[" + ".".join(["'x y'"] * MANY) + "]",
        '[["' + '"."'.join(["x"] * MANY) + '"]]',
        "a = { " + ".".join(["x-1", '"y"'] * MANY) + " = 1 }",
    ],
)
def test_a_key_of_too_many_parts_is_refused(text: str) -> None:
    assert tomllib.loads(text), "it is TOML"
    with pytest.raises(ValueError, match=rf"more than {MOST_PARTS:,} parts \(at line [12]\)"):
        parse_toml(text)


@pytest.mark.parametrize(
    "text",
    [
        ".".join(["x"] * 100) + " = 1",
        f"a = [{'0.5, ' * 2_000}]",
        f"a = '''\n{'One. And two. ' * 2_000}\n'''\n# {'. ' * 2_000}\n# {'...' * 2_000}",
        f"""a = [{"'x', " * 2_000}]""",
        f"{'x' * 200_000} = '{'-' * 200_000}'",
    ],
)
def test_what_only_looks_long_is_read(text: str) -> None:
    assert parse_toml(text) == tomllib.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "'" * 1_000_000,
        ("x." * 999 + "? ") * 500,
        "x" + ".x" * 500_000 + " = 1",
        "'x" * 300_000,
    ],
)
def test_looking_for_long_keys_takes_no_time(text: str) -> None:
    begun = time.process_time()
    with pytest.raises(ValueError, match=r"."):
        parse_toml(text)
    assert time.process_time() - begun < 5

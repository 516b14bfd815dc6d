"""What messages advise in Python, as options of a command."""

from __future__ import annotations

import ast
import re
import shlex
from typing import Any, cast

# What messages write as arguments, and the options that are named otherwise.
_ARGUMENTS = (
    "base_of codebook decide encoding fay key labels levels locations metrics name person "
    "replace sheet statistics to vs wave waves weight"
)
_RENAMED = {"to": "out", "vs": "test", "base_of": "base-of"}
_CALL = re.compile(r"(?:\b(?:al\.)?open\(…, |\bclient\.add_wave\(…, |\btest\()([^()]*)\)")
_DECIDE = re.compile(r"\bdecide=(\{(?:[^{}]|\{[^{}]*\})*\})")
_DRAFT = re.compile(
    r"\b(?:(?:audiencelab|al)\.ingest\.)?draft_codebook\(…(?:,( [^()]*))?\)\.save\(\"([^\"]+)\"\)"
)
# Its groups: the name, and None or True, a list, a text in quotes, or a bare word. Not after "?",
# "&" and "/", where it is part of an address.
_ARGUMENT = re.compile(
    rf"(?<![?&/])\b({_ARGUMENTS.replace(' ', '|')})="
    r"""(?:(None|True)\b|\[([^\]]*)\]|("[^"]*"|'[^']*')|([\w.]*\w|…)|(?=[,.;: ]))"""
)


def in_options(text: str) -> str:
    """Text with its advice for Python as options: `weight="wgt"` becomes `--weight wgt`."""
    text = _DECIDE.sub(_decided, text)
    text = _CALL.sub(r"\1", _DRAFT.sub(r"audiencelab codebook SOURCE\1 -o \2", text))
    return _ARGUMENT.sub(_option, text)


def _decided(found: re.Match[str]) -> str:
    """Decisions as options: `decide={"q5": "labels"}` becomes `--decide q5=labels`."""
    try:
        given: dict[str, Any] = ast.literal_eval(found[1])
    except (SyntaxError, ValueError):
        return found[0]
    written: list[str] = []
    for question, decision in given.items():
        text = f"{decision}"
        if isinstance(decision, dict):
            pairs = cast("dict[object, object]", decision).items()
            text = ",".join(f"{new}:{old}" for new, old in pairs)
        written.append(f"--decide {shlex.quote(f'{question}={text}')}")
    return " ".join(written)


def _option(found: re.Match[str]) -> str:
    name, flag, several, quoted, bare = found.groups()
    option = f"--{_RENAMED.get(name, name)}"
    if flag:
        return option if flag == "True" else f"--no-{name}"
    values = (several or quoted or bare or "").split(", ")
    return " ".join(f"{option} {_shell_word(each)}".rstrip() for each in values)


def _shell_word(value: str) -> str:
    word = value.strip("\"'")
    return shlex.quote(word) if " " in word else word

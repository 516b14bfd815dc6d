"""What messages advise in Python, as options of a command."""

from __future__ import annotations

import ast
import re
import shlex
from typing import Any, cast

# What messages write as arguments, and the options that are named otherwise.
_ARGUMENTS = (
    "base_of clusters clusters_recur codebook correction decide encoding fay fpc key kind labels "
    "levels locations metrics missing name order person replace replicate_method replicates "
    "sheet statistics strata to vs wave waves weight"
)
_RENAMED = {"to": "out", "vs": "test"}
_OF_QUESTIONS = re.compile(r"\b(decide|kind|missing|order)=(\{(?:[^{}]|\{[^{}]*\})*\})")
_PYTHON = re.compile(r"(?<![\w.`])(?:al\.[a-z]\w*\(|(?:client|table)(?:\.[a-z]\w*[(.]|\[))")
_CALL = re.compile(r"(?:\b(?:al\.)?open\(…, |\bclient\.add_wave\(…, |\btest\()([^()]*)\)")
# A whole call that no option does, whose arguments are Python too.
_STAYS = re.compile(
    r"""((?<![\w.`])(?:client|table)(?:\[[^\]]*\])?\.(?!add_wave\b|catalogue\b)\w+"""
    r"""\((?:[^()"']|"[^"]*"|'[^']*'|\([^()]*\))*\))"""
)
_CATALOGUE = re.compile(r"\bclient\.catalogue\b(?:\.search\([^()]*\))?")
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
    """Text with its advice for Python as options: `weight="wgt"` becomes `--weight wgt`.

    What no option is stays Python, and is called so.
    """
    pieces = _STAYS.split(text)
    pieces[::2] = map(_rewritten, pieces[::2])
    return in_python("".join(pieces))


def _rewritten(text: str) -> str:
    text = _CATALOGUE.sub("audiencelab survey info SOURCE", _OF_QUESTIONS.sub(_by_question, text))
    text = _CALL.sub(r"\1", _DRAFT.sub(r"audiencelab codebook SOURCE\1 -o \2", text))
    return _ARGUMENT.sub(_option, text)


def in_python(text: str) -> str:
    """Text in which code of Python is called so, once."""
    found = _PYTHON.search(text)
    if found is None or "in Python" in text[: found.start()]:
        return text
    before = text[: found.start()].removesuffix("Write ").removesuffix("write ")
    word = "In" if before.rstrip().endswith((".", "?")) or not before else "in"
    return f"{before}{word} Python: {text[found.start() :]}"


def _by_question(found: re.Match[str]) -> str:
    """Codes and decisions by question: `missing={"q5": [98]}` becomes `--missing q5=98`."""
    name, code = found.groups()
    try:
        given: dict[str, Any] = ast.literal_eval(code)
    except (SyntaxError, ValueError):
        return found[0]
    written: list[str] = []
    for question, each in given.items():
        values = cast("dict[object, object] | list[object] | object", each)
        text = f"{values}"
        if isinstance(values, dict):
            text = ",".join(f"{new}:{old}" for new, old in cast(Any, values).items())
        elif isinstance(values, list | tuple):
            text = ",".join(map(str, cast("list[object]", values)))
        word = text if question == "*" and name == "missing" else f"{question}={text}"
        written.append(f"--{name} {shlex.quote(word)}")
    return " ".join(written)


def _option(found: re.Match[str]) -> str:
    name, flag, several, quoted, bare = found.groups()
    option = f"--{_RENAMED.get(name, name).replace('_', '-')}"
    if flag == "None" and name in ("strata", "clusters"):
        return f"{option} none"
    if flag:
        return option if flag == "True" else f"--no-{name}"
    values = (several or quoted or bare or "").split(", ")
    return " ".join(f"{option} {_shell_word(each)}".rstrip() for each in values)


def _shell_word(value: str) -> str:
    word = value.strip("\"'")
    return shlex.quote(word) if " " in word else word

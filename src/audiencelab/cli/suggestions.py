"""The command that was meant, for one that was refused."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click
from click.exceptions import NoSuchCommand, NoSuchOption

from audiencelab.cli.other_words import (
    CHOICES,
    COMMANDS,
    INSTEAD,
    OPTIONS,
    SHORT,
    STATISTICS,
    Instead,
    value_of,
)
from audiencelab.unknown_names import near

_NEAR = re.compile(r"""Did you mean (?:'([^']+)'|"([^"]+)")""")
_QUOTED = re.compile(r"(['\"])(.+?)\1")
_GROUPS = ("survey",)
_INDEPENDENCE = ("--independence",)
_TESTS = {
    **dict.fromkeys(("chisq", "chi2", "chisq-test", "chi-square"), _INDEPENDENCE),
    **dict.fromkeys(("test", "ttest", "significance", "compare"), ("--test", "columns")),
}
"""Commands that are options of a crosstab."""
_FILES = {"tab-book": "book.xlsx", "export": "answers.parquet"}
_MOST = 8
"""Mistakes in one command that are mended."""


class SuggestedCommand(click.UsageError):
    """A usage error whose command is known.

    replaced: new words by those that were typed. added: words behind all others.
    """

    def __init__(
        self, message: str, replaced: Mapping[str, Sequence[str]], added: Sequence[str] = ()
    ) -> None:
        super().__init__(message, click.get_current_context(silent=True))
        self.replaced, self.added = replaced, added

    def applied(self, words: Sequence[str]) -> list[str]:
        """The command as it was meant."""
        return [*(new for word in words for new in self.replaced.get(word, [word])), *self.added]


Parse = Callable[[Sequence[str]], click.UsageError | None]


def suggestion(words: Sequence[str], error: click.UsageError, parse: Parse) -> str:
    """What an error says after its message: the command that was meant; "" where it is not known.

    parse: the error of other words, None where they are a command.
    """
    why: list[str] = []
    current: click.UsageError | None = error
    tried = list(words)
    for _ in range(_MOST):
        if current is None:
            break
        mended = _mended(tried, current, why)
        if mended is None or mended == tried:
            return ""
        tried, current = mended, parse(mended)
    if current is not None:
        return ""
    reasons = f" {'. '.join(dict.fromkeys(why))}." if why else ""
    return f"{reasons} Write:\n  {' '.join(map(quoted, ['audiencelab', *tried]))}"


def near_hit(words: Sequence[str], message: str) -> str:
    """The command with what a message says was meant; "" where it says nothing, or of no word."""
    said = _NEAR.search(message)
    if said is None:
        return ""
    meant = said[1] or said[2]
    for wrong in _QUOTED.findall(message[: said.start()]):
        pattern = rf"(?<!\w){re.escape(wrong[1])}(?!\w)"
        new = [re.sub(pattern, lambda _: meant, word) for word in words]
        close = meant.endswith(wrong[1]) or near(wrong[1], [meant], 0.6)
        if close and new != list(words):
            return f"\n  {' '.join(map(quoted, ['audiencelab', *new]))}"
    return ""


def quoted(word: str) -> str:
    """A word for a shell, in double quotes where it has single ones."""
    if "'" in word and not any(sign in word for sign in '"$`\\!'):
        return f'"{word}"'
    return shlex.quote(word)


def in_our_commands(words: Sequence[str]) -> list[str]:
    """What was typed, with our command in place of a word that means one."""
    at = next((n for n, word in enumerate(words) if not word.startswith("-")), None)
    if at is None:
        return list(words)
    name, rest = words[at], list(words[at + 1 :])
    if name == "help" or rest == ["help"]:
        return [*(rest or ["--help"] if name == "help" else [name]), "--help"]
    if name == "version":
        return ["--version"]
    if name in _TESTS and len(free := [word for word in rest if word[:1] != "-"]) == 3:
        left = [word for word in rest if word not in free]
        named = [free[0], "--rows", free[1], "--columns", free[2]]
        return [*words[:at], "crosstab", *named, *_TESTS[name], *left]
    if name in _GROUPS and rest:
        group, _, action = COMMANDS.get(rest[0], "").partition(" ")
        return [*words[: at + 1], action if group == name else rest[0], *rest[1:]]
    if name in ("describe", "summarise", "summarize") and (asked := _questions(rest)):
        return [*words[:at], "stats", *asked]
    if name in ("look-for", "lookfor", "search", "find") and len(rest) > 1:
        return [*words[:at], "survey", "info", rest[0], "--find", *rest[1:]]
    if name in ("convert", "save") and len(rest) == 2:
        return [*words[:at], "survey", "export", rest[0], "-o", rest[1]]
    return [*words[:at], *COMMANDS.get(name, name).split(), *rest]


def _questions(rest: list[str]) -> list[str]:
    """A file and its questions, where there are any."""
    for option in ("--columns", "--questions", "--vars", "--variables"):
        if named := value_of(rest, option):
            at = rest.index(option) if option in rest else None
            free = rest if at is None else [*rest[:at], *rest[at + 2 :]]
            kept = [word for word in free if not word.startswith(f"{option}=")]
            return [*kept, "--questions", named]
    return rest if len([word for word in rest if not word.startswith("-")]) > 1 else []


def _mended(words: list[str], error: click.UsageError, why: list[str]) -> list[str] | None:
    """The words with one mistake less; None where nothing is known about it."""
    if isinstance(error, SuggestedCommand):
        return error.applied(words)
    if isinstance(error, NoSuchCommand):
        return _other_command(words, error)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        command = error.ctx.info_name if error.ctx else None
        file = _FILES.get(command or "") if error.param.name == "out" else None
        return [*words, "-o", file] if file else None
    if isinstance(error, NoSuchOption):
        return _other_option(words, error, why)
    if isinstance(error, click.BadParameter) and error.param is not None:
        return _other_value(words, error, why)
    return None


def _other_command(words: list[str], error: NoSuchCommand) -> list[str] | None:
    at = words.index(error.command_name)
    if at and words[at - 1] == "survey" and Path(error.command_name).expanduser().exists():
        return [*words[:at], "info", *words[at:]]
    group = error.ctx.command if error.ctx else None
    known = group.list_commands(error.ctx) if isinstance(group, click.Group) and error.ctx else []
    same = COMMANDS.get(error.command_name, "").rpartition(" ")[2]
    close = same if same in known else near(error.command_name, known, 0.7)
    if not close:
        return None
    return [*words[:at], close, *words[at + 1 :]]


def _other_option(words: list[str], error: NoSuchOption, why: list[str]) -> list[str] | None:
    name = error.option_name
    at = next(
        (n for n, word in enumerate(words) if word == name or word.startswith(f"{name}=")), None
    )
    if at is None:
        return None
    given = words[at].partition("=")[2] if "=" in words[at] else None
    key = name.lstrip("-").replace("-", "_").casefold()
    if name in ("-n", "--lines"):
        return _without(words, at, given, value=True)
    if name in SHORT:
        return [*words[:at], SHORT[name] + words[at][len(name) :], *words[at + 1 :]]
    command = error.ctx.command if error.ctx else None
    found = INSTEAD.get(key)
    while found is not None and command is not None:
        if (mended := _instead(words, at, given, found, command)) is not None:
            why.append(found.why)
            return mended
        found = found.otherwise
    options = [option for each in command.params for option in each.opts] if command else []
    known = [each.removeprefix("--") for each in options if each.startswith("--")]
    close = near(name.removeprefix("--"), known, 0.75)
    if not close:
        return None
    return [*words[:at], f"--{close}{words[at][len(name) :]}", *words[at + 1 :]]


def _instead(
    words: list[str], at: int, given: str | None, found: Instead, command: click.Command
) -> list[str] | None:
    """The words with what is written instead of an option; None where the command has no such."""
    value = given
    if found.value and value is None and at + 1 < len(words):
        value = None if words[at + 1].startswith("-") else words[at + 1]
    made = found.words(value, words)
    if made is None or not _has(command, made):
        return None
    new = list(made)
    rest = _without(words, at, given, value=found.value and value is not None)
    if new and new[0].removeprefix("--") in STATISTICS:
        # The statistic is the row.
        rest = _without_option(rest, "--rows")
        return [*rest, *new]
    return [*rest[:at], *new, *rest[at:]]


def _has(command: click.Command, words: Sequence[str]) -> bool:
    known = {option for each in command.params for option in each.opts}
    return all(word in known for word in words if word.startswith("-"))


def _without(words: list[str], at: int, given: str | None, *, value: bool) -> list[str]:
    """The words without an option, and without its value where that is a word of its own."""
    return [*words[:at], *words[at + (2 if value and given is None else 1) :]]


def _without_option(words: list[str], name: str) -> list[str]:
    if name in words:
        at = words.index(name)
        return [*words[:at], *words[at + 2 :]]
    return [word for word in words if not word.startswith(f"{name}=")]


def _other_value(words: list[str], error: click.BadParameter, why: list[str]) -> list[str] | None:
    """Another value of an option that has some; the one that is written nearly so."""
    option = error.param
    if not isinstance(option, click.Option) or not isinstance(option.type, click.Choice):
        return None
    for at, word in enumerate(words):
        name, sign, joined = word.partition("=")
        if name not in option.opts and not _means(name, option):
            continue
        value = joined if sign else (words[at + 1] if at + 1 < len(words) else "")
        if value in option.type.choices:
            continue
        after = words[at + (1 if sign else 2) :]
        if option.name == "vs" and re.fullmatch(r"0?\.?\d+%?", value):
            why.append("The level of a test is an option of its own")
            return [*words[:at], "--test", "columns", "--levels", value, *after]
        if found := CHOICES.get((option.name or "", value)):
            why.append(found.why)
            return [*words[:at], *(found.words(value, words) or ()), *after]
        if close := near(value.casefold(), list(map(str, option.type.choices))):
            return [*words[:at], name, close, *after]
    return None


def _means(word: str, option: click.Option) -> bool:
    key = word.removeprefix("--").replace("-", "_").casefold()
    return word.startswith("--") and option.name in OPTIONS.get(key, ())

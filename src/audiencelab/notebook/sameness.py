"""What differs between two runs of a notebook by nature, and what is only worded otherwise.

Times, memory addresses, ids, folders of a machine, the version of audiencelab and of a survey whose
figures are equal differ without meaning. Words of our own may be other ones in another version of
audiencelab, where they are not a base, wave, weight, method, label or side of a comparison.
"""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from audiencelab.results.record import without_run

_MEANINGLESS = re.compile(
    r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|0x[0-9a-f]+"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b[0-9a-f]{32}\b"
    r"|(?<=://127\.0\.0\.1:)\d+|(?<=://localhost:)\d+"
    r"|(?<=version )[0-9a-f]{8,64}\b"
    r"|(?<='survey_version': ')[0-9a-f]+|(?<=\"survey_version\": \")[0-9a-f]+"
)
_CODE = re.compile(r"\S*ipykernel_\d+[/\\]\d+\.py(?::\d+)?|\S+(?=[/\\]site-packages[/\\])")
"""The files of Python code that warnings name."""

_WAY = re.compile(
    r"(?<=Client of )(?:the embedded service, |the snapshot [^,>]+, )|<Recording for [^>]*>"
    r"|'(?:snapshot|audiencelab|asked_at|recorded_at)': (?:'[^']*'|None)(?:,\s*)?"
)
"""How a client reaches its survey, in its repr and in `provenance`, and what a recording says of
itself: a replayed notebook has the same figures, and records nothing."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Under which a notebook was saved, and run again.

    saved_with, ran_with: versions of audiencelab; "" where it is not known.
    folders: those of the run, of which outputs may speak.
    """

    saved_with: str = ""
    ran_with: str = ""
    folders: tuple[str, ...] = ()

    @property
    def one_version(self) -> bool:
        """Whether outputs of ours must be equal in each word and each mark."""
        return self.saved_with == self.ran_with


def folders_of(notebook: Path, ran_in: Path | None = None) -> tuple[str, ...]:
    """The folders that a run of a notebook may name in its outputs, the longest first."""
    here = ran_in or notebook.resolve().parent
    named = [here, *here.parents, Path.home(), Path(tempfile.gettempdir())]
    found = {str(each) for each in named if len(each.parts) > 1}
    return tuple(sorted(found, key=len, reverse=True))


def canonical(text: str) -> str:
    """A text without what differs from run to run by nature, and without spaces at its ends."""
    if "ipykernel_" in text or "site-packages" in text:
        text = _CODE.sub("…", text)
    return _MEANINGLESS.sub("…", _WAY.sub("", without_run(text))).strip()


def elsewhere(before: Sequence[str], now: Sequence[str], folders: Iterable[str]) -> list[str]:
    """The texts of before, with those replaced that a text of now has but for its folders."""
    said = "\n".join(now)
    known = [each for each in folders if each in said]
    if not known:
        return list(before)
    split = re.compile("|".join(map(re.escape, known)))
    patterns = {
        re.compile(r"[^\n'\"]*?".join(map(_any_path, split.split(text)))): text
        for text in now
        if split.search(text)
    }
    return [
        next((text for pattern, text in patterns.items() if pattern.fullmatch(each)), each)
        for each in before
    ]


def _any_path(text: str) -> str:
    """A pattern of a text in which a path may be one of Windows."""
    pattern = re.escape(text).replace("PosixPath", "(?:Posix|Windows)Path")
    return pattern.replace("WindowsPath", "(?:Posix|Windows)Path").replace("/", r"[/\\]+")


# -- words of another version --

_FIGURES = re.compile(
    r"\d[\d.,]*|(?<![\w'’])[A-Za-z](?!\w)|[↑↓▲▼△▽*]|\b(?:true|false|none|nan|not|no|yes)\b", re.I
)
"""Numbers, marks of tests, and words that turn a sentence into its opposite."""


@cache
def _meaning() -> re.Pattern[str]:
    """A word of `comparison_words.toml`: another one makes another statement about figures."""
    text = files("audiencelab.notebook").joinpath("comparison_words.toml").read_text("utf-8")
    listed = tomllib.loads(text)["words"]
    words = (re.escape(word) for line in listed.values() for word in line.split(", "))
    any_of_them = "|".join(words).replace(r"\*", r"\w*").replace(r"\?", r"\w")
    return re.compile(any_of_them, re.I)


def figures_of(text: str) -> list[str]:
    """The numbers of a text, the marks of tests, and the words that turn a sentence around."""
    return _FIGURES.findall(text)


_FACT = re.compile(
    r"(?:(?P<survey>source: )|(?P<base>base: )|(?P<waves>waves?: |(?=\d+ waves: ))"
    r"|(?P<weight>weight: |(?:un)?weighted$|weight not known$)"
    r"|(?P<locations>locations?: |(?=\d+ locations?: )))(?P<said>.*)",
    re.I,
)
"""A part of the line that names whom a table counts."""

_PARTS = re.compile(r"·|(?=Source: )")
_LATEST = re.compile(r"latest (\d+)")


def facts_of(line: str) -> dict[str, str]:
    """What a line says of whom a table counts, by kind; other parts of it by themselves.

    >>> facts_of("Base: everyone · Waves: A, B · Unweighted · n = 5")
    {'base': 'everyone', 'waves': 'A, B', 'weight': 'Unweighted', 'n = 5': 'n = 5'}
    """
    found: dict[str, str] = {}
    for part in (each.strip(" '") for each in _PARTS.split(line)):
        fact = _FACT.fullmatch(part)
        if fact and fact.lastgroup:
            kind = next(name for name in _KINDS if fact[name] is not None)
            found[kind] = fact["said"].strip() or part
        elif part:
            found[part] = part
    return found


_KINDS = ("survey", "base", "weight", "waves", "locations")

_WORDS = re.compile(r"[\w'’]+")


def only_words(before: str, now: str, labels: frozenset[str] = frozenset()) -> bool:
    """Whether two lines of our own make one statement in other words.

    labels: words of names and labels, which are not our own.
    """
    if figures_of(before) != figures_of(now):
        return only_more_facts(before, now)
    if any(kind in _KINDS for line in (before, now) for kind in facts_of(line)):
        return only_more_facts(before, now)
    mine, other = (_WORDS.findall(text.casefold()) for text in (before, now))
    changed = {*mine} ^ {*other}
    if not changed or not mine or not other:
        return False
    return not any(word in labels or _meaning().fullmatch(word) for word in changed)


def only_more_facts(before: str, now: str) -> bool:
    """Whether a line says of whom it counts what it said, and more."""
    mine, other = facts_of(before), facts_of(now)
    if any(kind not in _KINDS for kind in other.keys() - mine.keys()):
        return False
    return all(_one_fact(kind, text, other.get(kind, "")) for kind, text in mine.items())


def _one_fact(kind: str, before: str, now: str) -> bool:
    if kind == "waves" and (latest := _LATEST.fullmatch(before)):
        count = int(latest.group(1))  # versions before 3.0 did not name them
        return now.startswith(f"{count} waves: ") if count > 1 else bool(now)
    # A source line of an earlier version ends with the name.
    return before == now or (kind == "survey" and now.startswith((f"{before} (", f"{before},")))

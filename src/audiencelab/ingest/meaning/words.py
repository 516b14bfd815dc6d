"""Words that say whether an item was chosen, which answers are off a scale, and amounts.

"Yes", "Nicht genannt", "未选中"; "Don't know"; "age". The lists are in `words.toml`, by language.
Labels are compared whatever the language of a file, since no word of the lists means the opposite
in another of these languages.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

_CODE = re.compile(r"^[\W\d_]+(?=\w)")
"""A code before a label: "1 = Yes", "(0) No"."""
_AROUND = re.compile(r"^[\s\"'(\[«“„]+|[\s\"'.,;:!)\]»”]+$")
_JOINED = re.compile(
    r"\s*[/,;／、・|]\s*|\s+[-–—]\s+|\s*[(（\[][^)）\]]*[)）\]]"
    r"|\s+(?:or|and|oder|und|ou|et|o|e|y|of|en|eller|och|lub|i)\s+"
)
"""What is between two answers under one label, "Don't know / Refused", or beside one."""
_BRACKETS = re.compile(r"[()\[\]]")
_WITH_DIGITS = re.compile(r"[(\[][^()\[\]]*\d[^()\[\]]*[)\]]")

_LONGEST = 60
"""Letters of an answer whose words are all known."""

_FIRST_WITHOUT_BLANKS = "\u2e80"
"""The first of the signs of Chinese, Japanese and Korean."""


class _Composed:
    """The words of answers without an opinion or experience in one language, by what they do."""

    def __init__(self, kinds: Mapping[str, str]) -> None:
        self._kinds: dict[str, set[str]] = {}
        for kind, phrases in kinds.items():
            for phrase in phrases.split(","):
                self._kinds.setdefault(phrase.strip(), set()).add(kind)
        # A regular expression takes the first alternative that fits, which must be the longest.
        longest_first = sorted(self._kinds, key=lambda phrase: -len(phrase))
        self._phrase = re.compile(
            "|".join(
                # Where words have blanks between them, a phrase is of whole words.
                re.escape(each) + (r"\b" if each < _FIRST_WITHOUT_BLANKS else "")
                for each in longest_first
            )
        )

    def kinds_in(self, label: str) -> set[str]:
        """What the words of a folded label do; none where one of them is not known."""
        found: set[str] = set()
        at = 0
        while at < len(label):
            if label[at] in " ,":
                at += 1
                continue
            match = self._phrase.match(label, at)
            if match is None:
                # One word that is not known may change the meaning of all others.
                return set()
            found |= self._kinds[match[0]]
            at = match.end()
        return found


@dataclass(frozen=True)
class _Words:
    """The words of all languages."""

    yes: frozenset[str]
    no: frozenset[str]
    chosen: frozenset[str]
    not_chosen: frozenset[str]
    negations: frozenset[str]
    prefixes: tuple[str, ...]
    poles: frozenset[tuple[str, str]]
    off_scale: frozenset[str]
    asked: frozenset[str]
    """Those off the scale whose respondents were asked."""
    not_asked: frozenset[str]
    not_applicable: frozenset[str]
    no_data: frozenset[str]
    no_experience: frozenset[str]
    amounts: frozenset[str]
    ages: frozenset[str]
    no_opinion: Sequence[_Composed]


@cache
def _words() -> _Words:
    text = files("audiencelab.ingest.meaning").joinpath("words.toml").read_text("utf-8")
    languages = tomllib.loads(text).values()

    def joint(key: str) -> frozenset[str]:
        return frozenset(folded(word) for each in languages for word in each.get(key, ()))

    pairs = [pair for each in languages for pair in each.get("poles", ())]
    return _Words(
        yes=joint("yes"),
        no=joint("no"),
        chosen=joint("chosen"),
        not_chosen=joint("not_chosen"),
        negations=joint("negations"),
        prefixes=tuple(joint("prefixes")),
        poles=frozenset((folded(first), folded(second)) for first, second in pairs),
        off_scale=joint("off_scale") | joint("not_applicable"),
        asked=joint("off_scale") - joint("not_applicable") - joint("not_asked"),
        not_asked=joint("not_asked"),
        not_applicable=joint("not_applicable"),
        no_data=joint("no_data") | joint("not_asked") | joint("not_applicable"),
        no_experience=joint("no_experience"),
        amounts=joint("amounts"),
        ages=joint("ages"),
        no_opinion=[_Composed(each["no_opinion"]) for each in languages if "no_opinion" in each],
    )


@lru_cache(maxsize=10_000)
def folded(label: str) -> str:
    """A label as labels are compared: without case, code and signs around it."""
    plain = unicodedata.normalize("NFKC", label).casefold().replace("’", "'")
    # The code first, since quotation marks and brackets may be around the rest.
    plain = _AROUND.sub("", _CODE.sub("", plain))
    return " ".join(plain.split())


def means_chosen(label: str) -> bool:
    """Whether a label means that an item was chosen: "Yes", "Mentioned"."""
    words, own = _words(), folded(label)
    return own in words.yes or own in words.chosen


def means_no(label: str) -> bool:
    """Whether a label means that an item was not chosen: "No", "Not mentioned"."""
    words, own = _words(), folded(label)
    denies_yes = any(each in words.yes for each in _affirmed(own))
    return own in words.no or denies_yes or means_unticked(label)


def means_unticked(label: str) -> bool:
    """Whether a label is that of an item which was not chosen, and of nothing else.

    "No" is an answer to other questions, "Not mentioned" is not.
    """
    words, own = _words(), folded(label)
    return own in words.not_chosen or any(each in words.chosen for each in _affirmed(own))


def is_off_scale(label: str) -> bool:
    """Whether an answer is not a point of any scale: "Don't know", "Weiß nicht / keine Angabe"."""
    known = _words().off_scale
    parts = {folded(label)}
    # The whole label first: some of the listed phrases have a slash or a bracket themselves.
    if not parts <= known:
        parts = {folded(part) for part in _JOINED.split(label.casefold())} - {""}
    return bool(parts) and (
        parts <= known or all(each in known or _composed(each) == "off scale" for each in parts)
    )


def is_not_applicable(label: str) -> bool:
    """Whether an answer is of people whom the question is not about: "Not applicable", "Inap."."""
    return folded(label) in _words().not_applicable


def may_not_apply(label: str) -> bool:
    """Whether an answer is of such people and of others: "NIU or no schooling"."""
    parts = {folded(part) for part in _JOINED.split(label.casefold().replace("n/a", "na"))}
    return not parts.isdisjoint(_words().not_applicable) and not is_off_scale(label)


def means_not_asked(label: str) -> bool:
    """Whether a label of a missing value says that the question was not asked: "Inap.", "Skip".

    "Not applicable / refused" is of people some of whom were asked.
    """
    return bool(_pattern("not_asked").search(label)) and not _pattern("asked").search(label)


def means_no_data(label: str) -> bool:
    """Whether a label says that there is no answer, for another reason than an opinion.

    "NIU", "N/A or blank", "Unknown-refused"; not "Don't know" alone.
    """
    words = _words()
    known = words.no_data | words.off_scale
    # What is in brackets is a part as well, but for years and samples.
    plain = _BRACKETS.sub("/", _WITH_DIGITS.sub(" ", label.casefold().replace("n/a", "na")))
    parts = {folded(part) for part in _JOINED.split(plain)} - {""}
    # "Unknown-refused", but not "non-response".
    split = (map(folded, re.split("[-–:]", each)) for each in parts - known)
    parts = (parts & known).union(*split)
    return bool(parts) and parts <= known and not parts.isdisjoint(words.no_data)


def is_no_experience(label: str) -> bool:
    """Whether an answer is of people without what the question is about: "Never used it".

    Among amounts and frequencies without a "not at all" such an answer is the lowest point.
    """
    own = folded(label)
    return own in _words().no_experience or _composed(own) == "no experience"


@lru_cache(maxsize=20_000)
def _composed(label: str) -> Literal["off scale", "no experience", ""]:
    """What the words of a folded label say together: "I still cannot say", "Never heard of it"."""
    for language in _words().no_opinion if len(label) <= _LONGEST else ():
        kinds = language.kinds_in(label)
        is_judged = "judge" in kinds and ("unable" in kinds or {"deny", "can"} <= kinds)
        if is_judged or {"deny", "recall"} <= kinds:
            return "off scale"
        if "deny" in kinds and kinds & {"know", "tried"}:
            # "Don't know it" is an answer to how well something is known.
            return "no experience" if kinds & {"objects", "tried"} else "off scale"
    return ""


def names_amount(text: str) -> bool:
    """Whether a name or label of a column is that of ages, counts, money or hours."""
    return bool(_pattern("amounts").search(text))


def names_age(text: str) -> bool:
    """Whether a name or label of a column is that of ages in years."""
    return bool(_pattern("ages").search(text))


@cache
def _pattern(key: Literal["amounts", "ages", "asked", "not_asked"]) -> re.Pattern[str]:
    """Any of some words; those of languages without blanks also within others."""
    words: frozenset[str] = getattr(_words(), key)
    within = "|".join(re.escape(each) for each in words if each > _FIRST_WITHOUT_BLANKS)
    alone = "|".join(re.escape(each) for each in words if each < _FIRST_WITHOUT_BLANKS)
    return re.compile(rf"(?<![^\W_])({alone})(?![^\W_])|{within}", re.IGNORECASE)


def is_negated(label: str) -> bool:
    """Whether a label has a word that makes it the opposite: "Not too happy", "Pas satisfait"."""
    return not _words().negations.isdisjoint(re.findall(r"\w+", folded(label)))


def affirmed_of(first: str, second: str) -> int | None:
    """Which of two labels affirms what the other denies: 0 or 1; None where neither does.

    "Aware" of "Aware" and "Not aware"; "For" of "Against" and "For".
    """
    labels = (folded(first), folded(second))
    for place, other in ((0, 1), (1, 0)):
        is_pole = (labels[place], labels[other]) in _words().poles
        if is_pole or labels[place] in _affirmed(labels[other]):
            return place
    return None


def _affirmed(label: str) -> Iterator[str]:
    """What a folded label may deny: the label without a negation."""
    words = _words()
    parts = label.split(" ")
    for place, part in enumerate(parts) if len(parts) > 1 else ():
        if part in words.negations:
            yield " ".join(parts[:place] + parts[place + 1 :])
    # Negations that are written together with their word, as in "unaware".
    for prefix in words.prefixes if label.startswith(words.prefixes) else ():
        if label.startswith(prefix) and len(label) > len(prefix):
            yield label.removeprefix(prefix)

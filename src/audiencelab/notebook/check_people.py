"""Questions whose answers name people, or where they live."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from audiencelab.notebook.check_findings import CheckFinding, some

_PEOPLE = re.compile(
    r"\b(interviewer(in)?s?|enqu[eê]t(eur|rice)s?|encuestador(a|es)?|entrevistador(a|es)?|"
    r"intervistator[ei]|anketör(ler)?|post_?codes?|zip_?codes?|plz|postleitzahl(en)?|code postal|"
    r"código postal|posta kodu|(first|last|family|sur|respondent)_? ?names?|vornamen?|nachnamen?)\b"
    r"|調査員|访员|面接員|郵便番号",
    re.I,
)
_MOST_WORDS = 6
"""Of a name that asks for that; longer ones may only speak of it."""

WORDS = "Answers may name people or where they live: "
MEND = "leave the question out of the notebook, and run it again"


def names_people(name: str) -> bool:
    """Whether a question of this name, or a table of this title, may have names as answers."""
    return len(name.split()) <= _MOST_WORDS and _PEOPLE.search(name) is not None


def people_in_titles(path: Path, cell: int, titles: Iterable[str]) -> Iterator[CheckFinding]:
    """What titles of tables say."""
    if found := sorted(filter(names_people, titles)):
        yield CheckFinding("names", "medium", path, cell, f"{WORDS}{some(found)}.", MEND)

"""Parts of sentences: names whose writing direction ends with them, and lists of names."""

from __future__ import annotations

_POP_EMBEDDING, _POP_ISOLATE = "\u202c", "\u2069"
_CLOSERS = {
    **dict.fromkeys("\u202a\u202b\u202d\u202e", _POP_EMBEDDING),
    **dict.fromkeys("\u2066\u2067\u2068", _POP_ISOLATE),
}
"""Characters that change the writing direction, and what ends each (Unicode UAX 9)."""


def isolate(name: str) -> str:
    """A name whose changes of writing direction end with it and do not mirror what follows."""
    open_marks: list[str] = []
    for character in name:
        if character in _CLOSERS:
            open_marks.append(_CLOSERS[character])
        elif character == _POP_ISOLATE and character in open_marks:
            # It also closes what was opened inside it.
            while open_marks.pop() != _POP_ISOLATE:
                pass
        elif open_marks and character == open_marks[-1]:
            open_marks.pop()
    return name + "".join(reversed(open_marks))


def quantity(names: list[str], count: int) -> str:
    """Which of the named answers must hold: "A or B", "A and B", "at least 2 of A, B and C"."""
    if not names:
        return "any answer" if count == 1 else f"at least {count} answers"
    if count == 1:
        return _listed(names, "or")
    if count == len(names):
        return _listed(names, "and")
    return f"at least {count} of {_listed(names, 'and')}"


def _listed(names: list[str], word: str) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"

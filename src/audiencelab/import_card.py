"""The card of an import: what was taken for granted, the worst first, with the code to change it.

A card is text on a terminal and HTML in a notebook, and never longer than 12 lines.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, cast

import msgspec

from audiencelab.markup import HEADING, QUIET, Html, card, code_line, element, joined, shorten
from audiencelab.wording import without_controls

MOST_LINES = 12
"""Lines of a card, its title and the count of the rest included."""

WIDTH = 100
"""Characters of a line of text."""

WHOLE = "client.import_report"
"""The code that shows all that a card leaves out."""

_SUBJECT = 18
"""Characters before the sentence, a mark and the subject: "! several answers"."""

_LONGEST = 2
"""Lines that a sentence, and its code, may each take on a card of text; the worst one more."""

_FEWEST = 36
"""Characters of a sentence beside its code, at least."""

_SAID = 400
"""Characters of a sentence on a page."""

_TABLE = "border-collapse:collapse;margin:4px 0;font-size:13px;color:inherit;background:none"
_OPEN = "al.open(…"
_OPENS = re.compile(r"al\.open\(…, \w+=[^()\n]*\)")
_DRAFT = "al.ingest.draft_codebook(…"
_OF_OPEN = ("to", "name", "codebook")
"""Arguments of `al.open` that a draft does not take."""
_OF_FILES = ("to", "codebook", "encoding", "sheet")
"""Those that another source, made of the file's rows, does not take."""

_PAD = "background:none;padding:2px 12px 2px 0;vertical-align:top;text-align:left"
_TEXT_OR_COMMA = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(, )""")


class CardLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that was taken for granted.

    subject: what it is about. said: a sentence with its figures. code: what changes it, as Python;
    "" where nothing does. severity: of the guess. count: how many guesses it joins.
    """

    subject: str
    said: str
    code: str = ""
    severity: int = 2
    count: int = 1

    @property
    def is_worst(self) -> bool:
        """Whether a figure is wrong if it is."""
        return self.severity == 0


class ImportCard(msgspec.Struct, frozen=True, omit_defaults=True):
    """A card, as text and as HTML.

    title: what was opened. facts: short ones beside the guesses. lines: the worst first.

    >>> weight = CardLine("weight", "no column is named like one", 'al.open(…, weight="w2")')
    >>> print(ImportCard("a.csv: 3 respondents", ("no weight",), (weight,)))
    a.csv: 3 respondents · no weight
      weight           no column is named like one  al.open(…, weight="w2")
    """

    title: str
    facts: tuple[str, ...] = ()
    lines: tuple[CardLine, ...] = ()

    def of_call(self, source: str, given: Mapping[str, str]) -> ImportCard:
        """The card with code that runs, of a call of `al.open` with these arguments, as code.

        >>> weight = CardLine("weight", "doubtful", 'al.open(…, weight="w2")')
        >>> ImportCard("", lines=(weight,)).of_call('"a.csv"', {"wave": '"w"'}).lines[0].code
        'al.open("a.csv", wave="w", weight="w2")'
        """
        return msgspec.structs.replace(
            self,
            lines=tuple(
                msgspec.structs.replace(each, code=code_of_call(each.code, source, given))
                for each in self.lines
            ),
        )

    def text(self, *, most: int | None = MOST_LINES, whole: str = WHOLE) -> Iterator[str]:
        """The card in lines of at most 100 characters, and a last one that counts the rest.

        most: lines at most; None shows everything. whole: what shows the rest.
        """
        told = map(without_controls, (self.title, *self.facts))
        if most is None:
            head = [line for each in told for line in textwrap.wrap(each, WIDTH)]
        else:
            head = _cut(textwrap.wrap(" · ".join(told), WIDTH), 2)
        yield from head
        if most is None:
            for line in self.lines:
                yield from _block(line, None, None)
            return
        blocks = _fitting(self.lines, most - len(head))
        for block in blocks:
            yield from block
        if rest := self.lines[len(blocks) :]:
            yield _rest(rest, whole)

    def __str__(self) -> str:
        return "\n".join(self.text())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.html()

    def html(self, *, most: int | None = MOST_LINES) -> str:
        """The card as HTML that follows the theme of the page; most: as for `text`."""
        # The title, the facts and the count of the rest are lines too.
        fitting = len(self.lines) if most is None else most - 2
        limit = fitting if len(self.lines) <= fitting else fitting - 1
        rows = list(map(_row, self.lines[:limit]))
        if rest := self.lines[limit:]:
            rows.append(element("tr", element("td", _rest(rest, WHOLE), colspan="2", style=_PAD)))
        listed = element("table", *rows, style=_TABLE) if rows else ""
        return str(card(self.title, listed, subtitle=" · ".join(self.facts)))


def code_of_call(code: str, source: str, given: Mapping[str, str]) -> str:
    """Code of a guess for a call of `al.open` with these arguments, as code; other code as it is.

    An argument that the guess names is the new one; codes are joined, by question.

    >>> code_of_call('al.open(…, missing={"q3": [9]})', "'a.csv'", {"missing": "{'q1': [8]}"})
    "al.open('a.csv', missing={'q1': [8], 'q3': [9]})"
    >>> draft = 'al.ingest.draft_codebook(…).save("survey.toml")'
    >>> code_of_call(draft, "'a.csv'", {"codebook": "'own.toml'"})
    ''
    """
    if code.startswith(_DRAFT) and "codebook" in given:
        # A new draft would lack what the codebook has.
        return ""
    if code.startswith(_DRAFT):
        kept = [f"{name}={value}" for name, value in given.items() if name not in _OF_OPEN]
        return f"{_DRAFT[:-1]}{', '.join([source, *kept])}{code.removeprefix(_DRAFT)}"
    if not code.startswith(_OPEN):
        return _of_other_source(code, given)
    text = f"{_OPEN[:-1]}...{code.removeprefix(_OPEN)}"
    call: Any = ast.parse(text, mode="eval").body
    new = {each.arg: each.value for each in call.keywords}
    written = [f"{name}={value}" for name, value in given.items() if name not in new]
    for name, value in new.items():
        own = ast.get_source_segment(text, value)
        if isinstance(value, ast.Dict) and (before := _literal(given.get(name, ""))) is not None:
            own = repr(_merged(before, ast.literal_eval(value)))
        written.append(f"{name}={own}")
    return f"{_OPEN[:-1]}{', '.join([source, *written])})"


def complete(message: str, source: str, given: Mapping[str, str]) -> str:
    """A message whose code opens a source, with that source and the arguments of the call.

    >>> complete("No weight. Write al.open(…, weight=None).", "'a.csv'", {"weight": "'w'"})
    "No weight. Write al.open('a.csv', weight=None)."
    """
    return _OPENS.sub(lambda found: code_of_call(found[0], source, given), message)


def _of_other_source(code: str, given: Mapping[str, str]) -> str:
    """The same code; with the arguments of the call where it opens a frame made of the file.

    >>> _of_other_source('al.open("answers.csv", labels=…)', {})
    'al.open("answers.csv", labels=…)'
    """
    if not code.startswith("al.open(") or "…" in code:
        return code
    call: Any = ast.parse(code, mode="eval").body
    if not isinstance(call.args[0], ast.Call):
        return code
    taken = {*_OF_FILES, *(each.arg for each in call.keywords)}
    kept = [f"{name}={value}" for name, value in given.items() if name not in taken]
    return ", ".join([code[:-1], *kept]) + ")"


def _literal(code: str) -> dict[str, Any] | None:
    """The codes that a call was given, by question; None where they are not literals."""
    try:
        found: Any = ast.literal_eval(code)
    except (ValueError, SyntaxError):
        return None
    return cast(dict[str, Any], found) if isinstance(found, dict) else {"*": found}


def with_arguments(given: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of `al.open` with others, which are the new ones; codes are joined, by question.

    >>> with_arguments({"missing": {"q1": [8]}, "weight": "w"}, {"missing": {"q3": [9]}})
    {'missing': {'q1': [8], 'q3': [9]}, 'weight': 'w'}
    """
    joined = {
        name: _merged(_by_question(given[name]), _by_question(value))
        for name, value in new.items()
        if isinstance(value, Mapping) and given.get(name) is not None
    }
    return {**given, **new, **joined}


def _by_question(given: Any) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], given) if isinstance(given, Mapping) else {"*": given}


def _merged(given: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Codes by question: those of a call, then those that a guess adds."""
    merged = {**given, **new}
    for name in given.keys() & new.keys():
        # No codes at all is a decision of its own.
        if new[name] and isinstance(given[name], list | tuple):
            merged[name] = [*dict.fromkeys([*given[name], *new[name]])]
    return merged


def show(shown: ImportCard) -> None:
    """Show a card: as HTML in a notebook, otherwise as text."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    if hasattr(shell, "kernel"):
        page: Any = import_module("IPython.display")
        page.display(shown)
    else:
        print(shown)  # noqa: T201 -- what was taken for granted


# ---- text ----


def _fitting(lines: Sequence[CardLine], most: int) -> list[list[str]]:
    """The text of the first lines of a card that fit, a list for each.

    What is doubtful has lines of its own for its code; what is settled has a single line. Both are
    longer where lines are left, the worst first.
    """
    # The last line of a card counts what does not fit.
    left = most
    blocks: list[list[str]] = []
    for count, line in enumerate(lines, start=1):
        block = [_short(line)] if line.severity > 1 else _doubtful(line, 1 + line.is_worst)
        if len(block) > left - (count < len(lines)):
            break
        left -= len(block)
        blocks.append(block)
    left -= len(blocks) < len(lines)
    for place, line in enumerate(lines[: len(blocks)]):
        longer = _doubtful(line, _LONGEST + line.is_worst)
        if 0 < len(longer) - len(blocks[place]) <= left or len(longer) == len(blocks[place]):
            left -= len(longer) - len(blocks[place])
            blocks[place] = longer
    return blocks


def _doubtful(line: CardLine, most: int) -> list[str]:
    return _block(line, most, _LONGEST)


def _short(line: CardLine) -> str:
    """One line, with the code where it fits beside some words."""
    code = without_controls(line.code)
    left = WIDTH - _SUBJECT - 1 - len(code) - 2
    if left < _FEWEST:
        code, left = "", WIDTH - _SUBJECT - 1
    said = " ".join(without_controls(line.said).split())
    if len(said) > left:
        # Text without blanks, such as Japanese, is cut where it is.
        words = textwrap.shorten(said, left, placeholder=" …").replace("… …", "…")
        said = words if len(words) > left / 2 else shorten(said, left)
    return f"{_head(line)}{said}  {code}".rstrip()


def _head(line: CardLine) -> str:
    subject = shorten(without_controls(line.subject), _SUBJECT - 3)
    return f"{'!' if line.is_worst else ' '} {subject:<{_SUBJECT - 2}} "


def _block(line: CardLine, most_said: int | None, most_code: int | None) -> list[str]:
    """The lines of text of one thing: its subject, the sentence, and the code that changes it.

    most_said, most_code: lines of words at most, and of code, which is left out if it is longer.
    """
    head, left = _head(line), WIDTH - _SUBJECT - 1
    said = textwrap.wrap(without_controls(line.said), left, break_long_words=True) or [""]
    code = _code_lines(without_controls(line.code), left)
    if most_said is not None:
        said = _cut(said, most_said)
    if most_code is not None and len(code) > most_code:
        code = []
    if len(said) == len(code) == 1 and len(said[0]) + 2 + len(code[0]) <= left:
        said, code = [f"{said[0]}  {code[0]}"], []
    indent = " " * len(head)
    return [f"{head}{said[0]}", *(f"{indent}{each}" for each in (*said[1:], *code))]


def _cut(lines: list[str], most: int) -> list[str]:
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    if len(last) >= WIDTH - _SUBJECT - 3:
        # At a word; text without blanks, such as Japanese, is cut where it is.
        head, _, tail = last.rpartition(" ")
        last = head if head and len(tail) < len(last) / 2 else last[:-2]
    return [*lines[: most - 1], f"{last.rstrip(' ;,:')} …"]


def _code_lines(code: str, width: int) -> list[str]:
    """Code in lines, broken after commas outside of texts, so that it runs as shown."""
    if not code:
        return []
    pieces, start = list[str](), 0
    for found in _TEXT_OR_COMMA.finditer(code):
        if found[2]:
            pieces.append(code[start : found.end()])
            start = found.end()
    pieces.append(code[start:])
    lines = [pieces[0]]
    for piece in pieces[1:]:
        if len(lines[-1]) + len(piece.rstrip()) <= width:
            lines[-1] += piece
        else:
            lines.append(piece)
    return [each.rstrip() for each in lines]


def _rest(lines: Sequence[CardLine], whole: str) -> str:
    count = sum(each.count for each in lines)
    return f"… and {count:,} more: {whole}"


# ---- HTML ----


def _row(line: CardLine) -> Html:
    subject = element("td", line.subject, style=f"{_PAD};white-space:nowrap;{_tone(line)}")
    said: list[Html | str] = [shorten(line.said, _SAID)]
    if line.code:
        said.append(code_line(line.code))
    return element("tr", subject, element("td", joined(*said), style=_PAD))


def _tone(line: CardLine) -> str:
    return HEADING if line.is_worst else QUIET

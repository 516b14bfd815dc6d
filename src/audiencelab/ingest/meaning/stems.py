"""The text of a question and the texts of its items in the labels of columns.

"Which? - Tea", "Which? [Tea]", "[Tea] Which?", "Which? (Tea)" and "Which? (choice=Tea)" are the
item "Tea" of the question "Which?".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_BEFORE_STEM = (" - ", " – ", " — ", ": ", " | ", "：", "／")
_AFTER_STEM = (*_BEFORE_STEM[:4], "? ", " | ", ". ", "：", "？", "。", "／", "】", "　")
"""What is between the text of a question and the text of an item, in the order of preference."""
_CHOICE = re.compile(r"(.+) \(choice=(.+)\)")
"""How REDCap labels the columns of a checkbox: "Why? (choice=Tea)"."""
_DASH = re.compile(r"(?s)(.*\S)(?:\s+- (.+)| \(choice=(.+)\))")
_PAIRS = ("[]", "()")


def in_bracket(label: str, pair: str = "[]") -> tuple[str, str] | None:
    """A text and what is in the bracket at its end; None where it does not end with one.

    >>> in_bracket("Rate (1 to 5) the tea (green, or (very) black)", "()")
    ('Rate (1 to 5) the tea', 'green, or (very) black')
    """
    if not label.endswith(pair[1]):
        return None
    depth = 0
    for place in range(len(label) - 1, -1, -1):
        depth += (label[place] == pair[1]) - (label[place] == pair[0])
        if depth == 0:
            found = label[:place].rstrip(), label[place + 1 : -1].strip()
            return found if all(found) else None
    return None


def item_of(name: str) -> tuple[str, str] | None:
    """Question and item in the heading of a column; None where it has no item.

    >>> item_of("Which brands? - Alba"), item_of("q1[SQ001]"), item_of("Income (net)")
    (('Which brands?', 'Alba'), ('q1', 'SQ001'), None)
    """
    if found := in_bracket(name):
        return found
    dash = _DASH.fullmatch(name)
    return (dash[1], (dash[2] or dash[3]).strip()) if dash else None


def after_bracket(label: str) -> tuple[str, str] | None:
    """The text behind the bracket at the beginning of a label, and what is in the bracket.

    >>> after_bracket("[Tea] Which?")
    ('Which?', 'Tea')
    """
    # The same, read from the other end with the signs turned round.
    found = in_bracket(label[::-1], "][")
    return (found[0][::-1], found[1][::-1]) if found else None


def divided(labels: Sequence[str], signs: Sequence[str] = _AFTER_STEM) -> tuple[str, list[str]]:
    """The question that some labels share, and the item of each; "" and labels where none is.

    signs: between question and item, in the order of preference.

    >>> divided(["How often? - Tea", "How often? - Milk"])
    ('How often?', ['Tea', 'Milk'])
    >>> divided(["Rate (low: 1, high: 5) (Tea)", "Rate (low: 1, high: 5) (Milk)"])
    ('Rate (low: 1, high: 5)', ['Tea', 'Milk'])
    """
    labels = [_CHOICE.sub(r"\1 - \2", label) for label in labels]
    for found in _in_brackets(labels):
        if len({stem for stem, _ in found}) == 1:
            return found[0][0], [item for _, item in found]
    front = common_start(labels)
    for sign in signs:
        # A sign inside a bracket is a part of the question: "(low: 1, high: 5)".
        head = front
        while sign in head:
            head = head.rpartition(sign)[0]
            own = [label[len(head) + len(sign) :].strip() for label in labels]
            if head.strip() and _is_balanced(head) and all(own):
                return (head + sign).strip(" -–—:|：／　/"), own
    back = common_start([label[::-1] for label in labels])[::-1]
    for sign in _BEFORE_STEM:
        _, found, tail = back.partition(sign)
        own = [label[: len(label) - len(tail) - len(sign)].strip() for label in labels]
        if found and tail.strip() and all(own):
            return tail.strip(), own
    return "", labels


def _in_brackets(labels: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """Question and item of all labels, by each form of brackets that all of them have."""
    forms = [[after_bracket(label) for label in labels]]
    forms += [[in_bracket(label, pair) for label in labels] for pair in _PAIRS]
    for form in forms:
        found = [each for each in form if each]
        if len(found) == len(labels) > 1:
            yield found


def _is_balanced(text: str) -> bool:
    return all(text.count(first) <= text.count(last) for first, last in _PAIRS)


def common_start(texts: Sequence[str]) -> str:
    """What all of some texts begin with."""
    # What the first and the last of sorted texts have in common, all between them have too.
    first, last = min(texts), max(texts)
    alike = (index for index, sign in enumerate(first) if sign != last[index : index + 1])
    return first[: next(alike, len(first))]

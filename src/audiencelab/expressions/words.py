"""An expression as Python code and as a sentence.

The code evaluates back to an equal tree: operators where they build exactly it, `all_of` and
`any_of` where they would not. The sentence is for people; names come from a catalogue when one
is given, codes stand in where a name is not known.
"""

from __future__ import annotations

from typing import Protocol, cast

from audiencelab.expressions.codes import ASKED, WAVES, is_whole_number
from audiencelab.expressions.expression import And, Combinator, Expression, Leaf

__all__ = ["Labels", "describe", "to_code"]


_MOST_OPERANDS = 200
"""Of a longer chain Python's own parser sees each operator one level deeper, and gives up."""


class Labels(Protocol):
    """Where names come from; `None` means that the code itself must do."""

    def question_name(self, code: str) -> str | None: ...
    def datapoint_name(self, question: str, code: str) -> str | None: ...
    def suffix_name(self, question: str, code: str) -> str | None: ...


class _Codes:
    """Labels that know nothing, so that codes are shown."""

    def question_name(self, code: str) -> str | None:
        return None

    def datapoint_name(self, question: str, code: str) -> str | None:
        return None

    def suffix_name(self, question: str, code: str) -> str | None:
        return None


def to_code(node: Expression) -> str:
    """Python that evaluates to an expression equal to `node`, with `audiencelab` as `al`."""
    code, closed = _positive_code(node)
    if not node.negated:
        return code
    return f"~{code}" if closed else f"~({code})"


def _positive_code(node: Expression) -> tuple[str, bool]:
    """The code of `node` without its negation, and whether it holds together as an operand."""
    if isinstance(node, Leaf):
        return _leaf_code(node), True
    children = cast(Combinator, node).children
    sign, name = ("&", "all_of") if isinstance(node, And) else ("|", "any_of")
    # The operators need two sides and melt an un-negated side of their own kind into one node.
    melts = any(type(child) is type(node) and not child.negated for child in children)
    if melts or not 2 <= len(children) <= _MOST_OPERANDS:
        return f"al.{name}({', '.join(map(to_code, children))})", True
    return f" {sign} ".join(map(_operand, children)), False


def _operand(node: Expression) -> str:
    code, closed = _positive_code(node)
    if node.negated:
        return to_code(node)
    return code if closed else f"({code})"


def _leaf_code(leaf: Leaf) -> str:
    suffixes = ", ".join(_suffix_code(suffix) for suffix in leaf.suffixes)
    question = repr(leaf.question) + (f", suffixes=[{suffixes}]" if suffixes else "")
    datapoints = [repr(code) for code in leaf.datapoints]
    if leaf.min_count == 1:
        call = f"any({', '.join(datapoints)})"
    elif leaf.min_count == len(datapoints):
        call = f"all({', '.join(datapoints)})"
    else:
        call = f"at_least({', '.join([str(leaf.min_count), *datapoints])})"
    return f"al.Q({question}).{call}"


def _suffix_code(code: str) -> str:
    return code if is_whole_number(code) else repr(code)


def describe(node: Expression, labels: Labels | None = None) -> str:
    """`node` in words: "Age is 18 to 24 or 25 to 34, and not Gender is Male"."""
    return _sentence(node, labels or _Codes(), top=True)


def _sentence(node: Expression, labels: Labels, *, top: bool) -> str:
    if isinstance(node, Leaf):
        return _leaf_sentence(node, labels)
    combinator = cast(Combinator, node)
    word = "and" if isinstance(node, And) else "or"
    parts = [_sentence(child, labels, top=False) for child in combinator.children]
    # Without brackets around the whole, a comma before the word keeps "a or b, and c" readable.
    joined = f", {word} ".join(parts) if top and not node.negated else f" {word} ".join(parts)
    if node.negated:
        return f"not ({joined})"
    return joined if top or len(parts) == 1 else f"({joined})"


def _leaf_sentence(leaf: Leaf, labels: Labels) -> str:
    question = _contained(labels.question_name(leaf.question) or leaf.question)
    if leaf.question == WAVES:
        question = "wave"
    if leaf.datapoints == (ASKED,):
        return f"{question} {'was not' if leaf.negated else 'was'} asked"
    names = [
        _contained(labels.datapoint_name(leaf.question, code) or code) for code in leaf.datapoints
    ]
    verb = "is not" if leaf.negated else "is"
    sentence = f"{question} {verb} {_quantity(names, leaf.min_count)}"
    if leaf.suffixes:
        suffixes = [
            _contained(labels.suffix_name(leaf.question, code) or code) for code in leaf.suffixes
        ]
        sentence += f" ({' or '.join(suffixes)})"
    return sentence


_POP_EMBEDDING, _POP_ISOLATE = "\u202c", "\u2069"
_CLOSERS = {
    **dict.fromkeys("\u202a\u202b\u202d\u202e", _POP_EMBEDDING),
    **dict.fromkeys("\u2066\u2067\u2068", _POP_ISOLATE),
}
"""Characters that turn the direction of what follows, and what ends each (Unicode UAX 9)."""


def _contained(name: str) -> str:
    """A name whose turns of direction end with it: none of them mirrors the words behind it."""
    waiting: list[str] = []
    for character in name:
        if character in _CLOSERS:
            waiting.append(_CLOSERS[character])
        elif character == _POP_ISOLATE and character in waiting:
            # It ends what was opened inside it too.
            while waiting.pop() != _POP_ISOLATE:
                pass
        elif waiting and character == waiting[-1]:
            waiting.pop()
    return name + "".join(reversed(waiting))


def _quantity(names: list[str], count: int) -> str:
    if not names:
        return "any answer" if count == 1 else f"at least {count} answers"
    if count == 1:
        return _listed(names, "or")
    if count == len(names):
        return _listed(names, "and")
    return f"at least {count} of {_listed(names, 'and')}"


def _listed(names: list[str], word: str) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"

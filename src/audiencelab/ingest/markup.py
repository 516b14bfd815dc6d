"""Texts of surveys in Unicode's form NFC, with HTML as the plain text that respondents saw."""

from __future__ import annotations

import re
from html import unescape
from typing import Any, TypeVar, cast
from unicodedata import normalize

_Given = TypeVar("_Given")

_INLINE = "a|abbr|b|big|em|font|i|nobr|o:p|q|s|small|span|strike|strong|sub|sup|tt|u|wbr"
"""Elements that may be within a word."""
_BLOCKS = (
    "blockquote|br|center|dd|div|dl|dt|h[1-6]|hr|iframe|img|input|li|ol|p|pre|table|tbody|td|tfoot|"
    "th|thead|tr|ul"
)
_HIDDEN = "script|style"
_ATTRIBUTE = (
    r"\s+(?:[\w:.-]++\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+)|"
    r"checked|controls|disabled|hidden|nowrap|noshade|readonly|required|selected)"
)
# An attribute has a value: "x <a and y> b" is a text, and so is any other word in brackets.
_TAG = re.compile(
    rf"<(?P<close>/?)(?P<name>(?P<inline>{_INLINE})|{_BLOCKS}|(?P<hidden>{_HIDDEN}))"
    rf"(?P<attributes>(?:{_ATTRIBUTE})*+)\s*/?>|(?P<opened><!--)|(?P<closed>-->)",
    re.IGNORECASE,
)
_ALT = re.compile(r"\salt\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|(\S+))", re.IGNORECASE)
# Without its semicolon it may be a text: "R&D", "Q&not".
_ENTITY = re.compile(r"&(?:amp;)*+(#?\w++;)|&(?:amp;)+")
_COMMENT = "-->"


def composed(given: _Given) -> _Given:
    """The same in Unicode's form NFC: a text, or the texts in a tuple, a list or a table."""
    value: Any = given
    if isinstance(value, str):
        value = normalize("NFC", value)
    elif isinstance(value, tuple):
        value = tuple(map(composed, cast(tuple[Any, ...], value)))
    elif isinstance(value, list):
        value = [*map(composed, cast(list[Any], value))]
    elif isinstance(value, dict):
        # Keys are values of the file, which are compared as `canonical_value` has them.
        value = {key: composed(each) for key, each in cast(dict[str, Any], value).items()}
    return value


def plain_text(text: str) -> str:
    """A text in Unicode's form NFC, with its HTML tags and entities as plain text.

    What only looks like HTML stays, as do texts of tags alone, which would be empty. An image is
    its alternative text.

    >>> plain_text("<p>How <b>happy</b> are you?<br/>&lt;18 years&nbsp;only</p>")
    'How happy are you? <18 years only'
    >>> plain_text("a < b, <18 years, R&D, {q1:NAOK}")
    'a < b, <18 years, R&D, {q1:NAOK}'
    """
    found = normalize("NFC", text)
    if "<" not in found and "&" not in found:
        return found
    # Entities last, since they may write signs of attributes; then tags again, which some programs
    # write as entities.
    plain = _without_tags(_ENTITY.sub(_character, _without_tags(found)))
    return " ".join(plain.split()) or found if plain != found else found


def _character(entity: re.Match[str]) -> str:
    return unescape(f"&{entity[1] or ''}")


def _without_tags(text: str) -> str:
    parts: list[str] = []
    at = 0
    hidden = ""
    """The end of what is being left out."""
    for tag in _TAG.finditer(text):
        if hidden:
            ends = tag["closed"] or (tag["close"] and tag["name"].lower())
            if ends == hidden:
                hidden, at = "", tag.end()
            continue
        # An arrow, without a comment before it.
        if tag["closed"]:
            continue
        parts.append(text[at : tag.start()])
        at = tag.end()
        if tag["opened"]:
            hidden = _COMMENT
        elif tag["hidden"] and not tag["close"]:
            hidden = tag["hidden"].lower()
        elif not tag["inline"]:
            alt = _ALT.search(tag["attributes"]) if tag["name"].lower() == "img" else None
            parts.append(f" {next(filter(None, alt.groups()), '') if alt else ''} ")
    # What is never closed is not left out.
    parts.append(text[at:])
    return "".join(parts)

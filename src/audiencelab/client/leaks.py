"""The search for a credential in what is about to be written or shown, however it stands there.

A token gets into an answer when a service echoes what it was sent, or a proxy says too much. A
snapshot is made to be passed on, and an error is saved with its notebook, so they are searched as
a reader would who wants to find one.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Collection, Iterable
from urllib.parse import quote, quote_plus

from audiencelab.client.credentials import Secret

__all__ = ["SHORTEST", "Watch", "leaks"]

SHORTEST = 6
"""Characters. A shorter credential is found in any text, and is a secret to nobody."""

_CODE = re.compile(rb"%..")
_ESCAPE = re.compile(rb"\\u00([0-7][0-9a-fA-F])")


def leaks(secrets: Iterable[Secret], parts: Iterable[bytes]) -> bool:
    """Whether one of the secrets stands in one of the parts.

    Looked for are: the text itself, with any escapes of JSON, percent-encoded, in base64, and
    escaped twice, since an answer is kept as a string.
    """
    needles = _needles(secrets)
    return any(_stands_in(part, needles) for part in parts)


class Watch:
    """Looks for the secrets in a text that comes in pieces: one cut in two is found as well."""

    def __init__(self, secrets: Collection[Secret]) -> None:
        self._needles = _needles(secrets)
        # In its longest form, escaped twice, each letter takes at most thirteen.
        self.longest = 13 * max((len(each.reveal()) for each in secrets), default=0)
        self._end = b""

    def sees(self, piece: bytes) -> bool:
        """Whether one of the secrets is complete with this piece."""
        if not self._needles:
            return False
        text = self._end + piece
        self._end = text[-self.longest :]
        return _stands_in(text, self._needles)


def _needles(secrets: Iterable[Secret]) -> set[bytes]:
    return {needle for secret in secrets for needle in _written_forms(secret.reveal())}


def _stands_in(part: bytes, needles: Collection[bytes]) -> bool:
    return any(needle in each for each in _readings(part) for needle in needles)


def _readings(part: bytes) -> tuple[bytes, ...]:
    """A part as it stands, and with the escapes undone that JSON allows and does not ask for."""
    if b"\\" not in part:
        return (part,)
    plain = _ESCAPE.sub(lambda code: bytes.fromhex(code[1].decode()), part)
    return part, plain, plain.replace(b"\\/", b"/")


def _written_forms(text: str) -> set[bytes]:
    if len(text) < SHORTEST:
        return set()
    plain = text.encode()
    forms = {plain, quote(text, safe="").encode(), quote_plus(text).encode()}
    forms |= {_CODE.sub(lambda code: code[0].lower(), form) for form in tuple(forms)}
    for ascii_only in (True, False):
        once = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
        twice = json.dumps(once, ensure_ascii=ascii_only)[1:-1]
        forms |= {once.encode(), twice.encode()}
    return forms | _base64_forms(plain)


def _base64_forms(plain: bytes) -> set[bytes]:
    """What is sure to stand in the base64 of any text that holds this one.

    Three bytes become four characters, so there are three ways for it to lie; characters at
    either end that also hold bits of a neighbour are left out.
    """
    forms: set[bytes] = set()
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + plain)
        first = -(-before * 8 // 6)
        last = (before + len(plain)) * 8 // 6
        sure = encoded[first:last]
        forms |= {sure, sure.translate(bytes.maketrans(b"+/", b"-_"))}
    return forms

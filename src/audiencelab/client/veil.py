"""Finds a credential that a service repeats in its answers, and replaces it by dots.

Found are the text itself and the forms of a service that repeats what it was sent: JSON escapes,
escaped twice (a JSON body inside a JSON string), percent-encoding, HTML and base64. A part of the
credential, another encoding and a hash are not.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import quote, quote_plus

from audiencelab.client.credentials import DOTS, Secret

SHORTEST = 6
"""Characters of the shortest credential that is searched for: a shorter one is in any text."""

_PERCENT_ENCODED = re.compile(rb"%..")
_JSON_ESCAPE = re.compile(rb"\\u00([0-7][0-9a-fA-F])")
_ESCAPES, _BEGUN_ESCAPES = (b"\\u00", b"\\/"), (b"\\", b"\\u", b"\\u0")
_DOTS = DOTS.encode()

_ESCAPED = 7
"""Bytes of a character that is escaped twice: two backslashes and u0041."""

_SOME = 4


def holds_secret(secrets: Iterable[Secret], parts: Iterable[bytes]) -> bool:
    """Whether one of the secrets occurs in one of the parts, as text or encoded."""
    needles = {form for secret in secrets for form in _encoded_forms(secret)}
    return any(needle in text for part in parts for text in _unescaped(part) for needle in needles)


def veiled(secrets: Iterable[Secret], text: str) -> str:
    """Text with each secret, as text or encoded, replaced by dots."""
    veil = Veil(secrets)
    return (veil.feed(text.encode(errors="surrogatepass")) + veil.rest()).decode(errors="replace")


class Veil:
    """Replaces secrets by dots in bytes that come in chunks, cut anywhere."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        self._secrets = [each for each in secrets if len(each) >= SHORTEST]
        self._held = b""

    def feed(self, chunk: bytes) -> bytes:
        """The bytes so far, without an end that may be the beginning of a secret."""
        if not self._secrets:
            return chunk
        data = self._held + chunk
        if holds_secret(self._secrets, [data]):
            for secret in self._secrets:
                data = _pattern(secret).sub(_DOTS, data)
        held = max(_unfinished(secret, data) for secret in self._secrets)
        self._held = data[len(data) - held :]
        return data[: len(data) - held]

    def rest(self) -> bytes:
        """The bytes that were held back, once all have come."""
        rest, self._held = self._held, b""
        return rest


def _unfinished(secret: Secret, data: bytes) -> int:
    """How many bytes at the end of the data may be the beginning of the secret."""
    window = data[-_ESCAPED * len(secret) :]
    # An escape may go on in the next chunk; the longest form of the secret is held back.
    if any(escape in window for escape in _ESCAPES) or window.endswith(_BEGUN_ESCAPES):
        return len(window)
    return max(_overlap(data, form) for form in _encoded_forms(secret))


def _overlap(data: bytes, form: bytes) -> int:
    """How many bytes at the end of the data are the beginning of a form."""
    start = max(0, len(data) - len(form) + 1)
    # Searching for some bytes at once is many times faster than looking at each.
    while (start := data.find(form[:_SOME], start)) >= 0:
        if form.startswith(data[start:]):
            return len(data) - start
        start += 1
    return next((count for count in range(_SOME - 1, 0, -1) if data.endswith(form[:count])), 0)


def _unescaped(part: bytes) -> tuple[bytes, ...]:
    """The bytes, and the bytes without the escapes that JSON allows and does not require."""
    if not any(escape in part for escape in _ESCAPES):
        return (part,)
    plain = _JSON_ESCAPE.sub(lambda code: bytes.fromhex(code[1].decode()), part)
    return part, plain, plain.replace(b"\\/", b"/")


@lru_cache(maxsize=32)
def _encoded_forms(secret: Secret) -> frozenset[bytes]:
    text = secret.reveal()
    if len(text) < SHORTEST:
        return frozenset()
    escaped = json.dumps(text)[1:-1]
    percent_encoded = {each(text).encode() for each in (quote, quote_plus)}
    percent_encoded.add(quote(text, safe="").encode())
    return frozenset(
        {
            text.encode(),
            escaped.encode(),
            json.dumps(escaped)[1:-1].encode(),
            html.escape(text).encode(),
            *percent_encoded,
            *(_PERCENT_ENCODED.sub(lambda code: code[0].lower(), form) for form in percent_encoded),
            *_base64_forms(text.encode()),
        }
    )


def _base64_forms(plain: bytes) -> set[bytes]:
    """The part of the base64 of any text that holds this one which does not depend on the rest.

    Three bytes become four characters, so that there are three alignments. Characters at either
    end that also hold bits of a neighbour are left out.
    """
    forms: set[bytes] = set()
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + plain)
        # Rounded up and down: only characters that these bytes alone decide, at 6 bits each.
        inner = encoded[-(-before * 8 // 6) : (before + len(plain)) * 8 // 6]
        forms |= {inner, inner.translate(bytes.maketrans(b"+/", b"-_"))}
    return forms


@lru_cache(maxsize=32)
def _pattern(secret: Secret) -> re.Pattern[bytes]:
    """Matches every form, and mixtures of them character by character."""
    written = b"".join(map(_character, secret.reveal()))
    # The longest first: alternatives are tried in order, and one form may begin another.
    others = map(re.escape, sorted(_encoded_forms(secret), key=len, reverse=True))
    return re.compile(b"|".join((written, *others)))


def _character(character: str) -> bytes:
    plain, code = re.escape(character.encode()), b"%02x" % ord(character)
    forms = [rb"\\*" + plain, rb"\\+u00(?i:" + code + b")", b"%(?i:" + code + b")"]
    # A space is also written as +, as HTML forms do.
    forms += [re.escape(html.escape(character).encode()), rb"\+"][: 1 + (character == " ")]
    return b"(?:" + b"|".join(forms) + b")"

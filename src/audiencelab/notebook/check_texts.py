"""What texts of a notebook give away: paths, user names, addresses, telephone numbers, credentials.

Nothing that is found is quoted whole where that would repeat it.
"""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from audiencelab.client.connection.target import TOKEN_VARIABLE
from audiencelab.client.credentials import Secret
from audiencelab.client.veil import holds_secret
from audiencelab.notebook.check_findings import CheckFinding, Severity, short, some
from audiencelab.notebook.io import text_of

_IMAGES = ("image/png", "image/jpeg", "image/gif", "application/pdf")
_STYLE = re.compile(r"<(style|script)\b.*?</\1>", re.S | re.I)
_TAG = re.compile(r"<[^<>]*>")
_HIDDEN = re.compile(
    r"""<!--(.{0,2000}?)-->|\s(?:href|src|alt|title|value|content|aria-label|data-[\w-]+)\s*=\s*"""
    r"""(?:"(?!data:)([^"]*)"|'(?!data:)([^']*)')""",
    re.S | re.I,
)
"""Texts in comments and attributes of a page."""

_PATH = re.compile(
    r"""(?<![\w./~:-])(?:file://)?(?:"""
    r"""/(?:home|Users|root|mnt|media|Volumes|srv|workspace)/[^\s"'<>|:*?)\],;]+"""
    r"""|/root(?=["')\s])"""
    # Elsewhere a file in quotes; files of Python and of the kernel are on every machine.
    r"""|(?<=["'])/(?:tmp|var|opt|data|scratch|private|work)/(?!ipykernel_)"""
    r"""(?![^"']*(?:site-packages|/lib/python))[^"'<>|*?\n]+\.\w{1,8}(?=["'])"""
    r"""|[A-Za-z]:\\{1,2}[^\s"'<>|:*?),;]+"""
    r"""|\\\\{1,3}[\w.-]+\\{1,2}[^\s"'<>|:*?),;]+)"""
)
_USER = re.compile(r"(?:/home/|/Users/|[\\/]Users[\\/]+)([^\\/\s\"'<>]+)", re.I)
_NOBODY = {
    "jovyan",
    "runner",
    "user",
    "username",
    "you",
    "name",
    "shared",
    "public",
    "coder",
    "vscode",
}
"""Names of users that containers have, or guides."""

_EMAIL = re.compile(r"(?:(?<=mailto:)|(?<![\w.+/:-]))[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}(?![\w@-])")
_RESERVED = re.compile(r"[@.](?:example\.(?:com|org|net)|example|invalid|test|localhost)$", re.I)
"""Domains that are reserved for examples (RFC 2606)."""

_PHONE = re.compile(r"(?<![\w.,+-])\+\d{1,3}(?:[ /-]?\(?\d{1,5}\)?){2,6}(?![\w%]|[.,]\d)")
_LOCAL_PHONE = re.compile(
    r"(?:\btel[.:]{0,2}|(?:\b(?:fone?|phone|mobile|handy|gsm|tel[eé]fon\w*|telem[oó]vel|telefoon|"
    r"t[eé]l[eé]phone|puhelin)|电话|手机|電話|携帯|전화)\s?[.:：#])\s{0,2}"
    r"(?!\d{4}-\d\d-\d\d)(\(?\d(?:[ /.-]?[\d()]){6,16})(?![\w%]|[.,]\d)",
    re.I,
)
"""A number after a word that says what it is. Rows of a table may begin with such a word."""

_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b")
_THOUSANDS = re.compile(r"\+\d{1,3}(?: \d{3})+")
_DIGITS_OF_PHONES = range(10, 16)

_SHAPES = {
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "a token of GitHub": re.compile(r"\bgh[pousr]_\w{30,}|\bgithub_pat_\w{30,}"),
    "a token of Hugging Face": re.compile(r"\bhf_[A-Za-z]{30,}"),
    "a key of Amazon": re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    "a token of Slack": re.compile(r"\bxox[abprs]-[\w-]{10,}"),
    "an API key": re.compile(r"\bsk-[\w-]{20,}"),
    "a JSON web token": re.compile(r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+"),
    "a credential": re.compile(r"\bBearer [\w.~+/-]{16,}"),
    "a password in an address": re.compile(
        r"\b[a-z][a-z\d+.-]{1,20}://[^\s/:@\"'<>{}]{0,99}:(?!(?:pass(?:word)?|pw|pwd|secret|\*+|x+)@)"
        r"[^\s/@\"'<>{}$]{3,}@",
        re.I,
    ),
}
_SAID = re.compile(
    r"(?<![A-Za-z])(?:token|password|passwd|pwd|api[_-]?key|access[_-]?key|secret(?:[_-]key)?)"
    r"[\"']?\s?[=:]\s?[\"']?([^\s\"'<>,;&]{8,})",
    re.I,
)
_IS_MIXED = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[^(\[{$]+")
"""A credential that a text says, as in "token=ab12cd34", and no code that gets one."""

_SHORTEST = 8
_MADE_UP = re.compile(
    r"\W*|.*(?:token|secret|password|passwort|your|example|…|\.\.\.).*", re.I | re.S
)
"""Credentials that guides write, which open nothing."""


def texts_of(output: Mapping[str, Any]) -> Iterator[str]:
    """The texts of an output in all its forms, without style sheets and tags.

    Texts of comments and of attributes, such as the address of a link, come by themselves.
    """
    kind = output.get("output_type")
    if kind == "stream":
        yield text_of(output.get("text"))
    elif kind == "error":
        yield f"{output.get('ename')}: {output.get('evalue')}"
        yield from cast("list[str]", output.get("traceback") or [])
    for form, content in cast("Mapping[str, Any]", output.get("data") or {}).items():
        if form in _IMAGES:
            continue
        if isinstance(content, dict):
            yield json.dumps(content, ensure_ascii=False)
        elif form in ("text/html", "image/svg+xml"):
            page = _STYLE.sub(" ", text_of(content))
            yield html.unescape(_TAG.sub(" ", page))
            hidden = (next(filter(None, each.groups()), "") for each in _HIDDEN.finditer(page))
            yield html.unescape("\n".join(hidden))
        else:
            yield text_of(content)


@dataclass(frozen=True, slots=True)
class TextSearch:
    """Looks for such texts. credentials: those that the code holds. authors: their addresses."""

    path: Path
    credentials: Sequence[str] = ()
    authors: Sequence[str] = ()

    def in_code(self, cell: int, source: str) -> Iterator[CheckFinding]:
        """What the code of a cell gives away."""
        mend = 'write a path that is relative to the notebook, such as "data/survey.sav"'
        yield from self._paths(cell, [source], "The code names", mend)
        yield from self._credentials(cell, [source], "The code holds", in_code=True)
        yield from self._people(cell, [source], "The code holds", "take it out")

    def in_outputs(self, cell: int, outputs: Iterable[Mapping[str, Any]]) -> Iterator[CheckFinding]:
        """What the outputs of a cell give away."""
        outputs = list(outputs)
        texts = [text for each in outputs for text in texts_of(each)]
        about = [json.dumps(each.get("metadata") or {}, ensure_ascii=False) for each in outputs]
        mend = "print .name of a path, or end the line with a semicolon, and run the cell again"
        yield from self._paths(cell, [*texts, *about], "The output shows", mend)
        yield from self._credentials(cell, [*texts, *about], "The output shows", in_code=False)
        mend = "leave the column out, and run the cell again"
        yield from self._people(cell, texts, "The output shows", mend)

    def in_text(self, cells: Iterable[Any]) -> Iterator[CheckFinding]:
        """What the text between the code gives away."""
        texts = [str(each.source) for each in cells if each.cell_type != "code"]
        yield from self._paths(0, texts, "The text names", "write a relative path")
        yield from self._credentials(0, texts, "The text holds", in_code=True)
        mend = 'take it out; those of authors belong in "authors" of the notebook\'s metadata'
        yield from self._people(0, texts, "The text holds", mend, "medium")

    def in_metadata(self, saved: Any, mend_state: str) -> Iterator[CheckFinding]:
        """What the metadata of a notebook and of its cells give away, and the state of widgets."""
        about = cast("dict[str, Any]", saved.metadata)
        of_cells = [each.metadata for each in cast("list[Any]", saved.cells)]
        rest = {key: each for key, each in about.items() if key != "widgets"}
        line = "take it out of the metadata"
        yield from self._saved([rest, *of_cells], "The metadata hold", line)
        state: Any = about.get("widgets", {})
        yield from self._saved([state], "The state of widgets holds", mend_state)

    def _saved(self, saved: Sequence[Any], says: str, mend: str) -> Iterator[CheckFinding]:
        texts = [json.dumps(each, ensure_ascii=False) for each in saved]
        yield from self._paths(0, texts, says, mend)
        yield from self._credentials(0, texts, says, in_code=False)
        yield from self._people(0, texts, says, mend)

    def in_snapshot(self, texts: Sequence[str]) -> Iterator[CheckFinding]:
        """What the texts of a snapshot give away."""
        mend = "rename the question or answer, or leave it out, and record again"
        yield from self._paths(0, texts, "It names", "open the file by a relative path, and record")
        yield from self._credentials(0, texts, "It holds", in_code=False)
        yield from self._people(0, texts, "It holds", mend)

    def _paths(
        self, cell: int, texts: Sequence[str], says: str, mend: str
    ) -> Iterator[CheckFinding]:
        found = [each[0] for text in texts for each in _PATH.finditer(text)]
        if not found:
            return
        names = {name for each in found for name in _USER.findall(each)}
        names = {each for each in names if each.lower() not in _NOBODY}
        user = f", with {some(sorted(names), 'user name')}" if names else ""
        words = f"{says} {some(found, 'absolute path')}{user}."
        yield CheckFinding("path", "medium" if names else "low", self.path, cell, words, mend)

    def _credentials(
        self, cell: int, texts: Sequence[str], says: str, *, in_code: bool
    ) -> Iterator[CheckFinding]:
        mend = (
            f"set {TOKEN_VARIABLE}, or keep it in the keyring; revoke this one"
            if in_code
            else "clear the output, and revoke the credential"
        )
        own = [os.environ.get(TOKEN_VARIABLE, ""), *self.credentials]
        secrets = [Secret(each) for each in own if len(each) >= _SHORTEST]
        found = [what for what, shape in _SHAPES.items() if any(map(shape.search, texts))]
        # What code gives a name, its syntax tree says.
        said = map(_magics, texts) if in_code and cell else texts
        if holds_secret(secrets, (each.encode(errors="replace") for each in texts)):
            found.append("a password, or the credential of a service")
        elif not found and any(map(_says_a_credential, said)):
            found.append("a password, or a token")
        for what in found:
            yield CheckFinding("credential", "high", self.path, cell, f"{says} {what}.", mend)

    def _people(
        self,
        cell: int,
        texts: Sequence[str],
        says: str,
        mend: str,
        severity: Severity = "high",
    ) -> Iterator[CheckFinding]:
        addresses = [each for each in emails(texts) if each.lower() not in self.authors]
        for what, found in (
            ("e-mail address", addresses),
            ("telephone number", phones(texts)),
            ("bank account", accounts(texts)),
        ):
            if found:
                words = f"{says} {some(list(map(_veiled, found)), what)}."
                yield CheckFinding("contact", severity, self.path, cell, words, mend)


def is_credential(text: str) -> bool:
    """Whether a text that code gives as a credential may be one."""
    return len(text) >= _SHORTEST and not _MADE_UP.fullmatch(text)


def emails(texts: Iterable[str]) -> list[str]:
    """Addresses of e-mail, without those that guides write."""
    found = (each for text in texts for each in _EMAIL.findall(text))
    return list(dict.fromkeys(each for each in found if not _RESERVED.search(each)))


def phones(texts: Iterable[str]) -> list[str]:
    """Telephone numbers in the international form, or after a word that says so.

    Others look like numbers.
    """
    found: dict[str, None] = {}
    for text in texts:
        for each in _PHONE.findall(text):
            if len(_digits(each)) in _DIGITS_OF_PHONES and not _is_thousands(each):
                found[each] = None
        found |= dict.fromkeys(
            each for each in _LOCAL_PHONE.findall(text) if len(_digits(each)) > 6
        )
    return list(found)


def _is_thousands(text: str) -> bool:
    """Whether it is a difference with blanks between its thousands, as in "+1 234 567 890"."""
    return _THOUSANDS.fullmatch(text) is not None and len(_digits(text)) < 11


def accounts(texts: Iterable[str]) -> list[str]:
    """Numbers of bank accounts (IBAN) whose check digits are right."""
    found = (each.replace(" ", "") for text in texts for each in _IBAN.findall(text))
    return list(dict.fromkeys(filter(_is_account, found)))


def _is_account(number: str) -> bool:
    # ISO 13616: letters count from 10, and the first four signs come last.
    digits = "".join(str(int(each, 36)) for each in number[4:] + number[:4])
    return len(number) >= 15 and int(digits) % 97 == 1


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _magics(source: str) -> str:
    return "\n".join(each for each in source.split("\n") if each.lstrip().startswith(("%", "!")))


def _says_a_credential(text: str) -> bool:
    values = _SAID.findall(text)
    return any(_IS_MIXED.fullmatch(each) and is_credential(each) for each in values)


def _veiled(text: str) -> str:
    """The first characters of a text, enough to find it."""
    return f"{short(text)[:4]}…"

"""Drafts that may be replaced: a last line tells whether anybody has edited the ones above it.

Only a draft that was made without being asked for is signed. One that somebody ordered may hold
what they chose, and is theirs.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

__all__ = ["is_as_signed", "signed"]

_SIGNED = "# If all above has this SHA-256, nobody edited the draft, and --replace drafts it anew: "


def signed(text: str) -> str:
    """A text with its digest, in a last line of its own that is a comment in TOML."""
    return f"{text}\n{_SIGNED}{_digest(text)}\n"


def is_as_signed(path: Path) -> bool:
    """Whether a file is to the last sign as `signed` made it; not so for one that is unreadable."""
    try:
        written = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    text, found, _ = written.rpartition(f"\n{_SIGNED}")
    return bool(found) and written == signed(text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

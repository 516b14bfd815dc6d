"""Surveys of format 1, made of ones of format 2, and damage to their files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec


def to_format_1(folder: Path) -> None:
    """Give a survey the manifest that format 1 had: without checksums of blocks and of itself."""
    path = folder / "panel.json"
    manifest: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    del manifest["seal"]
    manifest["version"] = 1
    for file in manifest["files"].values():
        file.pop("crc32", None)
    path.write_bytes(msgspec.json.encode(manifest))


def flip(path: Path, position: int, bit: int = 0) -> None:
    """Flip a bit of a file; `position`: of its byte, from the end if negative."""
    octets = bytearray(path.read_bytes())
    octets[position] ^= 1 << bit
    path.write_bytes(octets)

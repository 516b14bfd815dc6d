"""Surveys of format 1, made of ones of format 2, and damage to their files."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec


def to_format_1(folder: Path) -> None:
    """Give a survey the manifest that format 1 had: without checksums of blocks and of itself."""
    path = folder / "panel.json"
    manifest: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    manifest.pop("seal", None)
    manifest["version"] = 1
    for file in manifest["files"].values():
        file.pop("crc32", None)
    path.write_bytes(msgspec.json.encode(manifest))


def accept(folder: Path, name: str) -> None:
    """Give the manifest the checksum that a file has now, as a builder that wrote it would."""
    path = folder / "panel.json"
    manifest: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    manifest.pop("seal", None)
    octets = (folder / name).read_bytes()
    manifest["files"][name] |= {
        "sha256": hashlib.sha256(octets).hexdigest(),
        "octets": len(octets),
    }
    path.write_bytes(msgspec.json.encode(manifest))


def flip(path: Path, position: int, bit: int = 0) -> None:
    """Flip a bit of a file; `position`: of its byte, from the end if negative."""
    octets = bytearray(path.read_bytes())
    octets[position] ^= 1 << bit
    path.write_bytes(octets)

"""What this process takes, as Linux counts it; None elsewhere.

`getrusage` would not do: a child begins with the peak of the process that made it.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["available", "forget_peak", "held", "peak"]


def held() -> int | None:
    """Octets in memory now."""
    return _read("/proc/self/status", "VmRSS")


def peak() -> int | None:
    """The most that it ever was, or since `forget_peak`."""
    return _read("/proc/self/status", "VmHWM")


def available() -> int | None:
    """What the machine could still give."""
    return _read("/proc/meminfo", "MemAvailable")


def forget_peak() -> None:
    """Count the peak from now on."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _read(file: str, name: str) -> int | None:
    try:
        lines = Path(file).read_text().splitlines()
    except OSError:
        return None
    found = next((line.split() for line in lines if line.startswith(f"{name}:")), None)
    return int(found[1]) * 1024 if found else None

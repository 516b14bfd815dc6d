"""Whether a file lies on a network file system, where SQLite's write-ahead log is not safe.

The log needs memory that all its users share, and file locks that hold; over a network neither
can be relied on. Linux tells what is mounted where; elsewhere nothing is assumed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

__all__ = ["mount_of", "network_file_system"]

_MOUNTS = Path("/proc/self/mountinfo")

_OVER_A_NETWORK = re.compile(
    r"nfs\d?|cifs|smb\d*|smbfs|9p|afs|ceph|lustre|gpfs|beegfs|ocfs2|gfs2|virtiofs"
    r"|fuse\.(sshfs|s3fs|gcsfuse|glusterfs|rclone|davfs|ceph)|davfs|glusterfs"
)

_ESCAPED = re.compile(r"\\([0-7]{3})")


def network_file_system(path: Path) -> str | None:
    """The kind of network file system that a path lies on; None if on none, or not known."""
    try:
        mounts = _MOUNTS.read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    kind = mount_of(path.resolve(), mounts)
    return kind if kind is not None and _OVER_A_NETWORK.fullmatch(kind) else None


def mount_of(path: Path, mounts: Iterable[str]) -> str | None:
    """The file system of the mount that a path lies under, by lines of `mountinfo`.

    A later line of the same mount point lies over an earlier one.
    """
    found: tuple[int, str] | None = None
    for line in mounts:
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        point = Path(_ESCAPED.sub(lambda code: chr(int(code[1], 8)), fields[4]))
        depth = len(point.parts)
        if path.is_relative_to(point) and (found is None or depth >= found[0]):
            found = depth, after.split(" ")[0]
    return found and found[1]

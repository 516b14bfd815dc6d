"""Which file system a path lies on, by the lines of `mountinfo`."""

from __future__ import annotations

from pathlib import Path

import pytest

from audiencelab.service.store import placement
from audiencelab.service.store.placement import mount_of, network_file_system

MOUNTS = r"""
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/vda rw
23 22 0:20 / /proc rw,nosuid - proc proc rw
41 22 0:45 / /home/ada rw,relatime shared:2 master:1 - nfs4 server:/ada rw,vers=4.2
42 41 0:46 / /home/ada/local rw - xfs /dev/vdb rw
43 22 0:47 / /mnt/two\040words rw - cifs //server/share rw
44 22 0:48 / /mnt/over rw - ext4 /dev/vdc rw
45 44 0:49 / /mnt/over rw - fuse.sshfs ada@server: rw
46 22 0:50 /a\011b /mnt/dash rw - tmpfs - rw
broken
""".strip().splitlines()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/etc/x", "ext4"),
        ("/home/ada", "nfs4"),
        ("/home/ada/x/store.db", "nfs4"),
        ("/home/adam/store.db", "ext4"),
        ("/home/ada/local/store.db", "xfs"),
        ("/mnt/two words/store.db", "cifs"),
        ("/mnt/over/store.db", "fuse.sshfs"),
        ("/mnt/dash/x", "tmpfs"),
    ],
)
def test_the_nearest_and_latest_mount_decides(path: str, kind: str) -> None:
    assert mount_of(Path(path), MOUNTS) == kind


def test_without_mounts_nothing_is_known() -> None:
    assert mount_of(Path("/x"), []) is None


@pytest.mark.parametrize(
    ("kind", "network"),
    [
        *((kind, True) for kind in ("nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "ceph")),
        *((kind, True) for kind in ("lustre", "fuse.rclone", "afs", "glusterfs", "virtiofs")),
        *((kind, False) for kind in ("ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay")),
        *((kind, False) for kind in ("fuseblk", "fuse.lxcfs", "nfsd", "apfs", "f2fs")),
    ],
)
def test_which_file_systems_are_shared_over_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, network: bool
) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(f"22 1 8:1 / / rw - {kind} somewhere rw\n")
    monkeypatch.setattr(placement, "_MOUNTS", table)
    assert network_file_system(tmp_path) == (kind if network else None)


def test_a_link_is_followed_to_where_it_leads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share = tmp_path / "share"
    share.mkdir()
    (tmp_path / "link").symlink_to(share)
    table = tmp_path / "mountinfo"
    table.write_text(f"22 1 8:1 / / rw - ext4 a rw\n23 22 0:1 / {share} rw - nfs b rw\n")
    monkeypatch.setattr(placement, "_MOUNTS", table)
    assert network_file_system(tmp_path / "link") == "nfs"
    assert network_file_system(tmp_path) is None


def test_where_there_is_no_table_nothing_is_assumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(placement, "_MOUNTS", tmp_path / "none")
    assert network_file_system(tmp_path) is None

"""Snapshots: requests and responses recorded beside a notebook, and replayed without a network."""

from audiencelab.client.snapshots.format import SnapshotError
from audiencelab.client.snapshots.recording import Recording, SnapshotLeak
from audiencelab.client.snapshots.replay import SnapshotMiss

__all__ = ["Recording", "SnapshotError", "SnapshotLeak", "SnapshotMiss"]

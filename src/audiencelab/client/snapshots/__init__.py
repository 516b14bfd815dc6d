"""Snapshots: requests and answers recorded beside a notebook, and replayed without a network.

Rooms: `document` the file, `keys` what a request is found by, `recording` the door that listens,
`writing` a recording from its start to the file in place, `replay` the door that answers from a
file, `catalogue` questions out of it, `differences` how two requests differ, `words` what a person
reads of an exchange, `errors`.
"""

from audiencelab.client.snapshots.document import Header, Snapshot
from audiencelab.client.snapshots.errors import SnapshotError, SnapshotLeak, SnapshotMiss
from audiencelab.client.snapshots.recording import AsyncRecordingTransport, RecordingTransport
from audiencelab.client.snapshots.replay import (
    REPLAY,
    ReplayTransport,
    open_replay,
    replayed_session,
)
from audiencelab.client.snapshots.writing import Recording

__all__ = [
    "REPLAY",
    "AsyncRecordingTransport",
    "Header",
    "Recording",
    "RecordingTransport",
    "ReplayTransport",
    "Snapshot",
    "SnapshotError",
    "SnapshotLeak",
    "SnapshotMiss",
    "open_replay",
    "replayed_session",
]

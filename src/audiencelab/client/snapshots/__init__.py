"""Snapshots: requests and responses recorded beside a notebook, and replayed without a network.

`format` is the file and the keys of its requests, `recording_transport` the transport that records,
`recording` what is written of it, `replay` the transport that answers from a file,
`question_index` the questions in it, `diff` the differences of two requests or responses,
`summary` a recorded exchange in a few words, `verify` whether recorded responses still hold.
"""

from audiencelab.client.snapshots.format import Header, Snapshot, SnapshotError
from audiencelab.client.snapshots.recording import Recording, SnapshotLeak
from audiencelab.client.snapshots.recording_transport import (
    AsyncRecordingTransport,
    RecordingTransport,
)
from audiencelab.client.snapshots.replay import (
    REPLAY,
    ReplayTransport,
    SnapshotMiss,
    open_replay,
    replayed_session,
)

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

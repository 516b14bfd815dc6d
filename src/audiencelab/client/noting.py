"""What clients do in a notebook that `audiencelab verify` runs: lines in a file that it names."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LOG_VARIABLE = "AUDIENCELAB_RUN_LOG"
UNNAMED_VARIABLE = "AUDIENCELAB_UNNAMED_SNAPSHOT"
"""Set where outputs are compared with those of a client that replayed no snapshot."""


def note(line: Mapping[str, Any]) -> None:
    """Add a line to the file that `AUDIENCELAB_RUN_LOG` names, if any."""
    if file := os.environ.get(LOG_VARIABLE):
        with Path(file).open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")


def note_connection(source: str, snapshot: Path | None) -> None:
    """Note a new client; one without a snapshot has replayed nothing."""
    note({"source": source, "snapshot": str(snapshot.resolve()) if snapshot else None})


def note_exchange(snapshot: Path, position: int) -> None:
    """Note that a response of a snapshot was used, by its position there."""
    note({"snapshot": str(snapshot.resolve()), "exchange": position})

"""Cases that Python and the page must judge alike: `js/tests/shared.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SHARED: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "js" / "tests" / "shared.json").read_text(encoding="utf-8")
)

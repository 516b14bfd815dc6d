"""The guide to differences runs as it is printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "significance.md"


def test_the_code_of_the_guide_runs() -> None:
    code = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec("".join(code), names)
    assert names["comparison"].method_note.startswith("Two-sided z test of column percentages")
    assert len(names["found"]) == 10
    [example] = re.findall(r'sentence such as "(.*?)"', GUIDE.read_text(encoding="utf-8"))
    assert example in names["table"].standouts(limit=200)["statement"].tolist()
    names["client"].close()

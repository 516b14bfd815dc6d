"""The charts that the JupyterLab extension draws look like those that Python draws."""

import json
from pathlib import Path

from audiencelab.charts.renderer import defaults
from audiencelab.charts.theme import look

THEME = Path(__file__).parents[2] / "js" / "src" / "lab" / "charts" / "theme.json"


def test_the_front_end_has_the_very_same_themes() -> None:
    ours = {name: defaults(look(name)) for name in ("light", "dark")}
    assert json.loads(THEME.read_text(encoding="utf-8")) == ours

"""Labels as bad as labels get are names of audiences like any others."""

from __future__ import annotations

from pathlib import Path

from audiencelab import connect
from tests.browser.hostile import LABELS, hostile_survey


def test_answers_with_any_label_can_be_crossed(tmp_path: Path) -> None:
    client = connect(survey=hostile_survey(tmp_path / "survey"))
    rows, columns = (client.catalogue.audiences(code) for code in ("hard", "long"))
    table = client.crosstab(rows=rows, columns=columns)
    assert table.complete
    assert [audience.name for audience in table.columns] == list(LABELS)
    assert max(map(len, LABELS)) > 10_000

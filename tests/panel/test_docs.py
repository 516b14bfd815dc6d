"""The guide's example is imported as it stands on the page."""

from __future__ import annotations

import re
from pathlib import Path

from audiencelab.panel.importing import import_survey
from tests.panel.sources import answers

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "import.md"


def block(language: str) -> str:
    """The page's first block of that language."""
    found = re.search(rf"```{language}\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return found.group(1)


def test_the_guides_codebook_imports_all_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "survey.csv").write_text(block("text"))
    (tmp_path / "drinks.toml").write_text(block("toml"))
    panel = import_survey([tmp_path / "survey.csv"], tmp_path / "drinks.toml", tmp_path / "drinks")
    report = panel.import_report
    assert report is not None
    assert report["sources"][0]["unused_columns"] == []
    assert report["dropped"] == report["unknown_values"] == report["empty_questions"] == []
    assert [(wave.code, wave.respondents) for wave in panel.waves] == [("spring", 2), ("autumn", 2)]
    # In autumn the northerner, second in the file, comes first.
    assert answers(panel, "autumn", "drinks") == (
        [True, False],
        {"drinks_1": [True, False], "drinks_2": [True, False]},
    )
    assert answers(panel, "autumn", "sex") == (
        [True, True],
        {"sex_1": [False, False], "sex_2": [False, True]},
    )

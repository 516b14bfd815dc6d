"""The guide's example is imported as it stands on the page."""

from __future__ import annotations

import re
from pathlib import Path

from audiencelab.ingest import import_survey
from audiencelab.ingest.raking import Rake, rake_survey
from audiencelab.survey import derive
from audiencelab.survey.derivations import load_definitions
from audiencelab.survey.raking import load_targets
from tests.ingest.sources import answers, imported
from tests.survey.test_raking import MORE

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "import.md"


def block(language: str) -> str:
    """The page's first block of that language."""
    found = re.search(rf"```{language}\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return found.group(1)


def test_the_guides_codebook_imports_all_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "survey.csv").write_text(block("text"))
    (tmp_path / "drinks.toml").write_text(block("toml"))
    survey = import_survey([tmp_path / "survey.csv"], tmp_path / "drinks.toml", tmp_path / "drinks")
    report = survey.import_report
    assert report is not None
    assert report["sources"][0]["unused_columns"] == []
    assert report["dropped"] == report["unknown_values"] == report["empty_questions"] == []
    assert [(wave.code, wave.respondents) for wave in survey.waves] == [
        ("spring", 2),
        ("autumn", 2),
    ]
    # In autumn the northerner, second in the file, comes first.
    assert answers(survey, "autumn", "drinks") == (
        [True, False],
        {"drinks_1": [True, False], "drinks_2": [True, False]},
    )
    assert answers(survey, "autumn", "sex") == (
        [True, True],
        {"sex_1": [False, False], "sex_2": [False, True]},
    )


def test_the_recipes_of_the_guide_to_surveys_can_be_followed(tmp_path: Path) -> None:
    page = GUIDE.with_name("surveys.md").read_text("utf-8")
    recipes, _ = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "recipes.toml").write_text(recipes)
    survey = derive(imported(tmp_path), *load_definitions(tmp_path / "recipes.toml"))
    assert [recipe.code for recipe in survey.derived] == [
        "caffeine",
        "busy",
        "life",
        "sex_life",
        "stage",
    ]


def test_the_targets_of_the_guide_to_surveys_can_be_met(tmp_path: Path) -> None:
    page = GUIDE.with_name("surveys.md").read_text("utf-8")
    _, targets = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "targets.toml").write_text(targets)
    wanted = Rake(load_targets(tmp_path / "targets.toml"))
    [group] = rake_survey(imported(tmp_path, MORE), wanted).raked.groups
    assert (group.wave, group.locations, group.respondents) == ("w1", ("where_1",), 21)

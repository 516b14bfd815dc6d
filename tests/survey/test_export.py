"""What is exported and imported again gives the same tables, and other programs can read it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from audiencelab.cli import main
from audiencelab.ingest import Codebook, from_frame, import_survey
from audiencelab.ingest.codebook import CodedQuestion, DesignColumns, WeightColumn
from audiencelab.schema import Datapoint
from audiencelab.survey import (
    Survey,
    SurveyBuilder,
    SurveyCatalogue,
    SurveyError,
    SurveyExistsError,
    SurveyQuestion,
    derive,
)
from audiencelab.survey.answers import Design, Replicates
from audiencelab.survey.demo import build_demo_survey
from audiencelab.survey.derivations import Net, NetPoint
from audiencelab.survey.export import export_survey
from tests.ingest.sources import imported
from tests.messages import fails
from tests.survey.test_builder import CATALOGUE, WAVE, built, simple, waves
from tests.survey.test_design import CLUSTERS, STRATA


def again(survey: Survey, folder: Path) -> Survey:
    files = export_survey(survey, folder / "export")
    return import_survey([files.respondents], files.codebook, folder / "again")


def assert_same_tables(old: Survey, new: Survey) -> None:
    """Waves, weights, and every bit of every question that somebody was asked."""
    assert new.waves == old.waves
    assert new.manifest.weight_bits == old.manifest.weight_bits
    for wave in old.waves:
        before, after = old.wave(wave.code), new.wave(wave.code)
        assert np.array_equal(before.weights, after.weights)
        for question in old.catalogue.questions:
            found = before.question(question.canonical)
            if found is None or not found.asked.any():
                assert after.question(question.canonical) is None
                continue
            back = after.question(question.canonical)
            assert back is not None
            assert np.array_equal(found.rows, back.rows), question.canonical
            for mine, theirs in (
                (question.datapoints, back.question.datapoints),
                (question.suffixes, back.question.suffixes),
            ):
                assert [(each.code, each.name, each.midpoint) for each in mine] == [
                    (each.code, each.name, each.midpoint) for each in theirs
                ]


@settings(max_examples=40)
@given(wave=waves())
def test_any_survey_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, wave: dict[str, Any]
) -> None:
    folder = tmp_path_factory.mktemp("export")
    weights = wave.pop("weights")
    survey = built(folder / "p", wave, weights)
    assert_same_tables(survey, again(survey, folder))


def test_a_survey_comes_back_with_its_derived_questions(tmp_path: Path) -> None:
    survey = derive(
        imported(tmp_path),
        Net(
            code="often",
            name="Often",
            question="mood",
            datapoints=(NetPoint("Any", ("mood_1", "mood_2"), ("1",)),),
        ),
    )
    back = again(survey, tmp_path)
    assert_same_tables(survey, back)
    assert back.catalogue.question("often").flags == ("derived",)


def test_strata_and_clusters_come_back_in_the_waves_that_know_them(tmp_path: Path) -> None:
    again_and_more = simple() | {"where": np.repeat([0, 1, 0, 1], 25)}
    later = replace(WAVE, code="w2", starts=date(2025, 1, 1), ends=date(2025, 1, 1))
    with SurveyBuilder(tmp_path / "p", CATALOGUE) as builder:
        builder.add_wave(WAVE, np.ones(100), simple(), Design(STRATA, CLUSTERS))
        builder.add_wave(later, np.ones(100), again_and_more)
        survey = builder.finish()
    back = again(survey, tmp_path)
    assert_same_tables(survey, back)
    assert back.wave("w2").design == Design()
    old, new = survey.wave("w1").design.columns(), back.wave("w1").design.columns()
    for name in ("strata", "clusters"):
        # The numbers themselves mean nothing: the same respondents are together.
        pairs = set(zip(old[name].tolist(), new[name].tolist(), strict=True))
        assert len(pairs) == len(set(old[name].tolist())) == len(set(new[name].tolist()))


def test_the_demo_survey_comes_back_with_its_tree_and_texts(tmp_path: Path) -> None:
    survey = build_demo_survey(tmp_path / "demo", 960)
    back = again(survey, tmp_path)
    assert_same_tables(survey, back)
    old, new = survey.catalogue, back.catalogue
    assert new.categories == old.categories
    assert new.datasets == old.datasets
    assert new.namespaces == old.namespaces
    assert new.location_question == old.location_question
    for question in old.questions:
        found = new.question(question.canonical)
        for name in ("name", "kind", "waves", "categories", "datasets", "accessible", "unit"):
            assert getattr(found, name) == getattr(question, name)
        for name in ("description", "knowledge_base", "notice", "warning", "message"):
            assert getattr(found, name) == getattr(question, name)
        # An import reads the scale from the words of the answers, too.
        scale = [flag for flag in found.flags if flag.startswith(("top:", "ends:", "off_scale:"))]
        assert {*found.flags} - {*question.flags} <= {*scale}
        assert {*question.flags} <= {*found.flags}


def test_the_file_says_what_its_numbers_mean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    imported(tmp_path)
    target = tmp_path / "out" / "drinks.parquet"
    assert main(["survey", "export", str(tmp_path / "survey"), "--out", str(target)]) == 0
    told = capsys.readouterr().out
    assert f"{target}: 5 rows, 13 columns" in told
    table = pq.read_table(target)
    assert (
        table.column_names
        == [
            *("wave", "weight", "where", "sex", "hot_1", "hot_2", "hot_3"),
            *("all_1", "all_2", "all_3", "mood_1", "mood_2", "age"),
        ][: len(table.column_names)]
    )
    assert table["wave"].to_pylist() == ["w1", "w1", "w1", "w2", "w2"]
    assert table["where"].to_pylist() == [1, 2, 2, 1, None]
    assert table["hot_1"].to_pylist() == [1, 0, None, 0, 1]
    metadata = table.schema.field("sex").metadata
    assert metadata[b"label"] == b"Sex"
    assert json.loads(metadata[b"value_labels"]) == {"0": "None", "1": "Male", "2": "Female"}
    codebook = tomllib.loads(target.with_suffix(".toml").read_text())
    assert codebook["study"]["location"] == "core.where"
    assert sorted(path.name for path in target.parent.iterdir()) == [
        "drinks.parquet",
        "drinks.toml",
    ]


def test_files_that_are_there_are_replaced_only_on_request(tmp_path: Path) -> None:
    survey = imported(tmp_path)
    files = export_survey(survey, tmp_path / "out")
    before = files.respondents.read_bytes()
    files.respondents.write_bytes(b"mine")
    with fails(SurveyExistsError):
        export_survey(survey, tmp_path / "out")
    assert files.respondents.read_bytes() == b"mine"
    export_survey(survey, tmp_path / "out", replace=True)
    assert files.respondents.read_bytes() == before


def test_a_name_with_another_ending_is_refused_with_the_endings_there_are(tmp_path: Path) -> None:
    survey = imported(tmp_path)
    with fails(SurveyError):
        export_survey(survey, tmp_path / "answers.pdf")
    assert not (tmp_path / "answers.pdf").exists()
    (tmp_path / "version.2").mkdir()
    assert export_survey(survey, tmp_path / "version.2").respondents.is_file()


@pytest.mark.parametrize("library", ["pyarrow", "tomlkit"])
def test_what_an_export_needs_is_told(
    tmp_path: Path, not_installed: Callable[[str], None], library: str
) -> None:
    survey = built(tmp_path / "p", simple())
    not_installed(library)
    with fails(SurveyError):
        export_survey(survey, tmp_path / "export")


def test_columns_that_would_have_one_name_have_three(tmp_path: Path) -> None:
    points = (Datapoint("a", "A"), Datapoint("q_a", "B"))
    catalogue = SurveyCatalogue(
        (
            CATALOGUE.questions[0],
            SurveyQuestion("core", "q", "Q", "multiple", points),
            SurveyQuestion("core", "q_a", "Q A", "single", (Datapoint("x", "X"),)),
            SurveyQuestion("extra", "q_a", "More", "single", (Datapoint("x", "X"),)),
        ),
        CATALOGUE.location_question,
    )
    flags = np.array([[1, 0], [0, 1], [1, 1]], bool)
    with SurveyBuilder(tmp_path / "survey", catalogue) as builder:
        answers = {
            CATALOGUE.location_question: np.zeros(3, int),
            "q": flags,
            "core.q_a": np.array([0, -1, 0]),
            "extra.q_a": np.array([-1, 0, -1]),
        }
        builder.add_wave(WAVE, np.ones(3), answers)
        survey = builder.finish()
    files = export_survey(survey, tmp_path / "export")
    names = pq.read_schema(files.respondents).names
    assert [name for name in names if "q_a" in name] == [
        "q_a", "core.q_a", "core.q_a_2", "extra.q_a",
    ]  # fmt: skip
    assert_same_tables(survey, import_survey([files.respondents], files.codebook, tmp_path / "new"))


OTHERS = ("weight", "Gewicht für alle", "replicate_1")


def with_weights_and_replicates(folder: Path) -> Survey:
    """A survey with three other weights, an fpc, and four replicate weights."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"tea": rng.choice(["yes", "no"], 90), "units": 400.0})
    for name in ("w", *OTHERS[:2], "r1", "r2", "r3", "r4"):
        frame[name] = rng.uniform(0.5, 2, 90).round(3)
    frame[OTHERS[2]] = frame["w"].where(frame.index > 9)
    weight = WeightColumn("w", OTHERS)
    replicates = ("r1", "r2", "r3", "r4")
    design = DesignColumns(fpc="units", replicates=replicates, replicate_method="JK1")
    book = Codebook(
        questions=(CodedQuestion("tea", "Tea", column="tea"),), weight=weight, design=design
    )
    return from_frame(frame, book, folder / "survey")


@pytest.mark.parametrize("ending", ["parquet", "sav"])
def test_all_weights_come_back(ending: str, tmp_path: Path) -> None:
    survey = with_weights_and_replicates(tmp_path)
    files = export_survey(survey, tmp_path / f"answers.{ending}")
    back = import_survey([files.respondents], files.codebook, tmp_path / "back")
    assert_same_tables(survey, back)
    [old], [new] = ([each.wave(wave.code) for wave in each.waves] for each in (survey, back))
    for mine, theirs in zip(OTHERS, back.manifest.weight_names[1:], strict=True):
        assert np.array_equal(old.other_weights[mine], new.other_weights[theirs], equal_nan=True)
    assert old.design.replicates is not None
    assert new.design.replicates is not None
    assert np.array_equal(old.design.replicates.weights, new.design.replicates.weights)
    assert np.array_equal(old.design.replicates.scales, new.design.replicates.scales)
    assert old.design.fpc is not None
    assert new.design.fpc is not None
    assert np.array_equal(old.design.fpc, new.design.fpc)
    read = pd.read_parquet if ending == "parquet" else pd.read_spss
    assert files.columns == len(read(files.respondents).columns)


@pytest.mark.parametrize("count", [2, 3])
def test_replicates_that_differ_between_waves_are_refused(count: int, tmp_path: Path) -> None:
    later = replace(WAVE, code="w2", starts=date(2025, 1, 1), ends=date(2025, 1, 1))
    first = Replicates(np.ones((2, 100)), np.full(2, 0.5), "JK1")
    second = Replicates(np.ones((count, 100)), np.full(count, 1 / count), "BRR")
    with SurveyBuilder(tmp_path / "p", CATALOGUE) as builder:
        builder.add_wave(WAVE, np.ones(100), simple(), Design(replicates=first))
        builder.add_wave(later, np.ones(100), simple(), Design(replicates=second))
        survey = builder.finish()
    for name in ("answers.parquet", "answers.sav"):
        with pytest.raises(SurveyError, match=f"{WAVE.code} and w2 .* one codebook cannot"):
            export_survey(survey, tmp_path / name)
    assert not [*tmp_path.glob("*answers*")]
    assert export_survey(survey, tmp_path / "answers.sss").rows == 200

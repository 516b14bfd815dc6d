"""`audiencelab survey rake`: margins by labels, on the command line and in files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.cli import main
from audiencelab.survey import Survey

FRAME = pd.DataFrame(
    {
        "Gender": ["Female", "Female", "Female", "Male", "Male", "Female"] * 5,
        "Age, in years": ["18-34", "35+", "35+", "18-34", "35+", "18-34"] * 5,
        "tea": ["yes", "no"] * 15,
    }
)
GENDER = "Gender: Female=51, Male=49"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    al.open(FRAME, weight=None, to=tmp_path / "survey", quiet=True).close()
    return tmp_path / "survey"


def weights(folder: Path, name: str) -> np.ndarray:
    survey = Survey.open(folder)
    return survey.wave(survey.waves[0].code).other_weights[name]


def by_hand(shares: dict[str, float]) -> np.ndarray:
    counts = FRAME["Gender"].value_counts()
    factors = {each: share * len(FRAME) / counts[each] for each, share in shares.items()}
    return FRAME["Gender"].map(factors).to_numpy()


def test_a_margin_by_labels_makes_a_weight_beside_the_usual_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["survey", "rake", str(folder), "--target", GENDER, "--cap", "3"]) == 0
    told = capsys.readouterr().out
    assert "raked, beside the usual one: --weight raked" in told
    np.testing.assert_allclose(
        weights(folder, "raked"), by_hand({"Female": 0.51, "Male": 0.49}), rtol=1e-9
    )
    table = ["crosstab", str(folder), "--rows", "tea", "--weight", "raked"]
    assert main(table) == 0


def test_labels_may_have_signs_and_questions_may_be_combined(folder: Path, tmp_path: Path) -> None:
    both = (
        "Gender × Age, in years: Female × 18-34=30%, Female × 35+=21%, Male × 18-34=19%, "
        "Male × 35+=30%"
    )
    out = tmp_path / "other"
    command = ["survey", "rake", str(folder), "--target", both, "--name", "joint"]
    assert main([*command, "-o", str(out), "-q"]) == 0
    cells = FRAME.assign(weight=weights(out, "joint")).groupby(["Gender", "Age, in years"])
    shares = cells["weight"].sum() / len(FRAME)
    assert shares.tolist() == pytest.approx([0.30, 0.21, 0.19, 0.30])
    assert Survey.open(folder).manifest.weight_names == ()


def test_a_file_may_have_labels(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "margins.toml"
    file.write_text(
        "cap = 4\n[[targets]]\nmargins = [\n"
        '  { question = "gender", shares = { Female = 51, male = 49 } },\n'
        '  { questions = ["Age, in years", "tea"], cells = [\n'
        '    { answers = ["18-34", "yes"], share = 1 }, { answers = ["18-34", "no"], share = 2 },\n'
        '    { answers = ["35+", "yes"], share = 2 }, { answers = ["35+", "no"], share = 1 },\n'
        "  ] },\n]\n"
    )
    assert main(["survey", "rake", str(folder), "--targets", str(file), "-q"]) == 0
    found = FRAME.assign(weight=weights(folder, "raked"))
    assert found.groupby("Gender")["weight"].sum().tolist() == pytest.approx([15.3, 14.7])


@pytest.mark.parametrize(
    "given",
    [[], ["--target", GENDER, "--targets", "x.toml"], ["--target", "Gender 51"]],
)
def test_margins_that_cannot_be_read_are_a_usage_error(folder: Path, given: list[str]) -> None:
    assert main(["survey", "rake", str(folder), *given]) == 2


def test_unknown_names_are_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = "Gendr: Female=51, Male=49"
    assert main(["survey", "rake", str(folder), "--target", target]) == 2
    assert "There is no question 'Gendr'. Did you mean 'Gender'?" in capsys.readouterr().err

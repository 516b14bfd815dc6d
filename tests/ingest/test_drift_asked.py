"""Who was asked a question in two waves: everyone in the one, and only some in the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest.report import ImportReport
from audiencelab.schema.breaks import breaks_of


def wave(folder: Path, number: int, of: str = "all", part: float = 0.0) -> Path:
    """A file in which the bus was rated by all, by those who take it, or by all but a part."""
    rng = np.random.default_rng(number)
    takes = rng.choice([1, 2, 3], 300, p=[0.55, 0.3, 0.15])
    frame = pd.DataFrame({"takes": takes, "rated": rng.integers(1, 6, 300).astype(float)})
    frame[["why_1", "why_2"]] = rng.integers(0, 2, (300, 2)).astype(float)
    left = {"all": takes < 0, "users": takes == 1, "some": rng.random(300) < part}[of]
    frame.loc[left, ["rated", "why_1", "why_2"]] = np.nan
    path = folder / f"Q{number} 2026.csv"
    frame.to_csv(path, index=False)
    return path


def read(folder: Path, files: list[Path], *, is_added: bool, **given: Any) -> al.Client:
    if not is_added:
        return al.open(files, to=folder / "survey", quiet=True, **given)
    return al.open(files[0], to=folder / "survey", quiet=True).add_wave(
        files[1], quiet=True, **given
    )


def found(client: al.Client) -> dict[str, tuple[str, bool]]:
    report = client.import_report
    assert isinstance(report, ImportReport)
    return {e.question: (e.detail, e.is_break) for e in report.drift if e.kind == "asked"}


def breaks(client: al.Client) -> list[str]:
    questions = client.service.survey.catalogue.questions
    return [each.code for each in questions if breaks_of(each.flags)]


@pytest.mark.parametrize("is_added", [True, False])
def test_a_question_that_was_routed_and_is_asked_of_all_is_a_break(
    tmp_path: Path, is_added: bool
) -> None:
    files = [wave(tmp_path, 1, "users"), wave(tmp_path, 2)]
    client = read(tmp_path, files, is_added=is_added)
    asked = pd.read_csv(files[0])["rated"].notna().sum()
    said = f"it was asked of {asked} of 300 ({asked / 3:.0f}%), those with takes '2', '3', before, "
    said += "and of all 300 now"
    assert found(client) == {"rated": (said, True), "why": (f"{said} (in 2 columns)", True)}
    assert breaks(client) == ["rated", "why"]
    tests = client.trend("rated").test().to_frame()
    assert tests["p"].isna().all()
    assert tests["note"].str.startswith("break at Q2 2026: it was asked of").all()


def test_who_was_asked_may_be_decided(tmp_path: Path) -> None:
    files = [wave(tmp_path, 1), wave(tmp_path, 2, "users")]
    decide = {"rated": "codes", "why": 1.0}
    client = read(tmp_path, files, is_added=True, decide=decide)
    assert [is_break for _, is_break in found(client).values()] == [False, True]
    assert breaks(client) == ["why"]


@pytest.mark.parametrize(
    ("before", "now", "is_named"),
    [
        (("users", 0.0), ("users", 0.0), False),
        # A fifth that no other answer explains may have left the question out.
        (("some", 0.2), ("all", 0.0), True),
        (("some", 0.05), ("all", 0.0), False),
        (("some", 0.2), ("some", 0.1), False),
    ],
)
def test_what_may_be_chance_or_left_out_is_no_break(
    tmp_path: Path, before: tuple[str, float], now: tuple[str, float], is_named: bool
) -> None:
    files = [wave(tmp_path, 1, *before), wave(tmp_path, 2, *now)]
    client = read(tmp_path, files, is_added=True)
    assert bool(found(client)) == is_named
    assert breaks(client) == []

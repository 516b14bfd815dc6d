"""Breaks: what the catalogue says of waves whose figures do not compare."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pandas as pd
import pytest
from msgspec import structs

from audiencelab.ingest import draft_codebook, from_frame
from audiencelab.ingest.codebook import Codebook, CodedBreak
from audiencelab.ingest.kept import codebook_of, kept_json, shown_by
from audiencelab.schema.breaks import Break, breaks_between, breaks_of
from audiencelab.survey.export import export_survey

WAVES = ["w1", "w2", "w3", "w4"]
WHY = "5 points were 7: “50%: a/b”"


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [("w1", "w2", 0), ("w2", "w3", 1), ("w4", "w1", 1), ("w3", "w4", 0), ("w3", "w3", 0)],
)
def test_a_break_lies_between_waves(one: str, other: str, found: int) -> None:
    breaks = [Break("w3", WHY)]
    assert len([*breaks_between(breaks, WAVES, one, other)]) == found


def test_a_codebook_says_breaks_to_the_catalogue_and_back(tmp_path: Path) -> None:
    frame = pd.DataFrame({"q1": ["a", "b", "a", "b"], "wave": ["w:1", "w:1", "w:2", "w:2"]})
    book = draft_codebook(frame, wave="wave").codebook
    code = book.waves[1].code
    question = structs.replace(book.questions[0], breaks=(CodedBreak(code, WHY),))
    survey = from_frame(frame, structs.replace(book, questions=(question,)), tmp_path / "s")
    found = survey.catalogue.question("q1")
    assert breaks_of(found.flags) == (Break(code, WHY),)
    assert shown_by(found).breaks == codebook_of(survey).questions[0].breaks == question.breaks
    kept = msgspec.convert(kept_json(codebook_of(survey)), Codebook, strict=False)
    assert kept.questions[0].breaks == question.breaks
    exported = export_survey(survey, tmp_path / "s.parquet")
    assert "breaks" in exported.codebook.read_text()

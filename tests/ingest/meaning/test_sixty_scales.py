"""Sixty scales in twelve languages, imported: their order, top, ends and what is off them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from audiencelab.schema import Question
from audiencelab.schema.scales import scale_of
from tests.ingest.meaning.scale_cases import (
    Case,
    cases_of,
    found,
    survey_of_codes,
    survey_of_texts,
)

CASES = cases_of("sixty_scales.toml")


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Question]:
    folder = tmp_path_factory.mktemp("sixty")
    surveys = [
        survey_of_texts([case for case in CASES if not case.codes], folder),
        survey_of_codes([case for case in CASES if case.codes], folder),
    ]
    return {
        question.code: question for survey in surveys for question in survey.catalogue.questions
    }


def test_there_are_sixty_half_of_them_published() -> None:
    assert len(CASES) == 60
    assert len({case.id[:2] for case in CASES}) == 12
    assert sum(case.is_published for case in CASES) >= 30


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_record_of_a_scale(questions: Mapping[str, Question], case: Case) -> None:
    question = questions[case.id]
    assert found(case, question) == (True, True, True)
    assert scale_of(question).ends == case.ends

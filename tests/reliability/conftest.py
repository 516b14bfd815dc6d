"""A survey for what is tried here."""

from __future__ import annotations

import pytest

from audiencelab.survey import Survey
from tests.service.surveys import build_survey


@pytest.fixture(scope="session")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    return build_survey(tmp_path_factory.mktemp("survey") / "survey")

"""What the tests of notebooks share: a result of the real service."""

from __future__ import annotations

import pytest

import audiencelab as al
from audiencelab.survey import demo_survey
from audiencelab.tables import CrosstabResult


@pytest.fixture(scope="session")
def small_result() -> CrosstabResult:
    with al.connect(survey=demo_survey(2_400)) as client:
        return client.crosstab(
            rows=client.catalogue.audiences("q4"), columns=client.catalogue.audiences("q2")
        )

"""The published interface against the service over real HTTP, with inputs that nobody thought of.

What the document promises holds for input that fits it and input that does not: no failure of the
service, no status and no body that is not documented, and nothing accepted that it rules out.
"""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS

import audiencelab
from audiencelab.schema.endpoints import CREATE_CHART
from audiencelab.service.openapi import document
from audiencelab.service.openapi_examples import BODIES, PARAMETERS
from audiencelab.survey import demo_survey
from tests.service.asking import TOKEN

pytestmark = pytest.mark.slow

CREDENTIAL = {"Authorization": f"Bearer {TOKEN}"}
INTERFACE = schemathesis.openapi.from_dict(document())

thorough = settings(max_examples=25, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    with audiencelab.serve(demo_survey(), token=TOKEN) as url:
        yield url


@pytest.fixture(scope="module")
def chart(served: str) -> str:
    """The id of a chart that is there."""
    body = BODIES[CREATE_CHART]
    made = httpx.post(
        f"{served}/v1/charts", json=body, headers=CREDENTIAL, trust_env=False, timeout=60
    )
    return made.json()["id"]


def answered(case: schemathesis.Case, url: str) -> None:
    case.call_and_validate(
        base_url=url,
        headers=CREDENTIAL,
        # Codes are a survey's own, and no schema knows them.
        excluded_checks=[CHECKS.get_one("positive_data_acceptance")],
    )


@INTERFACE.parametrize()
@thorough
def test_whatever_is_sent_is_answered_as_documented(case: schemathesis.Case, served: str) -> None:
    answered(case, served)


@INTERFACE.include(path_regex=r"\{id\}").parametrize()
@thorough
def test_so_is_what_is_sent_to_a_thing_that_is_there(
    case: schemathesis.Case, served: str, chart: str
) -> None:
    case.path_parameters["id"] = chart if "/charts/" in case.path else PARAMETERS["id"]
    answered(case, served)

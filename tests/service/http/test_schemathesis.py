"""The published interface against the service over real HTTP, with inputs that nobody thought of.

What the document promises holds for input that fits it and input that does not: no failure of the
service, no status and no body that is not documented, and nothing accepted that it rules out.
"""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS

import audiencelab
from audiencelab.schema.endpoints import CREATE_CHART
from audiencelab.service import RateLimit, Service
from audiencelab.service.http.app import application
from audiencelab.service.openapi import document
from audiencelab.service.openapi_examples import BODIES, PARAMETERS
from audiencelab.survey import demo_survey
from tests.service.asking import TOKEN

pytestmark = pytest.mark.slow

CREDENTIAL = {"Authorization": f"Bearer {TOKEN}"}
INTERFACE = schemathesis.openapi.from_dict(document())
# The same for tests that overwrite what is sent: hundreds of bodies for each path would be one.
PATHS = schemathesis.openapi.from_dict(document())
PATHS.config.phases.coverage.enabled = False

thorough = settings(max_examples=25, derandomize=True, suppress_health_check=list(HealthCheck))
few = settings(thorough, max_examples=3)


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    with audiencelab.serve(demo_survey(), token=TOKEN) as url:
        yield url


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    """Thousands of requests over one connection."""
    with requests.Session() as session:
        session.trust_env = False
        yield session


@pytest.fixture(scope="module")
def chart(served: str) -> str:
    """The id of a chart that is there."""
    body = BODIES[CREATE_CHART]
    made = httpx.post(
        f"{served}/v1/charts", json=body, headers=CREDENTIAL, trust_env=False, timeout=60
    )
    return made.json()["id"]


def other_method(case: schemathesis.Case) -> bool:
    """Whether a case has a method that the path does not have."""
    return case.method.upper() != case.operation.method.upper()


def answered(case: schemathesis.Case, url: str, session: requests.Session) -> None:
    # Of another version of the survey everything is refused, before anything else is looked at.
    case.headers.pop("If-Survey-Version", None)
    case.call_and_validate(
        base_url=url,
        session=session,
        headers=CREDENTIAL,
        # Codes are a survey's own, and no schema knows them.
        excluded_checks=[CHECKS.get_one("positive_data_acceptance")],
    )


@INTERFACE.parametrize()
@thorough
def test_whatever_is_sent_is_answered_as_documented(
    case: schemathesis.Case, served: str, session: requests.Session
) -> None:
    answered(case, served, session)


@INTERFACE.include(path_regex=r"\{id\}").parametrize()
@thorough
def test_so_is_what_is_sent_to_a_thing_that_is_there(
    case: schemathesis.Case, served: str, session: requests.Session, chart: str
) -> None:
    case.path_parameters["id"] = chart if "/charts/" in case.path else PARAMETERS["id"]
    answered(case, served, session)


@PATHS.include(method="GET", path_regex=r"^/v2/").parametrize()
@few
def test_so_is_what_the_caller_has_already(case: schemathesis.Case, served: str) -> None:
    case.path_parameters = {name: PARAMETERS[name] for name in case.path_parameters}
    case.query = {}
    first = httpx.get(served + case.formatted_path, headers=CREDENTIAL, trust_env=False, timeout=60)
    case.headers = {**CREDENTIAL, "If-None-Match": first.headers["etag"]}
    assert case.call_and_validate(base_url=served).status_code == 304


@PATHS.include(path_regex=r"\{id\}", method=["PUT", "PATCH"]).parametrize()
@few
def test_so_is_a_write_that_would_undo_another(
    case: schemathesis.Case, served: str, chart: str
) -> None:
    charts = "/charts/" in case.path
    case.path_parameters["id"] = chart if charts else PARAMETERS["id"]
    case.body, case.media_type, case.query = {"name": "Mine"}, "application/json", {}
    case.headers = {**CREDENTIAL, "If-Match": '"another"'}
    accepted = [CHECKS.get_one("positive_data_acceptance")]
    answer = case.call_and_validate(base_url=served, excluded_checks=accepted)
    assert answer.status_code == 412


BUSY = schemathesis.openapi.from_asgi(
    "/openapi.json", application(Service(demo_survey(), [TOKEN]), max_concurrent=0)
)
LIMITED = schemathesis.openapi.from_asgi(
    "/openapi.json",
    application(Service(demo_survey(), [TOKEN], rate_limit=RateLimit(1e-6, 1))),
)
# Both are answered before anything of the request but its path is read.
BUSY.config.phases.coverage.enabled = False
LIMITED.config.phases.coverage.enabled = False


@BUSY.parametrize()
@few
def test_so_is_a_request_to_a_busy_service(case: schemathesis.Case) -> None:
    case.headers = CREDENTIAL
    answer = case.call_and_validate(excluded_checks=[CHECKS.get_one("not_a_server_error")])
    is_open = case.path in ("/health", "/openapi.json")
    assert answer.status_code == 503 or is_open


@LIMITED.include(path_regex="^/v").parametrize()
@few
def test_so_is_one_too_many(case: schemathesis.Case) -> None:
    case.headers = CREDENTIAL
    case.call()
    assert case.call_and_validate().status_code == 429

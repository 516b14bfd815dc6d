from __future__ import annotations

import pytest

from audiencelab.panel import Panel
from audiencelab.service import Service
from tests.service.asking import TOKEN
from tests.service.surveys import build_survey


@pytest.fixture(scope="session")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Panel:
    return build_survey(tmp_path_factory.mktemp("survey") / "panel")


@pytest.fixture(scope="session")
def service(survey: Panel) -> Service:
    return Service(survey, [TOKEN])

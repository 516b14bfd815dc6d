"""Most tests read files of statistics programs in this process, which is faster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from audiencelab.ingest import readers
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers import SurveyFile
from tests.surveys.fixtures import hps_survey, masculinity_survey

__all__ = ["hps_survey", "masculinity_survey"]

IN_CHILDREN = "test_child_process"


@pytest.fixture(scope="module", autouse=True)
def in_this_process(request: pytest.FixtureRequest) -> Iterator[None]:
    def opened(
        path: Path, options: Source, opener: Callable[[Path, Source], SurveyFile]
    ) -> SurveyFile:
        return opener(path, options)

    with pytest.MonkeyPatch.context() as patched:
        if not request.module.__name__.endswith(IN_CHILDREN):
            patched.setattr(readers, "_open_in_child", opened)
        yield

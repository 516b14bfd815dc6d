"""What is said when files cannot be written, and what says it tells no number of an error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from audiencelab.survey import SurveyError
from audiencelab.survey.layout import writes
from tests.messages import fails

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
def test_an_array_that_does_not_fit_tells_of_a_full_disk(tmp_path: Path) -> None:
    with (
        fails(SurveyError) as caught,
        writes(tmp_path / "survey"),
    ):
        np.zeros(1_000_000).tofile(FULL)
    assert str(caught.value).startswith(f"{tmp_path / 'survey'} could not be written: ")
    assert isinstance(caught.value.__cause__, OSError)
    assert caught.value.__cause__.errno is None, "or else this test tries nothing"

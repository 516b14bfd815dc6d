"""What is either True or False is refused as anything else, wherever a caller may say it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import audiencelab as al
from audiencelab.flags import flag
from audiencelab.ingest import draft_codebook
from audiencelab.notebook.export_html import export
from audiencelab.survey import export_survey
from audiencelab.survey.layout import check_target
from tests.results.samples import crosstab, row, stats


@pytest.mark.parametrize("given", [True, False, np.True_, np.False_])
def test_true_and_false_are_taken_and_numpys_too(given: bool) -> None:
    assert flag("replace", given) is bool(given)


@pytest.mark.parametrize("given", ["no", "", 1, 0, None, np.int64(1), []])
def test_what_only_counts_as_one_of_them_is_refused(given: object) -> None:
    with pytest.raises(TypeError, match="replace is True or False, not "):
        flag("replace", given)


def test_a_long_text_is_not_repeated_at_length() -> None:
    with pytest.raises(TypeError) as refused:
        flag("replace", "x" * 10_000)
    assert len(str(refused.value)) < 100


CALLS: dict[str, Callable[[Path], object]] = {
    "allow_insecure": lambda _: al.connect("https://a.example", token="t", allow_insecure="no"),
    "banded": lambda folder: draft_codebook(folder / "none.csv", banded="no"),
    "code": lambda folder: export(folder / "none.ipynb", code="no"),
    "disjoint": lambda _: stats(row()).nets({"all": ["q1_1"]}, disjoint="no"),
    "labels": lambda _: crosstab().to_wide(labels="no"),
    "low_first": lambda _: crosstab().boxes(1, 1, low_first="no"),
    "replace": lambda folder: check_target(folder, replace="no"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_refuses_a_text(name: str, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=f"{name} is True or False, not 'no'"):
        CALLS[name](tmp_path)


def test_nothing_is_written_over_because_a_text_counts_as_yes(tmp_path: Path) -> None:
    there = tmp_path / "respondents.parquet"
    there.write_bytes(b"mine")
    with pytest.raises(TypeError, match="replace is True or False"):
        export_survey(al.demo_survey(), there, replace="no")
    assert there.read_bytes() == b"mine"

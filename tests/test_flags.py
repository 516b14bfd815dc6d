"""Strings are not booleans where "no" would lose a file, a token or a correct number."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import audiencelab as al
from audiencelab.flags import flag
from audiencelab.notebook.export_html import export
from audiencelab.survey import export_survey
from audiencelab.survey.layout import check_target
from tests.messages import fails
from tests.results.samples import row, stats


@pytest.mark.parametrize("given", [True, False, np.True_, np.False_])
def test_bools_are_accepted(given: bool) -> None:
    assert flag("replace", given) is bool(given)


@pytest.mark.parametrize("given", ["no", "", 1, 0, None, np.int64(1), []])
def test_truthy_and_falsy_values_are_refused(given: object) -> None:
    with pytest.raises(TypeError, match="replace is True or False, not "):
        flag("replace", given)


CALLS: dict[str, Callable[[Path], object]] = {
    "allow_insecure": lambda _: al.connect("https://a.example", token="t", allow_insecure="no"),
    "disjoint": lambda _: stats(row()).nets({"all": ["q1_1"]}, disjoint="no"),
    "replace": lambda folder: check_target(folder, replace="no"),
    "replace a page": lambda folder: export(folder / "none.ipynb", replace="no"),
    "replace an export": lambda folder: export_survey(
        al.demo_survey(), folder / "respondents.parquet", replace="no"
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_refuses_a_string(name: str, tmp_path: Path) -> None:
    existing = tmp_path / "respondents.parquet"
    existing.write_bytes(b"mine")
    with fails(TypeError):
        CALLS[name](tmp_path)
    assert existing.read_bytes() == b"mine"

"""What all results share: other names for what they have, files by their ending, completion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import audiencelab as al
from audiencelab.tables import CrosstabResult
from tests.messages import fails


def test_an_error_inside_a_property_is_shown_as_it_is() -> None:
    class Broken(CrosstabResult):
        __slots__ = ()

        @property
        def broken(self) -> Any:
            return "text".missing  # pyright: ignore[reportAttributeAccessIssue]

    with al.connect() as client:
        table = client.crosstab("Gender")
    table.__class__ = Broken
    with fails(AttributeError):
        _ = table.broken


@pytest.mark.parametrize("ending", [".xlsx", ".pptx", ".csv", ".html", ".md", ".tex"])
def test_a_table_is_saved_by_the_ending_of_its_file(ending: str, tmp_path: Path) -> None:
    with al.connect() as client:
        table = client.crosstab("Gender", "Age")
    table.save(tmp_path / f"table{ending}")
    written = (tmp_path / f"table{ending}").read_bytes()
    assert written.startswith(b"PK") if ending in (".xlsx", ".pptx") else b"Female" in written
    with fails(ValueError):
        table.save(tmp_path / "table.doc")


def test_completion_leaves_out_plumbing_that_can_still_be_read() -> None:
    with al.connect() as client:
        table = client.crosstab("Gender")
    assert "arrived" not in dir(table)
    assert {"rows", "to_frame", "test"} <= set(dir(table))
    assert table.arrived.all()


def test_print_shows_the_figures_of_a_result() -> None:
    with al.connect() as client:
        table = client.crosstab("Gender", "Age")
        shown = [str(each) for each in (table, table.test(), client.stats("Gender"))]
    assert all("|Female|" in each for each in shown)
    assert f"|{table['column'].iloc[0, 0]:.1f}%" in shown[0]
    assert repr(table).startswith("<CrosstabResult")

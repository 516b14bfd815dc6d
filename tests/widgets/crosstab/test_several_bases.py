"""Several bases side by side: each is counted as a crosstab of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import audiencelab as al
from audiencelab.client import Client
from audiencelab.results.cells import FIGURES
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.axis_edits import QuestionError
from audiencelab.widgets.crosstab.query import GridQuery, SideBySideStream
from tests.messages import fails
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.conftest import Make
from tests.widgets.crosstab.grids import (
    AGES,
    MEN,
    WOMEN,
    about,
    names,
    static_html,
    table_state,
)


def test_several_bases_equal_separate_crosstabs(make: Make, small_client: Client) -> None:
    bases = [al.Audience("Everyone"), WOMEN, MEN]
    grid = make({"Age": AGES}, [WOMEN, AGES[0]], bases=bases)
    parts = [
        small_client.crosstab(rows=AGES, columns=[WOMEN, AGES[0]], base_audience=base)
        for base in bases
    ]
    for figure in FIGURES:
        expected = np.hstack([part.values(figure) for part in parts])
        np.testing.assert_array_equal(grid.result.values(figure), expected, figure)
    index = grid.to_wide("index").to_numpy()
    # Against its own base: of women, women are no more than women.
    np.testing.assert_allclose(index[:, 2], 100)
    assert grid.value.shape == grid.result.shape == (6, 6)
    assert grid.result.column_groups == tuple((base.name,) for base in bases for _ in "ab")
    assert grid.result.row_groups == (("Age",),) * 6


def test_bases_are_within_the_shared_base(make: Make, small_client: Client) -> None:
    grid = make([WOMEN], bases=AGES[:2], base_audience=MEN)
    both = al.Q("q2").any("q2_1") & al.Q("q4").any("q4_1")
    alone = small_client.crosstab(rows=[WOMEN], base_audience=both)
    assert grid.result.values("base_size")[0, 0] == alone.base_size
    assert names(grid.result.columns) == ["Age 1", "Age 2"]


def test_several_bases_print_as_code_that_counts_the_same(make: Make, small_client: Client) -> None:
    grid = make([WOMEN], AGES[:2], bases=[WOMEN, MEN], base_audience=AGES[2], waves=["q4_2025"])
    scope: dict[str, Any] = {"al": al, "client": small_client}
    exec(grid.to_code(), scope)
    pd.testing.assert_frame_equal(scope["table"].to_wide("index"), grid.to_wide("index"))
    assert "Women" in static_html(grid)


def test_the_page_gets_names_and_cells_of_several_bases(wire: Wire, make: Make) -> None:
    grid = make([WOMEN], AGES[:2], bases=[WOMEN, MEN]).wait(60)
    assert table_state(wire, grid).columns == 4
    args = about(wire, grid, axis="columns", start=0, stop=4)
    told = wire.request(grid, "names", args).content["data"]["names"]
    assert [(name, heads) for name, _, heads, *_ in told] == [
        ("Age 1", ["Women"]),
        ("Age 2", ["Women"]),
        ("Age 1", ["Men"]),
        ("Age 2", ["Men"]),
    ]
    # The figures beside the rows are of the first base, and so is what they are called by.
    assert (table_state(wire, grid).base, table_state(wire, grid).bases) == ("Women", 2)
    base = wire.request(grid, "names", args | {"axis": "base", "stop": 1})
    assert base.content["data"]["names"][0][0] == "Women"


def test_bases_are_requested_one_after_another_and_cancelled_together(
    make: Make, small_client: Client
) -> None:
    streams: list[Any] = []

    class Watched:
        catalogue = small_client.catalogue
        service = small_client.service
        sender = small_client.sender
        default_base_of = small_client.default_base_of
        counts_valid = small_client.counts_valid
        default_waves = small_client.default_waves
        weights = small_client.weights

        def crosstab_stream(self, **query: Any) -> Any:
            streams.append(small_client.crosstab_stream(**query))
            return streams[-1]

    make([WOMEN], AGES, bases=[WOMEN, MEN, AGES[0]], client=Watched()).wait(60)
    assert [stream.result.base_audience.name for stream in streams] == ["Women", "Men", "Age 1"]
    assert all(stream.result.complete for stream in streams)


def test_bases_of_a_cancelled_table_are_not_requested(small_client: Client) -> None:
    stream = SideBySideStream(small_client, GridQuery(AxisAudiences([WOMEN]), bases=(WOMEN, MEN)))
    stream.close()
    assert list(stream) == []
    assert not stream.result.arrived.any()


def test_bases_have_distinct_names(make: Make) -> None:
    with fails(QuestionError):
        make([WOMEN], AGES, bases=[WOMEN, WOMEN])
    assert make([WOMEN], AGES, bases=WOMEN).bases == make([WOMEN], AGES, bases=[WOMEN]).bases
    assert make([WOMEN], bases=[None, MEN]).result.columns[0].name == "All"

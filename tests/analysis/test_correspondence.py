"""Correspondence analysis: distances between profiles, kept whole over all dimensions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from audiencelab.analysis.correspondence import Correspondence
from audiencelab.tables import CrosstabResult
from tests.messages import fails
from tests.results.samples import counted, crosstab

NAMES = tuple("ABCDEFGH")
SHAPES = st.tuples(st.integers(2, 6), st.integers(2, 6))
TABLES = SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=st.integers(1, 500)))
PEOPLE = np.array([[30.0, 10, 5], [10, 20, 10], [5, 10, 40], [15, 15, 15]])


def table_of(people: np.ndarray) -> CrosstabResult:
    rows, columns = people.shape
    return counted(tuple(f"row {name}" for name in NAMES[:rows]), NAMES[:columns], people)


def analysed(people: np.ndarray) -> Correspondence:
    """Tables without differences are refused, and have a test of their own."""
    shares = people / people.sum()
    expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    assume(float(((shares - expected) ** 2 / expected).sum()) > 1e-6)
    return table_of(people).correspondence()


@given(TABLES)
def test_inertia_is_chi_square_over_the_people(people: np.ndarray) -> None:
    analysis = analysed(people)
    expected = np.outer(people.sum(axis=1), people.sum(axis=0)) / people.sum()
    chi_square = float(((people - expected) ** 2 / expected).sum())
    assert analysis.inertias.sum() == pytest.approx(chi_square / people.sum(), rel=1e-6)
    assert analysis.percentages.sum() == pytest.approx(100)


@given(TABLES)
def test_distances_in_the_map_are_those_between_profiles(people: np.ndarray) -> None:
    analysis = analysed(people)
    across = people.sum(axis=0) / people.sum()
    profiles = people / people.sum(axis=1, keepdims=True)
    places, _ = analysis.coordinates()
    for one in range(len(people)):
        apart = ((profiles[one] - profiles) ** 2 / across).sum(axis=1)
        drawn = ((places[one] - places) ** 2).sum(axis=1)
        assert drawn == pytest.approx(apart, rel=1e-6, abs=1e-9)


@given(TABLES)
def test_parts_add_up_to_the_whole(people: np.ndarray) -> None:
    analysis = analysed(people)
    count = len(analysis.inertias)
    frame = analysis.to_frame(count)
    for _, side in frame.groupby("side"):
        assert side["mass"].sum() == pytest.approx(1)
        assert side["inertia"].sum() == pytest.approx(1)
        for place in range(1, count + 1):
            assert side[f"contribution_{place}"].sum() == pytest.approx(1)
            assert (side["mass"] * side[f"dimension_{place}"]).sum() == pytest.approx(0, abs=1e-6)
    assert frame["quality"].dropna().to_numpy() == pytest.approx(1, abs=1e-5)


@given(TABLES, st.floats(0.1, 1e6))
def test_scaling_the_weights_changes_sizes_alone(people: np.ndarray, factor: float) -> None:
    before, after = (analysed(each).to_frame() for each in (people, people * factor))
    assert after["size"].to_numpy() == pytest.approx(factor * before["size"].to_numpy())
    same = ["mass", "inertia", "quality"]
    assert after[same].to_numpy() == pytest.approx(before[same].to_numpy(), rel=1e-5, nan_ok=True)


def test_the_order_of_rows_and_columns_changes_nothing() -> None:
    before = table_of(PEOPLE).correspondence().to_frame().set_index(["side", "name"])
    order, across = [2, 0, 3, 1], [1, 2, 0]
    moved = counted(
        tuple(f"row {NAMES[place]}" for place in order),
        tuple(NAMES[place] for place in across),
        PEOPLE[np.ix_(order, across)],
    )
    after = moved.correspondence().to_frame().set_index(["side", "name"]).loc[before.index]
    figures = before.columns.drop(["id", "note", "supplementary"])
    assert after[figures].to_numpy(dtype=float) == pytest.approx(
        before[figures].to_numpy(dtype=float)
    )


def test_the_column_that_makes_most_of_a_dimension_lies_on_its_positive_side() -> None:
    _, columns = table_of(PEOPLE).correspondence().coordinates()
    masses = PEOPLE.sum(axis=0)
    strongest = (masses[:, None] * columns**2).argmax(axis=0)
    assert (columns[strongest, range(columns.shape[1])] > 0).all()


def test_principal_coordinates_of_a_side_are_averages_of_the_others_standard_ones() -> None:
    analysis = table_of(PEOPLE).correspondence()
    rows, columns = analysis.coordinates("row-principal")
    assert rows == pytest.approx(PEOPLE / PEOPLE.sum(axis=1, keepdims=True) @ columns)
    rows, columns = analysis.coordinates("column-principal")
    assert columns == pytest.approx(PEOPLE.T / PEOPLE.T.sum(axis=1, keepdims=True) @ rows)
    with fails(ValueError):
        analysis.coordinates("biplot")  # type: ignore[arg-type]  # that is the point


def test_a_net_is_supplementary_and_lies_between_its_answers() -> None:
    people = np.vstack([PEOPLE, PEOPLE[0] + PEOPLE[1]])
    analysis = table_of(people).correspondence("row E")
    rows, _ = analysis.coordinates()
    weights = PEOPLE.sum(axis=1)
    between = (weights[0] * rows[0] + weights[1] * rows[1]) / (weights[0] + weights[1])
    assert rows[4] == pytest.approx(between)
    assert "Supplementary, without a part in the dimensions: row E." in analysis.method_note
    assert analysis.inertias == pytest.approx(table_of(PEOPLE).correspondence().inertias)
    by_id = table_of(people).correspondence(["row-5"])
    assert by_id.method_note == analysis.method_note


def test_nets_of_the_table_are_supplementary_by_themselves() -> None:
    table = table_of(PEOPLE)
    with_net = table.nets({"Two": ["row A", "row B"]}, disjoint=True)
    found = with_net.correspondence()
    assert "Supplementary, without a part in the dimensions: Two." in found.method_note
    assert found.inertias == pytest.approx(table.correspondence().inertias)


def test_a_total_is_supplementary_by_itself_and_lies_in_the_middle() -> None:
    total = counted(
        (*NAMES[:4], "All"),
        ("x", "y", "z"),
        np.vstack([PEOPLE, PEOPLE.sum(axis=0)]),
        base=PEOPLE.sum(),
        row_sizes=[*PEOPLE.sum(axis=1), PEOPLE.sum()],
        column_sizes=PEOPLE.sum(axis=0),
    )
    analysis = total.correspondence()
    line = analysis.to_frame().set_index("name").loc["All"]
    assert line[["dimension_1", "dimension_2"]].tolist() == pytest.approx([0, 0], abs=1e-12)
    assert np.isnan(line["cos2_1"]), "it has no distance of which a part could be shown"
    assert bool(line["supplementary"])


def test_whoever_holds_nobody_is_left_out_and_named() -> None:
    people = np.vstack([PEOPLE, [0, 0, 0]])
    analysis = table_of(people).correspondence()
    line = analysis.to_frame().set_index("name").loc["row E"]
    assert line["note"] == "nobody"
    assert np.isnan(line[["dimension_1", "mass", "quality"]].to_numpy(dtype=float)).all()
    assert analysis.method_note.endswith("Left out, since nobody is in them: row E.")
    assert analysis.inertias == pytest.approx(table_of(PEOPLE).correspondence().inertias)


def test_answers_that_people_give_together_are_told_in_the_recipe() -> None:
    once = table_of(PEOPLE).correspondence()
    assert once.sharing == ()
    assert "share people" not in once.method_note
    several = counted(
        NAMES[:4], ("x", "y", "z"), PEOPLE, base=130.0, column_sizes=PEOPLE.sum(axis=0) - 10
    )
    analysis = several.correspondence()
    assert analysis.sharing == ("rows",)
    assert "Rows share people, so that masses count answers, not people." in analysis.method_note


def test_what_has_no_dimensions_is_refused_with_advice() -> None:
    with fails(TypeError):
        table_of(np.outer([1.0, 2, 3], [4.0, 5])).correspondence(None)  # type: ignore[arg-type]  # that is the point
    with fails(ValueError):
        table_of(np.outer([1.0, 2, 3], [4.0, 5])).correspondence()
    with fails(ValueError):
        counted(("Tea",), NAMES[:3], PEOPLE[:1], base=100.0).correspondence()
    with fails(ValueError):
        crosstab(fill=False).correspondence()
    with fails(ValueError):
        table_of(PEOPLE).correspondence("Net")
    with fails(ValueError):
        table_of(PEOPLE).correspondence().to_frame(0)


def test_cells_that_cannot_be_known_are_no_zeros() -> None:
    base = np.full((2, 3), 300.0)
    base[1, 2] = 0
    with fails(ValueError):
        crosstab(base_sample=base).correspondence()


def test_cells_on_different_waves_are_told() -> None:
    base = np.full((4, 3), 1_000.0)
    base[:, 2] = 900
    varying = counted(NAMES[:4], NAMES[:3], PEOPLE)
    even = varying.correspondence().method_note
    again = crosstab(
        NAMES[:4],
        NAMES[:3],
        **{name: varying.values(name) for name in ("size", "row_size", "column_size")},
        base_size=base,
    )
    assert again.correspondence().method_note == f"{even} Cells rest on different waves."

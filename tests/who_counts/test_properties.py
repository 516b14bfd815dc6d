"""What holds of every survey, whatever its waves offered and its respondents were asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import audiencelab as al
from audiencelab.expressions import Expression, Leaf, walk
from audiencelab.results.cells import FIGURES
from audiencelab.survey import Survey
from audiencelab.survey.derivations import Net, NetPoint
from audiencelab.survey.update import derive
from tests.who_counts.records import Records
from tests.who_counts.reference import cell, figures
from tests.who_counts.surveys import QUESTIONS, SURVEYS, build, make_expression, make_records

SINGLE = ("s1", "s2")


class Made:
    """A random survey, its records, and a client of it."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.rng = np.random.default_rng(2_000_000 + seed)
        self.records: Records = make_records(self.rng)
        self.folder = folder / "survey"
        self.client = al.connect(survey=build(self.records, self.folder))

    def expressions(self, count: int) -> list[Expression]:
        """Random expressions of answers; a wave as a column is compared with all waves."""
        found: list[Expression] = []
        while len(found) < count:
            made = make_expression(self.rng, self.records)
            if not any(isinstance(x, Leaf) and x.question == "waves" for _, x in walk(made)):
                found.append(made)
        return found

    def columns(self, count: int = 6) -> list[al.Audience]:
        made = self.expressions(count)
        return [each.named(f"column {at}") for at, each in enumerate(made)]

    def table(self, rows: list[Expression], columns: list[al.Audience]) -> al.CrosstabResult:
        named = [each.named(f"row {at}") for at, each in enumerate(rows)]
        return self.client.crosstab(named, columns, base_of="valid", waves="all")


@pytest.fixture(scope="module", params=range(-(-SURVEYS // 3)))
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Made]:
    survey = Made(request.param, tmp_path_factory.mktemp("survey"))
    with survey.client:
        yield survey


def full(shares: np.ndarray) -> None:
    """Each is 100, or missing where there is no base."""
    assert shares[~np.isnan(shares)] == pytest.approx(100, rel=1e-9)


def test_a_net_of_all_answers_of_a_single_question_is_everyone_valid(made: Made) -> None:
    columns = made.columns()
    nets = [al.Q(code).any(*made.records.items[code]) for code in SINGLE]
    full(made.table([*nets, *(al.Q(code).any() for code in SINGLE)], columns)["column"].to_numpy())


def test_the_answers_of_a_single_question_sum_to_100(made: Made) -> None:
    columns = [al.Audience("All"), *made.columns()]
    for code in SINGLE:
        rows = [al.Q(code).any(each) for each in made.records.items[code]]
        full(made.table(rows, columns)["column"].sum(min_count=1).to_numpy())


def test_an_expression_and_its_negation_sum_to_100(made: Made) -> None:
    columns = made.columns()
    for each in made.expressions(6):
        shares = made.table([each, ~each], columns)["column"]
        full(shares.sum(min_count=2).to_numpy())


def test_the_index_of_all_is_100(made: Made) -> None:
    full(made.table(made.expressions(6), [al.Audience("All")])["index"].to_numpy())


def test_all_is_the_base_that_is_valid_in_the_row(made: Made) -> None:
    """Whatever the columns are, waves among them."""
    rows = made.expressions(8)
    waves = [al.Q("waves").any(each).named(each) for each in made.records.waves]
    for columns in (made.columns(3), waves):
        table = made.table(rows, columns)
        assert table.whole is not None
        for at, expression in enumerate(rows):
            asked = {*made.records.waves}
            effective, *sets = cell(made.records, None, expression, None, asked, "valid")
            found = dict(zip(FIGURES, table.whole[:, at], strict=True))
            base, row, *_ = figures(made.records, effective, *sets)
            assert [found["base_sample"], found["row_sample"]] == [len(sets[0]), len(sets[1])]
            assert [found["base_size"], found["row_size"]] == pytest.approx([base, row], rel=1e-9)


def test_a_wave_is_compared_with_all_waves(made: Made) -> None:
    rows = made.expressions(8)
    table = made.table(
        rows, [al.Audience("All"), *(al.Q("waves").any(each) for each in made.records.waves)]
    )
    share, index = table["column"].to_numpy(), table["index"].to_numpy()
    of_all = np.broadcast_to(share[:, :1], share.shape)
    there = ~np.isnan(share) & (of_all > 0)
    assert index[there] == pytest.approx(100 * share[there] / of_all[there], rel=1e-9)
    assert np.isnan(index[~there]).all()


def test_everyone_is_everyone_in_the_waves_that_asked(tmp_path: Path) -> None:
    """Where no item joins or rotates, as in surveys of before."""
    rng = np.random.default_rng(7)
    records = make_records(rng, rotating=False)
    with al.connect(survey=build(records, tmp_path / "survey")) as client:
        assert not (tmp_path / "survey" / "asked").exists()
        for code in QUESTIONS:
            waves = records.offered[code].keys()
            counted = [one for one in records.people if one.wave in waves and one.weight]
            table = client.crosstab(
                [al.Q(code).any(each) for each in records.items[code]],
                base_of="everyone",
                waves="all",
            )
            frame = table.to_frame()
            ticked = [
                sum(one.weight for one in counted if each in one.gave.get(code, ()))
                for each in records.items[code]
            ]
            everyone = sum(one.weight for one in counted)
            assert frame["base_sample"].tolist() == [len(counted)] * len(frame)
            expected = [100 * each / everyone for each in ticked]
            assert frame["column_percentage"].tolist() == pytest.approx(expected, rel=1e-9)


def test_a_derived_net_is_the_audience_of_its_answers(made: Made, tmp_path: Path) -> None:
    """Also where respondents ticked one of its items and were not asked another."""
    nets: list[Net] = []
    sources: list[Expression] = []
    for code in ("s1", "s2", "m1", "m2", "g1"):
        items, points = made.records.items[code], ("1", "3") if code == "g1" else ()
        chosen = made.rng.choice(items, made.rng.integers(1, len(items) + 1), replace=False)
        some = tuple(map(str, chosen))
        point = NetPoint(name="Any", any=some, suffixes=points, code=f"net_{code}_1")
        nets.append(Net(code=f"net_{code}", name=code, question=code, datapoints=(point,)))
        sources.append(Leaf(code, some, points))
    derived = derive(Survey.open(made.folder), *nets, out=tmp_path / "derived")
    columns, figures_of = [al.Audience("All"), *made.columns()], []
    with al.connect(survey=derived) as client:
        for rows in ([al.Q(each.code).any(f"{each.code}_1") for each in nets], sources):
            named = [each.named(f"row {at}") for at, each in enumerate(rows)]
            table = client.crosstab(named, columns, base_of="valid", waves="all")
            figures_of.append(table.to_frame().select_dtypes("number").to_numpy(float))
    np.testing.assert_allclose(*figures_of, rtol=1e-9)

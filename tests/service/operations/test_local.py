"""The local operations: what the engine computes, to the last bit, without what is withheld."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import audiencelab as al
from audiencelab.engine import CrosstabSpec, Engine, StatsSpec
from audiencelab.engine.statistics import StatisticSpec, StatisticsSpec
from audiencelab.expressions import Expression, Q
from audiencelab.schema.arrays import FloatArray, decoded
from audiencelab.schema.local import ItemsAnswer, NumbersAnswer, PairsAnswer, Precision
from audiencelab.service import Limits, Service
from audiencelab.survey import Survey
from tests.analysis.test_sample_design import make_survey
from tests.messages import fails
from tests.service.asking import TOKEN, ask

PEOPLE, MINIMUM = 600, 30
RANDOM = np.random.default_rng(11)
REGION = RANDOM.choice(4, PEOPLE, p=[0.45, 0.35, 0.16, 0.04])
BRAND = RANDOM.choice(5, PEOPLE, p=[0.4, 0.3, 0.2, 0.08, 0.02])
AGE = RANDOM.choice(3, PEOPLE, p=[0.6, 0.37, 0.03])
ANSWERS = {"region": REGION, "brand": BRAND, "age": AGE}


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    strata = np.arange(PEOPLE) // 200
    return make_survey(
        tmp_path_factory.mktemp("local"),
        weights=0.5 + RANDOM.integers(0, 8, PEOPLE) / 4,
        strata=strata,
        clusters=np.arange(PEOPLE) // 5,
        **ANSWERS,
    )


@pytest.fixture(scope="module")
def engine(survey: Survey) -> Engine:
    return Engine(survey)


@pytest.fixture(scope="module")
def services(survey: Survey) -> Iterator[tuple[Service, Service]]:
    """One without a minimum base, and one with it."""
    with (
        Service(survey, [TOKEN]) as whole,
        Service(survey, [TOKEN], minimum_base=MINIMUM) as strict,
    ):
        yield whole, strict


# Columns overlap: regions, and ages across them.
ROWS = [Q("brand").any(f"brand_{n}") for n in range(5)]
COLUMNS = [Q("region").any(f"region_{n}") for n in range(4)]
COLUMNS += [Q("age").any(f"age_{n}") for n in range(3)]
IN_ROW = [n == BRAND for n in range(5)]
IN_COLUMN = [*(n == REGION for n in range(4)), *(n == AGE for n in range(3))]
CROSSTAB = CrosstabSpec(tuple(ROWS), tuple(COLUMNS))


def axis(name: str, expressions: list[Expression]) -> list[dict[str, Any]]:
    return [
        {"id": f"{name}{n}", "expression": each.to_wire("query")}
        for n, each in enumerate(expressions)
    ]


BODY = {"rows": axis("r", ROWS), "columns": axis("c", COLUMNS)}
STATS = {"question": "brand", "splitter": "region", "audiences": axis("a", COLUMNS[4:])}


def local(service: Service, name: str, kind: Any, body: dict[str, Any]) -> Any:
    answer = ask(service, "POST", f"/local/{name}", body)
    assert answer.status == 200, answer.body
    return msgspec.json.decode(answer.body, type=kind, dec_hook=decoded)


def same(one: Any, other: Any) -> None:
    """Equal to the last bit, NaN included."""
    assert type(one) is type(other)
    for name in one.__struct_fields__:
        found, known = getattr(one, name), getattr(other, name)
        if isinstance(known, msgspec.Struct):
            same(found, known)
        elif isinstance(known, np.ndarray):
            assert found.dtype == np.float64
            assert found.tobytes() == known.astype(np.float64).tobytes(), name
        else:
            assert found == known, name


@pytest.mark.parametrize("options", [{}, {"effects": False}, {"lonely": "certainty"}])
def test_a_crosstab_is_as_precise_as_the_engine_says(
    services: tuple[Service, Service], engine: Engine, options: dict[str, Any]
) -> None:
    lonely = options.get("lonely", "adjust") if options.get("effects", True) else None
    known = engine.precision(CROSSTAB, lonely)
    same(local(services[0], "precision", Precision, BODY | options), known)
    assert (known.linearised is None) is ("effects" in options)


def test_so_is_a_statistics_query(services: tuple[Service, Service], engine: Engine) -> None:
    spec = StatsSpec("brand", splitter="region", audiences=tuple(COLUMNS[4:]))
    same(local(services[0], "precision", Precision, STATS), engine.precision(spec))


def test_pairs_of_rows_and_items_are_those_of_the_engine(
    services: tuple[Service, Service], engine: Engine
) -> None:
    found = local(services[0], "pairs", PairsAnswer, BODY)
    same(found.pairs, engine.row_pairs(CROSSTAB))
    few = BODY | {"columns": axis("c", COLUMNS[:4])}
    found = local(services[0], "items", ItemsAnswer, few)
    same(found.cells, engine.cells(CrosstabSpec(tuple(ROWS), tuple(COLUMNS[:4]))))
    refused = local(services[0], "items", ItemsAnswer, BODY)
    assert refused.cells is None
    assert "in two of the columns" in refused.refused


MEANS = [
    {"kind": "mean", "question": "brand", "amounts": {f"brand_{n}": n for n in range(4)}},
    {"kind": "nps", "question": "age", "amounts": {f"age_{n}": 5 * n for n in range(3)}},
]


def test_pairs_of_statistics_are_those_of_the_engine(
    services: tuple[Service, Service], engine: Engine
) -> None:
    rows = [StatisticSpec(**each | {"amounts": tuple(each["amounts"].items())}) for each in MEANS]
    body = {"statistics": MEANS, "columns": BODY["columns"]}
    found = local(services[0], "pairs", PairsAnswer, body)
    same(found.pairs, engine.statistic_pairs(StatisticsSpec(tuple(rows), tuple(COLUMNS))))


def test_a_design_without_variance_is_said_and_kish_remains(tmp_path: Path) -> None:
    survey = make_survey(tmp_path, clusters=np.zeros(PEOPLE, int), **ANSWERS)
    with Service(survey, [TOKEN]) as service:
        found = local(service, "precision", Precision, BODY)
    assert found.linearised is None
    assert "cluster" in found.refused
    assert found.kish == pytest.approx(1)


def test_lonely_strata_of_means_are_refused_if_asked_to(tmp_path: Path) -> None:
    survey = make_survey(tmp_path, strata=np.arange(PEOPLE) // 2, **ANSWERS)
    body = {"rows": MEANS, "columns": BODY["columns"]}
    with Service(survey, [TOKEN]) as service:
        assert ask(service, "POST", "/local/amounts", body).status == 200
        whole = ask(service, "POST", "/local/amounts", body | {"lonely": "fail"})
    with Service(
        make_survey(tmp_path / "one", strata=np.minimum(np.arange(PEOPLE), 1), **ANSWERS), [TOKEN]
    ) as service:
        answer = ask(service, "POST", "/local/amounts", body | {"lonely": "fail"})
    assert whole.status == 200
    assert answer.status == 400
    assert answer.pointers == ["/lonely"]
    assert "single cluster" in answer.json["errors"][0]["detail"]


def test_bodies_are_checked(services: tuple[Service, Service], survey: Survey) -> None:
    for body, pointer in (
        (BODY | {"question": "brand"}, {"/rows", "/columns"}),
        (BODY | {"splitter": "region"}, {"/splitter"}),
        (BODY | {"lonely": "average"}, {"/lonely"}),
        ({"question": "gone"}, {"/question"}),
    ):
        answer = ask(services[0], "POST", "/local/precision", body)
        assert answer.status == 400
        assert set(answer.pointers) == pointer
    body = {"statistics": [{"kind": "mean", "question": "brand"}], "columns": BODY["columns"]}
    assert ask(services[0], "POST", "/local/pairs", body).pointers == ["/statistics/0/amounts"]
    body = {"rows": MEANS, "columns": [], "level": 0.4, "lonely": "average"}
    assert ask(services[0], "POST", "/local/amounts", body).pointers == ["/level", "/lonely"]
    with Service(survey, [TOKEN], Limits(cells=100)) as small:
        for name in ("pairs", "items"):
            few = BODY if name == "pairs" else BODY | {"rows": axis("r", ROWS * 3)}
            answer = ask(small, "POST", f"/local/{name}", few)
            assert "the limit (cells) is 100" in answer.json["errors"][-1]["detail"]


# -- the minimum base


def counts(*sides: list[Any]) -> Any:
    """Respondents in one of each side, by brute force."""
    shape = [len(side) for side in sides]
    found = np.zeros(shape)
    for at in np.ndindex(*shape):
        inside = np.ones(PEOPLE, dtype=bool)
        for side, place in zip(sides, at, strict=True):
            inside &= side[place]
        found[at] = inside.sum()
    return found


def few(count: Any) -> Any:
    return (count > 0) & (count < MINIMUM)


def right_or_withheld(found: Any, known: Any, hidden: Any) -> None:
    """Equal to the last bit where not hidden, NaN elsewhere."""
    hidden = np.broadcast_to(hidden, known.shape)
    assert np.isnan(found[hidden]).all()
    assert found[~hidden].tobytes() == known[~hidden].astype(np.float64).tobytes()
    assert hidden.any()
    assert not hidden.all()


def test_a_withheld_cell_has_no_precision(
    services: tuple[Service, Service], engine: Engine
) -> None:
    known, found = engine.precision(CROSSTAB), local(services[1], "precision", Precision, BODY)
    cell, column = counts(IN_ROW, IN_COLUMN), counts(IN_COLUMN)
    row = counts(IN_ROW)[:, None]
    hidden = few(cell) | few(column) | few(row)
    rest = hidden | few(PEOPLE - column) | few(row - cell)
    for name in ("sample", "size", "kish"):
        right_or_withheld(getattr(found, name), getattr(known, name), hidden)
    right_or_withheld(found.rest_kish, known.rest_kish, rest)
    one, other = found.linearised, known.linearised
    for name in ("share", "variance", "freedom"):
        right_or_withheld(getattr(one, name), getattr(other, name), hidden)
    for name in ("rest_variance", "rest_covariance", "index_variance"):
        right_or_withheld(getattr(one, name), getattr(other, name), rest)
    both, inside = counts(IN_COLUMN, IN_COLUMN), counts(IN_ROW, IN_COLUMN, IN_COLUMN)
    pairs = few(both) | few(column)[:, None] | few(column)
    right_or_withheld(one.pairs[0], other.pairs[0], pairs)
    hidden_pairs = pairs | few(inside) | few(both - inside)
    hidden_pairs |= hidden[:, :, None] | hidden[:, None, :]
    right_or_withheld(one.covariance, other.covariance, hidden_pairs)
    assert one.degrees_of_freedom == np.nanmin(one.freedom)


def test_a_small_base_leaves_nothing(services: tuple[Service, Service]) -> None:
    body = BODY | {"base_audience": {"expression": COLUMNS[3].to_wire("query")}}
    found = local(services[1], "precision", Precision, body)
    arrays = [found.sample, found.kish, found.rest_kish, found.linearised.covariance]
    assert all(np.isnan(each).all() for each in arrays)
    assert found.linearised.degrees_of_freedom == 0


def test_pairs_with_few_in_both_are_withheld(
    services: tuple[Service, Service], engine: Engine
) -> None:
    rows = [*ROWS, Q("age").any("age_0"), Q("age").any("age_1")]
    in_row = [*IN_ROW, AGE == 0, AGE == 1]
    body = {"rows": axis("r", rows), "columns": BODY["columns"][:3]}
    known = engine.row_pairs(CrosstabSpec(tuple(rows), tuple(COLUMNS[:3])))
    found = local(services[1], "pairs", PairsAnswer, body).pairs
    cell = few(counts(IN_COLUMN[:3], in_row)) | few(counts(in_row))
    hidden = few(counts(IN_COLUMN[:3], in_row, in_row)) | cell[:, :, None] | cell[:, None, :]
    for name in ("variance", "freedom", "both"):
        right_or_withheld(getattr(found, name), getattr(known, name), hidden)


def test_items_with_a_small_cell_are_not_tested(services: tuple[Service, Service]) -> None:
    small = {"rows": axis("r", ROWS), "columns": axis("c", COLUMNS[:2])}
    assert local(services[1], "items", ItemsAnswer, small).cells is None
    large = {"rows": axis("r", ROWS[:2]), "columns": axis("c", COLUMNS[:2])}
    assert local(services[1], "items", ItemsAnswer, large).cells.counts.min() >= MINIMUM


def test_statistics_of_few_are_withheld(services: tuple[Service, Service]) -> None:
    body = {"rows": MEANS, "columns": BODY["columns"]}
    whole, strict = (ask(each, "POST", "/local/amounts", body).json["rows"] for each in services)
    amounts = [np.isin(BRAND, range(4)), np.ones(PEOPLE, dtype=bool)]
    for known, found, has in zip(whole, strict, amounts, strict=True):
        columns = [has, *(has & each for each in IN_COLUMN)]
        own, both = few(counts(columns)), few(counts(columns, columns))
        for name in ("value", "error", "deviation", "size", "sample"):
            one, other = (np.array(each[name], np.float64) for each in (found, known))
            right_or_withheld(one, other, own)
        for name in ("covariance", "freedom"):
            one, other = (np.array(each[name], np.float64) for each in (found, known))
            right_or_withheld(one, other, both | own[:, None] | own)
        rest = own[1:] | few(
            counts([np.logical_and(has, np.logical_not(each)) for each in IN_COLUMN])
        )
        for name, figures in known["rest"].items():
            one = np.array(found["rest"][name], np.float64)
            right_or_withheld(one, np.array(figures, np.float64), rest)
    pairs = {"statistics": MEANS, "columns": BODY["columns"]}
    whole_pairs, found_pairs = (local(each, "pairs", PairsAnswer, pairs).pairs for each in services)
    by_column = np.array([counts([each & has for has in amounts]) for each in IN_COLUMN])
    hidden = few(by_column)[:, :, None] | few(by_column)[:, None, :]
    right_or_withheld(found_pairs.variance, whole_pairs.variance, hidden)


def test_numbers_of_few_are_withheld(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"spent": np.arange(PEOPLE) % 50 / 4, "region": REGION.astype(str)})
    body = {"question": "spent", "splitter": "region"}
    with al.open(frame, to=tmp_path / "survey", quiet=True) as client:
        opened = client.service.survey
    with Service(opened, [TOKEN], minimum_base=MINIMUM) as service:
        numbers = local(service, "numbers", NumbersAnswer, body).numbers
    found = {row.segment: row for row in numbers.rows}
    assert len(found) == 4
    for n, (segment, row) in enumerate(sorted(found.items())):
        mine = frame["spent"][n == REGION]
        if len(mine) < MINIMUM:
            assert row == type(row)(segment=segment)
        else:
            assert row.answered_sample == len(mine)
            assert row.mean == pytest.approx(mine.mean())


# -- arrays


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((0, 3)),
        np.array(2.5),
        np.arange(24.0).reshape(2, 3, 4),
        np.repeat(RANDOM.normal(size=(1, 5)), 4, axis=0),
        np.full((3, 2), np.nan),
        np.array([[0.0, -0.0], [np.inf, 5e-324]]),
    ],
    ids=["empty", "scalar", "all", "rows repeat", "NaN", "special"],
)
def test_arrays_come_out_as_they_went_in(array: Any) -> None:
    sent = msgspec.json.encode(FloatArray.of(array))
    read = msgspec.json.decode(sent, type=FloatArray).read()
    assert read.shape == array.shape
    assert read.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    "array", [FloatArray((2, 2), (2, 2), b"8 bytes."), FloatArray((3,), (2,), bytes(16))]
)
def test_an_array_whose_parts_do_not_agree_is_refused(array: FloatArray) -> None:
    with fails(ValueError):
        array.read()

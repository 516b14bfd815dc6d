"""Overlaps asked of a service, against plain counting over the same respondents.

The surveys are small random ones in which some waves did not ask some questions; the oracle
counts them with pandas and knows nothing of the engine or of combinations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audiencelab.client import Client, InvalidRequest, connect
from audiencelab.client.errors import RequestRefused
from audiencelab.expressions import Audience, Expression, Leaf, Q
from audiencelab.service import Request, Response
from tests.client.between import between
from tests.engine import oracle
from tests.engine.studies import CLOSED_WAVE, QUESTIONS, WAVE_CODES, Study, random_study
from tests.messages import fails
from tests.strategies import expressions

OPEN_WAVES = [code for code in WAVE_CODES if code != CLOSED_WAVE]
MEN = Audience("Men", Q("q2").any("q2_1"))
YOUNG = Audience("Young", Q("q4").any("q4_1", "q4_2"))
EXTRA = Audience("Extra", Q("extra.q30").any("q30_1"))  # asked in q2_2023 and q4_2022 alone


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return random_study(tmp_path_factory.mktemp("overlap") / "study", 7)


@pytest.fixture(scope="module")
def asking(study: Study) -> Iterator[Client]:
    with connect(survey=study.survey) as connected:
        yield connected


@st.composite
def leaves(draw: st.DrawFn) -> Leaf:
    question = draw(st.sampled_from(QUESTIONS))
    codes = [point.code for point in question.datapoints]
    listed = draw(st.lists(st.sampled_from(codes), min_size=1, max_size=3, unique=True))
    count = draw(st.integers(1, len(listed)))
    return Leaf(question.canonical, tuple(listed), (), count, draw(st.booleans()))


WAVE_LEAVES = st.sampled_from(OPEN_WAVES).map(lambda wave: Leaf("waves", (wave,)))
AUDIENCES = expressions(st.one_of(leaves(), leaves(), leaves(), WAVE_LEAVES), max_leaves=4)


@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    audiences=st.lists(AUDIENCES, min_size=2, max_size=5),
    base=st.none() | AUDIENCES,
    waves=st.none() | st.lists(st.sampled_from(OPEN_WAVES), min_size=1, unique=True),
    locations=st.none() | st.just(["region_1", "region_3"]),
)
def test_every_combination_is_who_is_in_exactly_these(
    study: Study,
    asking: Client,
    audiences: list[Expression],
    base: Expression | None,
    waves: list[str] | None,
    locations: list[str] | None,
) -> None:
    requested = waves or OPEN_WAVES[-4:]
    shared = set.intersection(*(oracle.coverage(study, each) for each in (base, *audiences)))
    counted = [wave for wave in requested if wave in shared]

    def ask() -> Any:
        return asking.overlap(audiences, base_audience=base, waves=waves, locations=locations)

    if not counted:
        with pytest.raises(ValueError, match="no wave in which all of these audiences were asked"):
            ask()
        return
    result = ask()
    assert result.provenance["waves"] == counted
    everyone = oracle.members(study, base) & oracle.within_locations(study, tuple(locations or ()))
    inside = pd.concat([oracle.members(study, each) for each in audiences], axis=1)
    for place, held in enumerate(result.members):
        exactly = everyone & (inside == held).all(axis=1)
        size, sample = oracle.figure(study, exactly, counted)
        assert result.sizes[place] == pytest.approx(size, rel=1e-9)
        assert result.samples[place] == sample
    size, sample = oracle.figure(study, everyone & inside.any(axis=1), counted)
    assert result.union.size == pytest.approx(size, rel=1e-9)
    assert result.union.sample == sample
    # Nobody is lost between the combinations: all of them and "none" are the base.
    size, sample = oracle.figure(study, everyone, counted)
    assert result.sizes.sum() == pytest.approx(size, rel=1e-9)
    assert result.samples.sum() == sample == result.base_sample
    assert bool(result.notes) is (counted != requested)


@pytest.mark.parametrize("count", [2, 3, 8])
def test_audiences_and_pairs_are_those_of_a_crosstab(asking: Client, count: int) -> None:
    """The same waves asked for by hand give the same figures by another road."""
    audiences = [MEN, *asking.catalogue.audiences("q4"), *asking.catalogue.audiences("q20")][:count]
    result = asking.overlap(audiences)
    table = asking.crosstab(rows=audiences, columns=audiences, waves=result.provenance["waves"])
    places = range(count)
    assert result.sets()["size"].tolist() == pytest.approx(
        [table.values("size")[each, each] for each in places]
    )
    pairs = result.pairs()
    above = [(one, other) for one in places for other in places if one < other]
    for figure in ("size", "sample", "percentage", "index"):
        wanted = [table.values(figure)[each] for each in above]
        assert pairs[figure].tolist() == pytest.approx(wanted, nan_ok=True), figure
    wanted = [table.values("row_percentage")[each] for each in above]
    assert pairs["first_percentage"].tolist() == pytest.approx(wanted, nan_ok=True)


def test_it_says_who_was_not_asked_in_which_wave(asking: Client) -> None:
    result = asking.overlap([YOUNG, EXTRA], waves=OPEN_WAVES)
    assert result.provenance["waves"] == ["q2_2023"]
    assert result.notes == (
        "Counted: q2_2023, where all of it was asked.",
        "'Young' was not asked in q4_2022.",
        "'Extra' was not asked in q1_2023, q3_2023, q4_2023.",
    )
    assert asking.overlap([MEN, YOUNG]).notes == ()
    narrowed = asking.overlap([MEN, YOUNG], base_audience=EXTRA)
    assert (
        narrowed.notes[1] == "Neither base nor audiences were asked in q1_2023, q3_2023, q4_2023."
    )
    with fails(ValueError):
        asking.overlap([MEN, EXTRA], waves=["q3_2023"])


def test_expressions_are_named_by_their_words(asking: Client) -> None:
    result = asking.overlap([MEN.expression, ~MEN.expression])
    assert result.names == ("Question q2 is Answer 1", "Question q2 is not Answer 1")
    assert result.pairs()["size"].tolist() == [0.0]
    assert result.union.percentage == pytest.approx(100)


@pytest.mark.parametrize(
    ("audiences", "error", "told"),
    [
        ([MEN], ValueError, "takes 2 to 8 audiences; got 1"),
        ([MEN] * 9, ValueError, "takes 2 to 8 audiences; got 9"),
        ([MEN, Audience("All")], ValueError, r"audiences\[1\] is everyone"),
        (MEN, ValueError, "takes 2 to 8 audiences; got 1"),
        ([MEN, 4], TypeError, r"audiences\[1\]"),
    ],
)
def test_what_is_no_overlap_costs_no_request(
    asking: Client, audiences: Any, error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        asking.overlap(audiences)


def test_a_fault_is_told_by_its_place_in_the_list(asking: Client) -> None:
    with pytest.raises(InvalidRequest) as caught:
        asking.overlap([MEN, Q("q2").any("q2_9"), YOUNG])
    assert [fault.pointer for fault in caught.value.faults] == [
        "/audiences/1/expression/datapoints/0"
    ]


def test_a_service_without_the_location_question_tells_no_waves(
    asking: Client,
) -> None:
    whole = asking.overlap([MEN, YOUNG])
    own = asking.sender
    context = replace(own.context, location_question="somewhere_else")
    other = Client(own.transport, context, own.options, owner=False)
    result = other.overlap([MEN, YOUNG])
    assert result.to_frame().equals(whole.to_frame())
    assert result.provenance["waves"] == "latest 4"
    assert result.notes == (
        "The service does not report which waves are counted; they are the same in every value.",
    )
    with fails(RequestRefused):
        other.overlap([MEN, Q("q2").any("q2_9")])


def test_combinations_that_do_not_make_the_base_are_told(
    asking: Client,
) -> None:
    """A service may count "not" among those asked alone; its overlaps cannot add up."""

    def forgetful(request: Request, answer: Callable[[], Response]) -> Response:
        response = answer()
        if not request.path.endswith("crosstab"):
            return response
        first, *others = b"".join(response.body).splitlines(keepends=True)
        nobody = re.sub(rb'("intersect":\{"size":)[^,]+(,"sample":)\d+', rb"\g<1>0\g<2>0", first)
        assert nobody != first
        return Response(response.status, response.headers, iter([nobody, *others]))

    [note] = between(asking, forgetful).overlap([MEN, YOUNG]).notes
    assert "this service counts some people neither in an audience nor out of it" in note

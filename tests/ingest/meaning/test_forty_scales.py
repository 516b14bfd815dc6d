"""Forty scales as top-2 box, mean and stack, in both directions, equal a count by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.results.statistic_rows import STATISTIC_FIGURES
from tests.ingest.meaning.scale_cases import Case, cases_of

RESPONDENTS = 120


def chosen() -> list[Case]:
    """The first of each language, then the second, up to forty, that can be in a stack."""
    ranks: Counter[str] = Counter()
    ordered: defaultdict[int, list[Case]] = defaultdict(list)
    for case in cases_of("sixty_scales.toml"):
        has_codes = not any(character.isdigit() for label in case.points for character in label)
        if case.top != "none" and has_codes and 2 < len(case.points) < 8:
            ranks[case.id[:2]] += 1
            ordered[ranks[case.id[:2]]].append(case)
    return [case for place in sorted(ordered) for case in ordered[place]][:40]


FORTY = chosen()


@dataclass(frozen=True)
class Asked:
    """A survey of the forty, and what each respondent answered. turned: with the codes reversed."""

    turned: bool
    client: Any
    codes: Mapping[str, Mapping[str, int]]
    given: Mapping[str, Sequence[str]]


def codes_of(case: Case, *, turned: bool) -> dict[str, int]:
    """The code of each label; turned: the first point has the code of the last."""
    if case.codes:
        named = dict(zip(case.labels, case.codes, strict=True))
    else:
        named = {label: at for at, label in enumerate(case.points, 1)}
        named |= {label: at for at, label in enumerate(sorted(case.off), 98)}
    if not turned:
        return named
    points = [named[point] for point in case.points]
    return named | dict(zip(case.points, reversed(points), strict=True))


@pytest.fixture(scope="module", params=[False, True], ids=["listed", "turned"])
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    codes = {case.id: codes_of(case, turned=request.param) for case in FORTY}
    given: dict[str, list[str]] = {}
    for number, case in enumerate(FORTY, 1):
        # How often differs by label and question, and every label is given.
        labels = [each for at, each in enumerate(case.labels) for _ in range(1 + (at * number) % 5)]
        given[case.id] = [labels[(7 * row + row // 5) % len(labels)] for row in range(RESPONDENTS)]
    file = tmp_path_factory.mktemp("forty") / "forty.sav"
    values = {name: [float(codes[name][each]) for each in own] for name, own in given.items()}
    named = {
        name: {float(code): label for label, code in own.items()} for name, own in codes.items()
    }
    pyreadstat.write_sav(pd.DataFrame(values), file, variable_value_labels=named)
    return Asked(request.param, al.open(file, quiet=True), codes, given)


def share(given: Sequence[str], labels: Sequence[str]) -> float:
    return 100 * sum(each in labels for each in given) / len(given)


def test_there_are_forty() -> None:
    assert len(FORTY) == len({case.id for case in FORTY}) == 40
    assert len({case.id[:2] for case in FORTY}) == 12


def test_boxes_and_means_are_those_counted_by_hand(asked: Asked) -> None:
    questions = [asked.client[case.id] for case in FORTY]
    boxes = [question.top_box(2) for question in questions]
    table = asked.client.crosstab([*boxes, *(question.mean() for question in questions)])
    shares = table["column_percentage"].squeeze()
    means = table.statistics.figures[STATISTIC_FIGURES.index("value"), :, 0]
    for case, box, mean in zip(FORTY, boxes, means, strict=True):
        given = asked.given[case.id]
        top = case.rising[-2:]
        assert all(label in box.name for label in top), case.id
        assert shares[box.name] == pytest.approx(share(given, top), abs=1e-9), case.id
        scores = [asked.codes[case.id][each] for each in given if each not in case.off]
        assert mean == pytest.approx(sum(scores) / len(scores), abs=1e-9), case.id


def test_stacks_are_those_counted_by_hand(asked: Asked) -> None:
    for case in FORTY[asked.turned :: 2]:
        drawn = al.charts.stack(asked.client.stats(case.id)).to_dict()
        datasets = drawn["datasets"].values()
        [rows] = [rows for rows in datasets if "share" in rows[0]]
        given = asked.given[case.id]
        shown = {row["answer"]: row["share"] for row in rows}
        assert shown == pytest.approx({each: share(given, [each]) for each in case.labels})
        points = [answer for answer in shown if answer not in case.off]
        assert points in (case.rising, case.rising[::-1]), case.id
        sums = [row["sum"] for rows in datasets for row in rows if "sum" in row]
        heads = {frozenset(each.split(" + ")) for each in sums if isinstance(each, str)}
        ends = [case.rising[:2], case.rising[-2:]] if len(case.points) > 3 else []
        assert heads == {frozenset(each) for each in ends}, case.id
        for end in ends:
            assert any(each == pytest.approx(share(given, end)) for each in sums), case.id

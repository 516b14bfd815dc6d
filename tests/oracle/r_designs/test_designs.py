"""Figures of surveys drawn in ten ways are those of R's `survey`, to a part in 10^9.

`surveys.py` makes the respondents, and `designs.R` computed `designs.json` of them.
Pooled differences are compared with their formula, for R has none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.codebook import DesignColumns
from audiencelab.survey.raking import Margin, Target, Targets, rake
from tests.oracle.r_designs.surveys import CASES, FLAGS, Case

R: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("designs.json").read_text())
QUESTIONS = ("answer", "group", *FLAGS, "amount", "hours")


class Opened:
    """A survey, its table of answers by columns, and R's figures of it."""

    def __init__(self, case: Case, known: dict[str, Any], folder: Path) -> None:
        self.known, self.frame = known, case.frame()
        self.is_raked = case.margins is not None
        self.client = self._open(case, folder)
        self.columns = [self._column(name) for name in known["columns"]]
        self.table = self.client.crosstab("answer", self.columns)
        names = [row.name for row in self.table.rows]
        self.order = [names.index(answer) for answer in known["answers"]]
        self.pairs = list(combinations(range(len(self.columns)), 2))
        effects = self.client.design_effects(self.table)
        linearised = effects.precision.linearised
        assert linearised is not None
        self.linearised = linearised

    def _open(self, case: Case, folder: Path) -> al.Client:
        names = tuple(name for name in self.frame if name.startswith("rep"))
        drafted = draft_codebook(self.frame.drop(columns=list(names)), weight="w").codebook
        questions = tuple(each for each in drafted.questions if each.code in QUESTIONS)
        design = DesignColumns(**case.design, replicates=names)
        book = replace(drafted, questions=questions, design=design)
        client = al.open(self.frame, codebook=book, to=folder, quiet=True)
        if case.margins is not None:
            question = client.service.survey.catalogue.question
            margins = tuple(
                Margin(code, {point.code: sizes[point.name] for point in question(code).datapoints})
                for code, sizes in case.margins.items()
            )
            rake(folder, Targets((Target(margins, total=1100),)))
        return client

    def _column(self, name: str) -> al.Audience:
        group = name.removeprefix("group ")
        found = self.client[name] == "yes" if group == name else self.client["group"] == group
        return found.named(name)

    @property
    def weights(self) -> Any:
        """Of the respondents, after raking."""
        survey = self.client.service.survey
        return np.asarray(survey.wave(survey.waves[0].code).weights)

    def members(self, name: str) -> Any:
        """Who is in a column, bool[respondents]."""
        group = name.removeprefix("group ")
        column, value = (name, "yes") if group == name else ("group", group)
        return (self.frame[column] == value).to_numpy()

    def rests(self) -> Any:
        """Shares of those who are not in a column, float64[answers, columns]."""
        return self.cells(0) - np.array(self.known["rest"], np.float64)[:, :, 0]

    def cells(self, figure: int) -> Any:
        """One of R's figures of the cells, NaN where it has none, float64[answers, columns]."""
        return np.array(self.known["cells"], np.float64)[:, :, figure]


@pytest.fixture(scope="module", params=CASES)
def opened(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Opened]:
    folder = tmp_path_factory.mktemp(request.param)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("AUDIENCELAB_CACHE", str(folder / "cache"))
        found = Opened(CASES[request.param], R[request.param], folder / "survey")
        yield found
        found.client.close()


EXACT = 1e-9
RAKED = 2e-7
"""Raking stops where margins are met to 1e-9; R's went on to 1e-13. Small differences have less."""


def check(opened: Opened, found: Any, expected: Any) -> None:
    rel = RAKED if opened.is_raked else EXACT
    np.testing.assert_allclose(found, np.asarray(expected, np.float64), rtol=rel, atol=1e-12)


def test_shares_errors_and_degrees_of_freedom(opened: Opened) -> None:
    found = opened.linearised
    check(opened, found.share[opened.order], opened.cells(0))
    check(opened, np.sqrt(found.variance[opened.order]), opened.cells(1))
    for row in opened.order:
        assert found.freedom[row].tolist() == opened.known["freedom"]
        assert found.rest_freedom[row].tolist() == opened.known["rest_freedom"]


@pytest.mark.parametrize(("method", "at"), [("wilson", 2), ("logit", 4), ("beta", 6)])
def test_intervals(opened: Opened, method: str, at: int) -> None:
    """At 0 and 100%, where R has none, intervals are by Kish's design effect."""
    frame = opened.table.intervals(method=method)
    for end, name in enumerate(("low", "high")):
        ends = frame[f"column_percentage_{name}"].to_numpy().reshape(opened.table.shape) / 100
        expected = opened.cells(at + end)
        known = ~np.isnan(expected)
        assert known.any()
        check(opened, ends[opened.order][known], expected[known])


@pytest.mark.parametrize("vs", ["columns", "rest"])
def test_differences(opened: Opened, vs: Any) -> None:
    """Unpooled; from 0 or 100% the errors of differences are pooled, where R's are of one side."""
    frame = opened.table.test(vs, pooled=False, min_base=1).to_frame()
    shares, rests = opened.cells(0), opened.rests()
    for number, answer in enumerate(opened.known["answers"]):
        found, share = figures_of(frame[frame["row"] == answer]), shares[number]
        expected = np.array(
            opened.known["pairs" if vs == "columns" else "rest"][number], np.float64
        )
        one, other = (
            share[np.transpose(opened.pairs)] if vs == "columns" else (share, rests[number])
        )
        ends = np.minimum(np.minimum(one, 1 - one), np.minimum(other, 1 - other)) < 1e-12
        check(opened, found[:, [0, 2]], expected[:, [0, 2]])
        check(opened, found[~ends], expected[~ends])


def figures_of(frame: pd.DataFrame) -> Any:
    """Difference and standard error in shares of 1, degrees of freedom and p."""
    figures = frame[["difference", "standard_error", "degrees_of_freedom", "p"]].to_numpy().copy()
    figures[:, :2] /= 100
    return figures


def test_pooled_differences_have_the_variance_of_their_formula(opened: Opened) -> None:
    """The formula of `engine.variance.pooled`, from the respondents and R's errors.

    D · max(N, S ÷ 2), where D is R's variance by what weights alone make of it.
    """
    weights, answered = opened.weights, opened.frame["answer"].notna().to_numpy()
    sets = [opened.members(name) & answered for name in opened.known["columns"]]
    for number, answer in enumerate(opened.known["answers"]):
        y = (opened.frame["answer"] == answer).to_numpy(float)
        row = opened.order[number]
        for at, (one, other) in enumerate(opened.pairs):
            error = opened.known["pairs"][number][at][1]
            expected = pooled(weights, y, sets[one], sets[other], error**2)
            check(opened, opened.linearised.pooled[row, one, other], expected)
        for at, inside in enumerate(sets):
            error = opened.known["rest"][number][at][1]
            expected = pooled(weights, y, inside, answered & ~inside, error**2)
            check(opened, opened.linearised.rest_pooled[row, at], expected)


def pooled(w: Any, y: Any, one: Any, other: Any, variance: float) -> float:
    """The variance of the difference of two shares under their pooled share."""
    first, second = (w[each].sum() for each in (one, other))
    share = ((w * y)[one].sum() + (w * y)[other].sum()) / (first + second)
    either = one | other
    residual = (w**2 * (y - share) ** 2)[either].sum() / (w**2)[either].sum()
    slope = one / first - other / second
    shares = [(w * y)[each].sum() / w[each].sum() for each in (one, other)]
    scores = one * (y - shares[0]) / first - other * (y - shares[1]) / second
    of_weights = (w**2 * scores**2).sum()
    effect = variance / of_weights if of_weights > 1e-13 * (w**2 * slope**2).sum() else 1.0
    equal = residual * (w**2 * slope**2).sum()
    own = (w**2 * (y - share) ** 2 * slope**2).sum()
    return effect * max(equal, own / 2)


def test_means_percentiles_and_sums(opened: Opened) -> None:
    amount, hours = opened.client["amount"], opened.client["hours"]
    percentiles = [amount.percentile(part) for part in (25, 50, 90)]
    table = opened.client.crosstab([amount.mean(), hours.sum(), *percentiles], opened.columns)
    value, error = (table[name].to_numpy() for name in ("value", "standard_error"))
    figures = np.array([value[0], error[0], value[1], error[1]])
    check(opened, figures.T, opened.known["statistics"])
    check(opened, np.concatenate([value[2:], error[2:]]).T, opened.known["percentiles"])
    means = table.test(min_base=1).statistics
    assert means is not None
    frame = means.to_frame()
    frame = frame[frame["row"] == amount.mean().name]
    names = ["difference", "standard_error", "degrees_of_freedom", "p"]
    check(opened, frame[names].to_numpy(), opened.known["means"])

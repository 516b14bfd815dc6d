"""What audiencelab says of the surveys of `gate`, as rates beside their bounds, and what R says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

import audiencelab as al
from audiencelab import Audience, Q
from audiencelab.schema import Datapoint, Suffix
from audiencelab.schema.catalogue import Value
from audiencelab.survey import (
    Answers,
    Survey,
    SurveyBuilder,
    SurveyCatalogue,
    SurveyQuestion,
    SurveyWave,
)
from audiencelab.survey.answers import Design
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.marks import TableMarks
from tests.analysis.gate import (
    BOUNDS,
    COLUMNS,
    CUTS,
    DESIGNS,
    LEAST_EXPECTED,
    LEAST_POWER,
    PLANTED,
    RAISED,
    RATES,
    ROWS,
    SCORES,
    SEED,
    SURVEYS,
    TABLES,
    Bounds,
    Drawn,
    Flags,
    Floats,
    Items,
    People,
    Scores,
    items_of,
    people_of,
    scores_of,
)

VIEW = 64
"""Rows of a table that a widget shows at once."""


# -- the survey, and what audiencelab says of it --------------------------------------------------


def build(
    folder: Path, drawn: Drawn, people: People, items: Mapping[str, Items], scores: Scores
) -> Survey:
    """The respondents as a survey, with a question for each kind of items."""
    kind = "multiple" if drawn.columns == "several" else "single"
    column = Answers(people.columns.argmax(axis=1))
    if kind == "multiple":
        column = Answers(people.columns, items=people.asked)
    answers = {name: Answers(each.chosen, items=each.asked) for name, each in items.items()}
    questions = (
        _question("where", "single", 1),
        _question("column", kind, COLUMNS),
        *(_question(name, "multiple", len(each.truth)) for name, each in items.items()),
        _question("score", "grid", len(scores.truth)),
    )
    strata, units = people.strata.astype(np.int32), people.units.astype(np.int32)
    design = Design(
        strata=strata if drawn.strata > 1 else None, clusters=units if drawn.clusters else None
    )
    with SurveyBuilder(
        folder, SurveyCatalogue(questions, location_question="core.where")
    ) as builder:
        answers |= {
            "where": Answers(np.zeros(drawn.respondents, int)),
            "column": column,
            "score": Answers(scores.position, items=scores.asked),
        }
        wave = SurveyWave("w1", "Wave 1", date(2026, 1, 1), date(2026, 3, 31), True)
        builder.add_wave(wave, people.weights, answers, design)
        return builder.finish()


def _question(code: str, kind: Any, count: int) -> SurveyQuestion:
    points = tuple(Datapoint(code=f"{code}_{n}", name=f"{code} {n}") for n in range(1, count + 1))
    scale = range(1, len(CUTS) + 2) if kind == "grid" else ()
    suffixes = tuple(Suffix(code=str(n), name=str(n), midpoint=Value(n)) for n in scale)
    return SurveyQuestion("core", code, code, kind, points, suffixes)


@contextmanager
def asked_of(survey: Survey, drawn: Drawn) -> Generator[Asking]:
    """A client of the survey, which counts those who were asked where items are rotated."""
    with al.connect(survey=survey, base_of="valid" if drawn.rotated else "everyone") as client:
        yield Asking(client)


class Asking(NamedTuple):
    """Tables of a survey, all by the same columns."""

    client: al.Client

    def shares(self, question: str, numbers: Sequence[int] | range) -> CrosstabResult:
        """Items of a question, numbered from 0."""
        return self.client.crosstab([_answer(question, n) for n in numbers], self._columns)

    def means(self) -> CrosstabResult:
        """All scores."""
        rows: Any = self.client["score"].mean()
        return self.client.crosstab(rows, self._columns)

    @property
    def _columns(self) -> list[Audience]:
        return [_answer("column", number) for number in range(COLUMNS)]


def _answer(question: str, number: int) -> Audience:
    return Audience(f"{question} {number + 1}", Q(question).any(f"{question}_{number + 1}"))


# -- figures --------------------------------------------------------------------------------------


def measure(name: str, surveys: int = SURVEYS, tables: int = TABLES) -> Figures:
    """All rates of one design."""
    drawn, found = DESIGNS[name], Figures(name)
    for number in range(surveys):
        random = np.random.default_rng([SEED, [*DESIGNS].index(name), number])
        people = people_of(drawn, random)
        null = items_of(drawn, people, random, tables * ROWS)
        planted = items_of(drawn, people, random, PLANTED * tables // TABLES, RAISED)
        scores = scores_of(drawn, people, random, SCORES * tables // TABLES)
        with TemporaryDirectory() as folder:
            items = {"null": null, "planted": planted}
            survey = build(Path(folder) / "survey", drawn, people, items, scores)
            with asked_of(survey, drawn) as asking:
                _count_shares(found, asking.shares("null", range(len(null.truth))), null.truth)
                _count_means(found, asking.means(), scores.truth)
                _count_planted(found, asking.shares("planted", range(len(planted.truth))), planted)
        found.add("found by R", r_finds(people, planted))
    return found


class Figures:
    """Rates of a design: of how many cells, pairs or tables something is true."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._true, self._of = Counter[str](), Counter[str]()

    def add(self, rate: str, values: NDArray[Any]) -> None:
        """Count more flags of a rate."""
        self._true[rate] += int(np.count_nonzero(values))
        self._of[rate] += values.size

    def __getitem__(self, rate: str) -> float:
        return self._true[rate] / self._of[rate]

    def words(self, rate: str) -> str:
        """A rate in percent; of planted rows, how many of ten are found."""
        return f"{10 * self[rate]:.2f}" if rate.startswith("found") else f"{self[rate]:.1%}"

    def misses(self, errors: float = 0.0) -> list[str]:
        """The rates that are out of bounds.

        errors: by how many binomial standard errors bounds are wider, for few tables.
        """
        bounds = {**BOUNDS, **dict(DESIGNS[self.name].bounds)}
        bounds["found"] = Bounds(LEAST_POWER * self["found by R"])
        wider = {rate: errors * self._error(rate) for rate in bounds}
        return [
            f"{self.name}: {rate} {self[rate]:.1%}, not {least:.1%} to {most:.1%}"
            for rate, (least, most) in bounds.items()
            if not least - wider[rate] <= self[rate] <= most + wider[rate]
        ]

    def _error(self, rate: str) -> float:
        """The standard error of a rate near its bound."""
        bounds = {**BOUNDS, "found": Bounds(0.5, 0.5)}[rate]
        likely = min(bounds, key=lambda bound: abs(bound - 0.5))
        # Of all pairs of k columns k - 1 are independent.
        count = self._of[rate] / (COLUMNS / 2 if rate == "pairs" else 1)
        return float(np.sqrt(likely * (1 - likely) / count))


def _count_shares(found: Figures, table: CrosstabResult, truth: Floats) -> None:
    pairs = p_values(table.test(), table)
    rest = p_values(table.test(vs="rest"), table)
    found.add("tested", ~np.isnan(pairs))
    found.add("pairs", pairs[~np.isnan(pairs)] < 0.05)
    found.add("rest", rest[~np.isnan(rest)] < 0.05)
    found.add("screen", arrows_on_screen(table)[~np.isnan(rest)] != "")
    found.add("corrected", any_corrected(pairs))
    found.add("rest corrected", any_corrected(rest))
    found.add("standouts", any_standout(table, rest))
    frame = table.intervals()
    covered = _covered(frame, "column_percentage", np.repeat(100 * truth, COLUMNS))
    expected = frame["column_sample"] * np.repeat(np.minimum(truth, 1 - truth), COLUMNS)
    found.add("shares", covered[expected.to_numpy() >= LEAST_EXPECTED])


def _count_means(found: Figures, table: CrosstabResult, truth: Floats) -> None:
    p = table.test().to_frame()["p"].dropna().to_numpy()
    found.add("mean pairs", p < 0.05)
    frame = table.intervals()
    scores = frame[frame["statistic"] != ""]
    found.add("means", _covered(scores, "value", np.repeat(truth, COLUMNS)))


def _count_planted(found: Figures, table: CrosstabResult, planted: Items) -> None:
    frame = table.test(vs="rest").to_frame()
    level = frame["level"].to_numpy().reshape(table.shape)
    difference = frame["difference"].to_numpy().reshape(table.shape)
    place = np.arange(len(planted.raised)), planted.raised
    found.add("found", (level[place] >= 0.95) & (difference[place] > 0))


def p_values(comparison: Any, table: CrosstabResult) -> Floats:
    """p-values of a comparison, float64[rows, tests], NaN where a test was not made."""
    p: Floats = comparison.to_frame()["p"].to_numpy(np.float64)
    return p.reshape(table.shape[0], -1)


def _covered(frame: pd.DataFrame, metric: str, truth: Floats) -> Flags:
    """Whether each interval holds the truth; one that is missing does not."""
    low, high = (frame[f"{metric}_{end}"].to_numpy(np.float64) for end in ("low", "high"))
    return (low <= truth) & (truth <= high)


def arrows_on_screen(table: CrosstabResult) -> NDArray[np.object_]:
    """The arrows of a crosstab widget, which tests the rows that are in view."""
    marks, every = TableMarks(table), np.arange(len(table.rows))
    views = [every[start : start + VIEW] for start in range(0, len(every), VIEW)]
    columns = np.arange(COLUMNS)
    return np.concatenate([marks.of(view, columns).arrows(0.95) for view in views])


def any_corrected(p: Floats) -> Flags:
    """Which tables have a mark after Bonferroni's correction over the table; p: [rows, tests].

    Holm's begins with the same comparison, so it has any mark in the same tables.
    """
    family = p.reshape(len(p) // ROWS, -1)
    return np.nanmin(family, axis=1) * np.count_nonzero(~np.isnan(family), axis=1) < 0.05


def any_standout(table: CrosstabResult, rest: Floats) -> Flags:
    """Which tables have a standout: Benjamini and Hochberg over each table, of `standouts()`.

    rest: p-values of the same cells against the rest, which say how many are tested.
    """
    listed = table.standouts(len(table.rows) * COLUMNS, correction="none")
    row = {audience.id: place for place, audience in enumerate(table.rows)}
    number = listed["row_id"].map(row).to_numpy(int) // ROWS
    made = np.count_nonzero(~np.isnan(rest.reshape(len(rest) // ROWS, -1)), axis=1)
    found = np.zeros(len(made), dtype=bool)
    for each in np.unique(number):
        p = np.sort(listed["p"].to_numpy(np.float64)[number == each])
        found[each] = bool((p * made[each] < 0.05 * np.arange(1, len(p) + 1)).any())
    return found


# -- R --------------------------------------------------------------------------------------------


def r_finds(people: People, planted: Items) -> Flags:
    """Which planted rows a design-based test finds, of `svycontrast` of both sides.

    The difference of the shares of column and rest, its error linearised without pooling, by t
    with the degrees of freedom of the smaller side: V = Σ_h n_h ÷ (n_h − 1) Σ_c (z_hc − z̄_h)².
    """
    found = np.zeros(len(planted.truth), dtype=bool)
    strata = np.zeros(people.units[-1] + 1, dtype=np.intp)
    strata[people.units] = people.strata
    size = np.bincount(strata)
    for item, column in enumerate(planted.raised):
        base = planted.asked[:, item] & people.asked[:, column]
        sides = (base & people.columns[:, column], base & ~people.columns[:, column])
        chosen = planted.chosen[:, item]
        (share, score), (other, other_score) = (
            _share(people.weights * side, chosen) for side in sides
        )
        totals = np.bincount(people.units, score - other_score)
        spread = np.square(totals - (np.bincount(strata, totals) / size)[strata])
        error = np.sqrt((size / (size - 1)) @ np.bincount(strata, spread))
        degrees = min(freedom(people, side) for side in sides)
        found[item] = share > other and 2 * stats.t.sf((share - other) / error, degrees) < 0.05
    return found


def _share(weights: Floats, chosen: Flags) -> tuple[float, Floats]:
    """A share and what each respondent adds to it, to first order."""
    whole = weights.sum()
    share = float(weights @ chosen / whole)
    return share, weights * (chosen - share) / whole


def freedom(people: People, side: Flags) -> int:
    """Clusters less strata, of those with anybody of one side: `degf(subset(design, side))`."""
    return len(np.unique(people.units[side])) - len(np.unique(people.strata[side]))


# -- the table ------------------------------------------------------------------------------------


def report(names: Iterable[str] = DESIGNS) -> Iterator[str]:
    """The rates of designs as lines of a table in Markdown, and what is out of bounds."""
    yield _line(["design", *RATES.values()])
    yield _line(["---", *["--:"] * len(RATES)])
    wrong: list[str] = []
    for name in names:
        figures = measure(name)
        wrong += figures.misses()
        yield _line([name, *map(figures.words, RATES)])
    yield "\nOut of bounds:"
    yield from (f"- {miss}" for miss in wrong or ["none"])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"

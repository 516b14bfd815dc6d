"""Groups of answers with about as many people each: lower, middle and upper third of income.

Answers are bins, so cuts are made between two of them, near to where they should be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from numbers import Integral
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.boxes import no_top
from audiencelab.analysis.disjointness import columns_of, require_disjoint
from audiencelab.expressions import Audience, Q
from audiencelab.figures import figure, people, percent
from audiencelab.hidden_members import hide_members
from audiencelab.markup import card, note, table
from audiencelab.results.arrow import HasFrame
from audiencelab.results.made import Made
from audiencelab.results.provenance import count_label, waves_fact, weight_fact
from audiencelab.results.record import metadata_of, record_of, sourced
from audiencelab.results.record_text import csv_head
from audiencelab.results.stats import Provenance, StatsData
from audiencelab.schema import StatsRow

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

_PARTS = {2: "half", 3: "third", 4: "quarter", 5: "fifth", 10: "tenth"}
_RANKS = ("Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth")


@hide_members("aimed", "made")
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class QuantileGroups(HasFrame):
    """Groups of one question's answers, from the lowest to the highest; iterate for audiences.

    question: its name. audiences: one for each group. answers: the names of each group's answers.
    sizes, samples: people and respondents who gave them, float64[groups].
    left_out: the names of answers in no group, because nothing tells where they belong.
    method_note: how the groups were made, in a line. made: the same as code, for `to_code`.
    """

    question: str
    audiences: tuple[Audience, ...]
    answers: tuple[tuple[str, ...], ...]
    sizes: Floats
    samples: Floats
    left_out: tuple[str, ...]
    method_note: str
    provenance: Provenance
    made: Made = None

    def __iter__(self) -> Iterator[Audience]:
        return iter(self.audiences)

    def __len__(self) -> int:
        return len(self.audiences)

    @property
    def percentages(self) -> Floats:
        """What each group holds of all who are in a group, 0 to 100, float64[groups]."""
        return 100 * self.sizes / self.sizes.sum()

    @property
    def aimed(self) -> float:
        """What each group would hold if answers could be divided, 0 to 100."""
        return 100 / len(self)

    def to_frame(self) -> pd.DataFrame:
        """One line for each group: `group`, `answers`, `size`, `sample`, `percentage`, `aimed`.

        `percentage` is of all who are in a group, `aimed` what it would be if answers could be
        divided. `attrs` hold the method_note, the answers left out, and the provenance.

        >>> groups = client.quantile_groups("Short video a day", 3)
        >>> groups.to_frame()["group"].tolist()
        ['Lower third', 'Middle third', 'Upper third']
        """
        import pandas as pd

        names = [audience.name for audience in self.audiences]
        frame = pd.DataFrame(
            {
                "group": pd.Categorical(names, categories=names, ordered=True),
                "answers": pd.Series(["; ".join(each) for each in self.answers], dtype=str),
                "size": self.sizes,
                "sample": self.samples,
                "percentage": self.percentages,
                "aimed": np.full(len(self), self.aimed),
            }
        )
        frame.attrs.update(
            self.provenance, method_note=self.method_note, left_out=list(self.left_out)
        )
        return frame

    def __repr__(self) -> str:
        lines = [
            f"{audience.name}: {percent(share)} ({'; '.join(answers)})"
            for audience, share, answers in zip(
                self.audiences, self.percentages, self.answers, strict=True
            )
        ]
        return "\n".join([*lines, f"{self.method_note} {waves_fact(self.provenance)}".rstrip()])

    def _repr_html_(self) -> str:
        lines = [
            [audience.name, "; ".join(answers), people(size), figure(sample, 0), percent(share)]
            for audience, answers, size, sample, share in zip(
                self.audiences,
                self.answers,
                self.sizes.tolist(),
                self.samples.tolist(),
                self.percentages.tolist(),
                strict=True,
            )
        ]
        headers = [
            "Group",
            "Answers",
            count_label(self.provenance),
            "Count (n)",
            f"% (aimed at {self.aimed:.1f})",
        ]
        listed = table(headers, lines, numeric=range(2, 5))
        facts = [self.method_note, waves_fact(self.provenance), weight_fact(self.provenance)]
        source = note(sourced(self.provenance).line())
        return str(card(self.question, listed, source, subtitle=" · ".join(filter(None, facts))))

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        shown = {"text/plain": repr(self), "text/html": self._repr_html_()}
        return shown, metadata_of(self, title=self.question)

    def _csv_head(self) -> str:
        return csv_head(record_of(self, title=self.question))


def quantile_groups(
    result: StatsData, midpoints: Mapping[str, float], count: int, *, disjoint: bool = False
) -> QuantileGroups:
    """The answers of a stats result in `count` groups of about as many people.

    result: of one question, without audiences and segments.
    midpoints: what answers stand for, by code, which puts them in order where the scale of the
        question is not known; without any, they are in the order of the result.

    Cuts are made where the cumulative shares come nearest to 1/count, 2/count, …, all distances
    together being the least. Answers that stand for one amount are in one group. Raises
    `ValueError` for fewer amounts with people than groups and for a question whose top is not
    known, and `OverlappingAnswers` where respondents may have given several answers.
    """
    columns = columns_of(result)
    if result.splitter or result.audiences or len(columns) != 1:
        raise ValueError("Groups are made of one column: ask without audiences and splitter.")
    require_disjoint(result, columns, disjoint)
    rows = columns[0].rows
    codes = _in_order(result, midpoints, rows)
    # Whoever has the same amount is in the same group, whichever answer says it.
    amounts = [list(same) for _, same in groupby(codes, lambda code: midpoints.get(code, code))]
    sizes = _sums(rows, amounts, "positive_size")
    _check(count, int(np.count_nonzero(sizes > 0)), result)
    parts = _parts(sizes, count)
    samples = _sums(rows, amounts, "positive_sample")
    names = {code: result.labels.datapoints.get(code) or code for code in rows}
    grouped = [list(chain.from_iterable(amounts[part])) for part in parts]
    left_out = tuple(name for code, name in names.items() if code not in codes)
    title = result.labels.question or result.question
    return QuantileGroups(
        question=title,
        audiences=tuple(
            Audience(name, Q(result.question).any(*group))
            for name, group in zip(_names(count), grouped, strict=True)
        ),
        answers=tuple(tuple(names[code] for code in group) for group in grouped),
        sizes=np.array([sizes[part].sum() for part in parts]),
        samples=np.array([samples[part].sum() for part in parts]),
        left_out=left_out,
        method_note=_method_note(title, any(code in midpoints for code in codes), left_out),
        provenance=dict(result.provenance),
    )


def _in_order(
    result: StatsData, midpoints: Mapping[str, float], rows: Mapping[str, StatsRow]
) -> list[str]:
    """The answers from the lowest to the highest: of the scale, with a midpoint, or as listed."""
    scale = result.labels.scale
    if scale is not None and (rising := scale.rising):
        return [code for code in rising if code in rows]
    # Words have no order without a known top; numbers have that of their midpoints.
    if scale is not None and scale.is_worded:
        names = [result.labels.datapoints.get(code) or code for code in rows]
        title = repr(result.labels.question or result.question)
        raise no_top(title, names, scale, 1, result.question)
    # Codes decide between equal amounts; the order of a set is not fixed.
    known = sorted(midpoints.keys() & rows.keys(), key=lambda code: (midpoints[code], code))
    return known or list(rows)


def _sums(rows: Mapping[str, StatsRow], amounts: Sequence[Sequence[str]], figure: str) -> Floats:
    return np.array([sum(getattr(rows[code].metrics, figure) for code in same) for same in amounts])


def _check(count: object, amounts: int, result: StatsData) -> None:
    if isinstance(count, bool) or not isinstance(count, Integral) or index(count) < 2:
        raise ValueError(
            f"Give the number of groups, at least 2, not {count!r}. "
            f"Write client.quantile_groups({result.question!r}, 3)."
        )
    if index(count) > amounts:
        raise ValueError(
            f"{result.question} has {amounts} answers of different amounts that somebody gave, "
            f"which do not make {count} groups. Ask for fewer. "
            f"Write client.quantile_groups({result.question!r}, {max(amounts, 2)})."
        )


def _parts(sizes: Floats, count: int) -> list[slice]:
    """Neighbouring amounts in groups of which none is empty, as slices."""
    given = np.flatnonzero(sizes > 0)
    # Cuts come after amounts with people, so that no group is empty; none comes after the last.
    reached = np.cumsum(sizes[given])[:-1] / sizes.sum()
    # far[k, i]: the least distance of k + 1 cuts together, the last of them after the amount i.
    far = np.abs(reached - np.arange(1, count)[:, None] / count)
    # Dynamic programming: for each position of a cut, the best one of the cut before it.
    before = np.zeros(far.shape, dtype=np.intp)
    for cut in range(1, len(far)):
        # A later cut needs an amount before it; infinity carries over to the cuts after it.
        far[cut, 0] = np.inf
        for place in range(1, far.shape[1]):
            before[cut, place] = far[cut - 1, :place].argmin()
            far[cut, place] += far[cut - 1, before[cut, place]]
    place = int(far[-1].argmin())
    cuts = [place]
    for cut in range(len(far) - 1, 0, -1):
        place = int(before[cut, place])
        cuts.insert(0, place)
    ends = [0, *(int(given[place]) + 1 for place in cuts), len(sizes)]
    return [slice(start, stop) for start, stop in pairwise(ends)]


def _names(count: int) -> list[str]:
    """Lower, middle and upper third; lowest, second, … and highest fifth; group 1 of 7, …."""
    if count not in _PARTS:
        return [f"Group {place} of {count}" for place in range(1, count + 1)]
    ends = ("Lower", "Upper") if count < 4 else ("Lowest", "Highest")
    between = ("Middle",) if count == 3 else _RANKS[: count - 2]
    return [f"{rank} {_PARTS[count]}" for rank in (ends[0], *between, ends[1])]


def _method_note(question: str, by_midpoint: bool, left_out: Sequence[str]) -> str:
    order = "midpoints" if by_midpoint else "answers as they are listed, which have no midpoints"
    told = (
        f"Whole answers of {question}, in the order of their {order}, cut where the cumulative "
        "shares of people come nearest to equal parts"
    )
    return f"{told}; left out: {', '.join(left_out)}." if left_out else f"{told}."

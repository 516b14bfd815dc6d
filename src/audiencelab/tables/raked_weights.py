"""The public result of raking: a weight of the survey, and what it does to shares and bases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from audiencelab.figures import figure, percent
from audiencelab.hidden_members import hide_members
from audiencelab.markup import ROW_CAP, Content, card, table
from audiencelab.results.arrow import HasFrame
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.charts import Chart
    from audiencelab.survey.raked_groups import RakedGroup

_NOTICED = 5e-5
"""A difference from a target, as a share, that is shown."""

_SHARES = ("Unweighted", "Before", "Target", "After")


@hide_members("groups", "read", "wave_names", "limits")
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RakedWeights(HasFrame):
    """A weight that `client.rake` made, with what it does to each answer.

    name: of the weight, as `weight=` takes it. client: the client that made it, whose calls may
    now use the weight.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"sex": ["f", "f", "f", "m"], "tea": ["yes", "no", "no", "yes"]})
    >>> raked = al.open(frame, to=folder / "raked", quiet=True).rake({"sex": {"f": 1, "m": 1}})
    >>> raked.client.crosstab("tea", weight="raked")["size"]["All"].round(2).tolist()
    [1.33, 2.67]
    >>> raked.efficiency
    75.0
    """

    name: str
    client: Any
    groups: tuple[RakedGroup, ...]
    read: Callable[[], pd.Series[float]]
    wave_names: Mapping[str, str]
    limits: str = ""

    @property
    def weights(self) -> pd.Series[float]:
        """The weight of each respondent; NaN for those who have none.

        The index is the key of the respondents, with the wave before it where there are several.
        Where it is the row in the file or frame, they are in the order of that.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"sex": ["f", "m", "f", "f"]})
        >>> raked = al.open(frame, to=folder / "keys", quiet=True).rake({"sex": {"f": 1, "m": 1}})
        >>> frame["weight"] = raked.weights.to_numpy()
        >>> frame["weight"].round(2).tolist()
        [0.67, 2.0, 0.67, 0.67]
        """
        return self.read()

    def _phrase(self, name: str) -> Callable[[], Any] | None:
        """A call of a client, by this weight: `raked.crosstab("tea")`."""
        if name in ("summary", "to_pandas"):
            return lambda: self.to_frame
        if name == "to_excel":
            write: Any = self.to_frame()
            return lambda: write.to_excel
        kind = self.client.__class__
        if name not in dir(kind):
            return None
        return lambda: getattr(self.client.with_options(weight=self.name), name)

    @property
    def respondents(self) -> int:
        """Respondents who were raked; others keep their weight."""
        return sum(group.respondents for group in self.groups)

    @property
    def effective_base(self) -> float:
        """(Σw)² / Σw² of all who were raked (Kish): as many respondents of equal weights."""
        totals = np.array([group.total for group in self.groups])
        squares = totals**2 / [group.after for group in self.groups]
        return float(totals.sum() ** 2 / squares.sum())

    @property
    def design_effect(self) -> float:
        """Respondents over the effective base (Kish)."""
        return self.respondents / self.effective_base

    @property
    def efficiency(self) -> float:
        """The effective base in % of the respondents, at most 100."""
        return 100 / self.design_effect

    @property
    def capped(self) -> int:
        """How many respondents have the largest weight that `cap` or `trim` allows."""
        return sum(group.capped for group in self.groups)

    @property
    def iterations(self) -> int:
        """The rounds that the slowest group took."""
        return max(group.iterations for group in self.groups)

    @property
    def chart(self) -> Chart:
        """A histogram of the weights, as multiples of the mean of their group.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"sex": ["f", "m", "f", "f"]})
        >>> al.open(frame, to=folder / "bars", quiet=True).rake({"sex": {"f": 1, "m": 1}}).chart
        <Chart: weights of 4 respondents>

        The extra `charts` is needed.
        """
        from audiencelab.charts.drawing import as_altair
        from audiencelab.charts.weights import weights_histogram

        weights = self.weights.dropna()
        if weights.index.nlevels > 1:
            means: Any = weights.groupby(level=0).transform("mean")
        else:
            means = weights.mean()
        relative = (weights / means).to_numpy(np.float64)
        facts = list(self._facts())
        lines = [" · ".join(facts[at : at + 3]) for at in range(0, len(facts), 3)]
        return as_altair(weights_histogram(relative, f"Weight: {self.name}", lines))

    def to_frame(self) -> pd.DataFrame:
        """A line for each answer of each margin, in each group.

        `wave`, `location`, `question`, `answer`, `n`; shares in % of those who answered:
        `unweighted`, `before` (by the starting weight), `target` and `after`.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"sex": ["f", "f", "f", "m"]})
        >>> raked = al.open(frame, to=folder / "shares", quiet=True).rake({"sex": {"f": 1, "m": 1}})
        >>> raked.to_frame()[["answer", "unweighted", "after"]].to_numpy().tolist()
        [['f', 75.0, 50.0], ['m', 25.0, 50.0]]
        """
        import pandas as pd

        columns = ["wave", "location", "question", "answer", "n"]
        columns += ["unweighted", "before", "target", "after"]
        frame = pd.DataFrame(list(self._lines()), columns=columns)
        frame.attrs.update(weight=self.name)
        return frame

    def by_wave(self) -> pd.DataFrame:
        """A line for each group that meets the targets by itself: a wave, or a location in one.

        `respondents`, `unanswered` (they keep their share), `iterations`, `effective_before`,
        `effective_base`, `design_effect`, `efficiency` (%), `smallest` and `largest` weight as
        multiples of the mean, `capped`, and `total`, the sum of the weights.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"sex": ["f", "f", "f", "m"]})
        >>> raked = al.open(frame, to=folder / "waves", quiet=True).rake({"sex": {"f": 1, "m": 1}})
        >>> raked.by_wave()["effective_base"].tolist()
        [3.0]
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "wave": [self._wave(group) for group in self.groups],
                "location": [", ".join(group.locations) for group in self.groups],
                "respondents": [group.respondents for group in self.groups],
                "unanswered": [group.unanswered for group in self.groups],
                "iterations": [group.iterations for group in self.groups],
                "effective_before": [group.before for group in self.groups],
                "effective_base": [group.after for group in self.groups],
                "design_effect": [group.design_effect for group in self.groups],
                "efficiency": [100 / group.design_effect for group in self.groups],
                "smallest": [group.smallest for group in self.groups],
                "largest": [group.largest for group in self.groups],
                "capped": [group.capped for group in self.groups],
                "total": [group.total for group in self.groups],
            }
        )

    def _wave(self, group: RakedGroup) -> str:
        return self.wave_names.get(group.wave, group.wave) if group.wave else "(all)"

    def _lines(self) -> Iterator[Sequence[Any]]:
        for group in self.groups:
            for margin in group.margins:
                shares = np.stack([margin.unweighted, margin.before, margin.target, margin.after])
                for answer, n, line in zip(
                    margin.answers, margin.counts.tolist(), (100 * shares.T).tolist(), strict=True
                ):
                    where = ", ".join(group.locations)
                    yield self._wave(group), where, margin.question, answer, n, *line

    def _facts(self) -> Iterator[str]:
        yield plural(self.respondents, "respondent")
        yield f"efficiency {percent(self.efficiency)}"
        yield f"effective base {figure(self.effective_base)}"
        yield f"design effect {figure(self.design_effect, 2)}"
        smallest, largest = (
            min(group.smallest for group in self.groups),
            max(group.largest for group in self.groups),
        )
        yield f"weights {smallest:.2f} to {largest:.2f} of the mean"
        if self.limits:
            yield f"{self.limits}: {self.capped:,} at the largest weight"
        if unanswered := sum(group.unanswered for group in self.groups):
            yield f"{unanswered:,} without an answer to a margin keep their share"
        apart = max(
            float(np.abs(margin.after - margin.target).max())
            for group in self.groups
            for margin in group.margins
        )
        if apart > _NOTICED:
            yield f"targets are met within {100 * apart:.2f} points"

    def __repr__(self) -> str:
        if not self.groups:
            return f"<RakedWeights {self.name!r}: its figures are not in the snapshot>"
        return f"<RakedWeights {self.name!r}: {', '.join(self._facts())}>"

    def _repr_html_(self) -> str:
        if not self.groups:
            return str(card(f"Weight: {self.name}", subtitle="Its figures are not in the snapshot"))
        several = len(self.groups) > 1
        rows: list[list[Content]] = []
        for wave, where, question, answer, n, *shares in self._lines():
            group = [" · ".join(filter(None, [wave, where]))] if several else []
            rows.append([*group, question, answer, f"{n:,}", *(percent(each) for each in shares)])
        headers: list[Content] = ["Question", "Answer", "n", *(f"{each} %" for each in _SHARES)]
        headers = ["Group", *headers] if several else headers
        hidden = max(0, len(rows) - ROW_CAP)
        shown = table(
            headers,
            rows[:ROW_CAP],
            numeric=range(len(headers) - 5, len(headers)),
            most=ROW_CAP,
            hidden=hidden,
        )
        use = f"weight={self.name!r} in a call or in with_options uses it"
        return str(card(f"Weight: {self.name}", shown, subtitle=" · ".join([*self._facts(), use])))

"""What our engine alone is asked, each function in a process of its own; see `apart`.

They return what `report` prints: a list of [what, seconds], the quickest of several turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

__all__ = [
    "by_base",
    "by_respondents",
    "fresh",
    "shared_leaves",
    "whole_table",
    "whole_way",
]

TURNS = 5
LEAVES = 40

Told = list[tuple[str, float]]


def fresh(folder: str, side: int) -> Told:
    """A process that knows nothing yet, up to its first crosstab; no import before the clock."""
    start = time.perf_counter()
    import audiencelab as al

    imported = time.perf_counter()
    with al.connect(survey=folder) as client:
        rows, columns = (
            [al.Q(question).any(f"{question}_{at}") for at in range(side)]
            for question in ("rows", "columns")
        )
        base = al.Q("base").any("base_0")
        result = client.crosstab(rows=rows, columns=columns, base_audience=base)
    done = time.perf_counter()
    assert result.complete
    return [
        ("import audiencelab", imported - start),
        (f"connect() to the first {side} × {side}", done - imported),
    ]


def whole_table(folder: str, side: int) -> Told:
    """The comparison's table, with an engine that has no mask yet."""
    from audiencelab.engine import Engine

    survey = _survey(folder)
    return [("", _best(lambda: _drain(Engine(survey.survey), survey.spec(side, side))))]


def by_base(folder: str, side: int) -> Told:
    """The same table within smaller and smaller bases."""
    from audiencelab.engine import Engine
    from tests.bench.engine.survey import BASES

    survey = _survey(folder)
    return [
        (
            f"base of {base} %",
            _best(lambda: _drain(Engine(survey.survey), survey.spec(side, side, base))),  # noqa: B023 - called at once
        )
        for base in BASES
    ]


def by_respondents(folder: str, side: int) -> Told:
    """The same table of one, two and four waves."""
    from audiencelab.engine import Engine
    from tests.bench.engine.survey import WAVES, BenchSurvey

    told: Told = []
    for waves in (1, 2, 4):
        survey = BenchSurvey(Path(folder), WAVES[:waves])
        seconds = _best(lambda: _drain(Engine(survey.survey), survey.spec(side, side)))  # noqa: B023 - called at once
        told.append((f"{survey.respondents:,} respondents", seconds))
    return told


def shared_leaves(folder: str, side: int) -> Told:
    """Audiences of three datapoints each, out of few: as many as double, and again."""
    from audiencelab.engine import CrosstabSpec, Engine
    from audiencelab.expressions import Expression, Q

    survey = _survey(folder)

    def audience(place: int) -> Expression:
        one, other, third = (
            Q("rows").any(f"rows_{(place * step + place // LEAVES) % LEAVES}") for step in (1, 3, 7)
        )
        return (one | other) & ~third

    told: Told = []
    for count in (side // 4, side // 2, side):
        columns = survey.spec(1, 20)
        rows = tuple(audience(place) for place in range(count))
        spec = CrosstabSpec(rows, columns.columns, columns.base, waves=columns.waves)
        seconds = _best(lambda: _drain(Engine(survey.survey), spec))  # noqa: B023 - called at once
        told.append((f"{count} × 20 audiences of 3 out of {LEAVES} datapoints", seconds))
    return told


def whole_way(folder: str, side: int) -> Told:
    """Engine, service, client and frame, each time the whole way up to there, masks made."""
    import json

    import audiencelab as al
    from audiencelab.engine import Engine
    from audiencelab.service import Request, Service

    survey = _survey(folder)
    spec = survey.spec(side, side)
    engine, service = Engine(survey.survey), Service(survey.survey, ["bench"])
    rows, columns = (
        [al.Q(question).any(f"{question}_{at}") for at in range(side)]
        for question in ("rows", "columns")
    )
    with al.connect(survey=survey.survey) as client:
        asked = {"rows": rows, "columns": columns, "base_audience": spec.base}
        table = client.crosstab(**asked)
        body = {
            "rows": [each.to_wire("query") for each in table.rows],
            "columns": [each.to_wire("query") for each in table.columns],
            "base_audience": al.Audience(expression=spec.base).to_wire("query"),
        }
        headers = {"authorization": "Bearer bench", "content-type": "application/json"}
        sent = Request("POST", "/v2/query/crosstab", "", headers, json.dumps(body).encode())

        def served() -> None:
            for _ in service.handle(sent).body:
                pass

        ways: dict[str, Callable[[], object]] = {
            "engine": lambda: _drain(engine, spec),
            "… and service, as bytes": served,
            "… and client, as arrays": lambda: client.crosstab(**asked),
            "… and frame": lambda: client.crosstab(**asked).to_frame(),
        }
        from tests.bench.turns import best_turns

        return list(best_turns(ways, TURNS).items())


def _survey(folder: str):
    from audiencelab.engine import kernel
    from tests.bench.engine.survey import BenchSurvey

    kernel.wait_for_compiled()
    return BenchSurvey(Path(folder))


def _drain(engine, spec) -> None:
    for _ in engine.crosstab(spec):
        pass


def _best(work: Callable[[], object]) -> float:
    seconds: list[float] = []
    for _ in range(TURNS + 1):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds[1:])

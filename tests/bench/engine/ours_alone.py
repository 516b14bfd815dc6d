"""What only our engine is measured for; each function runs in a process of its own.

Each returns labelled seconds, [[label, seconds], …]: the best of several turns.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.bench.engine.survey import BASES, WAVES, BenchSurvey, point

TURNS = 5
DATAPOINTS = 40

Times = list[tuple[str, float]]


def first_crosstab(folder: str, side: int) -> Times:
    """A new process up to its first crosstab."""
    start = time.perf_counter()
    import audiencelab as al

    imported = time.perf_counter()
    with al.connect(survey=folder) as client:
        rows = [point("rows", at) for at in range(side)]
        columns = [point("columns", at) for at in range(side)]
        result = client.crosstab(rows=rows, columns=columns, base_audience=point("base", 0))
    done = time.perf_counter()
    assert result.complete
    return [
        ("import audiencelab", imported - start),
        (f"connect() to the first {side} × {side}", done - imported),
    ]


def whole_table(folder: str, side: int) -> Times:
    """The table of the comparison."""
    survey = _survey(folder)
    return [("", _best(survey, survey.spec(side, side)))]


def smaller_bases(folder: str, side: int) -> Times:
    """The same table within smaller and smaller bases."""
    survey = _survey(folder)
    return [(f"base of {base}%", _best(survey, survey.spec(side, side, base))) for base in BASES]


def more_respondents(folder: str, side: int) -> Times:
    """The same table of one, two and four waves."""
    times: Times = []
    for waves in (1, 2, 4):
        survey = _survey(folder, WAVES[:waves])
        times.append(
            (f"{survey.respondents:,} respondents", _best(survey, survey.spec(side, side)))
        )
    return times


def shared_datapoints(folder: str, side: int) -> Times:
    """Audiences of three datapoints each out of few: as many as double, and again."""
    from audiencelab.engine import CrosstabSpec

    survey = _survey(folder)
    columns = survey.spec(1, 20)
    times: Times = []
    for count in (side // 4, side // 2, side):
        rows = tuple(_three_datapoints(number) for number in range(count))
        spec = CrosstabSpec(rows, columns.columns, columns.scope)
        label = f"{count} × 20 audiences of 3 out of {DATAPOINTS} datapoints"
        times.append((label, _best(survey, spec)))
    return times


def _three_datapoints(number: int) -> Any:
    one, other, third = (
        point("rows", (number * step + number // DATAPOINTS) % DATAPOINTS) for step in (1, 3, 7)
    )
    return (one | other) & ~third


def whole_path(folder: str, side: int) -> Times:
    """Engine, service, client and frame, each from the start up to there; masks are ready."""
    import audiencelab as al
    from audiencelab.engine import Engine
    from audiencelab.service import Request, Service
    from tests.bench.turns import best_turns

    survey = _survey(folder)
    spec = survey.spec(side, side)
    engine, service = Engine(survey.survey), Service(survey.survey, ["bench"])
    with al.connect(survey=survey.survey) as client:
        query = {"rows": spec.rows, "columns": spec.columns, "base_audience": spec.scope.base}
        table = client.crosstab(**query)
        body = {
            "rows": [each.to_wire("query") for each in table.rows],
            "columns": [each.to_wire("query") for each in table.columns],
            "base_audience": spec.scope.base.to_wire("query"),
        }
        headers = {"authorization": "Bearer bench", "content-type": "application/json"}
        sent = Request("POST", "/v2/query/crosstab", "", headers, json.dumps(body).encode())
        ways: dict[str, Callable[[], object]] = {
            "engine": lambda: list(engine.crosstab(spec)),
            "… and service, as bytes": lambda: list(service.handle(sent).body),
            "… and client, as arrays": lambda: client.crosstab(**query),
            "… and frame": lambda: client.crosstab(**query).to_frame(),
        }
        return list(best_turns(ways, TURNS).items())


def _survey(folder: str, waves: tuple[str, ...] = WAVES) -> BenchSurvey:
    from audiencelab.engine import kernel

    kernel.wait_for_compiled()
    return BenchSurvey(Path(folder), waves)


def _best(survey: BenchSurvey, spec: Any) -> float:
    """Seconds of a crosstab by an engine that has no mask yet."""
    from audiencelab.engine import Engine
    from tests.bench.turns import best_turns

    return best_turns({"": lambda: list(Engine(survey.survey).crosstab(spec))}, TURNS)[""]

"""Figures on too few respondents: withheld from every operation, and from nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

import audiencelab as al
from audiencelab.schema import METRICS
from audiencelab.service import Service
from audiencelab.survey import demo_survey
from tests.service.asking import TOKEN, ask, stats

AGES = [{"question": "q4", "datapoints": [f"q4_{n}"]} for n in range(1, 8)]
GENDERS = [{"question": "q2", "datapoints": [f"q2_{n}"]} for n in (1, 2, 3)]
MINIMUM = 600


@pytest.fixture(scope="module")
def services() -> Iterator[tuple[Service, Service]]:
    """One without a minimum, and one with it."""
    survey = demo_survey()
    with Service(survey, [TOKEN]) as whole, Service(survey, [TOKEN], minimum_base=MINIMUM) as part:
        yield whole, part


def few(sample: float) -> bool:
    return 0 < sample < MINIMUM


def cells(service: Service, **body: Any) -> list[dict[str, Any]]:
    def axis(name: str, expressions: list[Any]) -> list[dict[str, Any]]:
        return [{"id": f"{name}{n}", "expression": each} for n, each in enumerate(expressions)]

    # Everyone and an audience of nobody as well.
    nobody = {"and": [GENDERS[0], {**GENDERS[0], "not": True}]}
    body |= {"rows": axis("r", [None, *AGES, nobody]), "columns": axis("c", [None, *GENDERS])}
    return ask(service, "POST", "/v2/query/crosstab", body).lines


def test_each_figure_of_a_cell_is_right_or_withheld(services: tuple[Service, Service]) -> None:
    whole, part = services
    hidden = shown = 0
    for known, found in zip(cells(whole), cells(part), strict=True):
        sides = known["audiences"]
        small = {
            "row": few(sides["row"]["sample"]),
            "column": few(sides["column"]["sample"]),
        }
        joint = any(small.values()) or few(known["intersect"]["sample"])
        for side, name in product(("row", "column"), ("size", "sample", "percentage")):
            expected = None if small[side] else sides[side][name]
            assert found["audiences"][side][name] == expected
        for side in ("row", "column"):
            expected = None if joint else sides[side]["intersect_percentage"]
            assert found["audiences"][side]["intersect_percentage"] == expected
        for name, figure in known["intersect"].items():
            assert found["intersect"][name] == (None if joint else figure)
        assert found["base"] == known["base"]
        assert found.get("suppressed", False) is joint
        assert "suppressed" not in known
        hidden, shown = hidden + joint, shown + (not joint)
    assert hidden >= 10
    assert shown >= 10


def test_nobody_is_shown_and_a_small_base_leaves_nothing(
    services: tuple[Service, Service],
) -> None:
    _, part = services
    *_, last = [cell for cell in cells(part) if cell["audiences"]["column"]["audience"] == "c0"]
    assert last["intersect"]["sample"] == 0
    for cell in cells(part, base_audience={"expression": GENDERS[2]}):
        assert cell["base"] == {"size": None, "sample": None}
        assert set(cell["intersect"].values()) == {None}


def test_each_metric_of_stats_is_right_or_withheld(services: tuple[Service, Service]) -> None:
    whole, part = services
    body = {"question": "q4", "splitter": "q2", "waves": ["q4_2024", "q4_2025"]}
    marks = 0
    for known, found in zip(stats(whole, **body)["data"], stats(part, **body)["data"], strict=True):
        metrics = known["metrics"]
        small = {of: few(metrics[f"{of}_sample"]) for of in ("positive", "audience", "datapoint")}
        for name in METRICS:
            of = name.partition("_")[0] if name.endswith(("size", "sample")) else "positive"
            is_hidden = any(small.values()) if of == "positive" else small[of]
            assert found["metrics"][name] == (None if is_hidden else metrics[name]), name
        assert found.get("suppressed", False) is any(small.values())
        marks += any(small.values())
    assert marks >= 5


def test_a_chart_says_no_more_than_stats(services: tuple[Service, Service]) -> None:
    _, part = services
    attribute = {"question_code": "q2", "datapoint_code": "q2_3"}
    body = {"name": "Few", "attributes": [attribute], "wave_codes": ["q4_2025"]}
    made = ask(part, "POST", "/v1/charts", body).json["id"]
    (group,) = ask(part, "POST", f"/v1/charts/{made}/calculate").json["stats"]
    (row,) = group["data"]
    assert row["suppressed"] is True
    assert row["metrics"]["positive_sample"] is None


@pytest.mark.parametrize("accept", ["blocks", "JSON"])
def test_a_client_shows_them_as_missing_with_the_reason(accept: str, tmp_path: Any) -> None:
    with al.serve(minimum_base=MINIMUM) as url, al.connect(url) as client, al.connect() as whole:
        # A recording asks for JSON, other calls for columnar blocks.
        recording = client.recording(tmp_path / "few.jsonl")
        if accept == "JSON":
            recording.start()
        table = client.crosstab(rows="Age", columns="Gender")
        frame = table.to_frame()
        known = whole.crosstab(rows="Age", columns="Gender").to_frame()
        hidden = known["sample"].lt(MINIMUM) & known["sample"].gt(0)
        assert hidden.sum() == 14
        assert frame["sample"].isna().tolist() == hidden.tolist()
        assert frame["note"].eq("withheld by the service").tolist() == hidden.tolist()
        assert frame["column_percentage"].isna().tolist() == hidden.tolist()
        tests = table.test().to_frame()
        names = {
            (row, column)
            for row, column, is_hidden in zip(
                known["row"], known["column"], hidden.tolist(), strict=True
            )
            if is_hidden
        }
        untested = [
            (row, column) in names or (row, other) in names
            for row, column, other in zip(
                tests["row"], tests["column"], tests["other"], strict=True
            )
        ]
        assert tests["p"].isna().tolist() == untested
        assert "14 cells withheld by the service." in table.to_markdown()
        assert "14 cells withheld by the service." in table.to_html()
        counts = client.stats("q4", splitter="q2").to_frame()
        assert counts["note"].eq("withheld by the service").sum() == counts["sample"].isna().sum()
        assert counts["sample"].isna().any()
        size = client.size(client["Gender"].isin("Non-binary or another identity"))
        assert math.isnan(size.sample)
        if accept == "JSON":
            recording.discard()

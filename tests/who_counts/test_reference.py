"""Every cell of random surveys is what the reference counts respondent by respondent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from audiencelab.expressions import Expression, Leaf
from audiencelab.service import Request, Service
from tests.who_counts.records import Records
from tests.who_counts.reference import cell, figures
from tests.who_counts.surveys import QUESTIONS, SURVEYS, build, make_expression, make_records

TOKEN = "a-token-for-tests"
BASES = ("everyone", "valid")
METRICS = ("datapoint", "audience", "positive")
SHARES = ("audience_percentage", "datapoint_percentage", "audience_index")


class Asked:
    """A random survey: its records, and the service that counts it."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.rng = np.random.default_rng(seed)
        self.records: Records = make_records(self.rng)
        self.service = Service(build(self.records, folder / f"survey_{seed}"), [TOKEN])

    def expression(self) -> Expression | None:
        return make_expression(self.rng, self.records) if self.rng.random() < 0.93 else None

    def waves(self) -> list[str]:
        size = int(self.rng.integers(1, len(self.records.waves) + 1))
        return [str(each) for each in self.rng.choice(self.records.waves, size, replace=False)]

    def ask(self, operation: str, body: dict[str, Any]) -> bytes:
        answer = self.service.handle(
            Request(
                "POST",
                f"/v2/query/{operation}",
                "",
                {"authorization": f"Bearer {TOKEN}"},
                msgspec.json.encode(body),
            )
        )
        assert answer.status == 200, answer.read()
        return answer.read()


def wire(expression: Expression | None) -> dict[str, Any]:
    return {"expression": None if expression is None else expression.to_wire()}


def crosstab(
    asked: Asked, base: Any, rows: list[Any], columns: list[Any], waves: list[str], base_of: str
) -> dict[tuple[int, int], Any]:
    body = {
        "rows": [wire(each) for each in rows],
        "columns": [wire(each) for each in columns],
        "base_audience": wire(base),
        "waves": waves,
        "base_of": base_of,
    }
    cells = map(msgspec.json.decode, asked.ask("crosstab", body).splitlines())
    return {(each["row_index"] - 1, each["column_index"] - 1): each for each in cells}


def counted(found: dict[str, Any]) -> tuple[list[float], list[float]]:
    """The samples, and the sizes, shares and index of a cell of the wire."""
    row, column = found["audiences"]["row"], found["audiences"]["column"]
    both = found["intersect"]
    parts = (found["base"], row, column, both)
    shares = [both["percentage"], row["intersect_percentage"], column["intersect_percentage"]]
    sizes = [each["size"] for each in parts]
    return [each["sample"] for each in parts], [*sizes, *shares, both["index"]]


@pytest.mark.parametrize("seed", range(SURVEYS))
def test_cells_of_a_crosstab(seed: int, tmp_path: Path) -> None:
    asked = Asked(seed, tmp_path)
    rows, columns = ([asked.expression() for _ in range(6)] for _ in range(2))
    for base in (None, asked.expression(), asked.expression()):
        waves = asked.waves()
        for base_of in BASES:
            found = crosstab(asked, base, rows, columns, waves, base_of)
            for (i, j), line in found.items():
                effective, *sets = cell(asked.records, base, rows[i], columns[j], {*waves}, base_of)
                samples, shares = counted(line)
                said = f"{base_of}: {rows[i]} × {columns[j]} of {base} in {waves}"
                assert samples == [len(each) for each in sets], said
                expected = figures(asked.records, effective, *sets)
                assert shares == pytest.approx(expected, rel=1e-9), said
            assert len(found) == len(rows) * len(columns)


@pytest.mark.parametrize("seed", range(SURVEYS))
def test_rows_of_statistics(seed: int, tmp_path: Path) -> None:
    asked = Asked(1_000_000 + seed, tmp_path)
    for code, splitter in zip(
        QUESTIONS, asked.rng.permutation(["waves", *QUESTIONS]), strict=False
    ):
        audiences = [make_expression(asked.rng, asked.records) for _ in range(2)]
        base, waves = asked.expression(), asked.waves()
        points = ["1", "3"] if asked.records.kinds[code] == "grid" else []
        for base_of in BASES:
            body = {
                "question": code,
                "suffixes": points or None,
                "splitter": str(splitter),
                "audiences": [{"id": str(at), **wire(each)} for at, each in enumerate(audiences)],
                "base_audience": wire(base),
                "waves": waves,
                "base_of": base_of,
            }
            rows = msgspec.json.decode(asked.ask("stats", body))["data"]
            for line in rows:
                segment = Leaf(str(splitter), (line["segment"],))
                column = audiences[int(line["audience"])] & segment
                row = Leaf(code, (line["datapoint"],), tuple(points))
                effective, *sets = cell(asked.records, base, row, column, {*waves}, base_of)
                said = f"{base_of}: {row} × {column} of {base} in {waves}"
                assert {*line["waves"]} == effective, said
                _, given, inside, both = sets
                found = [line["metrics"][f"{each}_sample"] for each in METRICS]
                assert found == [len(given), len(inside), len(both)], said
                sizes = figures(asked.records, effective, *sets)
                found = [line["metrics"][f"{each}_size"] for each in METRICS]
                found += [line["metrics"][each] for each in SHARES]
                assert found == pytest.approx([*sizes[1:4], *sizes[5:]], rel=1e-9), said

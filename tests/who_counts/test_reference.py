"""Every cell of random surveys is what the reference counts respondent by respondent."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from audiencelab.expressions import Expression
from audiencelab.service import Request, Service
from tests.who_counts.records import Records
from tests.who_counts.reference import cell, figures
from tests.who_counts.surveys import build, make_expression, make_records

SURVEYS = int(os.environ.get("WHO_COUNTS_SURVEYS", "20"))
"""How many surveys are made; a thousand take some minutes."""

TOKEN = "a-token-for-tests"
BASES = ("everyone", "valid")


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

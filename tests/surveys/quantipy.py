"""A codebook for quantipy's "Example Data (A)", its labels read from the metadata beside it.

Five waves, two weights (one with gaps), lists of values in cells, grids, and a grid in a loop.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from audiencelab.ingest import Codebook, parse_codebook
from tests.surveys.data import QUANTIPY

SOURCES = (QUANTIPY / "example-data-a.csv.gz",)
_META = QUANTIPY / "example-data-a.json"
_LANGUAGE = "en-GB"

SINGLE = ("gender", "locality", "ethnicity", "religion", "q1", "q2b", "q4")
LISTS = ("q2", "q3", "q8", "q9")
GRIDS = ("q5", "q6", "q7", "q14_1", "q14_2", "q14_3")


@cache
def _meta() -> dict[str, Any]:
    return json.loads(_META.read_text("utf-8"))


def make_quantipy_codebook(weight: str) -> Codebook:
    """The codebook of all closed questions; weight: `weight_a` or `weight_b`."""
    return parse_codebook(
        {
            "study": {"name": "Example Data (A)", "location": "locality"},
            "weight": {"column": weight},
            "wave": {"column": "Wave"},
            "waves": [
                {"code": f"w{number}", "value": number, "starts": f"2015-0{number}-01"}
                for number in range(1, 6)
            ],
            "questions": list(_questions()),
        },
        "the codebook of the example data",
    )


def _questions() -> Iterator[dict[str, Any]]:
    for code in (*SINGLE, *LISTS):
        column = _meta()["columns"][code]
        several = {"kind": "multiple", "separator": ";"} if code in LISTS else {}
        labels = _labels(column["values"])
        yield {"code": code, "name": _text(column), "column": code, "labels": labels} | several
    for code in GRIDS:
        mask = _meta()["masks"][code]
        yield {
            "code": code,
            "name": _text(mask),
            "kind": "grid",
            "datapoints": [
                {"name": _text(item), "column": item["source"].removeprefix("columns@")}
                for item in mask["items"]
            ],
            "suffixes": [
                {"name": name, "value": value} for value, name in _labels(mask["values"]).items()
            ],
        }


def _labels(values: Any) -> dict[str, str]:
    """Names by value; several questions may share a list that stands elsewhere."""
    if isinstance(values, str):
        values = _meta()["lib"]["values"][values.rpartition("@")[2]]
    return {str(each["value"]): _text(each) for each in values}


def _text(part: dict[str, Any]) -> str:
    text = part["text"]
    return text if isinstance(text, str) else text[_LANGUAGE]

"""Expressions as JSON, in the three forms of the wire; what is read is written and read back."""

from __future__ import annotations

import json

from audiencelab.errors import Fault
from audiencelab.expressions import (
    MAX_DEPTH,
    MAX_NODES,
    InvalidExpression,
    parse_expression,
    read_code,
    walk,
)
from tests.fuzz.targets import Target, refused

__all__ = ["Expressions"]


class Expressions(Target):
    """`parse_expression`, and what it reads written in every form, as code and as words."""

    name = "expressions"
    share = 280
    is_json = True

    def seeds(self) -> list[bytes]:
        leaf = {"question": "q4", "datapoints": ["q4_1", "q4_2"], "min_count": 2}
        grid = {"question": "core.q20", "options": ["q20_1"], "suffixes": [1, "01"], "not": True}
        tree = {"and": [leaf, {"or": [grid, leaf], "not": True}, {"question": "waves"}]}
        long = {"or": [{"question": "q", "suffixes": ["9" * 5_000]}] * 3}
        return [json.dumps(each).encode() for each in (leaf, grid, tree, long, {"and": [tree] * 9})]

    def run(self, data: bytes) -> str:
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            return "no JSON"
        faults: tuple[Fault, ...] = ()
        try:
            read = parse_expression(document)
        except InvalidExpression as error:
            faults = error.faults
            read = None
        if read is None:
            assert faults
            assert all(fault.pointer == "" or fault.pointer[0] == "/" for fault in faults)
            return refused(ValueError(faults[0].detail))
        nodes = list(walk(read))
        assert len(nodes) <= MAX_NODES
        assert max(pointer.count("/") for pointer, _ in nodes) <= 2 * MAX_DEPTH
        for form in ("query", "chart", "saved"):
            written = json.dumps(read.to_wire(form))
            assert parse_expression(json.loads(written)) == read, form
        assert read.describe()
        code = read.to_code()
        if len(code) < 100_000:
            assert read_code(code) == [read]
        return f"accepted {type(read).__name__}, {min(len(nodes), 20)} nodes"

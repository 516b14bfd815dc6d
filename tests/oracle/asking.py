"""Asking the service about a real survey, with names in place of codes."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from audiencelab.service import Request, Service
from audiencelab.survey import Survey, SurveyQuestion

TOKEN = "a-token-for-tests"


class Asker:
    """One survey behind its service."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self._service = Service(survey, [TOKEN])

    def leaf(self, code: str, *names: str) -> dict[str, Any]:
        """Any of the datapoints with these names."""
        question = self.survey.catalogue.question(code)
        return {"question": code, "datapoints": [self.datapoint(question, name) for name in names]}

    def datapoint(self, question: SurveyQuestion, name: str) -> str:
        return code_of(question.datapoints, name)

    def suffix(self, question: SurveyQuestion, name: str) -> str:
        return code_of(question.suffixes, name)

    def crosstab(
        self, rows: list[Any], columns: list[Any], base: Any = None, **more: Any
    ) -> dict[tuple[int, int], Any]:
        """The cells by place of row and column, counted from 0; the three take expressions."""
        body = {
            "rows": [{"expression": expression} for expression in rows],
            "columns": [{"expression": expression} for expression in columns],
            "base_audience": {"expression": base},
            **more,
        }
        cells = [msgspec.json.decode(line) for line in self._ask("crosstab", body).splitlines()]
        return {(cell["row_index"] - 1, cell["column_index"] - 1): cell for cell in cells}

    def stats(self, **body: Any) -> list[Any]:
        return msgspec.json.decode(self._ask("stats", body))["data"]

    def _ask(self, query: str, body: dict[str, Any]) -> bytes:
        headers = {"authorization": f"Bearer {TOKEN}"}
        encoded = msgspec.json.encode(body)
        answer = self._service.handle(Request("POST", f"/v2/query/{query}", "", headers, encoded))
        assert answer.status == 200, answer.read()
        return answer.read()


def code_of(records: tuple[Any, ...], name: str) -> str:
    """The code of the record with a name, whatever became of its punctuation."""
    [code] = [record.code for record in records if plain(record.name) == plain(name)]
    return code


def plain(name: str) -> str:
    # In the published file curly apostrophes have become question marks.
    return re.sub(r"[^a-z0-9]+", "", name.lower())

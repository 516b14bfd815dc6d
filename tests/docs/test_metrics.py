"""Every worked figure of docs/explanation/metrics.md: its arithmetic, and what a client says."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import audiencelab as al
from audiencelab.schema import Datapoint
from audiencelab.survey import Answers, SurveyBuilder, SurveyCatalogue, SurveyQuestion, SurveyWave

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "metrics.md"
WOMEN = al.Audience("Women", al.Q("sex").any("woman"))
READS = al.Audience("Reads", al.Q("reading").any("reads"))

Table = list[list[str]]


def table_of(first_head: str, within: str) -> Table:
    """The lines of the table whose first head is called so, after some words of the page."""
    text = PAGE.read_text(encoding="utf-8").partition(within)[2]
    [found] = re.findall(rf"^\| {first_head} \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)[:1]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found.splitlines()]


RESPONDENTS = table_of("wave", "Worked figures")


def number(text: str) -> float:
    return float(text.replace(",", ""))


def worked(cell: str) -> float:
    """The result of `100 × 275 ÷ 500 = 55`, once the arithmetic is found to be right."""
    calculation, _, result = cell.rpartition(" = ")
    if calculation:
        python = calculation.replace(",", "").replace("×", "*").replace("÷", "/")
        assert re.fullmatch(r"[\d.*/+() ]+", python), cell
        decimals = len(result.partition(".")[2])
        assert round(eval(python), decimals) == number(result), cell
    return number(result)


def client_of(folder: Path, asked_in: str, *, all_asked: bool = True) -> al.Client:
    """The respondents of the page; waves that are not in `asked_in` did not ask about reading."""

    def yes_no(code: str, yes: str, no: str) -> SurveyQuestion:
        return SurveyQuestion(
            "core", code, code, "single", (Datapoint(yes, yes), Datapoint(no, no))
        )

    questions = (
        yes_no("place", "here", "there"),
        yes_no("sex", "woman", "man"),
        yes_no("reading", "reads", "not"),
    )
    with SurveyBuilder(folder, SurveyCatalogue(questions, "core.place")) as builder:
        for month, wave in enumerate("AB", start=1):
            people = [line for line in RESPONDENTS if line[0] == wave]
            asked = np.array([all_asked or place < len(people) - 1 for place in range(len(people))])
            reads = np.array([line[3] != "yes" for line in people], int)
            answers: dict[str, Any] = {
                "place": np.zeros(len(people), int),
                "sex": np.array([line[2] != "yes" for line in people], int),
            }
            if wave in asked_in:
                answers["reading"] = Answers(np.where(asked, reads, -1), asked)
            day = date(2024, month, 1)
            builder.add_wave(
                SurveyWave(wave, wave, day, day), [number(x[1]) for x in people], answers
            )
        return al.connect(survey=builder.finish())


@pytest.mark.parametrize(("asked_in", "column"), [("AB", 1), ("B", 3)])
def test_the_row_of_a_query(tmp_path: Path, asked_in: str, column: int) -> None:
    client = client_of(tmp_path / "survey", asked_in)
    stats = client.stats("reading", datapoints=["reads"], audiences=[WOMEN])
    cell = client.crosstab(rows=[READS], columns=[WOMEN])
    [row] = stats.to_frame().to_dict("records")
    row |= cell.to_frame()[["base_size", "base_sample"]].to_dict("records")[0]
    # The page has the service's words.
    words = {"audience": "column", "datapoint": "row", "positive": "size"}
    told = table_of("figure", "The datapoint *reads*")
    assert len(told) == 7
    for line in told:
        name = "_".join(words.get(word, word) for word in line[0].split())
        size = f"{name}_size" if f"{name}_size" in row else name
        assert round(float(row[size]), 1) == worked(line[column]), line
        if line[column + 1]:
            assert row[size.replace("size", "sample")] == number(line[column + 1]), line


def test_the_cell_of_a_crosstab(tmp_path: Path) -> None:
    client = client_of(tmp_path / "survey", "AB")
    [cell] = client.crosstab(rows=[READS], columns=[WOMEN]).to_frame().to_dict("records")
    told = table_of("figure", "As a crosstab")
    assert len(told) == 10
    for name, figure, sample in told:
        name = name.strip("`")
        assert round(float(cell[name]), 1) == worked(figure), name
        if sample:
            assert cell[name.replace("size", "sample")] == number(sample), name


def test_who_was_not_asked(tmp_path: Path) -> None:
    client = client_of(tmp_path / "survey", "B", all_asked=False)
    figures = [worked(line[1]) for line in table_of("of whom", "had not been asked")]
    bases: tuple[dict[str, Any], ...] = (
        {"base_of": "everyone"},
        {"base_of": "valid"},
        {"base_audience": al.asked("reading")},
        {"base_audience": al.answered("reading")},
    )
    for base, expected in zip(bases, figures, strict=True):
        result = client.stats("reading", datapoints=["reads"], **base)
        assert float(result.to_frame()["column_percentage"].iloc[0]) == expected


def test_published_figures() -> None:
    text = PAGE.read_text(encoding="utf-8").partition("The same in published figures")[2]
    positive, audience, datapoint, base = map(number, re.findall(r"\d+(?:,\d+){2}", text)[:4])
    shares = [round(100 * positive / each, 1) for each in (audience, datapoint)]
    index = round(100 * (positive / audience) / (datapoint / base), 1)
    for figure in (*shares, index):
        assert str(figure) in text.partition("\n\n")[0]

"""The rows of a tab book by rules: every figure of a written workbook equals plain pandas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import product
from typing import Any, cast

import numpy as np
import openpyxl
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.client import Client
from audiencelab.tables import TabBook
from tests.agency import Agency
from tests.agency_texts import BRANDS, SERVICES
from tests.messages import fails

Figures = dict[tuple[str, str], list[float]]
"""The figures of a sheet, by the group and the name of the row."""


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with al.connect() as connected:
        yield connected


def written(book: TabBook, columns: int) -> list[Figures]:
    """The figures of the last columns of each sheet."""
    file = BytesIO()
    book.to_excel(file, vs=None)
    found: list[Figures] = []
    for sheet in openpyxl.load_workbook(file).worksheets[1:-1]:
        figures, group = Figures(), ""
        for row in sheet.iter_rows(values_only=True):
            # Columns of bases may be between the names and the figures.
            cells = row[len(row) - columns :]
            if row[0] and all(isinstance(each, int | float) for each in cells):
                figures[group, str(row[0])] = list(map(float, cells))
            elif row[0]:
                group = str(row[0])
        found.append(figures)
    return found


def close(found: Sequence[float], expected: Sequence[float]) -> bool:
    return bool(np.allclose(found, expected, rtol=0, atol=1e-6))


# -- the survey of an agency ----------------------------------------------------------------------

RULES: dict[str, Any] = {
    "scale": ["answers", "top 2", "bottom 2", "mean"],
    "grid": ["top 2", "mean"],
    "number": ["mean", "median"],
    "nps": "nps parts",
    "multiple": ["answers", "any"],
    "altersgruppe": {"Unter 35": ["16 bis 24 Jahre", "25 bis 34 Jahre"]},
}
WEIGHTS = ["weight", "weight_hh", None]
ASKED = ["f30", "note", "preis", "f31", "alter", "nps", "b1", "altersgruppe"]


@pytest.fixture(scope="module")
def agency_book(agency: Client) -> TabBook:
    return agency.tab_book("geschlecht", ASKED, rows=RULES, weights=WEIGHTS)


def by_hand(frame: Any, values: Any, weights: Any, columns: Any, statistic: str) -> list[float]:
    """A statistic of each column, by each of the weights."""
    made: list[float] = []
    for weight, column in product(weights, columns):
        kept = column & values.notna()
        own, by = values[kept], pd.Series(1.0, frame.index) if weight is None else frame[weight]
        by = by[kept]
        if statistic == "median":
            own = own.sort_values()
            reached = by[own.index].cumsum() >= by.sum() / 2
            made.append(float(own[reached].iloc[0]))
        else:
            scale = 100 if statistic == "share" else 1
            made.append(scale * float((own * by).sum() / by.sum()))
    return made


def test_rows_of_an_agencys_book_equal_pandas(agency_book: TabBook) -> None:
    frame = Agency().frame()
    columns = [frame["geschlecht"] > 0, *(frame["geschlecht"] == each for each in (1, 2, 3))]
    sheets = dict(zip(ASKED, written(agency_book, 12), strict=True))

    def check(code: str, row: str, values: Any, statistic: str = "share", group: str = "") -> None:
        [found] = [
            cells
            for (above, name), cells in sheets[code].items()
            if name.startswith(row) and above.startswith(group)
        ]
        assert close(found, by_hand(frame, values, WEIGHTS, columns, statistic)), (code, row)

    satisfied = frame["f30"].where(frame["f30"] < 90)
    check("f30", "Top 2", satisfied.isin([4, 5]).where(satisfied.notna()))
    check("f30", "Bottom 2", satisfied.isin([1, 2]).where(satisfied.notna()))
    check("f30", "Mean", satisfied, "mean")
    # 1 is the best mark.
    check("note", "Top 2 (1 = sehr gut, 2 = gut)", frame["note"].isin([1, 2]))
    for number, item in enumerate(SERVICES, 1):
        values = frame[f"f31_{number}"]
        check("f31", item, values.isin([4, 5]).where(values.notna()), group="Top 2")
        check("f31", item, values, "mean", group="Mean")
    check("alter", "Mean", frame["alter"], "mean")
    check("alter", "Median", frame["alter"], "median")
    given = frame["nps"].dropna()
    promoters, detractors = 100.0 * (given >= 9), 100.0 * (given <= 6)
    check("nps", "Promoters", promoters.reindex(frame.index), "mean")
    check("nps", "Detractors", detractors.reindex(frame.index), "mean")
    check("nps", "NPS", (promoters - detractors).reindex(frame.index), "mean")
    known = frame[[f"b1_{number}" for number in range(1, len(BRANDS) + 1)]]
    check("b1", "Any answer", known.any(axis=1))
    check("b1", BRANDS[0], known["b1_1"])
    check("altersgruppe", "Unter 35", frame["altersgruppe"].isin([1, 2]))


def test_a_scale_without_a_top_has_its_answers_and_a_note(agency_book: TabBook) -> None:
    price = agency_book["preis"]
    assert not any(row.name.startswith("Top") for row in price.rows)
    assert len(price.rows) == 5
    note = " ".join(agency_book._notes["Wie schätzen Sie den Preis Ihrer Kaffeemarke ein?"])
    assert note.startswith("Top 2 and bottom 2 are not shown. 'preis'")
    assert "al.net('preis', 'eher zu hoch', 'viel zu hoch')" in note
    layouts = agency_book._layouts(None, None, {})
    assert any("al.net(" in each for each in layouts[list(agency_book)[2]].notes)


def test_each_weight_is_tested_by_itself(agency: Client, agency_book: TabBook) -> None:
    question = next(iter(agency_book))
    together = agency_book._layouts(None, "columns", {})[question]
    parts = [book._layouts(None, "columns", {})[question] for book in agency_book.weights.values()]
    assert [cell.groups[0] for cell in together.banner[::4]] == [
        "weight",
        "weight_hh",
        "Unweighted",
    ]
    assert together.marks == tuple(
        sum(rows, ()) for rows in zip(*(each.marks for each in parts), strict=True)
    )
    alone = agency.tab_book("geschlecht", ["f30"], rows=RULES, weight="weight_hh")
    assert parts[1].marks == alone._layouts(None, "columns", {})[question].marks
    assert together.notes[-1] == "Letters and arrows compare columns of one weight."


# -- the demo survey ------------------------------------------------------------------------------


def test_rows_of_the_demo_survey_equal_pandas(client: Client) -> None:
    rules = {
        "*": ["answers", "summary"],
        "Age": ["answers", {"Under 35": ["16 to 17", "18 to 24", "25 to 34"]}, "mean"],
        "Pets": ["any", "answers"],
    }
    asked = ["Feelings about AI", "Age", "Pets", "Trust in sources"]
    book = client.tab_book("Gender", asked, rows=rules, waves="latest 1")
    feelings, age, pets, trust = written(book, 4)
    named = [*asked[:2], "Gender", *asked[2:]]
    amounts = ["Age", "Feelings about AI"]
    frame = client.respondents(questions=named, waves="latest 1")
    numbers = client.respondents(amounts=amounts, waves="latest 1")
    genders = ["Male", "Female", "Non-binary or another identity"]
    columns = [frame["weight"] > 0, *(frame["Gender"] == each for each in genders)]

    def check(found: Sequence[float], values: Any, statistic: str = "share") -> None:
        assert close(found, by_hand(frame, values, ["weight"], columns, statistic))

    hopeful = frame["Feelings about AI"].isin(["Rather hopeful", "Very hopeful"])
    check(feelings["Feelings about AI", "Top 2 (Very hopeful, Rather hopeful)"], hopeful)
    young = frame["Age"].isin(["16 to 17", "18 to 24", "25 to 34"])
    check(age["Age", "Under 35"], young)
    check(age["Age", "Mean"], numbers["Age"], "mean")
    [mean] = [cells for (_, name), cells in feelings.items() if name.startswith("Mean")]
    check(mean, numbers.iloc[:, -1], "mean")
    of_pets = frame.filter(like="Pets: ")
    check(pets["Pets", "Any answer"], of_pets.any(axis=1))
    check(pets["Pets", "Dog"], of_pets["Pets: Dog"].astype(float))
    point = frame["Trust in sources: Scientists"]
    trusted = point.isin(["Trust completely", "Trust mostly"])
    check(trust["Scientists", "Top 2 (Trust completely, Trust mostly)"], trusted)


# -- what rules are -------------------------------------------------------------------------------


def test_a_rule_for_all_questions_takes_the_rows_that_suit_each(client: Client) -> None:
    asked = ["Age", "Pets", "Trust in sources", "Gender"]
    rows = ["answers", "mean", "p90", "nps", "top_2", "any"]
    book = client.tab_book("Gender", asked, rows=rows, waves="latest 1")
    means = book["Age"].statistics
    assert means is not None
    assert [row.name for row in means.rows] == ["Mean", "90th percentile"]
    alone = client.crosstab(client["Age"].mean(), "Gender", waves="latest 1")["mean"]
    assert np.array_equal(means.values("value")[0], alone.iloc[0])
    assert book["Pets"].statistics is None
    assert [row.name for row in book["Pets"].rows][-1] == "Any answer"
    trust = book["Trust in sources"].statistics
    items = client.catalogue["Trust in sources"].datapoints
    assert trust is not None
    assert trust.groups[0] == ("Trust in sources", items[0].name)
    assert len(trust.rows) == 2 * len(items)
    assert len(book["Gender"].rows) == 3
    # Nets hold the rows that they are of, which are drawn and sorted with them.
    table = book["Trust in sources"]
    assert [row.name for row, net in zip(table.rows, table.row_nets, strict=True) if net] == [
        "Top 2 (Trust completely, Trust mostly)"
    ] * len(items)
    held = table.nets_of[table.rows[5].id or ""]
    assert [row.name for row in table.rows[:5] if row.id in held] == [
        "Trust completely",
        "Trust mostly",
    ]
    assert not any(book._notes.values())


def test_rows_without_answers_are_a_summary_of_the_items(client: Client) -> None:
    rules = {"grid": ["top 2", "mean"], "number": "median", "Age": [al.mean("Age"), "answers"]}
    asked = ["Trust in sources", "Exercise", "Age"]
    book = client.tab_book("Gender", asked, rows=rules, waves="latest 1")
    grid = book["Trust in sources"]
    assert {groups[1] for groups in grid.row_groups} == {"Top 2 (Trust completely, Trust mostly)"}
    assert grid.rows[0].name == "Public broadcasters"
    assert not any(grid.row_nets)
    top = client.crosstab(client["Trust in sources"].top_box(2), "Gender", waves="latest 1")
    assert np.array_equal(grid.values("size"), top.values("size"))
    median = book["Exercise"]
    assert median.to_markdown().count("Median") > 0
    assert not median.rows_requested
    frame = book["Age"].to_markdown()
    assert frame.index("Age: mean") < frame.index("16 to 17")


def test_a_book_of_one_rule_a_question_has_what_its_crosstab_has(client: Client) -> None:
    young = client["Age"].isin(["16 to 17", "18 to 24"])
    rows = {"Pets": ["answers", {"Young": young}], client.catalogue["Gender"]: [young.named("Y")]}
    book = client.tab_book("Gender", ["Pets", "Gender"], rows=rows)
    alone = client.crosstab(young, "Gender")
    for table in (book["Pets"], book["Gender"]):
        assert np.array_equal(table.values("size")[-1], alone.values("size")[0])
    assert book["Pets"].rows[-1].name == "Young"


def test_numbers_from_zero_without_words_are_counts() -> None:
    rng = np.random.default_rng(2)
    sex = np.where(np.arange(400) < 190, "m", "w")
    kids, mark = rng.integers(0, 7, 400), rng.integers(1, 6, 400)
    frame = pd.DataFrame({"sex": sex, "kids": kids, "mark": mark})
    book = al.open(frame, quiet=True).tab_book("sex", ["kids", "mark"], rows="summary")
    counted, rated = written(book, 3)
    of = {"All": kids, **{each: kids[sex == each] for each in "mw"}}
    shown = {name: values for (_, name), values in counted.items()}
    assert close(shown["Mean"], [values.mean() for values in of.values()])
    assert shown.keys() >= {"Mean", "Median"}
    assert "Top 2 (5, 4)" not in shown
    assert "Top 2 (5, 4)" in {name for _, name in rated}


@pytest.mark.parametrize(
    ("error", "rows"),
    [
        (ValueError, ["answers", "averages"]),
        (ValueError, {"scal": ["mean"]}),
        (ValueError, []),
        (TypeError, 3),
        (TypeError, {"Pets": ["top 2"]}),
        (TypeError, ["answers", {"Under 35": ["16 to 17"]}]),
        (LookupError, {"Age": {"Young": ["17 or so"]}}),
    ],
)
def test_what_is_not_a_rule_is_refused(client: Client, error: Any, rows: Any) -> None:
    with fails(error):
        client.tab_book("Gender", ["Age", "Pets"], rows=rows)


def test_weights_are_given_once(agency: Client) -> None:
    with fails(TypeError):
        agency.tab_book("geschlecht", ["f30"], weight=None, weights=["weight"])
    with fails(TypeError):
        agency.tab_book("geschlecht", ["f30"], weights=cast(Any, [1]))
    book = agency.tab_book("geschlecht", ["f30"], weights=["weight_hh", None], to=None)
    assert list(book.weights) == ["weight_hh", "Unweighted"]
    assert repr(book).endswith("2 weights>")
    page = book.to_html(rename={"Geschlecht": "Sex"})
    assert " by Sex</div>" in page
    assert page.count("Letters and arrows compare columns of one weight") == 1

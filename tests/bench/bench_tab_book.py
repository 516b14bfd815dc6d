"""A tracker remade: the workbook and the deck of 50 questions in 8 waves of 2,000 respondents.

    python -m tests.bench tab_book

Beside it is a plain script with pandas, XlsxWriter and python-pptx that writes the same percentages
and changes, without bases of rows, tests, marks, notes, contents and sources.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import audiencelab as al

WAVES, RESPONDENTS, BUDGET = 8, 2_000, 60.0
SINGLE, SETS, GRIDS, NUMBERS = 30, 8, 6, 6
BRANDS, STATEMENTS, POINTS = 10, 6, 5
AGREES = ["Strongly disagree", "Disagree", "Neither", "Agree", "Strongly agree"]


def answers(waves: int = WAVES, respondents: int = RESPONDENTS) -> pd.DataFrame:
    """Respondents of a tracker: single questions, sets, grids, numbers, a wave and a weight."""
    rng = np.random.default_rng(5)
    count = waves * respondents
    wave = np.repeat(np.arange(waves), respondents)
    columns: dict[str, Any] = {
        "wave": [f"Q{each % 4 + 1} {2024 + each // 4}" for each in wave],
        "wgt": rng.uniform(0.5, 1.5, count).round(3),
    }
    for number in range(SINGLE):
        names = np.array([f"Answer {at} of single {number}" for at in range(1, 4 + number % 5)])
        columns[f"Single {number}"] = names[rng.integers(0, len(names), count)]
    for number in range(SETS):
        for brand in range(BRANDS):
            chosen = rng.random(count) < 0.1 + 0.04 * brand + 0.01 * wave
            columns[f"Which do you know {number}: Brand {brand}"] = chosen.astype(int)
    for number in range(GRIDS):
        for item in range(STATEMENTS):
            points = np.array(AGREES)[rng.integers(0, POINTS, count)]
            columns[f"How much do you agree {number}: Statement {item}"] = points
    for number in range(NUMBERS):
        columns[f"Amount {number}"] = rng.gamma(4, 10 + number, count).round(1)
    return pd.DataFrame(columns)


def plain_tables(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The weighted percentages of each question by wave, as a script with pandas makes them."""
    waves = list(dict.fromkeys(frame["wave"]))
    whole = frame.groupby("wave")["wgt"].sum()[waves]

    def shares(values: pd.Series[Any]) -> pd.DataFrame:
        sums = frame["wgt"].groupby([values, frame["wave"]]).sum().unstack()
        return 100 * sums[waves] / whole

    for number in range(SINGLE):
        yield f"Single {number}", shares(frame[f"Single {number}"])
    for kind, several in (("Which do you know", SETS), ("How much do you agree", GRIDS)):
        for number in range(several):
            parts = frame.filter(regex=f"^{kind} {number}:")
            tables = [shares(parts[name]) for name in parts]
            yield f"{kind} {number}", pd.concat(tables, keys=list(parts))
    for number in range(NUMBERS):
        bins = pd.qcut(frame[f"Amount {number}"], 5).astype(str)
        yield f"Amount {number}", shares(bins)


def plain_workbook(frame: pd.DataFrame, file: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(file) as book:
        for number, (name, table) in enumerate(plain_tables(frame), 1):
            sheet = book.add_worksheet(f"{number} {name}"[:31])
            sheet.write_row(1, 1, list(table))
            lines = zip(table.index, table.to_numpy(), table.diff(axis=1).to_numpy(), strict=True)
            for row, (answer, shown, changes) in enumerate(lines, 2):
                sheet.write(row, 0, str(answer))
                for column, (share, change) in enumerate(zip(shown, changes, strict=True)):
                    sheet.write(row, 1 + 2 * column, share)
                    if column:
                        sheet.write(row, 2 + 2 * column, change)


def plain_deck(frame: pd.DataFrame, file: Path) -> None:
    from pptx import Presentation
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches, Pt

    deck: Any = Presentation()
    kinds: Any = XL_CHART_TYPE
    box = Inches(0.5), Inches(1.5), Inches(9), Inches(5)
    for name, table in plain_tables(frame):
        for start in range(0, len(table), 16):
            part = table.iloc[start : start + 16]
            changes = table.diff(axis=1).iloc[start : start + 16]
            slide = deck.slides.add_slide(deck.slide_layouts[5])
            slide.shapes.title.text = name
            data: Any = CategoryChartData()
            data.categories = list(map(str, part.index))
            for wave in part:
                data.add_series(str(wave), part[wave].fillna(0).tolist())
            slide.shapes.add_chart(kinds.BAR_CLUSTERED, *box, data)
            slide = deck.slides.add_slide(deck.slide_layouts[5])
            slide.shapes.title.text = name
            grid = slide.shapes.add_table(len(part) + 1, len(part.columns) + 1, *box).table
            for column, wave in enumerate(part, 1):
                grid.cell(0, column).text = str(wave)
            for row, answer in enumerate(part.index, 1):
                grid.cell(row, 0).text = str(answer)
                pairs = zip(part.loc[answer], changes.loc[answer], strict=True)
                for column, (share, change) in enumerate(pairs, 1):
                    cell = grid.cell(row, column)
                    cell.text = f"{share:.1f}% / {change:+.1f}"
                    cell.text_frame.paragraphs[0].font.size = Pt(10)
    deck.save(str(file))


def main() -> None:
    frame = answers()
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        survey = at / "tracker"
        client = al.open(frame, weight="wgt", wave="wave", to=survey, quiet=True)
        book = client.tab_book("waves", [each for each in client.catalogue if _is_ours(each)])
        print(f"{len(book)} tables, {sum(len(each.rows) for each in book.values()):,} rows")
        for ending, plain in ((".xlsx", plain_workbook), (".pptx", plain_deck)):
            write = book.to_excel if ending == ".xlsx" else book.to_pptx
            ours = _seconds(write, at / f"ours{ending}", vs="previous wave")
            theirs = _seconds(plain, frame, at / f"plain{ending}")
            print(
                f"{ending}  ours {ours:5.1f} s   plain {theirs:5.1f} s   {ours / theirs:.1f} times"
            )
        command = [sys.executable, "-m", "audiencelab", "tab-book", str(survey), "-q", "--banner"]
        command += ["waves", "--vs", "previous wave", "-o", "b.xlsx", "-o", "b.pptx"]
        whole = _seconds(subprocess.run, command, cwd=at, check=True)
        print(f"one command, workbook and deck: {whole:.1f} s (at most {BUDGET:.0f})")


def _is_ours(question: Any) -> bool:
    return question.name.startswith(("Single", "Which", "How", "Amount"))


def _seconds(do: Callable[..., object], *given: Any, **options: Any) -> float:
    start = time.perf_counter()
    do(*given, **options)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()

"""The page that compares programs: every figure of audiencelab, R and PSPP is computed again."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "my-numbers-differ.md"
TEXT = PAGE.read_text(encoding="utf-8")


class Line(NamedTuple):
    """A line of a table: what is counted is in the head of its first column of figures."""

    heads: tuple[str, ...]
    program: str
    code: str
    figures: tuple[str, ...]

    @property
    def wanted(self) -> str:
        """The answer: `Alba` of a column `% Alba`; of others, the one that the page names."""
        name = self.heads[2].removeprefix("% ")
        return {"of *All*": "Alba", "women, n": "Woman"}.get(name, name)


def lines() -> Iterator[Line]:
    for table in re.findall(r"(?:^\|.*\|\n)+", TEXT, re.MULTILINE):
        cells = [[*map(str.strip, row.strip("|").split(" | "))] for row in table.splitlines()]
        heads, _, *rows = cells
        for program, how, *figures in rows:
            code = re.fullmatch(r"`(.*)`", how)
            if code:
                yield Line(tuple(heads), program, code[1], tuple(figures))


def of(program: str) -> list[Line]:
    return [line for line in lines() if program in line.program.split(":")[0]]


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{re.escape(language)}\n(.*?)```", TEXT, re.DOTALL)


def write_people(folder: Path) -> None:
    (folder / "people.csv").write_text(blocks("{code-block} text")[0], encoding="utf-8")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    pytest.importorskip("pyreadstat")
    folder = tmp_path_factory.mktemp("people")
    write_people(folder)
    names: dict[str, Any] = {"folder": folder}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(blocks("python")[0], names)
        yield names


def test_the_page_has_a_line_of_each_program() -> None:
    assert [len(of(program)) for program in ("here", "PSPP", "R")] == [19, 10, 13]


@pytest.mark.parametrize("line", of("here"), ids=[line.code for line in of("here")])
def test_figures_of_audiencelab(names: dict[str, Any], line: Line) -> None:
    result = eval(line.code, names)
    frame = result.to_frame()
    label = next(name for name in ("row", "datapoint_label") if name in frame)
    found = frame[frame[label] == line.wanted].iloc[0]
    figures = {
        f"% {line.wanted}": f"{found['column_percentage']:.1f}",
        "n": f"{found['column_sample']}",
        "weighted count": f"{found['size']:g}",
        "women, n": f"{found['sample']}",
        "% of women": f"{found['column_percentage']:.1f}",
    }
    if "% of *All*" in line.heads:
        printed = result.to_markdown(metrics=["column"])
        [whole] = re.findall(rf"^\| {line.wanted} \|.*?([\d.]+)%", printed, re.MULTILINE)
        figures |= {"% of *All*": whole}
        figures["n"] = f"{result.row_values('base_sample')[0]:g}"
        assert f"{found['index']:.1f}" == "91.7"
    assert line.figures == tuple(figures[head] for head in line.heads[2:])


@cache
def run_r(folder: Path) -> list[list[str]]:
    """What R answers to each line: the share or count of the wanted answer, and n."""
    [before] = blocks("{code-block} r")
    helper = """
    answer <- function(expression) {
      call <- substitute(expression)
      found <- eval(call)
      if (!inherits(found, "svystat")) return(cat(found$counts[1], "\n"))
      design <- eval(call[[3]])
      asked <- model.frame(eval(call[[2]]), design$variables, na.action = na.pass)[[1]]
      known <- is.na(coef(found)[[2]]) | (!is.na(asked) & weights(design) > 0)
      yes <- known & asked & !is.na(asked)
      cat(100 * coef(found)[[2]], sum(known), sum(weights(design)[yes]), "\n")
    }
    """
    calls = "\n".join(f"answer({line.code})" for line in of("R"))
    program = "\n".join(
        ['if (!requireNamespace("survey", quietly = TRUE)) quit(status = 3)', before, helper, calls]
    )
    made = subprocess.run(
        ["Rscript", "-e", program], cwd=folder, capture_output=True, text=True, timeout=60
    )
    if made.returncode == 3:
        pytest.skip("R has no survey")
    assert made.returncode == 0, made.stderr
    return [line.split() for line in made.stdout.splitlines()]


@pytest.mark.parametrize("place", range(len(of("R"))), ids=[line.code for line in of("R")])
def test_figures_of_r(tmp_path_factory: pytest.TempPathFactory, place: int) -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not installed")
    folder = tmp_path_factory.getbasetemp()
    write_people(folder)
    line, found = of("R")[place], run_r(folder)[place]
    rounded = ["NA" if each == "NA" else f"{float(each):.1f}".removesuffix(".0") for each in found]
    figures = [each.removesuffix(".0") for each in line.figures]
    if "% of women" in line.heads:
        figures.pop()
    assert rounded[: len(figures)] == figures


@cache
def run_pspp(folder: Path) -> list[list[list[str]]]:
    """The cells that PSPP prints for each line."""
    commands = "".join(
        f"GET FILE='people.sav'.\nECHO 'next line'.\n{line.code.replace('. ', '.' + chr(10))}.\n"
        for line in of("PSPP")
    )
    (folder / "tables.sps").write_text(commands)
    made = subprocess.run(
        ["pspp", "-O", "format=csv", "tables.sps"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    _, *parts = made.stdout.replace("%", "").split("next line")
    return [[row.split(",") for row in part.splitlines()] for part in parts]


@pytest.mark.parametrize("place", range(len(of("PSPP"))), ids=[line.code for line in of("PSPP")])
def test_figures_of_pspp(names: dict[str, Any], place: int) -> None:
    if shutil.which("pspp") is None:
        pytest.skip("PSPP is not installed")
    line, cells = of("PSPP")[place], run_pspp(names["folder"])[place]
    wanted = line.wanted if line.wanted in ("Industry", "Woman") else "Yes"
    if "CROSSTABS" in line.code:
        [at] = (at for at, row in enumerate(cells) if wanted in row)
        women, whole = (float(cells[at + 1][column]) for column in (3, 5))
        [n] = {row[5] for row in cells if row[:1] == ["Total"] and row[2] == "Count"}
        assert line.figures == (f"{whole}", n, f"{women}")
        return
    [row] = (row for row in cells if wanted in row and row[0] in ("Valid", ""))
    count, percent, valid = map(float, row[2:5])
    share = percent if line.program.endswith("*Percent*") else valid
    assert line.figures[0] == f"{share}"
    if "WEIGHT" in line.code:
        assert line.figures[2] == f"{count:g}"
    else:
        assert line.figures[1] == f"{100 * count / share:.0f}"

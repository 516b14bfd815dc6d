"""What a guess does: it works, its error ends in a line that does, or neither.

A guess is one Python expression of somebody who has read the README alone, with the figure that
its answer must contain: an expression of pandas and numpy, which share no code with the package.
"""

from __future__ import annotations

import ast
import io
import keyword
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from audiencelab.client.asked_statistics import AskedStatistic
from audiencelab.results.size import AudienceSize

HERE = Path(__file__).parent
PERSONAS = ("pandas", "r", "spss", "teacher")

WORKS, LINE, REFUSED, MISLEADING, CRASH = (
    "works",
    "line works",
    "refused without a working line",
    "misleading",
    "crash",
)
GOOD = (WORKS, LINE)


class Guess(NamedTuple):
    """A line of a corpus."""

    persona: str
    code: str
    figure: str


class Graded(NamedTuple):
    """What became of a guess: the error's message if it had one, the line that it ends in."""

    guess: Guess
    grade: str
    message: str = ""
    line: str = ""


def read_guesses(persona: str) -> list[Guess]:
    lines = (HERE / f"{persona}.txt").read_text("utf-8").splitlines()
    found = (each.partition("  ->  ") for each in lines if each and not each.startswith("#"))
    return [Guess(persona, code.strip(), figure.strip()) for code, _, figure in found]


# -- The figures ----------------------------------------------------------------------------------


def figures(df: pd.DataFrame, raw: pd.DataFrame) -> dict[str, Any]:
    """The names that a figure is written with."""
    w = df["weight"]

    def column(of: Any) -> pd.Series:
        return df[of] if isinstance(of, str) else of

    def valid(of: Any, where: Any) -> tuple[np.ndarray, np.ndarray]:
        x = column(of)
        kept = x.notna() if where is None else x.notna() & where
        return x[kept].to_numpy(float), w[kept].to_numpy()

    def mean(of: Any, where: Any = None) -> float:
        x, weights = valid(of, where)
        return float(np.average(x, weights=weights))

    def sd(of: Any, where: Any = None) -> float:
        x, weights = valid(of, where)
        return float(np.sqrt(np.average((x - mean(of, where)) ** 2, weights=weights)))

    def quantile(of: Any, p: float, where: Any = None) -> float:
        x, weights = valid(of, where)
        order = np.argsort(x)
        reached = np.cumsum(weights[order]) / weights.sum()
        return float(x[order][np.searchsorted(reached, p)])

    def share(mask: pd.Series, of: Any = None) -> float:
        base = np.ones(len(df), bool) if of is None else of
        return float(100 * w[mask & base].sum() / w[base].sum())

    def nps(of: Any, where: Any = None) -> float:
        x, weights = valid(of, where)
        return float(100 * (weights[x >= 9].sum() - weights[x <= 6].sum()) / weights.sum())

    return {
        "df": df,
        "w": w,
        "np": np,
        "pd": pd,
        "mean": mean,
        "sd": sd,
        "quantile": quantile,
        "share": share,
        "nps": nps,
        "n": lambda mask: int(mask.sum()),
        "total": lambda of, where=None: float(np.dot(*valid(of, where))),
        "weighted": lambda mask: float(w[mask].sum()),
        "raw": lambda name: raw[name],
    }


# -- The numbers of an answer ---------------------------------------------------------------------


def numbers_of(answer: Any) -> Iterator[float]:
    """Every number that an answer shows, as far as people find it without another call."""
    if isinstance(answer, str | bytes) or answer is None:
        return
    if isinstance(answer, Real | np.generic) and not isinstance(answer, np.str_):
        yield float(answer)
        return
    if isinstance(answer, pd.DataFrame | pd.Series | pd.Index):
        frame = answer.to_frame() if not isinstance(answer, pd.DataFrame) else answer
        frame = frame.reset_index() if isinstance(answer, pd.DataFrame | pd.Series) else frame
        for at in range(frame.shape[1]):
            yield from pd.to_numeric(frame.iloc[:, at], errors="coerce").astype(float)
        return
    if isinstance(answer, np.ndarray):
        yield from np.asarray(answer, float).ravel()
        return
    if isinstance(answer, Mapping):
        for key, each in answer.items():
            yield from numbers_of(key)
            yield from numbers_of(each)
        return
    if isinstance(answer, list | tuple | set):
        for each in answer:
            yield from numbers_of(each)
    yield from _numbers_of_a_result(answer)


def _numbers_of_a_result(answer: Any) -> Iterator[float]:
    if isinstance(answer, AskedStatistic):
        # It shows the average of the waves and the sum of all.
        answer = answer.estimates
    if isinstance(answer, AudienceSize):
        yield from (answer.size, answer.sample, answer.percentage, answer.base_size)
        return
    for read in (float, *(_reader(name) for name in ("to_frame", "to_wide", "averages"))):
        try:
            found = read(answer)
        except Exception:
            continue
        if isinstance(found, float | pd.DataFrame):
            yield from numbers_of(found)
    try:
        values = answer.values
        for metric in ("column_percentage", "row_percentage"):
            yield from numbers_of(values(metric))
    except Exception:
        return


def _reader(name: str) -> Callable[[Any], Any]:
    return lambda answer: getattr(answer, name)()


def printed_numbers(answer: Any) -> Iterator[str]:
    """The numbers of what is shown of an answer that has no frame."""
    shown = answer if isinstance(answer, str) else ""
    for name in ("__repr__", "_repr_html_"):
        show = getattr(type(answer), name, None)
        if not isinstance(answer, str) and show is not None:
            shown += f" {show(answer)}"
    yield from re.findall(r"(?<![\w.])-?\d[\d,]*\.\d+", shown)


def contains(answer: Any, expected: Any) -> bool:
    """Whether an answer has a number, or each of several."""
    wanted = np.atleast_1d(np.asarray(expected, float))
    had = np.asarray([*numbers_of(answer)], float)
    if all(bool(np.isclose(had, each, rtol=1e-6, atol=1e-9).any()) for each in wanted):
        return True
    printed = [text.replace(",", "") for text in printed_numbers(answer)] if not len(had) else []
    return bool(printed) and all(_is_printed(each, printed) for each in wanted)


def _is_printed(number: float, printed: list[str]) -> bool:
    return any(f"{number:.{len(text.partition('.')[2])}f}" == text for text in printed)


# -- The grades -----------------------------------------------------------------------------------


def grade(guess: Guess, names: Mapping[str, Any], expected: Mapping[str, Any]) -> Graded:
    """Evaluate a guess; where it is refused, the line that the message ends in."""
    answer, error = _evaluated(guess.code, names)
    if error is None:
        right = _is_right(answer, guess.figure, expected)
        return Graded(guess, WORKS if right else MISLEADING)
    message = str(error)
    if not _ours(error):
        return Graded(guess, CRASH, f"{type(error).__name__}: {message}")
    for line in lines_in(message, guess.code):
        answer, error = _evaluated(line, names)
        if error is None:
            right = _is_right(answer, guess.figure, expected)
            return Graded(guess, LINE if right else MISLEADING, message, line)
    return Graded(guess, REFUSED, f"{type(error).__name__}: {message}")


def _evaluated(code: str, names: Mapping[str, Any]) -> tuple[Any, Exception | None]:
    with (
        warnings.catch_warnings(),
        redirect_stdout(io.StringIO()),
        redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        try:
            return eval(code, dict(names)), None
        except Exception as error:
            return None, error


def _is_right(answer: Any, figure: str, expected: Mapping[str, Any]) -> bool:
    return not figure or contains(answer, eval(figure, dict(expected)))


def _ours(error: Exception) -> bool:
    """Whether an error is a message of ours, and no accident of the code below."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    where = "" if at is None else at.tb_frame.f_code.co_filename
    bare = type(error) in (KeyError, IndexError) and " " not in str(error)
    return not bare and "audiencelab" in where and "site-packages" not in where


_WRITE = re.compile(r"Write ((?:(?! Write ).)+)\.$", re.MULTILINE)
_NEAR = re.compile(r"Did you mean (?P<quoted>(['\"]).+?\2)")
_QUOTED = re.compile(r"(['\"])(.+?)\1")


def lines_in(message: str, code: str) -> Iterator[str]:
    """The code of a message, or the guess with what was mistyped replaced by the near hit."""
    for found in _WRITE.finditer(message):
        line = found[1]
        if not keyword.iskeyword(line) and _is_an_expression(line):
            yield line
    if near := _NEAR.search(message):
        right = ast.literal_eval(near["quoted"])
        for quoted in _QUOTED.finditer(message[: near.start()]):
            corrected = re.sub(rf"\b{re.escape(quoted[2])}\b", right, code, count=1)
            if corrected != code and _is_an_expression(corrected):
                yield corrected


def _is_an_expression(code: str) -> bool:
    try:
        ast.parse(code, mode="eval")
    except SyntaxError:
        return False
    return True

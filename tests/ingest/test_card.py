"""The card of an import: 12 lines at most, the worst first, and code that runs."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab import import_card
from audiencelab.cli import main
from audiencelab.import_card import CardLine, ImportCard
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.card import card_lines
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.report import ImportReport

N = 200
RANDOM = np.random.default_rng(5)
HOSTILE = "<img src=x onerror=alert(1)>\x1b[31m\u202e"


pytestmark = pytest.mark.usefixtures("own_cache")


def tracker() -> pd.DataFrame:
    """A file in which nearly everything has to be guessed."""
    columns: dict[str, Any] = {
        "respid": np.arange(N) + 10_000,
        "wave": RANDOM.integers(1, 4, N),
        "w1": RANDOM.uniform(0.5, 2, N).round(3),
        "wgt": RANDOM.uniform(0.5, 2, N).round(3),
        "wgt_panel": RANDOM.uniform(0.5, 3, N).round(3),
        "age": RANDOM.integers(18, 90, N),
        "income": np.where(np.arange(N) < 9, -9, RANDOM.integers(900, 9_000, N)),
        "comment": [f"I would say {place}" for place in range(N)],
        "interview": pd.date_range("2024-01-01", periods=N).strftime("%Y-%m-%d"),
    }
    columns |= {f"q1_{k}": np.where(RANDOM.random(N) < k / 9, 1, np.nan) for k in range(9)}
    columns |= {f"q4_{k}": RANDOM.choice([1, 2, 3, 4, 5, 98], N) for k in range(1, 6)}
    columns |= {f"s{k}x": RANDOM.choice([1, 2, 3, 99], N) for k in range(9)}
    return pd.DataFrame(columns)


def wide() -> pd.DataFrame:
    """300 columns of every kind."""
    columns = {f"V{k}": RANDOM.integers(1, 3 + k % 9, N) for k in range(1, 260)}
    columns |= {f"m{s}_{k}": RANDOM.integers(0, 2, N) for s in range(8) for k in range(1, 6)}
    return pd.DataFrame(columns | {"amount": RANDOM.integers(0, 9_999, N)})


def hostile() -> pd.DataFrame:
    """Names and answers that would act on a page or a terminal."""
    return pd.DataFrame(
        {
            HOSTILE: RANDOM.choice([HOSTILE, "=1+1", "b"], N),
            "q'\"_1": RANDOM.integers(0, 2, N),
            "q'\"_2": RANDOM.integers(0, 2, N),
            "日本語の列": RANDOM.choice(["はい", "いいえ"], N),
            "x": RANDOM.integers(0, 999, N),
        }
    )


FILES: dict[str, Callable[[], pd.DataFrame]] = {
    "tracker": tracker,
    "wide": wide,
    "hostile": hostile,
    "one column": lambda: pd.DataFrame({"tea": ["yes", "no"] * 20}),
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], ImportReport]:
    """The report of each file."""

    @cache
    def report(kind: str) -> ImportReport:
        folder = tmp_path_factory.mktemp("surveys") / "survey"
        return al.open(FILES[kind](), to=folder, quiet=True).import_report

    return report


@pytest.mark.parametrize("kind", FILES)
def test_a_card_is_short_and_its_lines_are_the_worst(
    kind: str, reports: Callable[[str], ImportReport]
) -> None:
    report = reports(kind)
    lines = str(report.card()).splitlines()
    assert 2 <= len(lines) <= 12
    assert max(map(len, lines)) <= 100
    assert lines[0].startswith("Import of the frame: ")
    severities = [each.severity for each in report.guesses]
    assert severities == sorted(severities)
    shown = sum(bool(re.match(r"[! ] \S", line)) for line in lines)
    rest = sum(each.count for each in report.card().lines[shown:])
    assert sum(each.count for each in report.card().lines) == len(report.guesses)
    assert not rest or lines[-1] == f"… and {rest} more: client.import_report"
    assert not {"\x1b", "\u202e"} & {*"".join(lines)}


@pytest.mark.parametrize("kind", FILES)
def test_a_page_shows_12_rows_and_escapes_what_others_wrote(
    kind: str, reports: Callable[[str], ImportReport]
) -> None:
    page = reports(kind).card().html()
    assert page.count("<tr") <= 10
    assert "<img" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_everything_that_was_guessed_is_in_the_report_by_subject(
    reports: Callable[[str], ImportReport],
) -> None:
    report = reports("tracker")
    text, page = repr(report), report.whole().html(most=None)
    for guess in report.guesses:
        assert guess.said[:50] in " ".join(text.split())
        assert not guess.code or html.escape(guess.code) in page
    subjects = [line[2:18].strip() for line in text.splitlines() if re.match("[ !] [a-z]", line)]
    assert len(dict.fromkeys(subjects)) == len([*_runs(subjects)]), "each subject is one group"


def _runs(names: list[str]) -> list[str]:
    return [name for place, name in enumerate(names) if place == 0 or names[place - 1] != name]


def test_code_of_a_card_is_python_that_opens_the_same_source(tmp_path: Path) -> None:
    path = tmp_path / "tracker.csv"
    tracker().to_csv(path, index=False)
    card = al.open(path, wave="wave", quiet=True).import_report.card()
    lines = card.of_call(repr(str(path)), {"wave": "'wave'"}).lines
    codes = [each.code for each in lines if each.code and "…" not in each.code]
    for code in codes:
        ast.parse(code)
    [weight] = [each.code for each in lines if each.subject == "weight"]
    assert weight.endswith("wave='wave', weight=\"wgt\")")
    assert 'weight "wgt"' not in weight
    opened = eval(weight.replace("al.open(", "al.open(quiet=True, source="), {"al": al})
    assert "weighted by wgt" in opened.import_report.facts


def test_code_of_every_guess_runs(tmp_path: Path) -> None:
    scale = ["Very satisfied", "Rather satisfied", "Rather dissatisfied", "Very dissatisfied"]
    frame = tracker()[["age", "income", "wgt", "q4_1", "q4_2"]]
    path = tmp_path / "scales.csv"
    frame.assign(sat=RANDOM.choice(scale, N), tea=RANDOM.choice(["$1", "$12"], N)).to_csv(path)
    client = al.open(path, quiet=True)
    opened = {"al": al, "client": client}
    codes = [each.code for each in client.import_report.guesses if each.code]
    assert {each.split("(")[0] for each in codes} >= {"al.open", "client.edit"}
    for code in codes:
        if "draft_codebook" not in code:
            eval(code.replace("al.open(", "al.open(quiet=True, source="), opened)


def test_an_argument_that_the_code_names_is_the_new_one() -> None:
    line = CardLine("weight", "doubtful", 'al.open(…, weight="b")')
    card = ImportCard("", lines=(line, CardLine("scale", "", 'client.edit("q5", top="first")')))
    first, second = card.of_call("'a.csv'", {"weight": "'a'", "wave": "'w'"}).lines
    assert first.code == "al.open('a.csv', wave='w', weight=\"b\")"
    assert second.code == 'client.edit("q5", top="first")'


def test_what_several_questions_share_is_one_line() -> None:
    codes = ["q5", "q6", "q9", *(f"x{k}" for k in range(11))]
    said = "1 Very satisfied is the top"
    scales = [Guess(each, "scale", said, f'client.edit("{each}", top="last")') for each in codes]
    [line] = card_lines(scales)
    assert line.said == "q5, q6, q9 … (14 questions): 1 Very satisfied is the top"
    assert line.code == 'client.edit("q5", top="last")'
    assert line.count == 14
    other = Guess("q7", "scale", "the top is not known", "", 1)
    assert card_lines([*scales, other])[0].said == "q7: the top is not known"
    alike = [Guess(f"q{k}", "missing", f"9{k} may be missing" + "." * 60) for k in range(9)]
    [line] = card_lines(alike)
    assert line.said.endswith("; also q1, q2, q3 … (8 questions)")


def test_the_rest_is_counted_and_the_worst_keeps_its_code() -> None:
    guesses = [Guess("q", f"subject {k}", "a fact " * 30, "", 3) for k in range(30)]
    guesses.append(Guess("q3", "missing", "99 is an answer", "client.edit('q3', missing=[99])", 0))
    card = ImportReport(guesses=guesses).card()
    lines = str(card).splitlines()
    assert len(lines) == 12
    assert lines[1].startswith("! missing          q3: 99 is an answer  client.edit(")
    assert lines[-1] == "… and 21 more: client.import_report"


def test_code_that_is_long_is_broken_between_arguments_and_runs() -> None:
    answers = [f"Answer {k}, or the like" for k in range(12)]
    code = f"edit('q5', order={answers})"
    report = ImportReport(guesses=[Guess("q5", "order", "alphabetical", code, 1)])
    shown = [line.strip() for line in repr(report).splitlines()[2:]]
    assert max(map(len, repr(report).splitlines())) <= 100
    assert eval("\n".join(shown), {"edit": _given_order}) == answers


def _given_order(_: str, order: list[str]) -> list[str]:
    return order


def test_a_survey_that_is_opened_again_shows_the_same_card(
    capsys: pytest.CaptureFixture[str],
) -> None:
    frame = tracker()
    al.open(frame)
    first = capsys.readouterr().out
    al.open(frame)
    assert capsys.readouterr().out == first


def test_a_survey_of_before_names_what_its_lists_name() -> None:
    class Old:
        import_report = {  # noqa: RUF012 -- as a survey has it
            "dropped": [
                {"file": "a.csv", "reason": "without a weight", "respondents": 1, "first_row": 3}
            ],
            "notes": ["a sheet was read"],
        }

    old: Any = Old()
    said = [each.said for each in ImportReport.of(old).guesses]
    assert said == ["a.csv: 1 respondent without a weight (first at row 3)", "a sheet was read"]


def test_commands_print_the_card_with_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    tracker().drop(columns="wgt").to_csv("t.csv", index=False)
    assert main(["codebook", "t.csv", "-o", "t.toml"]) == 0
    assert main(["import", "t.csv", "-o", "t", "--codebook", "t.toml"]) == 0
    assert main(["crosstab", "t.csv", "--rows", "age"]) == 0
    streams = capsys.readouterr()
    assert "Drafted from t.csv: 200 respondents" in streams.out
    assert "Import of t.csv: 200 respondents" in streams.out
    assert "--no-weight" in streams.err
    assert main(["survey", "info", "t"]) == 0
    short = capsys.readouterr().out
    assert main(["survey", "info", "t", "--report"]) == 0
    whole = capsys.readouterr().out
    assert "t.csv: 200 rows" in whole
    assert "t.csv: 200 rows" not in short


def test_a_draft_says_the_same_as_its_codebook() -> None:
    draft = draft_codebook(tracker(), strict=False)
    comments = " ".join(draft.to_toml().replace("#", " ").split())
    for guess in draft.guesses:
        if guess.about in ("weight", "waves", "design"):
            assert " ".join(guess.said.split()) in comments


def test_a_card_costs_little(reports: Callable[[str], ImportReport]) -> None:
    report = reports("wide")
    start = perf_counter()
    str(report.card())
    report.card().html()
    assert perf_counter() - start < 0.02 * 5, "20 ms, on a machine that is busy with other tests"


def test_codes_of_a_guess_are_added_to_those_of_the_call() -> None:
    code, guess = import_card.code_of_call, 'al.open(…, missing={"age": [199]})'
    cases = {
        '{"age": [999]}': {"age": [999, 199]},
        '{"age": [199], "*": [-9]}': {"age": [199], "*": [-9]},
        "[-9]": {"*": [-9], "age": [199]},
    }
    for given, joint in cases.items():
        assert code(guess, "'a.csv'", {"missing": given}) == f"al.open('a.csv', missing={joint})"
    none = code('al.open(…, missing={"age": []})', "'a.csv'", {"missing": '{"age": [9]}'})
    assert none == "al.open('a.csv', missing={'age': []})"


def test_code_for_a_frame_made_of_the_file_keeps_what_the_call_was_given() -> None:
    code, given = import_card.code_of_call, {"labels": "'b.csv'", "sheet": "'1'", "weight": "'w'"}
    joined = 'al.open(pandas.read_csv("a.csv").groupby("id").first())'
    shown = code(joined, "'a.csv'", given)
    assert shown == f"{joined[:-1]}, labels='b.csv', weight='w')"
    for other in ("al.open('book.xml')", 'client.edit("q1", top="last")'):
        assert code(other, "'a.csv'", given) == other


def test_a_line_begins_with_what_changes_a_figure_most_and_ends_at_a_word() -> None:
    guesses = [
        Guess(
            code,
            "missing",
            f"'Good' in {code} {'is about the same or more ' * 9}",
            f"edit({code})",
            1,
            moved,
        )
        for code, moved in (("q5", 0.005), ("q8", 0.02))
    ]
    [line] = card_lines(guesses)
    assert (line.said[:3], line.code) == ("q8:", "edit(q8)")
    [first, *_] = [row for row in ImportCard("", lines=(line,)).text(most=2) if "q8" in row]
    words = {*line.said.split(), "missing", "…"}
    assert first.endswith(" …")
    assert {*first.split()} <= words, "no word is cut"

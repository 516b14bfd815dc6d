"""A client edits its survey: what changes, what stays, and what a snapshot holds of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.client.errors import UnknownCodeError
from audiencelab.client.snapshots.format import read, read_header
from audiencelab.client.snapshots.verify import edits_of, requests_of, send_again
from audiencelab.ingest import Codebook, draft_codebook, from_frame, import_survey
from audiencelab.ingest.codebook import CodedQuestion
from audiencelab.ingest.kept import codebook_of
from audiencelab.survey import SurveyError
from tests.messages import fails

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "tea": rng.choice(
                ["Often", "Rarely", "Never", "Whatever"], 200, p=[0.4, 0.3, 0.2, 0.1]
            ),
            "sex": rng.choice(["f", "m"], 200),
            "age": rng.choice([*range(18, 90), 999], 200),
            "w": rng.uniform(0.5, 1.5, 200).round(2),
        }
    )
    frame.to_csv(tmp_path / "tea.csv", index=False)
    return tmp_path / "tea.csv"


def names(client: al.Client, question: str = "tea") -> list[str]:
    return [each.name for each in client.catalogue[question].datapoints]


def test_a_client_answers_from_the_edited_survey(source: Path) -> None:
    client = al.open(source, quiet=True)
    sibling = client.with_options(waves="all")
    before = client.crosstab("tea", "sex")
    assert client.edit("tea", missing=["Whatever"], order=["Never"]) is client
    assert names(client) == names(sibling) == ["Never", "Often", "Rarely"]
    after = client.crosstab("tea", "sex")
    assert after.shape == (3, 2)
    assert before.shape == (4, 2), "a result keeps its figures"
    assert before.provenance["survey_version"] != after.provenance["survey_version"]
    assert float(after.to_wide("sample").to_numpy().sum()) < 200
    assert before.test("rest").to_frame().shape[0] > 0, (
        "it is tested on the respondents that it counted"
    )


def test_what_open_keeps_in_the_cache_stays_as_it_was_made(source: Path) -> None:
    client = al.open(source, quiet=True).recode("tea", {"Yes": ["Often", "Rarely"]})
    assert sorted(names(client)) == ["Never", "Whatever", "Yes"]
    again = al.open(source, quiet=True)
    assert "Often" in names(again)
    again.recode("tea", {"Yes": ["Often", "Rarely"]})
    assert again.service.survey.path == client.service.survey.path, "made once"
    assert "recode('tea', {'Yes': ['Often', 'Rarely']})" in again.to_code()


def test_a_folder_gets_its_next_version(source: Path, tmp_path: Path) -> None:
    client = al.open(source, to=tmp_path / "mine", quiet=True)
    other = al.connect(survey=tmp_path / "mine")
    client.relabel("tea", {"Often": "Each day"}).edit("age", missing=999)
    assert "Each day" in names(al.open(tmp_path / "mine"))
    assert other.crosstab("tea").shape == (4, 1)
    version = client.service.survey.version
    client.edit("age", missing=999)
    assert client.service.survey.version == version, "the same edit again changes nothing"


def test_a_demo_survey_is_never_changed(source: Path, tmp_path: Path) -> None:
    book, of_a_demo = draft_codebook(source).codebook, {"generator": "demo"}
    demo = import_survey(source, book, tmp_path / "demo", provenance=of_a_demo)
    client = al.connect(survey=demo).relabel("tea", {"Often": "Daily"})
    client.relabel("tea", {"Never": "Not at all"})
    assert {"Daily", "Not at all"} < {*names(client)}
    assert names(al.connect(survey=demo)) == ["Never", "Often", "Rarely", "Whatever"]


def test_weights_and_widgets_follow(source: Path) -> None:
    client = al.open(source, weight="w", quiet=True)
    unweighted = client.with_options(weight=None)
    assert unweighted.crosstab("tea").shape == (4, 1)
    widget = al.Crosstab(client, rows=["tea"], columns=["sex"])
    picker = al.QuestionPicker(client)
    client.edit("tea", missing=["Whatever"])
    assert unweighted.crosstab("tea").shape == (3, 1)
    assert widget.client is client
    assert repr(picker)


BAD: list[tuple[Callable[[al.Client], object], type[Exception], str]] = [
    (lambda c: c.edit("teas", missing=[9]), UnknownCodeError, "Did you mean 'tea'"),
    (lambda c: c.edit("tea", missing=["Offen"]), SurveyError, "Did you mean 'Often'?"),
    (lambda c: c.edit("tea", top="upper"), ValueError, "top='upper' is not valid"),  # pyright: ignore[reportArgumentType] -- a wrong one
    (lambda c: c.edit("tea"), SurveyError, "needs what it changes"),
    (lambda c: c.edit("tea", labels=["Often"]), TypeError, "must be a mapping"),  # pyright: ignore[reportArgumentType] -- a wrong one
    (lambda c: c.recode("tea", {"Yes": ["Often", "Oft"]}), SurveyError, "Did you mean 'Often'?"),
]


@pytest.mark.parametrize(("call", "kind", "told"), BAD)
def test_a_wrong_edit_changes_nothing(
    source: Path, call: Callable[[al.Client], object], kind: type[Exception], told: str
) -> None:
    client = al.open(source, quiet=True)
    survey = client.service.survey
    with pytest.raises(kind, match=told.replace("?", r"\?")):
        call(client)
    assert client.service.survey is survey
    assert len(names(client)) == 4


def test_a_notebook_is_replayed_without_the_survey(source: Path, tmp_path: Path) -> None:
    file = tmp_path / "tea.audiencelab.jsonl"

    def notebook(client: al.Client) -> list[object]:
        before = client.crosstab("tea", "sex").to_frame().to_dict("list")
        client.edit("tea", missing=["Whatever"])
        between = client.crosstab("tea", "sex").to_frame().to_dict("list")
        client.recode("tea", {"Yes": ["Often", "Rarely"]})
        after = client.crosstab("tea", "sex").to_frame().to_dict("list")
        return [before, between, after, names(client)]

    client = al.open(source, quiet=True)
    with client.recording(file):
        recorded = notebook(client)
    assert len(read_header(file).edits) == 2
    source.rename(tmp_path / "gone.csv")
    assert repr(notebook(al.connect(snapshot=file))) == repr(recorded)
    states = {each.state for each in send_again(read(file), requests_of(client), edits_of(client))}
    assert states == {"holds", "not asked"}


def test_a_remote_survey_is_edited_where_it_is() -> None:
    client = al.connect("https://audience.example", token="x")
    with fails(LookupError):
        client.edit("q4", top="first")


def test_the_code_of_the_guide_runs(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "clean.md"
    [block] = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "q5": rng.choice([1, 2, 3, 4, 5, 98, 99, -9], 300),
            "q6": rng.choice([1, 2, 3, 4, -9], 300),
            "q7": rng.choice(["Yes", "No", "Does not apply"], 300),
            **{f"q9_{item}": rng.choice(["Yes", "No"], 300) for item in (1, 2, 3)},
        }
    )
    q5 = {"1": "Very good", "2": "Good", "3": "Fair", "4": "Bad", "5": "Very bad"}
    codes = {each: each for each in ("98", "99", "-9")}
    yes = {"Yes": "Yes", "No": "No"}
    book = Codebook(
        (
            CodedQuestion("q5", "Q5", column="q5", labels=q5 | codes),
            CodedQuestion("q6", "Q6", column="q6"),
            CodedQuestion("q7", "Q7", column="q7"),
            *(CodedQuestion(f"q9_{n}", f"{n}", column=f"q9_{n}", labels=yes) for n in (1, 2, 3)),
        )
    )
    client = al.connect(survey=from_frame(frame, book, tmp_path / "s"))
    exec(block, {"client": client})
    assert names(client, "q5") == ["Satisfied", "So so", "Rather bad", "Very bad"]
    assert names(client, "q6") == ["1", "2", "3", "4"]
    assert client.catalogue["Brands"].record.kind == "multiple"
    assert codebook_of(client.service.survey).questions[0].missing == ("98", "99", "-9")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"top": "frist"}, 'top="first" or top="last" or top="none"'),
        ({"ends": "both"}, 'ends="opposite" or ends="amount"'),
        ({"kind": "several"}, 'kind="multiple"'),
    ],
)
def test_a_wrong_word_is_refused_with_those_that_are_allowed(
    source: Path, given: dict[str, str], words: str
) -> None:
    client = al.open(source, quiet=True)
    with pytest.raises(ValueError, match=re.escape(f"is not valid: write {words}.")):
        client.edit("tea", **given)  # pyright: ignore[reportArgumentType] -- a wrong one


def test_a_new_order_does_not_move_the_top_to_another_answer(source: Path) -> None:
    def top(client: al.Client) -> str:
        return repr(client["tea"].top_box(1))

    client = al.open(source, quiet=True, missing={"tea": ["Whatever"]})
    first = top(client.edit("tea", top="first", order=["Often", "Rarely", "Never"]))
    assert "Often" in first
    assert top(client.edit("tea", order=["Rarely", "Never", "Often"])) == first, "at the other end"
    moved = al.open(source, quiet=True, order={"tea": ["Whatever", "Rarely", "Often"]})
    for each in (client.edit("tea", order=["Rarely", "Often"]), moved):
        with fails(ValueError):
            top(each)

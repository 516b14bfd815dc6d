"""A workbench's document: what goes out comes back, and what is broken says where."""

from __future__ import annotations

import json
import re
from pathlib import Path
from shutil import move
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

import audiencelab as al
from audiencelab.expressions import Audience
from audiencelab.files import unused_path
from audiencelab.schema.scope import BASES_OF, SCOPE_ARGUMENTS, Scope
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.protocol import ChartStyle
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.crosstab.view_state import Arrangement, AxisView
from audiencelab.widgets.editor.document import document_of
from audiencelab.widgets.workbench.document import (
    FORMAT,
    BrokenStudy,
    WorkbenchState,
    checked_panes,
    file_stem,
    read_json,
    read_study,
    to_json,
    write_json,
    write_study,
)
from tests.messages import fails
from tests.strategies import codes, expressions, leaves

DOCS = Path(__file__).parents[3] / "docs"

names = st.text(max_size=12)
audiences = st.builds(Audience, names, st.none() | expressions(max_leaves=4), st.none() | codes)


@st.composite
def sides(draw: st.DrawFn) -> AxisAudiences:
    lines = draw(st.lists(audiences, max_size=4))
    heads = [draw(st.lists(names, max_size=2).map(tuple)) for _ in lines]
    return AxisAudiences(lines, heads, [draw(st.booleans()) for _ in lines])


some_codes = st.none() | st.lists(codes, max_size=3).map(tuple)
scopes = st.builds(
    Scope,
    st.none() | audiences,
    st.sampled_from(BASES_OF),
    some_codes,
    some_codes,
    st.sampled_from([UNSET, None, "wgt"]),
)
queries = st.builds(
    GridQuery,
    st.none() | sides(),
    st.none() | sides(),
    scopes,
    st.none() | st.lists(audiences, max_size=2).map(tuple),
)
picks = leaves().map(
    lambda leaf: {
        "question": leaf.question,
        "datapoints": list(leaf.datapoints),
        "suffixes": list(leaf.suffixes),
    }
)
studies = st.builds(
    WorkbenchState,
    question=queries,
    audience=audiences.map(document_of),
    table=st.fixed_dictionaries({"metric": st.sampled_from(["index", "size"])}),
    arrangement=st.lists(st.integers(0, 3), max_size=2, unique=True).map(
        lambda hidden: Arrangement(rows=AxisView(hidden=tuple(hidden)))
    ),
    opened=st.none()
    | st.builds(
        lambda name, etag: {"id": "a1", "name": name, "expression": None, "etag": etag},
        names,
        st.sampled_from([None, '"tag"']),
    ),
    picked=st.lists(picks, max_size=3),
    panes=st.integers(80, 900).map(lambda rail: checked_panes({"rail": rail})),
)


@given(studies)
def test_what_is_written_is_read_as_it_was(study: WorkbenchState) -> None:
    assert read_study(json.loads(json.dumps(to_json(study)))) == study


def small() -> dict[str, Any]:
    women = Audience("Women", al.Q("q2").any("q2_2"))
    question = GridQuery(
        AxisAudiences([women], [("Gender",)]), None, Scope(women, waves=("q1_2024",))
    )
    return to_json(WorkbenchState(question, document_of(women)))


def test_it_says_no_more_than_there_is() -> None:
    assert small()["question"] == {
        "rows": [
            {"name": "Women", "expression": WOMEN_EXPRESSION, "groups": ["Gender"]},
        ],
        "scope": {
            "base_audience": {"name": "Women", "expression": WOMEN_EXPRESSION},
            "waves": ["q1_2024"],
        },
    }


WOMEN_EXPRESSION = al.Q("q2").any("q2_2").to_wire()


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("version",), 3, "newer audiencelab"),
        (("version",), None, "reads versions 1 to 2"),
        (("format",), "something", "not a workbench document"),
        (("question", "rows", 0, "expression"), {"and": 3}, "question.rows[0]"),
        (("question", "rows", 0, "groups"), "Gender", "question.rows[0].groups"),
        (("question", "scope"), [], "question.scope"),
        (("question", "scope", "waves"), "q1", "question.scope: waves of a scope"),
        (("question", "scope", "weight"), 1, "question.scope: weight of a scope"),
        (("question", "scope", "base_of"), "some", "question.scope: base_of"),
        (("question", "scope", "base_audience", "expression"), {}, "question.scope: "),
        (("question", "scope", "breaks"), True, "question.scope: 'breaks'"),
        (("audience", "root"), None, "audience"),
        (("picked",), [{}], "picked"),
        (("panes",), {"rail": "wide"}, "panes"),
        (("opened",), {"name": "A"}, "opened"),
    ],
)
def test_what_is_broken_says_where(place: tuple[Any, ...], value: object, said: str) -> None:
    document = small()
    within: Any = document
    for step in place[:-1]:
        within = within[step]
    within[place[-1]] = value
    with pytest.raises(BrokenStudy, match=_pattern(said)):
        read_study(document)


def test_settings_of_the_grid_are_read_by_their_names_of_earlier_versions() -> None:
    document = small() | {"table": {"blank_under": 50, "low_base": [75, 50], "heat": "none"}}
    assert read_study(document).table == {"hide_under": 50, "stars": [75, 50], "heat": "none"}


@pytest.mark.parametrize("value", [None, [], "text", 3])
def test_what_is_no_object_is_no_document(value: object) -> None:
    with fails(BrokenStudy):
        read_study(value)


def test_a_tree_without_a_bottom_is_refused_in_words() -> None:
    document = small()
    # Python 3.14 goes as deep as its stack allows.
    for _ in range(100_000):
        document["audience"]["root"] = {
            "id": "n9",
            "kind": "group",
            "operator": "and",
            "negated": False,
            "children": [document["audience"]["root"]],
        }
    with fails(BrokenStudy):
        read_study(document)


def _pattern(said: str) -> str:
    # msgspec writes a place as `$.question.rows[...]`.
    return said.replace("[0].", r"\[.*\]\.").replace("[0]", r"\[0\]")


# -- panes -------------------------------------------------------------------------------------


def test_panes_stay_in_sight() -> None:
    panes = checked_panes({"rail": -5, "chart": 1e9, "height": 500.4, "other": 1})
    assert panes == {
        "rail": 80,
        "chart": 4_000,
        "height": 500,
        "closed": None,
        **msgspec.to_builtins(ChartStyle()),
    }


@pytest.mark.parametrize("panes", [{"rail": None}, {"rail": float("nan")}, {"kind": "pie"}])
def test_what_is_no_size_and_no_chart_is_refused(panes: object) -> None:
    with fails(al.AudienceError):
        checked_panes(panes)


# -- files -------------------------------------------------------------------------------------

STUDY = {"format": FORMAT, "version": 2}


def test_a_document_replaces_a_document(tmp_path: Path) -> None:
    path = tmp_path / "study.audiencelab.json"
    write_study(path, {**STUDY, "note": 1})
    write_study(path, {**STUDY, "note": "Köln"})
    assert read_json(path) == {**STUDY, "note": "Köln"}
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("text", ["my notes", "{}", "[1]", '{"format": "another"}'])
def test_any_other_file_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.json"
    path.write_text(text)
    with fails(FileExistsError):
        write_study(path, STUDY)
    assert path.read_text() == text


def test_what_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    path = write_study(tmp_path / "study.json", STUDY)
    with pytest.raises(TypeError):
        write_json(path, {**STUDY, "note": object()})
    assert read_json(path) == STUDY
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("data", [b"{", b"\xff\xfe", b"", b"[" * 200_000, b"9" * 5_000])
def test_a_file_of_something_else_is_told_by_its_name(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "study.json"
    path.write_bytes(data)
    with pytest.raises(BrokenStudy, match=r"study\.json"):
        read_json(path)


def test_a_free_place_is_found(tmp_path: Path) -> None:
    found = []
    for _ in range(3):
        path = unused_path("table", ".ipynb", tmp_path)
        path.write_text(json.dumps({}))
        found.append(path.name)
    assert found == ["table.ipynb", "table-2.ipynb", "table-3.ipynb"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Gender (2) × Age", "gender-2-age"),
        ("../../etc/passwd", "etc-passwd"),
        ("CON: a\\b", "con-a-b"),
        ("Männer", "männer"),
        ("…", "workbench"),
        ("a " * 200, ("a-" * 40).strip("-")),
    ],
)
def test_a_name_is_safe_on_any_system(words: str, name: str) -> None:
    assert file_stem(words) == name


def test_a_document_of_a_file_opens_again_where_both_were_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    study = tmp_path / "study"
    (study / "data").mkdir(parents=True)
    (study / "data" / "kunden.csv").write_text("sex,tea\n" + "f,yes\nm,no\nf,no\n" * 9)
    monkeypatch.chdir(study)
    workbench = al.Workbench(al.open("data/kunden.csv", quiet=True), "tea", "sex")
    assert workbench.to_document()["connect"] == "al.open('data/kunden.csv')"
    path = workbench.save("tea.audiencelab.json")
    elsewhere = workbench.save(tmp_path / "tea.audiencelab.json")
    assert json.loads(elsewhere.read_text())["connect"] == "al.open('study/data/kunden.csv')"
    workbench.close()
    monkeypatch.chdir(tmp_path)
    moved = move(study, tmp_path / "moved")
    monkeypatch.chdir(moved)
    document = json.loads((Path(moved) / path.name).read_text())
    again = al.Workbench.load(eval(document["connect"], {"al": al}), document)
    assert again.grid.wait(60).to_frame()["sample"].sum() == 27
    again.close()


def with_statistics(code: str) -> dict[str, Any]:
    [mean] = [al.connect()["Age"].mean().plain]
    document = small()
    document["question"]["statistics"] = [msgspec.to_builtins(mean) | {"code": code}]
    return document


@pytest.mark.parametrize(
    "code", ["['q4'].mean()", "['q4'].percentile(90, amounts={'q4_1': -16.5})", ""]
)
def test_rows_of_statistics_keep_their_code(code: str) -> None:
    assert [each.code for each in read_study(with_statistics(code)).question.statistics] == [code]


@pytest.mark.parametrize(
    "code",
    [
        "['q4'].mean()\nimport os",
        "['q4'].mean(), print(1)",
        "['q4'].mean(print(1))",
        "['q4'].mean(amounts=print(1))",
        ".request('GET', '/')",
        "[print(1)].mean()",
        "['q4'].mean().mean()",
        "(",
        "\0",
    ],
)
def test_other_code_never_gets_into_a_notebook(code: str) -> None:
    with fails(BrokenStudy):
        read_study(with_statistics(code))


def test_the_format_page_lists_every_field() -> None:
    page = (DOCS / "reference" / "workbench-format.md").read_text("utf-8")
    listed = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (.*?) \|", page, re.MULTILINE))))
    women = Audience("Women", al.Q("q2").any("q2_2"), "a1")
    axis = AxisAudiences([women], [("Gender",)], [True])
    opened: Any = {"id": "a1", "name": "Women", "expression": None, "etag": '"tag"'}
    query = GridQuery(axis, axis, Scope(women), (women,), (al.connect()["Age"].mean(),))
    written = to_json(
        WorkbenchState(query, document_of(women), opened=opened, connect="al.connect()")
    )
    parts = (written, written["question"], written["question"]["rows"][0], written["opened"])
    assert {name for part in parts for name in part} | {*SCOPE_ARGUMENTS} <= listed

"""Boxes of scales of real files, on every path: which end is the top, and what is off the scale."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab import ingest
from audiencelab.client import Catalogue
from audiencelab.ingest.codebook import CodedDatapoint, CodedQuestion, CodedSuffix
from audiencelab.ingest.meaning.scales import scale_flags, with_scale
from audiencelab.render.colours import LIGHT
from audiencelab.schema import Datapoint, Question, Suffix
from audiencelab.schema.catalogue import Value
from audiencelab.survey import SurveyError
from tests.charts.samples import texts
from tests.messages import fails

AGREEMENT = (
    "Strongly agree",
    "Agree",
    "Neither agree nor disagree",
    "Disagree",
    "Strongly disagree",
)
COUNTS: dict[str, int] = dict(zip((*AGREEMENT, "Don't know"), (11, 22, 30, 13, 4, 20), strict=True))
SATISFACTION = (
    "Very satisfied",
    "Rather satisfied",
    "Neither satisfied nor dissatisfied",
    "Rather dissatisfied",
    "Very dissatisfied",
)
TOP, BOTTOM = "Top 2 (Strongly agree, Agree)", "Bottom 2 (Strongly disagree, Disagree)"


def frame(counts: Mapping[str, int] = COUNTS) -> pd.DataFrame:
    given = [answer for answer, count in counts.items() for _ in range(count)]
    return pd.DataFrame({"agree": given, "g": ["a", "b"] * (len(given) // 2)})


def coded(*labels: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Answers as the numbers of their labels, "Don't know" as 8, and a codebook for them."""
    codes = {label: 8 if label == "Don't know" else at for at, label in enumerate(labels, 1)}
    points = [
        {"name": label, "value": code} | ({"midpoint": code} if code != 8 else {})
        for label, code in codes.items()
    ]
    data = frame()
    data["agree"] = data["agree"].map(codes)
    asked = {"code": "agree", "name": "agree", "column": "agree", "datapoints": points}
    return data, {"questions": [asked, {"code": "g", "name": "g", "column": "g"}]}


@pytest.fixture(scope="module", params=["text", "first", "last"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The same answers as text, with "Strongly agree" as 1, and as 5."""
    folder = tmp_path_factory.mktemp("scales") / "survey"
    if request.param == "text":
        data, codebook = frame(), ingest.draft_codebook(frame()).codebook
    else:
        ordered = AGREEMENT if request.param == "first" else AGREEMENT[::-1]
        data, written = coded(*ordered, "Don't know")
        codebook = ingest.parse_codebook(written)
    agree, *others = codebook.questions
    asked = (msgspec.structs.replace(agree, ends="opposite"), *others)
    codebook = msgspec.structs.replace(codebook, questions=asked)
    data.to_csv(folder.with_suffix(".csv"), index=False)
    return al.connect(survey=ingest.import_survey(folder.with_suffix(".csv"), codebook, folder))


def test_boxes_are_the_agreers_on_every_path(client: Any) -> None:
    question = client["agree"]
    top = question.top_box(2)
    assert isinstance(top, al.Audience)
    assert top.name == "agree: top 2 (Strongly agree, Agree)"
    assert client.crosstab(top)["column"].squeeze() == pytest.approx(33)
    net = client.crosstab(al.net("agree", "Strongly agree", "Agree"))
    assert net.rows[0].name == "agree: Strongly agree, Agree"
    assert net["column"].squeeze() == pytest.approx(33)
    everyone = client.crosstab("agree").boxes(2, 2)["column"].squeeze()
    assert everyone.xs(TOP, level=-1).item() == pytest.approx(33)
    assert everyone.xs(BOTTOM, level=-1).item() == pytest.approx(17)
    stats = client.stats("agree").boxes(2, 2)["column"].squeeze()
    assert stats.loc[[TOP, BOTTOM]].tolist() == pytest.approx([33, 17])
    grid = al.Crosstab(client, "agree", "g")
    grid.rows.top_box(2)
    box: Any = grid.rows[-1]
    assert box.name == TOP
    assert client.crosstab(box)["column"].squeeze() == pytest.approx(33)
    with fails(ValueError):
        client.stats("agree").boxes(5, 1)


def test_a_stack_adds_the_top_up_and_greys_what_is_off_the_scale(client: Any) -> None:
    chart = client.stats("agree", splitter="g").chart.stack()
    order = [each.name for each in client["agree"].datapoints if each.name in AGREEMENT[:2]]
    # A text in lines has no spaces between them.
    assert " + ".join(order).replace(" ", "") in {
        each.replace(" ", "") for each in texts(chart.svg())
    }
    assert LIGHT.outside in str(chart.to_dict())


def test_boxes_within_other_audiences_and_after_nets(client: Any) -> None:
    nested = client.crosstab(al.nest("g", "agree")).boxes(2, 0)
    assert [row.name for row in nested.rows].count(TOP) == 2
    netted = client.crosstab("agree").nets({"Agreers": ["Strongly agree", "Agree"]}).boxes(2, 0)
    assert [row.name for row in netted.rows][-2:] == ["Agreers", TOP]


@pytest.mark.parametrize(
    ("labels", "top", "off"),
    [
        (SATISFACTION, "first", None),
        (SATISFACTION[::-1], "last", None),
        ((SATISFACTION[0], "2", "3", "4", SATISFACTION[-1]), "first", None),
        (("Often", "Never", "Always"), None, None),
        (("Agree", "2", "Disagree", "Neither"), None, None),
        (("North", "South", "DK/Refused", "No opinion"), None, (3, 4)),
        (("Agree", "Disagree", "Refused (VOL.)"), "first", (3,)),
        (("Don't know yet", "Other people", "Undecided"), None, (1,)),
        (("Don't know", "Refused"), None, None),
    ],
)
def test_known_words_decide_the_top_and_what_is_off_the_scale(
    labels: tuple[str, ...], top: str | None, off: tuple[int, ...] | None
) -> None:
    points = tuple(CodedDatapoint(label, value=at) for at, label in enumerate(labels, 1))
    found = with_scale(CodedQuestion("q", "Q", column="q", datapoints=points))
    assert (found.top, found.off_scale) == (top, off)


def test_beside_dont_know_an_answer_without_a_midpoint_is_off_the_scale_too() -> None:
    points = (
        CodedSuffix("Good", value=1, midpoint=1),
        CodedSuffix("Never been there", code="n", values=("n",)),
        CodedSuffix("Don't know", code="dk"),
    )
    grid = CodedQuestion("q", "Q", "grid", suffixes=points)
    assert with_scale(grid).off_scale == ("n", "dk")


def test_a_codebook_says_top_and_off_scale(tmp_path: Path) -> None:
    falling, _ = coded(*AGREEMENT, "Don't know")
    labels: Any = {"agree": dict(enumerate(AGREEMENT, 1)) | {8: "Don't know"}}
    pyreadstat.write_sav(falling, tmp_path / "a.sav", variable_value_labels=labels)  # type: ignore[arg-type]  # a frame
    path = ingest.draft_codebook(tmp_path / "a.sav").save(tmp_path / "codebook.toml")
    text = path.read_text()
    assert 'top = "first"\noff_scale = [8]' in text
    assert "'Strongly agree' is the" in text
    edited = text.replace('top = "first"\noff_scale = [8]', 'top = "none"\noff_scale = [3, 8]')
    path.write_text(edited)
    survey = ingest.import_survey(tmp_path / "a.sav", path, tmp_path / "survey")
    question = al.connect(survey=survey)["agree"]
    known = [flag for flag in question.record.flags if flag.startswith(("top:", "off_scale:"))]
    assert known == ["top:none", "off_scale:agree_3", "off_scale:agree_8"]
    with fails(ValueError):
        question.top_box(2)
    path.write_text(edited.replace("[3, 8]", "[7]"))
    with fails(SurveyError):
        ingest.load_codebook(path)


@pytest.mark.parametrize(
    ("labels", "top"),
    [
        (("Very happy", "Pretty happy", "Not too happy", "Don't know"), "first"),
        (("Très satisfait", "Assez satisfait", "Pas du tout satisfait", "Ne sait pas"), "first"),
        (("Not at all", "A bit", "Very much"), "last"),
        (("Not glim", "Pretty zork", "Not plim"), None),
        (("Glim", "Pretty zork", "Very zork"), None),
    ],
)
def test_the_end_opposite_a_negated_answer_is_the_top(
    labels: tuple[str, ...], top: str | None
) -> None:
    points = tuple(
        CodedDatapoint(
            name=label, value=at, midpoint=None if "n't" in label or "Ne " in label else at
        )
        for at, label in enumerate(labels, 1)
    )
    assert with_scale(CodedQuestion("q", "Q", column="q", datapoints=points)).top == top
    plain = tuple(CodedDatapoint(name=point.name, value=point.value) for point in points)
    assert with_scale(CodedQuestion("q", "Q", column="q", datapoints=plain)).top in (None, top)


@pytest.mark.parametrize(
    ("names", "midpoints", "flag"),
    [
        (("Glim", "Quite zork", "Plim"), (1, 2, 3), "top:unknown"),
        (("Glim", "Zork", "Plim", "Don't know"), (0, 1, 2, None), "top:unknown"),
        (("Zufrieden", "Mittel", "Unzufrieden"), (1, 2, 3), "top:first"),
        (("Very happy", "Pretty happy", "Not too happy"), (1, 2, 3), "top:first"),
        (("Happy", "In between", "Sad"), (3, 2, 1), "top:first"),
        (("Worse", "Same", "Better"), (-1, 0, 1), "top:last"),
        (("Monthly", "Weekly", "Twice"), (1, 4, 30), None),
        (("None", "1", "2 or more"), (0, 1, 2), None),
        (("None", "One", "Several"), (0, 1, 2), None),
    ],
)
def test_codes_of_words_do_not_show_which_end_is_the_top(
    names: tuple[str, ...], midpoints: tuple[float | None, ...], flag: str | None
) -> None:
    pairs = list(zip(names, midpoints, strict=True))
    coded = [CodedDatapoint(name=name, midpoint=each) for name, each in pairs]
    question = CodedQuestion("s", "Scale", column="s", datapoints=tuple(coded))
    codes = [f"s_{at}" for at in range(len(names))]
    flags = scale_flags(question, coded, codes)
    assert [each for each in flags if each.startswith("top:")] == ([flag] if flag else [])
    if flag == "top:unknown":
        points = [
            Datapoint(code, name, midpoint=None if each is None else Value(each))
            for code, (name, each) in zip(codes, pairs, strict=True)
        ]
        record = Question("s", "core", "Scale", datapoints=points, flags=[*flags])
        said = r"If 'Plim' is, write client.edit\('s', top=\"last\"\), or al.net\('s', 'Plim'\)"
        with pytest.raises(ValueError, match=said):
            Catalogue([record])["s"].top_box(1)


@pytest.mark.parametrize(
    ("flags", "midpoints", "top"),
    [
        ([], (1, 2, 3, None), "s_2"),
        ([], (3, 2, 1, None), "s_0"),
        (["off_scale:s_2"], (None, None, None, None), None),
        (["top:first", "off_scale:s_3"], (1, 2, 3, 9), "s_0"),
        (["top:last", "off_scale:s_3"], (None, None, None, None), "s_2"),
        (["top:sideways"], (1, 2, 3, None), "s_2"),
    ],
)
def test_flags_decide_and_otherwise_the_amounts(
    flags: list[str], midpoints: tuple[float | None, ...], top: str | None
) -> None:
    points = [
        Datapoint(f"s_{at}", f"Answer {at}", midpoint=None if each is None else Value(each))
        for at, each in enumerate(midpoints)
    ]
    question = Catalogue([Question("s", "core", "Scale", datapoints=points, flags=flags)])["s"]
    top_box: Any = question.top_box
    if top is None:
        with fails(ValueError):
            question.top_box(1)
    else:
        assert top_box(1).expression == al.Q("s").any(top)


@pytest.mark.parametrize(
    ("flags", "names", "direction"),
    [
        (["top:first"], ("Very good", "Good", "Bad", "No idea"), " (1 Very good … 3 Bad)"),
        (["top:unknown"], ("Very good", "Good", "Bad", "No idea"), " (1 Very good … 3 Bad)"),
        (["top:last"], ("1 (not at all)", "2", "3", "?"), " (1 (not at all) … 3)"),
        (["top:last"], ("1", "2", "3", "None"), ""),
        ([], ("One", "Two", "Three", "None"), ""),
    ],
)
def test_a_mean_names_its_direction_where_answers_are_words(
    flags: list[str], names: tuple[str, ...], direction: str
) -> None:
    points = [
        Datapoint(f"s_{at}", name, midpoint=Value(at) if at < 4 else None)
        for at, name in enumerate(names, 1)
    ]
    asked = Question("s", "core", "Scale", datapoints=points, flags=[*flags, "off_scale:s_4"])
    question: Any = Catalogue([asked])["s"]
    assert question.mean().name == f"Scale: mean{direction}"
    assert question.median().name == f"Scale: median{direction}"
    assert question.standard_deviation().name == "Scale: standard deviation"
    grid = Question("g", "core", "Grid", datapoints=[Datapoint("g_1", "Item")], flags=asked.flags)
    suffixes = [Suffix(each.code, each.name, midpoint=each.midpoint) for each in points]
    rated: Any = Catalogue([msgspec.structs.replace(grid, suffixes=suffixes)])["g"]
    assert rated.mean("Item").name == f"Item: mean{direction}"


def test_averages_name_their_direction(client: Any) -> None:
    frame = client.stats("agree").averages({"Strongly agree": 5, "Agree": 4, "Disagree": 2})
    assert frame.attrs["method_note"].endswith(" From 2 Disagree … 5 Strongly agree.")
    assert frame["mean"].item() == pytest.approx((11 * 5 + 22 * 4 + 13 * 2) / 46)
    assert frame["answered_sample"].item() == 46

"""The audience editor's Python half, with the real client over the demo survey."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import traitlets

import audiencelab as al
from audiencelab.client import Client
from audiencelab.client.errors import SavedMeanwhile
from audiencelab.expressions import parse_audience
from audiencelab.schema.etags import etag_of
from audiencelab.service import Service
from audiencelab.service.http import serve
from audiencelab.widgets.editor import AudienceEditor
from audiencelab.widgets.saved_audiences import NothingSavedYet
from tests.messages import fails
from tests.widgets.conftest import Wire

YOUNG = al.Audience(name="18 to 34", expression=al.Q("q4").any("q4_2", "q4_3"))
NESTED = al.Audience(
    name="Young and connected",
    expression=al.Q("q4").any("q4_2", "q4_3")
    & (
        al.Q("q20", suffixes=[1, 2]).at_least(2, "q20_1", "q20_2", "q20_3")
        | ~al.Q("q2").any("q2_1")
    ),
)


@pytest.fixture(scope="module")
def client() -> Client:
    return al.connect()


@pytest.fixture
def editor(client: Client, wire: Wire) -> AudienceEditor:
    return AudienceEditor(client, NESTED)


def edited(editor: AudienceEditor, **root: Any) -> dict[str, Any]:
    """The document as the page would send it after changing fields of the root."""
    document = copy.deepcopy(editor.document)
    document["root"] |= root
    return document


# -- the value ---------------------------------------------------------------------------------


def test_an_unchanged_value_is_the_same_object(editor: AudienceEditor) -> None:
    assert editor.value == NESTED
    assert editor.expression == NESTED.expression
    assert editor.is_valid


def test_none_means_everyone(client: Client, wire: Wire) -> None:
    editor = AudienceEditor(client)
    assert editor.expression is None
    assert editor.describe() == "everyone"
    assert editor.measure().percentage == pytest.approx(100)


def test_everyone_is_a_row_of_the_frame(client: Client, wire: Wire) -> None:
    (line,) = AudienceEditor(client).to_frame().to_dict("records")
    assert (line["node"], line["percentage"]) == ("everyone", pytest.approx(100))


def test_an_expression_has_no_name_until_one_is_set(client: Client, wire: Wire) -> None:
    assert AudienceEditor(client, YOUNG.expression).value.name == ""


def test_a_saved_audience_is_edited_and_saved_again(client: Client, wire: Wire) -> None:
    saved = client.service.save_audience(YOUNG)
    editor = AudienceEditor(client, saved)
    assert (editor.value.name, editor.value.id) == (YOUNG.name, saved.id)
    editor.value = NESTED
    assert client.audiences.update(saved.id, expression=editor.value).expression is not None
    kept = client.service.saved_audience(saved.id).to_audience()
    assert kept.describe() == NESTED.describe()


def test_code_rebuilds_the_audience(client: Client, editor: AudienceEditor) -> None:
    assert eval(editor.to_code(), {"al": al, "client": client}) == NESTED


def test_setting_the_value_sends_its_document(editor: AudienceEditor, wire: Wire) -> None:
    seen: list[Any] = []
    editor.observe(lambda change: seen.append(change["new"]), "value")
    editor.value = YOUNG
    assert editor.value == YOUNG
    assert seen == [YOUNG]
    sent: Any = wire.updates(editor, "document")[-1]
    assert sent["name"] == "18 to 34"


def test_unknown_codes_are_rejected_with_their_position(editor: AudienceEditor) -> None:
    wrong = al.Audience("wrong", al.Q("q4").any("q4_2") & al.Q("q20").any("nope"))
    with fails(al.InvalidExpression) as caught:
        editor.value = wrong
    assert [fault.pointer for fault in caught.value.faults] == ["/and/1"]
    assert editor.value == NESTED


def test_other_types_are_rejected(client: Client, wire: Wire) -> None:
    code: Any = "q4"
    with fails(TypeError):
        AudienceEditor(client, code)


def test_a_single_wave_needs_no_list(client: Client, wire: Wire) -> None:
    assert AudienceEditor(client, YOUNG, waves="q1_2025").waves == ("q1_2025",)
    assert AudienceEditor(client, YOUNG, waves="Q1 2025").waves == ("q1_2025",)


def test_it_links_to_a_grid(client: Client, wire: Wire) -> None:
    editor = AudienceEditor(client, YOUNG)
    grid = al.Crosstab(client, rows=[YOUNG])
    traitlets.dlink((editor, "value"), (grid, "base_audience"))
    assert grid.base_audience == YOUNG
    editor.value = NESTED
    assert grid.base_audience == NESTED


# -- edits from the page -----------------------------------------------------------------------


def test_an_edit_in_the_page_becomes_the_value(editor: AudienceEditor, wire: Wire) -> None:
    wire.set_state(editor, document=edited(editor, operator="or"))
    assert isinstance(NESTED.expression, al.And)
    assert editor.expression == al.Or(NESTED.expression.children)
    # Other pages get it, with a number.
    assert wire.updates(editor, "document") == [editor.document]


def test_an_incomplete_tree_keeps_the_last_value(editor: AudienceEditor, wire: Wire) -> None:
    empty = {"id": "n99", "kind": "group", "operator": "or", "negated": False, "children": []}
    children = editor.document["root"]["children"]
    wire.set_state(editor, document=edited(editor, children=[*children, empty]))
    assert not editor.is_valid
    assert [fault.pointer for fault in editor.faults] == ["/and/2"]
    assert editor.value == NESTED
    assert repr(editor).endswith(", unfinished)")
    wire.set_state(editor, document=edited(editor, children=children[:1]))
    assert editor.is_valid
    assert editor.faults == ()
    assert editor.value == al.Audience(NESTED.name, YOUNG.expression)


# -- numbers -----------------------------------------------------------------------------------


def test_measures_equal_the_crosstab(editor: AudienceEditor, client: Client) -> None:
    table = client.crosstab(rows=[NESTED])
    measure = editor.measure()
    assert measure.sample == table.values("row_sample")[0, 0]
    assert measure.size == pytest.approx(table.values("row_size")[0, 0], rel=1e-12)
    assert measure.percentage == pytest.approx(table.values("row_base_percentage")[0, 0])
    assert measure.base_sample == table.values("base_sample")[0, 0]


def test_the_frame_has_a_row_for_each_node(editor: AudienceEditor, client: Client) -> None:
    frame = editor.to_frame()
    assert [*frame["pointer"]] == ["", "/and/0", "/and/1", "/and/1/or/0", "/and/1/or/1"]
    assert [*frame["depth"]] == [0, 1, 1, 2, 2]
    assert [*frame["node"]] == ["and", "leaf", "or", "leaf", "leaf"]
    tree: Any = NESTED.expression
    nodes = [tree, YOUNG.expression, *tree.children[1].children]
    alone = [client.crosstab(rows=[node]).values("row_sample")[0, 0] for node in nodes]
    assert frame["sample"].to_list() == [alone[0], alone[1], frame["sample"][2], *alone[2:]]
    assert frame["words"][1] == "Age is 18 to 24 or 25 to 34"


def test_waves_are_those_in_which_every_question_was_asked(client: Client, wire: Wire) -> None:
    waves = [wave.code for wave in client.waves()]
    coverage = {
        question.code: set(client.stats(question=question.code).waves)
        for question in client.catalogue.questions
        if question.accessible
    }
    # A question that some of the waves did not ask: the demo survey has several.
    code, asked = next((c, w) for c, w in coverage.items() if 0 < len(w) < len(waves))
    partial, always = al.Q(code).any(), al.Q("q4").any("q4_2")
    editor = AudienceEditor(client, partial & always, waves=waves)
    frame = editor.to_frame().set_index("pointer")
    expected = tuple(wave for wave in waves if wave in asked)
    assert frame.loc["", "waves"] == expected
    assert frame.loc["/and/0", "waves"] == expected
    assert frame.loc["/and/1", "waves"] == tuple(waves)
    assert AudienceEditor(client, partial | always, waves=waves).measure().waves == tuple(waves)


def test_no_common_wave_differs_from_no_respondents(client: Client, wire: Wire) -> None:
    first, last = (client.waves()[i].code for i in (0, -1))
    apart = al.Q("waves").any(first) & al.Q("waves").any(last)
    measure = AudienceEditor(client, apart, waves=[first, last]).measure()
    assert (measure.sample, measure.waves) == (0, ())
    nobody = al.Q("q2").any("q2_1") & ~al.Q("q2").any("q2_1")
    measure = AudienceEditor(client, nobody).measure()
    assert measure.sample == 0
    assert len(measure.waves) == 4


def test_the_base_can_be_changed_later(editor: AudienceEditor, wire: Wire) -> None:
    before = editor.measure()
    editor.base_audience = al.Q("q2").any("q2_1")
    after = editor.measure()
    assert 0 < after.sample < before.sample
    assert wire.updates(editor, "revision") == [1]
    assert wire.request(editor, "context").content["data"]["base"]["name"] == "Gender is Male"


# -- what the page asks ------------------------------------------------------------------------


def test_the_context_names_waves_and_base(
    editor: AudienceEditor, client: Client, wire: Wire
) -> None:
    data = wire.request(editor, "context").content["data"]
    waves = [wave.code for wave in client.waves()]
    assert [wave["code"] for wave in data["waves"]] == waves
    assert data["counted"] == waves[-4:]
    assert data["base"]["name"] == "All"
    assert data["base"]["sample"] == sum(wave.sample for wave in client.waves()[-4:])


def test_expressions_are_measured_in_order(editor: AudienceEditor, wire: Wire) -> None:
    assert NESTED.expression is not None
    assert YOUNG.expression is not None
    expressions = [YOUNG.expression.to_wire(), NESTED.expression.to_wire()]
    data = wire.request(editor, "measure", {"expressions": expressions}).content["data"]
    frame = editor.to_frame()
    assert [each["sample"] for each in data["measures"]] == [frame["sample"][1], frame["sample"][0]]


def test_an_invalid_expression_is_answered_with_its_errors(
    editor: AudienceEditor, wire: Wire
) -> None:
    broken = {"expressions": [{"and": []}]}
    answer = wire.answer(wire.ask(editor, "measure", broken)).content
    assert not answer["ok"]
    assert answer["error"]["type"] == "InvalidExpression"
    assert answer["error"]["faults"][0]["pointer"] == "/and"


def test_a_saved_audience_is_saved_back(client: Client, wire: Wire) -> None:
    kept = client.service.save_audience(al.Audience("Kept", al.Q("q4").any("q4_2")))
    editor = al.AudienceEditor(client, value=kept)
    assert editor.saved == {
        "id": kept.id,
        "name": "Kept",
        "expression": {"question": "q4", "datapoints": ["q4_2"]},
        "etag": etag_of(kept),
    }
    editor.value = al.Audience("Kept", al.Q("q4").any("q4_3"), kept.id)
    assert editor.save().expression == al.Q("q4").any("q4_3")
    again = client.service.saved_audience(kept.id)
    assert (again.name, again.to_audience().expression) == ("Kept", al.Q("q4").any("q4_3"))


def test_changes_of_another_user_are_not_overwritten_silently(client: Client, wire: Wire) -> None:
    kept = client.service.save_audience(al.Audience("Kept", al.Q("q4").any("q4_2")))
    editor = al.AudienceEditor(client, value=kept)
    client.audiences.update(kept.id, name="Theirs", expression=al.Q("q2").any("q2_1"))
    editor.value = al.Audience("Mine", al.Q("q4").any("q4_3"), kept.id)
    with fails(SavedMeanwhile):
        editor.save()
    assert client.service.saved_audience(kept.id).name == "Theirs"
    audience = {"name": "Mine", "id": kept.id, "expression": {"question": "q4"}}
    answer = wire.answer(wire.ask(editor, "save", {"audience": audience})).content
    assert (answer["ok"], answer["error"]["type"]) == (False, "SavedMeanwhile")
    editor.save(overwrite=True)
    assert client.service.saved_audience(kept.id).name == "Mine"


def test_a_new_audience_is_saved_once(client: Client, wire: Wire) -> None:
    before = len(client.service.saved_audiences())
    editor = al.AudienceEditor(client, value=al.Q("q4").any("q4_2") & al.Q("q2").any("q2_1"))
    first, second = editor.save(), editor.save()
    assert first == second == editor.value
    assert len(client.service.saved_audiences()) == before + 1
    listed = wire.request(editor, "saved_audiences").content["data"]["audiences"]
    (found,) = (each for each in listed if each["id"] == first.id)
    assert parse_audience(found) == first
    assert found["sentence"] == "Age is 18 to 24, and Gender is Male"


def test_a_remote_service_supports_saving_only(wire: Wire, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    with Service(al.demo_survey(), store=store) as service:
        kept = service.save_audience(al.Audience("Kept", al.Q("q4").any("q4_2")))
    with serve(store=store) as url, al.connect(url) as client:
        editor = AudienceEditor(client, value=al.Q("q4").any("q4_2"))
        assert wire.request(editor, "context").content["data"]["shelf"] is False
        assert wire.request(editor, "saved_audiences").content["data"] == {"audiences": []}
        with fails(NothingSavedYet):
            editor.save()
        editor.value = kept
        editor.value = al.Audience("Renamed", al.Q("q4").any("q4_2"), kept.id)
        assert editor.save().name == "Renamed"
        assert editor.save().name == "Renamed"
        # Two clients of one service: the second of them has not seen what the first one saved.
        with al.connect(url) as another:
            another.audiences.update(kept.id, name="Theirs")
        editor.value = al.Audience("Mine", al.Q("q4").any("q4_2"), kept.id)
        with fails(SavedMeanwhile):
            editor.save()
        assert editor.save(overwrite=True).name == "Mine"
    with Service(al.demo_survey(), store=store) as service:
        assert service.saved_audience(kept.id).name == "Mine"


def test_a_document_of_an_earlier_version_has_no_tag_and_is_checked(client: Client) -> None:
    kept = client.service.save_audience(al.Audience("Kept", al.Q("q4").any("q4_2")))
    editor = al.AudienceEditor(client, value=kept)
    editor.saved = {name: each for name, each in editor.saved.items() if name != "etag"}
    editor.value = al.Audience("Mine", al.Q("q4").any("q4_3"), kept.id)
    assert editor.save().name == "Mine"
    editor.saved = editor.saved | {"name": "Older", "etag": None}
    editor.value = al.Audience("Again", al.Q("q4").any("q4_3"), kept.id)
    with fails(SavedMeanwhile):
        editor.save()


def test_an_audience_is_compared_with_another(client: Client, wire: Wire) -> None:
    young, men = al.Q("q4").any("q4_2", "q4_3"), al.Q("q2").any("q2_1")
    editor = AudienceEditor(client, value=young, base_audience=al.Q("q20").any())
    other = {"id": "a-1", "name": "Men", "expression": men.to_wire()}
    data = wire.request(editor, "compare", {"other": other}).content["data"]
    rows = [young & ~men, young & men, men & ~young]
    table = client.crosstab(rows=rows, base_audience=al.Q("q20").any())
    assert [part["sample"] for part in data["parts"]] == table.values("sample")[:, 0].tolist()
    assert [part["size"] for part in data["parts"]] == pytest.approx(table.values("size")[:, 0])
    assert editor.compare(men).pairs()["sample"][0] == data["parts"][1]["sample"]


def test_pasted_code_is_parsed_and_not_run(editor: AudienceEditor, wire: Wire) -> None:
    code = "young = al.Q('q4').any('q4_2')\n[young, al.Audience('Men', al.Q('q2').any('q2_1'))]"
    data = wire.request(editor, "read_code", {"text": code}).content["data"]
    assert data == {
        "expressions": [
            {"question": "q4", "datapoints": ["q4_2"]},
            {"question": "q2", "datapoints": ["q2_1"]},
        ],
        "name": "",
    }
    one = {"text": "al.Audience('Men', al.Q('q2').any('q2_1'))"}
    assert wire.request(editor, "read_code", one).content["data"]["name"] == "Men"
    for text, said in (
        ("__import__('os').remove('x')", "not part of the audience language"),
        ("al.Audience('All')", "everyone"),
    ):
        answer = wire.answer(wire.ask(editor, "read_code", {"text": text})).content
        assert answer["ok"] is False
        assert said in answer["error"]["message"]


def test_text_uses_the_names_of_the_catalogue(
    client: Client, editor: AudienceEditor, wire: Wire
) -> None:
    assert YOUNG.expression is not None
    args = {"name": "Young", "id": None, "expression": YOUNG.expression.to_wire()}
    data = wire.request(editor, "words", args).content["data"]
    assert data["sentence"] == "Age is 18 to 24 or 25 to 34"
    names: dict[str, Any] = {"al": al, "client": client}
    exec(data["code"], names)
    assert names["audience"] == al.Audience("Young", YOUNG.expression)


def test_the_catalogue_is_served(editor: AudienceEditor, wire: Wire) -> None:
    assert wire.request(editor, "catalogue", {"start": 0}).buffers


# -- as text and without a kernel ---------------------------------------------------------------


def test_repr_is_the_same_in_every_run(client: Client, wire: Wire) -> None:
    audience = "al.Audience(name='18 to 34', expression=al.Q('q4').any('q4_2', 'q4_3'))"
    assert repr(AudienceEditor(client, YOUNG)) == f"AudienceEditor(value={audience})"


def test_the_static_form_has_every_node_with_its_size(editor: AudienceEditor) -> None:
    html = editor._repr_mimebundle_()[0]["text/html"]
    for line in editor.to_frame().itertuples():
        assert f"{line.size:,.0f}" in html
    assert "all of" in html
    assert "any of" in html
    assert "Gender is not Male" in html


def test_the_static_form_escapes(client: Client, wire: Wire) -> None:
    hostile = al.Audience("<img src=x onerror=alert(1)>", YOUNG.expression)
    html = AudienceEditor(client, hostile)._repr_mimebundle_()[0]["text/html"]
    assert "<img" not in html
    assert "&lt;img" in html

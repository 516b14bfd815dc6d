"""QuestionPicker with the embedded service: its value in all forms, and its catalogue."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.expressions import Leaf
from audiencelab.widgets.picker import catalogue
from audiencelab.widgets.picker.catalogue import BARS
from audiencelab.widgets.picker.selection import UnpickableValue
from tests.engine.studies import random_study
from tests.messages import fails
from tests.survey.test_asked import made
from tests.widgets.conftest import Wire

YOUNG = al.Q("q4").any("q4_2", "q4_3")
WOMEN = al.Q("q2").any("q2_1")
OFTEN = al.Q("q20", suffixes=[1, 2]).any("q20_1", "q20_3")


@pytest.fixture(scope="module")
def client() -> Iterator[al.Client]:
    with al.connect() as connected:
        yield connected


class TestValue:
    def test_it_is_returned_as_given(self, wire: Wire, client: al.Client) -> None:
        picker = al.QuestionPicker(client, [YOUNG, OFTEN])
        assert picker.value == (YOUNG, OFTEN)
        picker.value = WOMEN
        assert picker.value == (WOMEN,)
        picker.value = ()
        assert picker.value == ()

    def test_it_is_the_selection_of_the_page(self, wire: Wire, client: al.Client) -> None:
        picker = al.QuestionPicker(client)
        seen: list[int] = []
        picker.observe(lambda change: seen.append(len(change["new"])), "selection")
        picked = {"question": "q20", "datapoints": ["q20_1", "q20_3"], "suffixes": ["1", "2"]}
        wire.set_state(picker, selection=[picked])
        assert picker.value == (OFTEN,)
        assert seen == [1]

    @pytest.mark.parametrize("mode", ["datapoints", "audience"])
    def test_observers_are_notified_once_per_change(
        self, wire: Wire, client: al.Client, mode: Any
    ) -> None:
        picker = al.QuestionPicker(client, mode=mode)
        seen: list[object] = []
        picker.observe(lambda change: seen.append(change["new"]), "value")
        picked = {"question": "q2", "datapoints": ["q2_1"], "suffixes": []}
        wire.set_state(picker, selection=[picked])
        by_page = picker.value
        picker.value = YOUNG
        assert seen == [by_page, picker.value]
        assert len(picker.audiences()) == 2

    def test_the_page_gets_what_python_sets(self, wire: Wire, client: al.Client) -> None:
        picker = al.QuestionPicker(client)
        picker.value = [YOUNG]
        expected = [{"question": "q4", "datapoints": ["q4_2", "q4_3"], "suffixes": []}]
        assert wire.updates(picker, "selection") == [expected]

    def test_leaves_of_one_question_become_one_entry(self, wire: Wire, client: al.Client) -> None:
        picker = al.QuestionPicker(client, [YOUNG, WOMEN, al.Q("q4").any("q4_3", "q4_4")])
        assert picker.value == (al.Q("q4").any("q4_2", "q4_3", "q4_4"), WOMEN)

    def test_questions_and_names_pick_all_answers(self, wire: Wire, client: al.Client) -> None:
        picker = al.QuestionPicker(client, ["Age", client["Gender"], al.Q("q20")])
        assert picker.value == tuple(al.Q(code).any() for code in ("q4", "q2", "q20"))

    @pytest.mark.parametrize(
        ("value", "error", "words"),
        [
            (~YOUNG, UnpickableValue, r"value\[0\] is a negated leaf"),
            ([WOMEN, al.Q("q4").all("q4_2", "q4_3")], UnpickableValue, r"value\[1\].*at least 2"),
            ([OFTEN, al.Q("q20").any("q20_1")], UnpickableValue, r"value\[1\].*other suffixes"),
            (YOUNG & WOMEN, TypeError, "AudienceEditor"),
            ([WOMEN, 4], TypeError, r"value\[1\] is an int"),
            (4, TypeError, "al.Q"),
            ("Agee", LookupError, "Did you mean"),
            (["q4_2"], LookupError, "client\\["),
        ],
    )
    def test_invalid_selections_are_rejected_with_their_position(
        self, wire: Wire, client: al.Client, value: Any, error: type[Exception], words: str
    ) -> None:
        picker = al.QuestionPicker(client, [YOUNG])
        with pytest.raises(error, match=words):
            picker.value = value
        assert picker.value == (YOUNG,)

    def test_an_invalid_selection_of_the_page_is_rejected(
        self, wire: Wire, client: al.Client
    ) -> None:
        picker = al.QuestionPicker(client, [YOUNG])
        sent: Any = [{"datapoints": ["q4_2"]}]
        with fails(UnpickableValue):
            picker.selection = sent
        letters: Any = [{"question": "q4", "datapoints": "q4_2"}]
        with fails(UnpickableValue):
            picker.selection = letters
        assert picker.value == (YOUNG,)

    def test_an_unknown_mode_is_rejected(self, wire: Wire, client: al.Client) -> None:
        mode: Any = "answers"
        with fails(al.AudienceError):
            al.QuestionPicker(client, mode=mode)
        assert wire.messages == []


class TestForms:
    def test_without_a_catalogue_an_audience_is_named_by_codes(
        self, wire: Wire, nameless_client: al.Client
    ) -> None:
        picker = al.QuestionPicker(nameless_client, al.Q("q2").any("q2_1"), mode="audience")
        assert picker.value == al.Audience("q2 is q2_1", al.Q("q2").any("q2_1"))

    def test_without_a_catalogue_it_is_shown_by_codes(
        self, wire: Wire, nameless_client: al.Client
    ) -> None:
        bundle = al.QuestionPicker(nameless_client, [WOMEN, al.Q("q4").any()])._repr_mimebundle_()
        assert bundle is not None
        html = bundle[0]["text/html"]
        assert "q2_1" in html
        assert "any answer" in html

    def test_the_expression_requires_all_leaves(self, wire: Wire, client: al.Client) -> None:
        assert al.QuestionPicker(client).expression is None
        assert al.QuestionPicker(client, YOUNG).expression == YOUNG
        assert al.QuestionPicker(client, [YOUNG, WOMEN]).expression == YOUNG & WOMEN

    @pytest.mark.parametrize("value", [(), (YOUNG,), (YOUNG, OFTEN, WOMEN)])
    def test_the_code_rebuilds_the_value(
        self, wire: Wire, client: al.Client, value: tuple[Leaf, ...]
    ) -> None:
        picker = al.QuestionPicker(client, value)
        assert eval(picker.to_code(), {"al": al, "client": client}) == picker.value

    @pytest.mark.parametrize("mode", ["datapoints", "audience"])
    def test_the_page_gets_the_code_of_its_selection(
        self, wire: Wire, client: al.Client, mode: Any
    ) -> None:
        picker = al.QuestionPicker(client, YOUNG, mode=mode)
        ahead = [*picker.selection, {"question": "q2", "datapoints": ["q2_1"], "suffixes": []}]
        code = wire.request(picker, "code", {"selection": ahead}).content["data"]["code"]
        before = picker.value
        wire.set_state(picker, selection=ahead)
        assert picker.value != before
        names: dict[str, Any] = {"al": al, "client": client}
        exec(code, names)
        assert names["audience" if mode == "audience" else "picked"] == picker.value
        assert wire.request(picker, "code", {"selection": ahead}).content["data"]["code"] == code

    def test_the_repr_is_code_too_and_the_same_every_time(
        self, wire: Wire, client: al.Client
    ) -> None:
        expected = "QuestionPicker(value=[al.Q('q4').any('q4_2', 'q4_3')])"
        assert [repr(al.QuestionPicker(client, YOUNG)) for _ in range(2)] == [expected] * 2

    def test_the_frame_has_a_row_for_each_answer(self, wire: Wire, client: al.Client) -> None:
        frame = al.QuestionPicker(client, [YOUNG, OFTEN]).to_frame()
        assert list(frame["datapoint"]) == ["q4_2", "q4_3", "q20_1", "q20_3"]
        assert list(frame["question_label"][:2]) == [client.catalogue.question_name("q4")] * 2
        assert list(frame["datapoint_label"][:2]) == ["18 to 24", "25 to 34"]
        assert list(frame["suffixes"]) == [(), (), ("1", "2"), ("1", "2")]
        assert list(al.QuestionPicker(client).to_frame().columns) == list(frame.columns)

    def test_audiences_are_one_for_each_answer_and_ready_for_a_crosstab(
        self, wire: Wire, client: al.Client
    ) -> None:
        audiences = al.QuestionPicker(client, [YOUNG, WOMEN]).audiences()
        assert [each.expression for each in audiences] == [
            al.Q("q4").any("q4_2"),
            al.Q("q4").any("q4_3"),
            WOMEN,
        ]
        assert [each.name for each in audiences[:2]] == ["18 to 24", "25 to 34"]
        table = client.crosstab(rows=audiences, columns=audiences[2:])
        assert table.arrived.all()

    def test_audiences_name_their_suffixes_and_their_question_where_names_repeat(
        self, wire: Wire, client: al.Client
    ) -> None:
        daily = client.catalogue.suffix_name("q20", "1")
        names = [each.name for each in al.QuestionPicker(client, [OFTEN]).audiences()]
        assert all(f"({daily}, " in name for name in names)
        repeated = _two_questions_with_a_common_answer(client)
        audiences = al.QuestionPicker(client, repeated).audiences()
        assert len({each.name for each in audiences}) == 2
        for audience, leaf in zip(audiences, repeated, strict=True):
            assert audience.name.startswith(f"{client.catalogue.question_name(leaf.question)}: ")

    def test_a_question_picked_as_a_whole_means_all_of_its_answers(
        self, wire: Wire, client: al.Client
    ) -> None:
        picker = al.QuestionPicker(client, al.Q("q4").any(), mode="question")
        codes = [each.code for each in client.catalogue["q4"].datapoints]
        assert list(picker.to_frame()["datapoint"]) == codes
        assert len(picker.audiences()) == len(codes)
        assert picker.value == (al.Q("q4").any(),)

    def test_the_static_form_has_names_and_code(self, wire: Wire, client: al.Client) -> None:
        bundle = al.QuestionPicker(client, [YOUNG])._repr_mimebundle_()
        assert bundle is not None
        html = bundle[0]["text/html"]
        assert "18 to 24, 25 to 34" in html
        assert "client[&#x27;Age&#x27;]" in html
        assert len(html) < 20_000


def _two_questions_with_a_common_answer(client: al.Client) -> list[Leaf]:
    """Two leaves of different questions whose only answers are called the same."""
    first: dict[str, Leaf] = {}
    for question in client.catalogue:
        for datapoint in question.datapoints:
            leaf = Leaf(question.code, (datapoint.code,))
            other = first.setdefault(datapoint.name, leaf)
            if other.question != leaf.question:
                return [other, leaf]
    raise AssertionError("the demo survey has no two answers of one name")


class TestCatalogue:
    def test_it_lists_questions_without_access_too(self, wire: Wire, client: al.Client) -> None:
        (part,) = pull(wire, al.QuestionPicker(client))
        locked = [each for each in part["questions"] if not each["accessible"]]
        assert locked
        assert all(each["canonical"] not in client.catalogue for each in locked)
        assert all(each["name"] and each["datapoints"]["names"] for each in locked)

    def test_categories_come_parents_first_and_contain_every_question(
        self, wire: Wire, client: al.Client
    ) -> None:
        (part,) = pull(wire, al.QuestionPicker(client))
        categories = part["categories"]
        assert all(each["parent"] < at for at, each in enumerate(categories))
        paths: list[tuple[str, ...]] = []
        for each in categories:
            above = paths[each["parent"]] if each["parent"] >= 0 else ()
            paths.append((*above, each["name"]))
        for question in part["questions"]:
            if question["canonical"] in client.catalogue:
                placed = {paths[at] for at in question["categories"]}
                assert placed == set(client.catalogue[question["canonical"]].paths)

    def test_it_marks_numeric_questions_and_their_unit(self, wire: Wire, client: al.Client) -> None:
        (part,) = pull(wire, al.QuestionPicker(client))
        sent = {each["canonical"]: each for each in part["questions"]}
        for question in client.catalogue:
            midpoints = [each.midpoint for each in (*question.datapoints, *question.suffixes)]
            assert sent[question.canonical]["numeric"] == any(midpoints)
            assert sent[question.canonical]["description"] == question.record.description
        assert {each["numeric"] for each in sent.values()} == {True, False}

    def test_every_dataset_of_a_question_is_named_once(self, wire: Wire, client: al.Client) -> None:
        (part,) = pull(wire, al.QuestionPicker(client))
        codes = [each["code"] for each in part["datasets"]]
        assert len(set(codes)) == len(codes)
        assert {code for each in part["questions"] for code in each["datasets"]} == set(codes)
        assert "Everyday Lives" in [each["name"] for each in part["datasets"]]

    def test_with_full_access_it_equals_the_clients(self, tmp_path: Path) -> None:
        with al.connect(survey=random_study(tmp_path / "survey", seed=1).survey) as client:
            known = [each.canonical for each in client.catalogue]
            assert [each.canonical for each in catalogue.load_questions(client)] == known

    def test_accessible_questions_are_shown_without_a_list_of_inaccessible_ones(
        self, client: al.Client, tmp_path: Path
    ) -> None:
        with client.recording(tmp_path / "catalogue.jsonl"):
            usable = [each.canonical for each in client.catalogue]
        # The recording has no categories, which alone name the locked questions.
        with al.connect(snapshot=tmp_path / "catalogue.jsonl") as again:
            assert [each.canonical for each in catalogue.load_questions(again)] == usable
        assert len(catalogue.load_questions(client)) > len(usable)

    def test_details_contain_the_texts(self, wire: Wire, client: al.Client) -> None:
        picker = al.QuestionPicker(client)
        told = wire.request(picker, "question", {"question": "core.q4"}).content["data"]
        assert told["description"] == client.questions.get("core.q4").description
        assert told["datasets"] == ["Everyday Lives"]

    def test_details_of_a_locked_question_have_a_reason(
        self, wire: Wire, client: al.Client
    ) -> None:
        picker = al.QuestionPicker(client)
        (part,) = pull(wire, picker)
        locked = next(each for each in part["questions"] if not each["accessible"])
        told = wire.request(picker, "question", {"question": locked["canonical"]}).content["data"]
        assert told["message"]

    def test_an_unknown_question_is_an_error_of_the_request(
        self, wire: Wire, client: al.Client
    ) -> None:
        picker = al.QuestionPicker(client)
        message = wire.answer(wire.ask(picker, "question", {"question": "core.nope"}))
        assert message.content["ok"] is False
        assert message.content["error"]["message"]


class TestFigures:
    def test_shares_equal_the_statistics_in_the_catalogues_order(
        self, wire: Wire, client: al.Client
    ) -> None:
        told = wire.request(al.QuestionPicker(client), "figures", {"question": "q4"})
        data = told.content["data"]
        frame = client.stats(question="q4").to_frame()
        assert [each["datapoint"] for each in data["shares"]] == list(frame["datapoint"])
        assert [each["percentage"] for each in data["shares"]] == list(frame["column_percentage"])
        assert sum(each["percentage"] for each in data["shares"]) == pytest.approx(100)
        assert data["more"] == 0

    def test_of_many_answers_the_largest_are_shown_and_the_rest_counted(
        self, wire: Wire, client: al.Client
    ) -> None:
        question = max(client.catalogue, key=lambda each: len(each.datapoints))
        told = wire.request(al.QuestionPicker(client), "figures", {"question": question.canonical})
        data = told.content["data"]
        frame = client.stats(question=question.canonical).to_frame()
        largest = frame["column_percentage"].sort_values(ascending=False)[:BARS]
        assert [each["percentage"] for each in data["shares"]] == list(largest)
        assert len(data["shares"]) + data["more"] == len(question.datapoints) > BARS

    def test_the_base_is_everyone_in_the_waves_of_the_question(
        self, wire: Wire, client: al.Client
    ) -> None:
        waves = client.waves()
        partly = next(
            question
            for question in client.catalogue
            if 0 < len(client.stats(question=question.canonical).waves) < len(waves)
        )
        told = wire.request(al.QuestionPicker(client), "figures", {"question": partly.canonical})
        data = told.content["data"]
        asked = [wave for wave in waves if wave.name in data["waves"]]
        assert 0 < len(asked) < data["wave_count"] == len(waves)
        assert data["sample"] == sum(wave.sample for wave in asked)

    def test_shares_are_of_those_who_count_in_the_survey(
        self, wire: Wire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path))
        frame = pd.DataFrame({"job": ["Yes"] * 3 + ["No"] * 3 + [None] * 4})
        for who, share, said in (
            ("valid", 50, "those who answered job"),
            ("everyone", 30, "all respondents"),
        ):
            opened = al.open(frame, quiet=True).with_options(base_of=who)
            told = wire.request(al.QuestionPicker(opened), "figures", {"question": "job"})
            data = told.content["data"]
            assert {each["percentage"] for each in data["shares"]} == {share}
            assert (data["base"], data["sample"]) == (said, 6 if who == "valid" else 10)

    def test_an_answer_names_the_waves_that_offered_it(self, wire: Wire, tmp_path: Path) -> None:
        with al.connect(survey=made(tmp_path / "items")) as opened:
            picker = al.QuestionPicker(opened)
            data = wire.request(picker, "figures", {"question": "many"}).content["data"]
            offered = {each["datapoint"]: each["offered"] for each in data["shares"]}
            *others, last = (offered[f"many_{number}"] for number in range(1, 6))
            assert others == [None] * 4
            assert last == [opened.waves()[1].name]
            assert data["least_sample"] < data["sample"]
            # A wave asked a question also where no respondent was asked all of its items.
            asked = wire.request(picker, "coverage").content["data"]["asked"]
            assert {asked[each.canonical] for each in opened.catalogue} >= {"11"}
            assert asked[opened.catalogue["many"].canonical] == "11"

    def test_coverage_lists_the_waves_of_each_question(self, wire: Wire, client: al.Client) -> None:
        told = wire.request(al.QuestionPicker(client), "coverage").content["data"]
        codes = [each["code"] for each in told["waves"]]
        assert codes == [wave.code for wave in client.waves()]
        assert set(told["asked"]) == {each.canonical for each in client.catalogue}
        for canonical, marks in told["asked"].items():
            asked = {code for code, mark in zip(codes, marks, strict=True) if mark == "1"}
            assert asked == set(client.stats(question=canonical).waves)


class TestAudienceMode:
    def test_the_value_is_the_audience_that_meets_all_conditions(
        self, wire: Wire, client: al.Client
    ) -> None:
        picker = al.QuestionPicker(client, mode="audience")
        assert picker.value is None
        assert picker.to_code() == "None"
        picked = {"question": "q4", "datapoints": ["q4_2", "q4_3"], "suffixes": []}
        wire.set_state(picker, selection=[picked])
        assert picker.value.expression == YOUNG
        assert picker.value.name == "Age is 18 to 24 or 25 to 34"
        women = {"question": "q2", "datapoints": ["q2_1"], "suffixes": []}
        wire.set_state(picker, selection=[picked, women])
        assert picker.value.expression == YOUNG & WOMEN
        assert eval(picker.to_code(), {"al": al, "client": client}) == picker.value

    def test_it_is_counted_like_any_audience(self, wire: Wire, client: al.Client) -> None:
        picker = al.QuestionPicker(client, YOUNG & WOMEN, mode="audience")
        told = wire.request(picker, "size", {"selection": picker.selection}).content["data"]
        table = client.crosstab(rows=[picker.value])
        assert told["sample"] == table.values("row_sample")[0, 0]
        assert told["size"] == table.values("row_size")[0, 0]

    def test_a_name_is_kept_while_the_audience_is_unchanged(
        self, wire: Wire, client: al.Client
    ) -> None:
        named = al.Audience("Young women", YOUNG & WOMEN)
        picker = al.QuestionPicker(client, named, mode="audience")
        assert picker.value == named
        picker.selection = [*picker.selection]
        assert picker.value == named
        picker.selection = picker.selection[:1]
        assert picker.value == al.Audience("Age is 18 to 24 or 25 to 34", YOUNG)

    @pytest.mark.parametrize(
        ("value", "error", "words"),
        [
            (YOUNG & al.Q("q4").any("q4_3"), UnpickableValue, "same question more than once"),
            (~(YOUNG & WOMEN), TypeError, "AudienceEditor"),
            (YOUNG | WOMEN, TypeError, "AudienceEditor"),
            (YOUNG & ~WOMEN, UnpickableValue, r"value\[1\] is a negated leaf"),
        ],
    )
    def test_other_expressions_than_conjunctions_are_rejected(
        self, wire: Wire, client: al.Client, value: Any, error: type[Exception], words: str
    ) -> None:
        picker = al.QuestionPicker(client, YOUNG, mode="audience")
        with pytest.raises(error, match=words):
            picker.value = value
        assert picker.value.expression == YOUNG

    def test_its_answers_are_separate_audiences(self, wire: Wire, client: al.Client) -> None:
        picker = al.QuestionPicker(client, YOUNG & WOMEN, mode="audience")
        assert len(picker.audiences()) == 3
        assert repr(picker).endswith("mode='audience')")


def pull(wire: Wire, picker: al.QuestionPicker) -> list[dict[str, Any]]:
    """The catalogue as a page pulls it, part after part."""
    parts: list[dict[str, Any]] = []
    start: int | None = 0
    while start is not None:
        message = wire.request(picker, "catalogue", {"start": start})
        parts.append(json.loads(message.buffers[0]))
        start = parts[-1]["next"]
    return parts

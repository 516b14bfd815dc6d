"""The catalogue: questions by code or name, answers as expressions, nothing sent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.completer import IPCompleter, provisionalcompleter

import audiencelab as al
from audiencelab.client import Catalogue, CatalogueQuestion, Client, UnknownCodeError
from audiencelab.expressions import Audience, Labels, Leaf, Q
from audiencelab.schema import Category, Datapoint, Question, Suffix, TaxonomyPath
from tests.messages import fails

HOSTILE = "<img src=x onerror=alert(1)>"


def build() -> Catalogue:
    def lineage(*names: str) -> list[TaxonomyPath]:
        return [TaxonomyPath([Category(str(n), name) for n, name in enumerate(names)])]

    return Catalogue(
        [
            Question(
                "q2",
                "core",
                "Gender",
                datapoints=[Datapoint("q2_1", "Male"), Datapoint("q2_2", "Female")],
                taxonomy_paths=lineage("Demographics", "Basics"),
            ),
            Question(
                "q20",
                "core",
                "Media used",
                description="In the last month",
                datapoints=[Datapoint("q20_1", "Radio"), Datapoint("q20_2", "Local radio")],
                suffixes=[Suffix("1", "Daily"), Suffix("2", "Weekly")],
            ),
            Question("q9", "sport", "Sports", datapoints=[Datapoint("q9_1", HOSTILE)]),
            Question("q7", "sport", "Twice"),
            Question("q8", "sport", "Twice"),
        ]
    )


CATALOGUE = build()


def test_a_name_or_a_code_leads_to_the_same_question() -> None:
    for key in ("Gender", "gender", "q2", "core.q2"):
        assert CATALOGUE[key].canonical == "core.q2"
        assert key in CATALOGUE
    assert "q9" not in CATALOGUE
    assert CATALOGUE["sport.q9"].name == "Sports"
    assert None not in CATALOGUE


def test_an_answer_is_an_expression() -> None:
    assert CATALOGUE["Gender"]["Female"] == Q("q2").any("q2_2")
    assert CATALOGUE["Gender"]["q2_2"] == CATALOGUE["gender"]["FEMALE"]
    assert CATALOGUE["Sports"].any() == Leaf("sport.q9")
    assert {CATALOGUE["Gender"], build()["q2"]} == {CATALOGUE["q2"]}


def test_suffixes_narrow_by_name_or_code() -> None:
    asked = CATALOGUE["Media used"]
    expected = Q("q20", suffixes=[1, 2]).any("q20_1", "q20_2")
    assert asked.any("Radio", "Local radio", scale=["Daily", 2]) == expected
    with fails(UnknownCodeError):
        asked.any("Radio", scale=["Monthly"])


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with fails(UnknownCodeError):
        CATALOGUE["Gendre"]
    with fails(UnknownCodeError):
        CATALOGUE["us"]
    with fails(UnknownCodeError):
        CATALOGUE["Gender"]["Femal"]
    with fails(UnknownCodeError):
        CATALOGUE["xyzzy"]
    with fails(UnknownCodeError):
        CATALOGUE["Gender"]["xyzzy"]
    with fails(UnknownCodeError):
        CATALOGUE["Twice"]


@pytest.mark.parametrize("key", [4, None])
def test_a_key_must_be_a_str(key) -> None:
    with fails(TypeError):
        CATALOGUE[key]
    # A number may be a point of a scale.
    expected = (UnknownCodeError, "no answer '4'") if key else (TypeError, "must be str")
    with pytest.raises(expected[0], match=expected[1]):
        CATALOGUE["Gender"][key]
    with pytest.raises(TypeError):
        iter(CATALOGUE["Gender"])


def test_audiences_of_a_question_carry_its_names() -> None:
    assert CATALOGUE.audiences("q2") == (
        Audience("Male", Q("q2").any("q2_1")),
        Audience("Female", Q("q2").any("q2_2")),
    )


def test_it_puts_names_in_place_of_codes() -> None:
    labels: Labels = CATALOGUE
    expression = Q("core.q20", suffixes=[1]).any("q20_1") & Q("waves").any("q1_2024")
    assert expression.describe(labels) == "Media used is Radio (Daily), and wave is Q1 2024"
    assert labels.question_name("q99") is None
    assert labels.datapoint_name("q2", "q2_9") is None
    assert labels.suffix_name("q2", "1") is None


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        ("gender", ["q2"]),
        ("RADIO", ["q20"]),
        ("media month", ["q20"]),
        ("media local", ["q20"]),
        ("demographics", ["q2"]),
        ("sport", ["sport.q9", "sport.q7", "sport.q8"]),
        ("gender radio", ["q2"]),
        ("", ["q2", "q20", "sport.q9", "sport.q7", "sport.q8"]),
    ],
)
def test_search_finds_every_word_anywhere(words: str, codes: list[str]) -> None:
    assert [question.code for question in CATALOGUE.search(words)] == codes


def test_search_keeps_the_datapoints_that_helped_to_find() -> None:
    found = CATALOGUE.search("local")["q20"]
    assert [datapoint.code for datapoint in found.datapoints] == ["q20_2"]
    assert len(CATALOGUE.search("media")["q20"].datapoints) == 2


def test_the_best_hit_comes_first() -> None:
    asked = Catalogue(
        [
            Question("q50", "core", "Broadcasts", description="radio and television"),
            Question("q51", "core", "Radiology"),
            Question("q52", "core", "Channels", datapoints=[Datapoint("q52_1", "Local radio")]),
            Question("q53", "core", "Listening", datapoints=[Datapoint("radio", "On air")]),
            Question("q54", "core", "Local radio stations"),
            Question("q55", "core", "Radio"),
            Question("radio", "core", "Air"),
        ]
    )
    found = asked.search("Radio")
    assert [each.record.code for each in found] == [
        "radio",
        "q55",
        "q53",
        "q54",
        "q51",
        "q50",
        "q52",
    ]
    assert asked.search("local radio").questions[0].record.code == "q52"
    assert asked.search("radio local").questions[0].record.code == "q54"


@given(
    words=st.lists(
        st.sampled_from(["gender", "radio", "Local", "q20_1", "media", "sport", "male", "x"])
    )
)
def test_every_word_of_a_search_occurs_in_what_it_finds(words: list[str]) -> None:
    """The index against the plain reading of the promise."""

    def holds(question: CatalogueQuestion) -> bool:
        record = question.record
        own = " ".join([question.canonical, record.name, record.description])
        own += "".join(name for path in question.paths for name in path)
        texts = [own, *(f"{own} {each.name} {each.code}" for each in question.datapoints)]
        return any(all(word.lower() in text.lower() for word in words) for text in texts)

    search = CATALOGUE.search(" ".join(words))
    every = {each.canonical for each in CATALOGUE if holds(each)}
    if every:
        assert {each.canonical for each in search} == every
    else:
        assert not len(search) or "none has all" in repr(search)


def test_the_tree_is_walked_by_names() -> None:
    tree = CATALOGUE.tree
    assert [child.name for child in tree] == ["Demographics"]
    assert [each.code for each in tree["Demographics"]["Basics"].questions] == ["q2"]
    assert [each.code for each in CATALOGUE.below(tree["demographics"])] == ["q2"]
    assert len(tree.all_questions()) == len(CATALOGUE)
    assert [each.name for each in tree.all_categories()] == ["Demographics", "Basics"]
    assert len(tree.questions) == 4
    assert repr(tree).splitlines() == ["Catalogue (5)", "  Demographics (1)", "    Basics (1)"]
    for name in ("Demographics", "demographics"):
        assert name in tree
        assert tree[name].name == "Demographics"
    assert "Gender" not in tree
    assert 4 not in tree
    with fails(UnknownCodeError):
        tree["Sport"]


def test_categories_stand_where_the_service_puts_them_and_questions_may_stand_twice() -> None:
    def path(*steps: tuple[str, int]) -> TaxonomyPath:
        return TaxonomyPath([Category(name, name.title(), order=order) for name, order in steps])

    both = [path(("media", 2), ("radio", 1)), path(("habits", 1))]
    tree = Catalogue([Question("q1", taxonomy_paths=both), Question("q2", taxonomy_paths=both[:1])])
    assert [child.name for child in tree.tree] == ["Habits", "Media"]
    assert [each.code for each in tree.tree["Media"].all_questions()] == ["q1", "q2"]
    assert len(tree.tree.all_questions()) == 2


def test_a_large_tree_is_shown_whole_at_the_top_rather_than_cut_off() -> None:
    def question(code: str, *names: str) -> Question:
        path = TaxonomyPath([Category(name, name) for name in names])
        return Question(code, taxonomy_paths=[path])

    places = [(f"Top {one}", f"Below {one}.{two}") for one in range(5) for two in range(10)]
    tree = Catalogue([question(f"q{n}", *names) for n, names in enumerate(places)]).tree
    assert repr(tree).splitlines() == [
        "Catalogue (50)",
        *(f"  Top {one} (10)" for one in range(5)),
        "… and 50 more; tree['…'] opens a branch",
    ]
    flat = Catalogue([question(f"q{n}", f"Top {n}") for n in range(60)]).tree
    assert len(repr(flat).splitlines()) == 41
    with fails(UnknownCodeError):
        flat["Top"]


def test_the_clients_catalogue_is_the_services(client: Client) -> None:
    catalogue = client.catalogue
    assert client.catalogue is catalogue
    assert catalogue["Gender"]["Female"] == Q("q2").any("q2_2")
    assert catalogue["Media used"].paths == (("Media",),)
    assert [each.code for each in catalogue.tree["Media"].questions] == ["q20"]
    assert catalogue.below(catalogue.tree["Media"]).search("radio")
    # Answers that are not accessible are left out: a query with them would be refused.
    assert [each.name for each in catalogue.audiences("q4")] == ["16 to 24", "25 to 34"]


def test_it_shows_itself_short_and_escaped() -> None:
    assert repr(CATALOGUE).splitlines()[:2] == [
        "Catalogue of 5 questions, 5 datapoints",
        "  q2: Gender",
    ]
    assert repr(CATALOGUE["q2"]).splitlines() == ["q2: Gender", "  q2_1: Male", "  q2_2: Female"]
    for html in (CATALOGUE._repr_html_(), CATALOGUE["Sports"]._repr_html_()):
        assert "<img" not in html
    assert "&lt;img" in CATALOGUE["Sports"]._repr_html_()


def test_a_part_of_it_says_which_part_it_is() -> None:
    found = CATALOGUE.search("radio")
    assert repr(found).startswith("Catalogue of 1 question, 2 datapoints found by 'radio'")
    assert repr(CATALOGUE.search("zzz")) == "Catalogue of 0 questions, 0 datapoints found by 'zzz'"
    assert " below 'Demographics'" in repr(CATALOGUE.below(CATALOGUE.tree["Demographics"]))
    assert HOSTILE not in CATALOGUE.search(HOSTILE)._repr_html_()
    many = Catalogue([Question(f"q{n}", "core", f"Radio {n}") for n in range(20)])
    assert repr(many).endswith("… and 8 more; .search('words') finds them")
    assert repr(many.search("radio")).endswith("… and 8 more; .search('words') narrows them down")


def test_as_a_frame_it_has_a_line_for_each_datapoint() -> None:
    frame = CATALOGUE.to_frame()
    assert list(frame.columns) == [
        "question",
        "question_label",
        "datapoint",
        "datapoint_label",
        "midpoint",
        "category",
        "datasets",
        "suffixes",
        "accessible",
    ]
    assert len(frame) == 7
    assert frame["category"].iloc[0] == "Demographics > Basics"


def test_codes_have_names_and_unknown_ones_none() -> None:
    assert CATALOGUE.question_name("q2") == "Gender"
    assert CATALOGUE.datapoint_name("core.q2", "q2_1") == "Male"
    assert CATALOGUE.suffix_name("q20", "1") == "Daily"
    assert CATALOGUE.question_name("q3") is None
    assert CATALOGUE.datapoint_name("q3", "q3_1") is None
    assert CATALOGUE.suffix_name("q3", "1") is None
    assert CATALOGUE.datapoint_names("q3") == {}
    assert CATALOGUE.of_code("Gender") is None, "a name is not a code"
    assert CATALOGUE.datapoint_name("waves", "q1_2024") == "Q1 2024"
    assert CATALOGUE.wave_name("week47") == "week47"


def test_a_partial_net_asks_for_each_item_on_its_own() -> None:
    client = al.connect()
    dog, cat = (client["Pets"].any(each) for each in ("Dog", "Cat"))
    assert client["Pets"].any("Dog", "Cat", partial=True) == al.any_of(dog, cat)
    assert client["Pets"].any("Dog", partial=True) == dog
    every = client["Pets"].any(partial=True)
    assert isinstance(every, al.Or)
    assert len(every.children) == len(client["Pets"].datapoints)
    # Of a question with one answer, all answers are offered together.
    ages = ("18 to 24", "25 to 34")
    assert client["Age"].any(*ages, partial=True) == client["Age"].any(*ages)


def test_names_are_completed_in_brackets() -> None:
    """By what IPython completes with; it is asked as a notebook's Tab key asks it."""
    names = {"catalogue": CATALOGUE, "tree": CATALOGUE.tree}
    completer = IPCompleter(namespace=names, use_jedi=False)

    def completed(code: str) -> list[str]:
        with provisionalcompleter():
            return [each.text for each in completer.completions(code, len(code))]

    assert completed('catalogue["G') == ["Gender"]
    assert completed('catalogue["Gender"]["') == ["Female", "Male"]
    assert completed('tree["') == ["Demographics"]

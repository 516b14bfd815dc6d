"""The scope of a call as code."""

from __future__ import annotations

import audiencelab as al
from audiencelab.client.catalogue.scope_code import scope_code
from audiencelab.schema.scope import Scope

CLIENT = al.connect()
WHOLE = Scope(
    base=al.Audience("Young", al.Q("q4").any("q4_2")),
    base_of="valid",
    waves=("q4_2025",),
    locations=("s2_1",),
    weight=None,
)


def test_the_code_of_a_scope_makes_an_equal_one() -> None:
    for catalogue in (None, CLIENT.catalogue):
        code = scope_code(WHOLE.arguments(), catalogue)
        assert [*code] == [*WHOLE.by_argument]
        made = {name: eval(each, {"al": al, "client": CLIENT}) for name, each in code.items()}
        codes = CLIENT.locations() if catalogue else ()
        names = {each.name: each.code for each in codes}
        made["locations"] = tuple(names.get(each, each) for each in made["locations"])
        assert Scope.of({**made, "waves": tuple(made["waves"])}) == WHOLE


def test_locations_are_named_where_the_catalogue_knows_them() -> None:
    [location, *_] = CLIENT.locations()
    given = {"locations": (location.code,)}
    assert scope_code(given) == {"locations": repr([location.code])}
    assert scope_code(given, CLIENT.catalogue) == {"locations": repr([location.name])}
    assert scope_code({"locations": ("gone",)}, CLIENT.catalogue) == {"locations": "['gone']"}
    assert scope_code(Scope().arguments()) == {}

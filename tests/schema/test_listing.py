"""A listing: one line for each entry, and a tuple all the same."""

import pickle

import msgspec

from audiencelab.schema import Datapoint, SavedChart, Suffix, Value
from audiencelab.schema.listing import ListedTuple

ANSWER = ("code", "name", "midpoint")


def test_a_line_tells_code_name_and_what_else_there_is() -> None:
    entries = [
        Suffix("1", "Daily", midpoint=Value(60.0)),
        Suffix("2", "Weekly", midpoint=Value(4.3)),
        Suffix("3", "In a lifetime", midpoint=Value(12_345.6)),
        Suffix("4", "Never"),
        Suffix("5"),
    ]
    assert repr(ListedTuple(entries, ANSWER)).splitlines() == [
        "1: Daily, midpoint 60",
        "2: Weekly, midpoint 4.3",
        "3: In a lifetime, midpoint 12,346",
        "4: Never",
        "5",
    ]


def test_text_is_told_by_itself() -> None:
    entries = [
        SavedChart(id="a1", name="Brands", color="#123456"),
        SavedChart(id="b2", name="Apps"),
    ]
    listing = ListedTuple(entries, ("id", "name", "color"))
    assert repr(listing).splitlines() == ["a1: Brands, #123456", "b2: Apps"]


def test_a_long_one_ends_with_how_many_more_there_are() -> None:
    lines = repr(ListedTuple(Datapoint(f"d{place}", "x") for place in range(1012))).splitlines()
    assert len(lines) == 13
    assert lines[-1] == "… and 1,000 more"


def test_an_empty_one_says_so() -> None:
    assert repr(ListedTuple(())) == "none"


def test_it_is_a_tuple_in_every_other_way() -> None:
    entries = (Datapoint("a", "A"), Datapoint("b", "B"))
    listing = ListedTuple(entries)
    assert listing == entries
    assert hash(listing) == hash(entries)
    assert listing[1:] == entries[1:]
    assert msgspec.json.encode(listing) == msgspec.json.encode(entries)
    again = pickle.loads(pickle.dumps(listing))
    assert (again, repr(again)) == (entries, repr(listing))

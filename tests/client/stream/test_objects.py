"""The splitter: any framing, split at any byte, gives what `json` gives."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiencelab.client.stream.objects import MAX_OBJECT, InvalidStream, ObjectStream
from tests.messages import fails

text = st.text(alphabet=st.sampled_from(list('ab{}"\\[]:, \n\t\x1eé€😀')), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)
objects = st.lists(st.dictionaries(text, values, max_size=4), max_size=8)

FRAMINGS = {
    "lines": lambda found: "".join(json.dumps(each) + "\n" for each in found),
    "lines, the last one open": lambda found: "\n".join(json.dumps(each) for each in found),
    "crlf and empty lines": lambda found: "".join(json.dumps(each) + "\r\n\r\n" for each in found),
    "record separators": lambda found: "".join(f"\x1e{json.dumps(each)}\n" for each in found),
    "record separators alone": lambda found: "".join(f"\x1e{json.dumps(each)}" for each in found),
    "back to back": lambda found: "".join(map(json.dumps, found)),
    "pretty": lambda found: "\n".join(json.dumps(each, indent=2) for each in found),
    "pretty, back to back": lambda found: "".join(json.dumps(each, indent=1) for each in found),
    "an array": lambda found: json.dumps(found),
    "an array, pretty": lambda found: " \n" + json.dumps(found, indent=2) + "\r\n",
    "unescaped": lambda found: "".join(json.dumps(each, ensure_ascii=False) for each in found),
    "mixed": lambda found: "".join(
        json.dumps(each, indent=place % 3 or None) + " \n"[: place % 2]
        for place, each in enumerate(found)
    ),
}


def split(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in pairwise(places)]


def read(chunks: list[bytes], kind: Any = dict[str, Any], **options: Any) -> list[Any]:
    stream = ObjectStream(kind, **options)
    found = [each for chunk in chunks for each in stream.feed(chunk)]
    return found + stream.finish()


@given(found=objects, cuts=st.lists(st.integers(0, 10_000), max_size=12))
@settings(max_examples=60)
def test_every_framing_split_anywhere_equals_json(
    found: list[dict[str, Any]], cuts: list[int]
) -> None:
    for framing, framed in FRAMINGS.items():
        assert read(split(framed(found).encode(), cuts)) == found, framing


@given(found=objects)
@settings(max_examples=20)
def test_one_byte_at_a_time(found: list[dict[str, Any]]) -> None:
    for framing, framed in FRAMINGS.items():
        data = framed(found).encode()
        assert read([data[place : place + 1] for place in range(len(data))]) == found, framing


@given(found=objects, cut=st.integers(1, 10_000), chunk=st.integers(1, 40))
@settings(max_examples=50)
def test_a_stream_cut_inside_its_last_object_says_so_and_keeps_the_others(
    found: list[dict[str, Any]], cut: int, chunk: int
) -> None:
    last = json.dumps({"last": "one"})
    for framing in ("lines", "record separators", "back to back", "pretty"):
        data = FRAMINGS[framing](found) + "\n" + last[: 1 + cut % (len(last) - 1)]
        encoded = data.encode()
        stream = ObjectStream(dict[str, Any])
        got: list[Any] = []
        for start in range(0, len(encoded), chunk):
            got += stream.feed(encoded[start : start + chunk])
        got += stream.finish() if len(got) < len(found) else []
        assert got == found, framing
        with pytest.raises(InvalidStream, match="middle of object"):
            stream.finish()


class Cell(msgspec.Struct):
    name: str


@pytest.mark.parametrize("framing", FRAMINGS)
def test_a_small_stream_cut_once_at_any_place_or_at_all(framing: str) -> None:
    found = [{"name": "a"}, {"name": '"}\\{', "inner": {"name": {}}}, {"name": "é"}, {}]
    data = FRAMINGS[framing](found).encode()
    for place in range(len(data) + 1):
        assert read([data[:place], data[place:]]) == found
    assert read([data[place : place + 1] for place in range(len(data))]) == found


def test_an_object_behind_one_whose_brackets_were_counted_is_handed_out_at_once() -> None:
    stream = ObjectStream(Cell)
    many = "}{" * 20
    assert stream.feed(f'{{"name": "{many}'.encode()) == []
    assert stream.feed(b'"}') == [Cell(many)]
    assert stream.feed(b'{"name": "a"}{"name": "}{') == [Cell("a")]
    assert stream.feed(b'"}{"name": "b"}{"name"') == [Cell("}{"), Cell("b")]


@pytest.mark.parametrize("begun", [b"{", b'{"name', b'{"name": "a"}{"name": "}', b" \n{ "])
def test_a_stream_that_ends_in_an_object_says_so(begun: bytes) -> None:
    stream = ObjectStream(Cell)
    stream.feed(begun)
    with fails(InvalidStream):
        stream.finish()


def test_objects_are_handed_out_as_soon_as_they_are_whole() -> None:
    stream = ObjectStream(Cell)
    assert [cell.name for cell in stream.feed(b'{"name": "a"}\n{"name":')] == ["a"]
    assert [cell.name for cell in stream.feed(b' "b"}\n')] == ["b"]
    assert stream.finish() == []


def test_back_to_back_objects_do_not_wait_for_a_line_to_end() -> None:
    stream = ObjectStream(Cell)
    assert stream.feed(b'{"name": "a"}{"name"') == [Cell("a")]
    assert stream.feed(b': "b"}') == [Cell("b")]


@pytest.mark.parametrize("before", [b"\n", b"\x1e", b" \r\n\t"])
def test_an_object_behind_white_space_does_not_wait_for_the_next_one(before: bytes) -> None:
    stream = ObjectStream(Cell)
    assert stream.feed(before + b'{"name": "a"}' + before + b'{"name"') == [Cell("a")]
    assert stream.feed(b': "b"}' + before + b"{") == [Cell("b")]


def test_brackets_inside_strings_are_text() -> None:
    hostile = {"name": "}{" * 50_000 + '\\"}\n{'}
    data = json.dumps(hostile).encode() * 3
    chunks = [data[place : place + 777] for place in range(0, len(data), 777)]
    assert read(chunks, Cell) == [Cell(hostile["name"])] * 3


@pytest.mark.parametrize("framing", ["back to back", "lines", "pretty"])
def test_an_object_that_ends_with_its_chunk_is_handed_out_at_once(framing: str) -> None:
    stream = ObjectStream(dict[str, Any])
    for number in range(20):
        found = {"number": number, "inner": {"empty": {}}}
        assert stream.feed(FRAMINGS[framing]([found]).encode()) == [found]


def test_padding_without_end_is_neither_kept_nor_taken_for_an_object() -> None:
    stream = ObjectStream(Cell, max_object=1_000)
    assert stream.feed(b'{"name": "a"}' + b"\n" * 5_000 + b'{"na') == [Cell("a")]
    assert stream.feed(b'me": "b"}') == [Cell("b")]
    for _ in range(10):
        assert stream.feed(b" \n" * 400) == []
    assert stream.feed(b'{"name": "c"}') == [Cell("c")]


def test_an_object_behind_which_only_padding_comes_is_not_lost() -> None:
    assert read([b'{"name": "a"}' + b" " * 5_000], Cell) == [Cell("a")]
    assert read([b'{"name": "a"', b"}" + b" " * 5_000, b" " * 5_000], Cell) == [Cell("a")]


def test_an_object_past_the_limit_is_refused() -> None:
    stream = ObjectStream(Cell, max_object=1_000)
    with fails(InvalidStream):
        stream.feed(b'{"name": "' + b"x" * 2_000)


@pytest.mark.parametrize(("limit", "options"), [(1_000, {"max_object": 1_000}), (MAX_OBJECT, {})])
def test_an_object_may_be_as_large_as_the_limit(limit: int, options: dict[str, int]) -> None:
    begun = b'{"name": "'
    stream = ObjectStream(Cell, **options)
    assert stream.feed(begun + b"x" * (limit - len(begun))) == []
    with fails(InvalidStream):
        stream.feed(b"x")


def test_an_object_of_16_megabytes_is_not_too_large() -> None:
    assert MAX_OBJECT == 16 * 2**20


@pytest.mark.parametrize("before", [b"", b'{"name": "a"}\n'])
def test_a_refusal_shows_the_first_60_bytes_of_what_stands_there(before: bytes) -> None:
    stream = ObjectStream(Cell)
    stream.feed(before)
    with fails(InvalidStream):
        stream.feed(b"x" * 61)


@pytest.mark.parametrize(
    ("broken", "shown"),
    [
        (b'{"name": "\xff' + b"x" * 50 + b'"}', b'{"name": "\xff' + b"x" * 49),
        (b'{"name": \xff}', b'{"name": \xff}'),
    ],
)
def test_a_refusal_shows_no_more_than_the_broken_object(broken: bytes, shown: bytes) -> None:
    assert f"begins {shown!r}." in refusal_of(broken + b'{"name": "}{"}' * 20)


@pytest.mark.parametrize(
    "cut", [b"[", b'[{"name": "a"}', b'[{"name": "a"},', b'[{"name": "a"}, {"na']
)
def test_an_array_that_was_cut_gives_what_came_and_then_says_so(cut: bytes) -> None:
    stream = ObjectStream(Cell)
    found = stream.feed(cut)
    assert [each.name for each in found] == ["a"] * (b"a" in cut[:12])
    with fails(InvalidStream):
        stream.finish()


def test_text_behind_an_array_is_refused() -> None:
    stream = ObjectStream(Cell)
    assert stream.feed(b'[{"name": "a"}]x') == [Cell("a")]
    with fails(InvalidStream):
        stream.finish()


@pytest.mark.parametrize("data", [b"<html>no</html>", b"[1, 2]\n", b'"text"\n', b"null\n"])
def test_something_else_than_objects_is_refused_at_once(data: bytes) -> None:
    with fails(InvalidStream):
        ObjectStream(Cell).feed(data)


@pytest.mark.parametrize("text", [b"Internal Server Error", b"<html>", b'"}{"', b"}", b"]}"])
@pytest.mark.parametrize("between", [b"", b"\n", b"\x1e"])
@pytest.mark.parametrize("size", [1, 9, 1_000])
def test_text_behind_the_last_object_is_told_once_that_has_been_taken(
    text: bytes, between: bytes, size: int
) -> None:
    data = between.join([b'{"name": "a"}', b'{"name": "}{"}', text])
    stream = ObjectStream(Cell)
    taken: list[Cell] = []

    def take() -> None:
        for start in range(0, len(data), size):
            taken.extend(stream.feed(data[start : start + size]))
        for _ in range(2):
            taken.extend(stream.finish())

    with fails(InvalidStream):
        take()
    assert taken == [Cell("a"), Cell("}{")]


def test_text_behind_a_single_object_is_told_as_one() -> None:
    stream = ObjectStream(Cell)
    assert stream.feed(b'{"name": "a"} and so on') == [Cell("a")]
    with fails(InvalidStream):
        stream.finish()


def test_an_object_of_another_shape_is_handed_over_after_those_before_it() -> None:
    stream = ObjectStream(Cell)
    assert stream.feed(b'{"name": "a"}\n{"title": "Too late"}\n{"name": "b"}\n') == [Cell("a")]
    with fails(InvalidStream) as caught:
        stream.feed(b"")
    assert json.loads(caught.value.document) == {"title": "Too late"}


@pytest.mark.parametrize("after", [b"", b"\n", b'\n{"na', b'{"name": "b"}'])
def test_an_object_of_another_shape_behind_others_is_what_the_stream_is_refused_for(
    after: bytes,
) -> None:
    stream = ObjectStream(Cell)
    assert stream.feed(b'{"name": "a"}\n{"name": "a"}\n{"title": "Too late"}' + after)
    with fails(InvalidStream):
        stream.finish()


def test_broken_utf_8_is_refused() -> None:
    assert "Object 1 is not JSON" in refusal_of(b'{"name": "\xff\xfe}"}{"name": "a"}' * 20)


def refusal_of(data: bytes) -> str:
    stream = ObjectStream(Cell)
    with pytest.raises(InvalidStream) as caught:
        assert stream.feed(data) or stream.finish()
    return str(caught.value)

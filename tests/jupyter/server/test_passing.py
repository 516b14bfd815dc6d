"""What may go on and what may come back, by itself: no server here."""

import pytest

from audiencelab.client.credentials import Secret
from audiencelab.jupyter.server.passing import Screen, Unfit, asked_of
from audiencelab.jupyter.server.proxy import path_within

ANSWER = b'{"one": "' + b"x" * 700 + b'", "two": 2}'


@pytest.mark.parametrize("size", [1, 2, 7, 64, 10_000])
def test_an_answer_comes_through_whole_however_it_is_cut(size: int) -> None:
    screen = Screen((Secret("secret-token"),))
    pieces = [ANSWER[start : start + size] for start in range(0, len(ANSWER), size)]
    assert b"".join([*(screen.passed(piece) for piece in pieces), screen.rest()]) == ANSWER


@pytest.mark.parametrize("written", ["secret-token", "c2VjcmV0LXRva2Vu", "secret\\u002dtoken"])
def test_a_credential_is_seen_wherever_it_is_cut(written: str) -> None:
    """No byte of it goes on, in whatever form it is written."""
    answer = ANSWER[:-1] + b', "t": "' + written.encode() + b'"}'
    start = answer.index(written.encode())
    for cut in range(start, start + len(written) + 1):
        screen = Screen((Secret("secret-token"),))
        passed = screen.passed(answer[:cut]) if cut < start + len(written) else b""
        with pytest.raises(Unfit, match="held the credential"):
            screen.passed(answer[cut:] if passed else answer)
        assert len(passed) <= start


def test_without_a_credential_nothing_is_held_back() -> None:
    screen = Screen(())
    assert screen.passed(b"[1") == b"[1"
    assert screen.rest() == b""


@pytest.mark.parametrize(
    ("include", "sent"),
    [("datapoints", True), ("datapoints,categories", True), ("a b", False), ("a&b=c", False)],
)
def test_a_parameter_is_a_list_of_names(include: str, sent: bool) -> None:
    asked = asked_of("GET", "/v2/questions/q4", {"include": include, "token": "x"}, {})
    assert asked is not None
    assert asked.query == ({"include": include} if sent else {})


@pytest.mark.parametrize("base", ["", "/user/service", "/user/service/x"])
@pytest.mark.parametrize("name", ["demo", "service", "a%2Fservice"])
def test_what_follows_service_is_the_path_whatever_stands_before(base: str, name: str) -> None:
    uri = f"{base}/audiencelab/connections/{name}/service/v2/questions/a%2Fb?include=x"
    assert path_within(uri) == "/v2/questions/a%2Fb"

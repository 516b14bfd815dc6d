"""A planted token appears in nothing that a notebook shows, logs or stores."""

from __future__ import annotations

import base64
import copy
import json
import pickle
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

import audiencelab as al
from audiencelab.client import (
    Client,
    ConnectionFailed,
    InsecureConnectionError,
    Secret,
    connect,
)
from audiencelab.client.credentials import HiddenValues
from audiencelab.client.snapshots.recording import SnapshotLeak
from audiencelab.client.veil import SHORTEST, holds_secret
from tests.client.conftest import TOKEN, Served
from tests.messages import fails


def test_a_secret_shows_itself_as_dots_and_keeps_its_text() -> None:
    secret = Secret(TOKEN)
    shown = f"{secret} {secret!r} {secret!s} {secret:>40} " + f"{[secret]} {secret!s}"
    assert TOKEN not in shown
    assert TOKEN not in "%s %r" % (secret, secret)  # noqa: UP031 -- the old way to format is the test
    assert secret.reveal() == TOKEN
    assert copy.deepcopy(secret).reveal() == TOKEN
    assert copy.copy(secret).reveal() == TOKEN


def test_a_secret_refuses_to_be_pickled() -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with fails(TypeError):
            pickle.dumps(Secret(TOKEN), protocol)


def test_settings_that_may_hold_one_show_their_names() -> None:
    hidden = HiddenValues({"proxy": TOKEN, "http2": True})
    assert TOKEN not in repr(hidden)
    assert hidden == {"proxy": TOKEN, "http2": True}
    with fails(TypeError):
        pickle.dumps(hidden)


def test_the_token_never_crosses_plain_http_to_another_machine() -> None:
    client = connect("http://research.example", token=TOKEN)
    with fails(InsecureConnectionError):
        client.questions.get("q2")


def test_plain_http_is_possible_on_purpose() -> None:
    address = "http://audiencelab.invalid"
    client = connect(address, token=TOKEN, allow_insecure=True)
    # The name resolves nowhere; what matters is that the attempt was made.
    with pytest.raises(ConnectionFailed):
        client.questions.get("q2")


tokens = st.text(
    st.characters(codec="ascii", categories=["L", "N", "P", "S"]), min_size=SHORTEST, max_size=40
)


@pytest.mark.parametrize(
    "write",
    [
        str.encode,
        lambda text: json.dumps(text).encode(),
        lambda text: json.dumps({"body": json.dumps({"echo": text})}).encode(),
        lambda text: "".join(f"\\u{ord(char):04X}" for char in text).encode(),
        lambda text: json.dumps(text).replace("/", "\\/").encode(),
        lambda text: quote(text, safe="").encode(),
        lambda text: re.sub("%..", lambda code: code[0].lower(), quote(text, safe="")).encode(),
        lambda text: base64.b64encode(text.encode()),
        lambda text: base64.b64encode(f"Bearer {text}".encode()),
        lambda text: base64.b64encode(f"{text}:password".encode()),
        lambda text: base64.urlsafe_b64encode(f"ab{text}yz".encode()),
    ],
)
@given(token=tokens)
def test_it_is_found_in_every_writing(token: str, write) -> None:
    assert holds_secret([Secret(token)], [b"before", b"some " + write(token) + b" text"])


@given(token=tokens, text=st.binary(max_size=200))
def test_a_text_without_it_is_clean(token: str, text: bytes) -> None:
    assert holds_secret([Secret(token)], [text]) == (token.encode() in text)


def test_a_word_too_short_for_a_secret_is_not_looked_for() -> None:
    assert not holds_secret([Secret("test")], [b'{"name":"a test"}'])


@pytest.mark.parametrize("given_as", ["a string", "a function"])
def test_a_credential_in_the_record_keeps_the_file_from_being_written(
    served: Served, tmp_path: Path, given_as: str
) -> None:
    path = tmp_path / "my.jsonl"
    token = TOKEN if given_as == "a string" else lambda: TOKEN
    with connect(served.url, token=token) as client:
        before = kept(client, path)
        telltale = al.Audience(name=f"x{TOKEN}x", expression=al.Q("q2").any("q2_1"))
        with pytest.raises(SnapshotLeak) as caught, client.recording(path):
            client.stats("q2", audiences=[telltale])
        assert TOKEN not in str(caught.value)
        assert path.read_bytes() == before
        assert [each.name for each in tmp_path.iterdir()] == ["my.jsonl"]
        assert kept(client, path)


def kept(client: Client, path: Path) -> bytes:
    with client.recording(path):
        client.questions.get("q2")
    return path.read_bytes()

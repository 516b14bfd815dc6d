"""A planted token appears in nothing that a notebook shows, logs or stores."""

from __future__ import annotations

import copy
import logging
import pickle
import traceback

import pytest

from audiencelab.client import (
    AuthenticationError,
    Client,
    ConnectionFailed,
    InsecureConnectionError,
    Secret,
    connect,
)
from audiencelab.client.credentials import HiddenValues
from audiencelab.hosts import is_loopback
from tests.client.conftest import TOKEN, Served


def locals_of(error: BaseException) -> str:
    """A traceback as IPython's verbose mode prints it: every local of every frame, by repr.

    The first frame is the test's own, which has the token in its hands.
    """
    assert error.__traceback__ is not None
    shown = traceback.TracebackException(
        type(error), error, error.__traceback__.tb_next, capture_locals=True
    )
    return "".join(shown.format())


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
        with pytest.raises(TypeError, match="AUDIENCELAB_TOKEN"):
            pickle.dumps(Secret(TOKEN), protocol)


def test_settings_that_may_hold_one_show_their_names() -> None:
    hidden = HiddenValues({"proxy": TOKEN, "http2": True})
    assert TOKEN not in repr(hidden)
    assert hidden == {"proxy": TOKEN, "http2": True}
    with pytest.raises(TypeError, match="A credential is not pickled"):
        pickle.dumps(hidden)


def test_neither_client_nor_results_nor_frames_hold_the_token(distant: Client) -> None:
    stats = distant.stats(question="q4")
    table = distant.crosstab(rows=distant.catalogue.audiences("q2"))
    shown = [repr(distant), repr(stats), stats._repr_html_(), table._repr_html_()]
    shown += [str(stats.to_frame().attrs), str(table.provenance)]
    assert not any(TOKEN in text for text in shown)
    for result in (stats, table):
        assert TOKEN.encode() not in pickle.dumps(result)


def test_a_refusal_holds_no_token_anywhere(served: Served) -> None:
    wrong = TOKEN + "-wrong"
    with connect(served.url, token=wrong) as client, pytest.raises(AuthenticationError) as caught:
        client.stats(question="q4")
    assert TOKEN not in locals_of(caught.value)
    assert TOKEN not in f"{caught.value} {caught.value!r}"
    assert TOKEN.encode() not in pickle.dumps(caught.value)


def test_a_broken_connection_holds_no_token_anywhere() -> None:
    client = connect("http://127.0.0.1:9", token=TOKEN)
    with pytest.raises(ConnectionFailed) as caught:
        client.stats(question="q4")
    error = caught.value
    assert error.__context__ is None
    assert TOKEN not in locals_of(error)
    assert TOKEN.encode() not in pickle.dumps(error)


def test_logs_hold_no_token(distant: Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        distant.questions.get("q2")
    assert caplog.records
    assert TOKEN not in caplog.text


def test_the_token_never_crosses_plain_http_to_another_machine() -> None:
    client = connect("http://research.example", token=TOKEN)
    with pytest.raises(InsecureConnectionError, match="plain HTTP") as caught:
        client.questions.get("q2")
    assert TOKEN not in locals_of(caught.value)


def test_plain_http_is_possible_on_purpose() -> None:
    address = "http://audiencelab.invalid"
    client = connect(address, token=TOKEN, allow_insecure=True)
    # The name resolves nowhere; what matters is that the attempt was made.
    with pytest.raises(ConnectionFailed):
        client.questions.get("q2")


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.0.1", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("localhost.example", False),
        ("127.0.0.1.example", False),
        ("10.0.0.1", False),
        ("0.0.0.0", False),
        ("", False),
    ],
)
def test_loopback_is_this_machine_only(host: str, local: bool) -> None:
    assert is_loopback(host) is local

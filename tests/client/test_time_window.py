"""The time window of a client: the waves of every call that names none."""

from __future__ import annotations

import pandas as pd
import pytest

import audiencelab as al
from tests.messages import fails


@pytest.fixture(scope="module")
def client() -> al.Client:
    return al.connect()


def codes(client: al.Client) -> list[str]:
    return [wave.code for wave in client.waves()]


def test_every_call_takes_the_window_of_its_client(client: al.Client) -> None:
    latest = codes(client)[-2:]
    narrow = client.with_options(waves="latest 2")
    women = al.Q("q2").any("q2_2")
    for call in (
        lambda client, waves: client.crosstab("q2", "q4", **waves).to_frame(),
        lambda client, waves: client.stats("q2", **waves).to_frame(),
        lambda client, waves: client.size(women, **waves),
        lambda client, waves: client.overlap([women, al.Q("q4").any("q4_2")], **waves).to_frame(),
        lambda client, waves: client.crosstab_stream("q2", **waves).result.provenance["waves"],
    ):
        found, expected = call(narrow, {}), call(client, {"waves": latest})
        if isinstance(found, pd.DataFrame):
            pd.testing.assert_frame_equal(found, expected)
        else:
            assert found == expected


def test_a_call_that_names_waves_has_those(client: al.Client) -> None:
    first = codes(client)[0]
    narrow = client.with_options(waves="latest 2")
    assert narrow.stats("q2", waves=first).waves == (first,)


def test_windows_are_codes_names_years_and_all(client: al.Client) -> None:
    listed = client.waves()
    everything = codes(client)
    for window, expected in (
        ("all", everything),
        ("latest 3", everything[-3:]),
        (listed[1].name, [listed[1].code]),
        ([everything[0], listed[1]], everything[:2]),
        ("2025", [each.code for each in listed if "2025" in each.name]),
    ):
        narrow = client.with_options(waves=window)
        assert narrow.crosstab("q2").provenance["waves"] == expected
    assert (
        client.with_options(waves="all").with_options(waves=None).crosstab("q2").provenance["waves"]
        == client.crosstab("q2").provenance["waves"]
    )


@pytest.mark.parametrize("words", ["latest 0", "Q4 2025 to Q1 2025", "2025 to 2024"])
def test_words_that_mean_no_wave_are_refused(client: al.Client, words: str) -> None:
    with fails(ValueError):
        client.crosstab("q2", waves=words)
    with fails(ValueError):
        client.with_options(waves=words).size(al.Q("q2").any("q2_2"))


def test_repr_and_code_state_the_window() -> None:
    client = al.connect(waves="latest 2")
    assert repr(client) == "<Client of the embedded service, demo survey, waves latest 2>"
    assert client.to_code() == "al.connect(waves='latest 2')"
    assert client.with_options(waves=["q1_2024", "q2_2024"]).to_code() == (
        "al.connect(waves=['q1_2024', 'q2_2024'])"
    )
    assert al.connect().to_code() == "al.connect()"
    assert client.with_options(retries=1).default_waves == "latest 2"


def test_a_window_is_looked_up_once(client: al.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = al.connect(waves="latest 2")
    narrow.crosstab("q2")
    sent: list[str] = []
    send = narrow.transport.send
    monkeypatch.setattr(
        narrow.transport,
        "send",
        lambda request, *rest: (sent.append(request.path), send(request, *rest))[1],
    )
    narrow.crosstab("q2", "q4")
    assert "/v2/query/stats" not in sent

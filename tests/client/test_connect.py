"""connect(): exactly one place, and errors that name the choices."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from audiencelab.client import Client, ConnectionChoiceError, Secret, connect
from audiencelab.panel import Panel, PanelError
from tests.client.conftest import TOKEN, Served
from tests.panel.sources import imported


def test_a_panel_folder_and_an_open_panel_are_the_same_place(survey: Panel) -> None:
    with connect(panel=str(survey.path)) as by_name, connect(panel=survey) as opened:
        assert len(by_name.catalogue) == len(opened.catalogue) > 0
        assert repr(by_name) == repr(opened) == "<Client of the embedded service, panel panel>"


def test_with_no_argument_the_environment_decides(
    survey: Panel, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIENCELAB_PANEL", str(survey.path))
    with connect() as client:
        assert "embedded" in repr(client)
    monkeypatch.delenv("AUDIENCELAB_PANEL")
    monkeypatch.setenv("AUDIENCELAB_BASE_URL", served.url)
    monkeypatch.setenv("AUDIENCELAB_TOKEN", TOKEN)
    with connect() as client:
        assert repr(client) == f"<Client of {served.url}>"
        assert client.questions.get("q2").name == "Gender"


def test_an_argument_outranks_the_environment(
    survey: Panel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIENCELAB_BASE_URL", "https://example.org")
    with connect(panel=survey) as client:
        assert "embedded" in repr(client)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"base_url": "https://a.example", "panel": "folder"}, "two places"),
        ({"panel": "folder", "token": "t"}, "needs none"),
        ({"token": "t"}, "needs none"),
        ({"base_url": "https://a.example"}, "needs a credential"),
        ({"base_url": "https://a.example", "token": " "}, "needs a credential"),
        ({"base_url": "https://a.example", "token": "a\nb"}, "control character"),
        ({"base_url": "my/panel", "token": "t"}, "panel=…"),
        ({"base_url": "my/panel"}, "panel=…"),
        ({"base_url": "ftp://a.example", "token": "t"}, "https://"),
        ({"base_url": "https://user:hunter2@a.example", "token": "t"}, "user name or password"),
        ({"base_url": "https://a.example?key=1", "token": "t"}, "end before"),
    ],
)
def test_anything_but_one_place_is_an_error_that_says_what_to_do(
    arguments: dict[str, str], words: str
) -> None:
    with pytest.raises(ConnectionChoiceError) as caught:
        connect(**arguments)
    assert words in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_two_places_in_the_environment_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_BASE_URL", "https://a.example")
    monkeypatch.setenv("AUDIENCELAB_PANEL", "folder")
    with pytest.raises(ConnectionChoiceError, match=r"AUDIENCELAB_BASE_URL and AUDIENCELAB_PANEL"):
        connect()


def test_a_panel_of_ones_own_knows_its_own_locations(tmp_path: Path) -> None:
    with connect(panel=imported(tmp_path)) as client:
        assert [each.name for each in client.locations()] == ["The north", "The south"]
        assert [each.code for each in client.waves()] == ["w1", "w2"]


def test_a_panel_is_a_folder_or_an_open_one() -> None:
    with pytest.raises(TypeError, match="folder or an open"):
        connect(panel=cast(Any, 3))


def test_a_folder_without_a_panel_is_the_panels_error(tmp_path: Path) -> None:
    with pytest.raises(PanelError):
        connect(panel=tmp_path)


@pytest.mark.parametrize(
    ("options", "header"),
    [
        ({"token": TOKEN}, f"Bearer {TOKEN}"),
        ({"token": TOKEN, "scheme": None}, TOKEN),
        ({"token": lambda: TOKEN}, f"Bearer {TOKEN}"),
        ({"token": Secret(TOKEN)}, f"Bearer {TOKEN}"),
    ],
)
def test_the_token_goes_out_as_bearer_raw_or_from_a_function(
    served: Served, options: dict[str, Any], header: str
) -> None:
    with connect(served.url, **options) as client:
        client.questions.get("q2")
    assert served.authorizations[-1] == header


def test_a_client_is_not_pickled(client: Client) -> None:
    with pytest.raises(TypeError, match=r"connect\(\)"):
        client.__reduce__()

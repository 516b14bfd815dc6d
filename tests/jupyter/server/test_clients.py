"""Clients are opened once, kept while they are few, and closed when nobody uses them."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import audiencelab as al
from audiencelab.jupyter.connections import places
from audiencelab.jupyter.connections.places import Connection
from audiencelab.jupyter.server import clients as room
from audiencelab.jupyter.server.clients import Clients, Stopped

DEMO = places.demo(is_default=True)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the connections that were opened, all of them on the demo survey."""
    names: list[str] = []

    def open_client(connection: Connection) -> al.Client:
        names.append(connection.name)
        return al.connect(survey=al.demo_survey())

    monkeypatch.setattr(room, "open_client", open_client)
    return names


def numbered(number: int) -> Connection:
    return places.survey(f"p{number}", Path(f"/surveys/{number}"), "file")


def is_closed(client: al.Client) -> bool:
    try:
        _ = client.transport
    except RuntimeError:
        return True
    return False


def test_one_that_is_asked_for_by_many_at_once_is_opened_once(opened: list[str]) -> None:
    kept = Clients()
    barrier = threading.Barrier(6)

    def ask() -> None:
        barrier.wait()
        with kept.at(DEMO) as desk:
            assert desk.operations

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert opened == ["demo"]
    kept.close()


def test_the_one_unused_for_longest_goes_first(opened: list[str]) -> None:
    kept = Clients(kept=2)
    seen: list[al.Client] = []
    for number in (1, 2, 1, 3):
        with kept.at(numbered(number)) as desk:
            seen.append(desk.client)
    assert opened == ["p1", "p2", "p3"]
    first, second, again, third = seen
    assert again is first
    assert [is_closed(each) for each in (first, second, third)] == [False, True, False]
    kept.close()
    assert all(map(is_closed, seen))


def test_one_in_use_is_not_closed_under_its_user(opened: list[str]) -> None:
    kept = Clients(kept=1)
    with kept.at(numbered(1)) as desk:
        with kept.at(numbered(2)):
            pass
        kept.drop(numbered(1))
        assert not is_closed(desk.client)
    assert is_closed(desk.client)


def test_a_name_that_means_something_else_now_is_opened_anew(opened: list[str]) -> None:
    kept = Clients()
    for folder in ("/surveys/a", "/surveys/b"):
        with kept.at(places.survey("mine", folder, "file")):
            pass
    assert opened == ["mine", "mine"]
    kept.close()


def test_after_the_end_nothing_is_opened() -> None:
    kept = Clients()
    kept.close()
    with pytest.raises(Stopped), kept.at(DEMO):
        pass


def test_one_that_could_not_be_opened_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Clients()
    gone = places.survey("gone", "/nowhere/at/all", "file")
    assert kept.check(gone).status == "broken"
    monkeypatch.setattr(room, "open_client", lambda _: al.connect(survey=al.demo_survey()))
    assert kept.check(gone).status == "ready"
    kept.close()

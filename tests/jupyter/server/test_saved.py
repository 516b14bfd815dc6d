"""What is saved with a service, as the side bar lists it."""

from __future__ import annotations

from pathlib import Path

import audiencelab as al
from audiencelab.jupyter.server.saved import Shelf
from audiencelab.survey import demo_survey
from tests.service.store.breaking import break_audience


def test_a_broken_audience_is_left_out_and_the_others_are_there(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    with al.connect(survey=demo_survey(2_400), store=store) as client:
        shelf = Shelf(client)
        before = shelf.audiences()
        kept = client.service.save_audience(al.Audience("Women", al.Q("q2").any("q2_2")))
        assert [each["name"] for each in shelf.audiences()][len(before) :] == ["Women"]
        break_audience(store, str(kept.id))
        assert shelf.audiences() == before

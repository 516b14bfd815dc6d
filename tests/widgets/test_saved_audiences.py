"""Saved audiences as the widgets list them."""

from __future__ import annotations

from pathlib import Path

import audiencelab as al
from audiencelab.survey import demo_survey
from audiencelab.widgets.saved_audiences import SavedAudiences
from tests.service.store.breaking import break_audience


def test_a_broken_one_is_left_out_and_the_others_are_there(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    with al.connect(survey=demo_survey(2_400), store=store) as client:
        shelf = SavedAudiences(client)
        before = shelf.listed().audiences
        kept = client.service.save_audience(al.Audience("Women", al.Q("q2").any("q2_2")))
        assert [each["name"] for each in shelf.listed().audiences][len(before) :] == ["Women"]
        break_audience(store, str(kept.id))
        assert shelf.listed().audiences == before

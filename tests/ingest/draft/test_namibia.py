"""NA is Namibia among codes of countries, and means "not asked" elsewhere."""

from __future__ import annotations

import pandas as pd

import audiencelab as al
from audiencelab.ingest import draft_codebook

FRAME = pd.DataFrame({"isocntry": ["NA", "ZA", "GH", "KE"] * 25, "q1": ["yes", "no"] * 50})


def test_na_is_a_country_among_codes_of_countries() -> None:
    client = al.open(FRAME, quiet=True)
    assert sorted(each.name for each in client.locations()) == ["GH", "KE", "NA", "ZA"]
    assert client.stats("q1", locations="NA")["column"].iloc[:, 0].to_dict() == {
        "yes": 100,
        "no": 0,
    }
    [guess] = [each for each in client.import_report.guesses if "'NA' (" in each.said]
    assert (guess.said, guess.severity) == (
        "'NA' (25) taken as the code of Namibia, not as a missing code",
        1,
    )
    assert guess.code == 'al.open(…, missing={"isocntry": ["NA"]})'
    other = al.open(FRAME, missing={"isocntry": ["NA"]}, quiet=True)
    assert sorted(other.stats("isocntry")["column"].index) == ["GH", "KE", "ZA"]


def test_na_of_other_columns_can_be_kept() -> None:
    frame = FRAME.assign(q2=["NA", "a", "b", "c"] * 25, country=["NA", "France"] * 50)
    draft = draft_codebook(frame)
    assert draft.codebook.source.not_asked == ("NA",)
    codes = [each.code for each in draft.guesses if "means not asked" in each.said]
    assert codes == ['al.open(…, missing={"q2": []})']
    client = al.open(frame, missing={"q2": [], "country": []}, quiet=True)
    assert client.stats("q2")["column"].iloc[:, 0].to_dict()["NA"] == 25
    assert not [each for each in client.import_report.guesses if "means not asked" in each.said]

"""What a table asks beside its cells: all who could be in a row, and who was not asked."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.client import InvalidRequest
from audiencelab.results.who_counts import base_line, notes

SEED = 11
WAVES = 3
EACH = 200


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """Three waves: a routed question, one with missing answers, a brand that joins in the third."""
    rng, count = np.random.default_rng(SEED), WAVES * EACH
    wave = np.repeat([1, 2, 3], EACH)
    dora = np.where(wave == WAVES, rng.random(count) < 0.5, np.nan)
    return pd.DataFrame(
        {
            "wave": wave,
            "gender": rng.choice(["m", "f", None], count, p=[0.4, 0.4, 0.2]),
            "sector": np.where(
                rng.random(count) < 0.7, rng.choice(["public", "private"], count), None
            ),
            "brands_1": (rng.random(count) < 0.4).astype(float),
            "brands_2": dora,
            "wgt": rng.integers(1, 9, count) / 4,
        }
    )


@pytest.fixture(scope="module")
def client(people: pd.DataFrame) -> al.Client:
    return al.open(people, weight="wgt", wave="wave", base_of="valid")


def share(lines: pd.DataFrame, chosen: Any) -> float:
    return float(100 * lines.loc[chosen, "wgt"].sum() / lines["wgt"].sum())


def test_all_is_everyone_who_could_be_in_the_row(people: pd.DataFrame, client: al.Client) -> None:
    table = client.crosstab(["sector", "brands"], ["gender", "waves"])
    answered, third = people[people["sector"].notna()], people[people["wave"] == WAVES]
    names = [row.name for row in table.rows]
    base = dict(zip(names, table.row_values("base_sample").tolist(), strict=True))
    of_all = dict(zip(names, table.row_values("row_base_percentage").tolist(), strict=True))
    assert base["public"] == len(answered)
    assert of_all["public"] == pytest.approx(share(answered, answered["sector"] == "public"))
    assert base["brands_1"] == len(people)
    assert (base["brands_2"], of_all["brands_2"]) == (
        len(third),
        pytest.approx(share(third, third["brands_2"] == 1)),
    )
    both = answered[answered["gender"].notna()]
    cell = table.to_frame().set_index(["row", "column"]).loc[("public", "f")]
    women = share(both[both["gender"] == "f"], both["sector"] == "public")
    assert cell["base_sample"] == len(both)
    assert cell["column_percentage"] == pytest.approx(women)
    assert cell["index"] == pytest.approx(100 * women / share(both, both["sector"] == "public"))
    assert base_line(table) == "Base: those who answered, by question"
    with_gender = int(people["gender"].notna().sum())
    assert notes(table) == [
        f"Index is of those with an answer to gender ({with_gender} of {len(people)}).",
        "brands_2: offered in 1 of 3 waves (wave 3).",
    ]


def test_notes_of_everyone_say_who_was_not_asked(people: pd.DataFrame, client: al.Client) -> None:
    missing = int(people["sector"].isna().sum())
    listed = [f"{missing} of {len(people)} were not asked sector."]
    assert notes(client.crosstab("sector", "brands", base_of="everyone"))[:1] == listed
    assert notes(client.frequencies("sector", base_of="everyone")) == listed
    women = client["gender"] == "f"
    of_women = people[people["gender"] == "f"]
    table = client.crosstab("sector", base_audience=women, base_of="everyone")
    assert f"{of_women['sector'].isna().sum()} of {len(of_women)} were" in notes(table)[0]


@pytest.mark.parametrize(
    ("call", "requests"),
    [
        ({"rows": "brands", "columns": "sector"}, 2),
        ({"rows": "brands"}, 1),
        ({"rows": "sector", "columns": "gender", "base_of": "everyone"}, 2),
        ({"rows": "brands", "columns": "waves", "base_of": "everyone"}, 2),
        ({"rows": "brands", "base_of": "everyone"}, 1),
    ],
)
def test_no_request_is_made_that_is_not_needed(
    client: al.Client, tmp_path: Path, call: dict[str, Any], requests: int
) -> None:
    path = tmp_path / "one.audiencelab.jsonl"
    with client.recording(path):
        client.crosstab(**call)
    _, *lines = path.read_text(encoding="utf-8").splitlines()
    assert len([each for each in lines if "/query/crosstab" in each]) == requests


def test_a_recording_without_all_goes_without_and_says_so(
    client: al.Client, tmp_path: Path
) -> None:
    path = tmp_path / "all.audiencelab.jsonl"
    with client.recording(path):
        recorded = client.crosstab("sector", "gender")
    replayed = al.connect(snapshot=path).crosstab("sector", "gender")
    assert replayed.whole is not None
    np.testing.assert_array_equal(replayed.whole, recorded.whole)
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    kept = [each for each in lines if '"columns"' in each or "crosstab" not in each]
    assert len(kept) < len(lines)
    written = "".join(f"{each}\n" for each in kept)
    digest = hashlib.sha256(written.encode()).hexdigest()
    header = {**json.loads(first), "exchanges": len(kept), "sha256": digest}
    path.write_text(f"{json.dumps(header)}\n{written}", encoding="utf-8", newline="\n")
    without = al.connect(snapshot=path).crosstab("sector", "gender")
    pd.testing.assert_frame_equal(without.to_frame(), recorded.to_frame())
    assert without.whole is None
    assert "not recorded" in notes(without)[-1]


def test_rows_of_two_questions_are_compared_within_their_own_bases(client: al.Client) -> None:
    table = client.crosstab(["sector", "brands"], "gender")
    tested = table.test(vs="rows", within_groups=False).to_frame()
    of_sector = tested[tested["other"] == "brands_1"]
    assert of_sector["standard_error"].notna().all()
    assert set(of_sector["note"]) == {"on different bases"}


def test_coverage_trends_and_profiles_go_by_item(people: pd.DataFrame, client: al.Client) -> None:
    item = client["brands"] == "brands_2"
    found = client.coverage(item)
    assert (found.counted, found.whole) == (("wave_3",), ("wave_3",))
    either = client.coverage(client["brands"].any())
    assert either.mixed == ("wave_1", "wave_2")
    assert either.to_frame()["item"].unique().tolist() == ["", "brands_2"]
    trend = client.trend("brands")
    note = trend.to_frame().query("datapoint == 'brands_2'")["note"].tolist()
    assert note == ["not offered", "not offered", ""]
    assert trend["column"].loc["brands_2"].isna().tolist() == [True, True, False]
    line = client.profile(item, "sector").to_frame().set_index("datapoint_label").loc["public"]
    third = people[(people["wave"] == WAVES) & people["sector"].notna()]
    chosen = share(third[third["brands_2"] == 1], third["sector"] == "public")
    assert line["base_sample"] == len(third)
    assert line["index"] == pytest.approx(100 * chosen / share(third, third["sector"] == "public"))
    overlap = client.overlap(item, client["gender"] == "f")
    both = (people["wave"] == WAVES) & people["gender"].notna()
    assert overlap.base_sample == overlap.samples.sum() == both.sum()
    assert base_line(overlap) == "Base: those who answered, by question"


def test_each_table_of_a_tab_book_has_its_own_base(people: pd.DataFrame, client: al.Client) -> None:
    book = client.tab_book("gender", ["sector", "brands"])
    assert book["sector"].base_sample == people["sector"].notna().sum()
    assert book["brands"].row_values("base_sample").tolist() == [len(people), EACH]
    alone = client.crosstab("sector", "gender")
    np.testing.assert_allclose(
        book["sector"].row_values("row_base_percentage"), alone.row_values("row_base_percentage")
    )
    assert notes(book["brands"])[-1] == "brands_2: offered in 1 of 3 waves (wave 3)."


def test_what_is_wrong_in_a_query_is_named_whole(client: al.Client) -> None:
    with pytest.raises(InvalidRequest) as refused:
        client.crosstab([al.Q("sectr").any()], [al.Q("gendr").any()])
    assert "sectr" in str(refused.value)
    assert "gendr" in str(refused.value)

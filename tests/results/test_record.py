"""What a result is of: the source line, the record as JSON, and what differs from run to run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import audiencelab as al
from audiencelab.clock import counted_at
from audiencelab.results.record import UNKNOWN, Record, record_of, sourced, without_run
from audiencelab.schema.http import UNWEIGHTED

KNOWN: dict[str, Any] = {
    "survey": "survey kunden",
    "survey_version": "3a635e9d75aa",
    "audiencelab": "3.0.0",
    "asked_at": "2026-11-30T08:00:00+00:00",
}
STUDY = {"citation": "Müller (2025), Kundenbefragung.", "doi": "10.5281/zenodo.1"}


def test_the_line_names_survey_version_date_and_program() -> None:
    counted = "counted 2026-11-30 with audiencelab 3.0.0"
    assert sourced(KNOWN).line() == f"Source: survey kunden (version 3a635e9d), {counted}"
    assert sourced(KNOWN).line(short=True) == "Source: survey kunden (version 3a635e9d)"
    assert sourced({**KNOWN, "study": STUDY}).line() == (
        "Source: Müller (2025), Kundenbefragung, doi:10.5281/zenodo.1 "
        f"(survey kunden, version 3a635e9d), {counted}"
    )
    assert sourced({**KNOWN, "snapshot": "a b.json"}).line().endswith(", replayed from a b.json")
    assert sourced({"service": "https://example.com"}).line() == "Source: https://example.com"
    assert UNKNOWN.line() == ""


def test_a_doi_that_is_an_address_or_in_the_citation_is_written_once() -> None:
    cited = Record(citation="Müller, https://doi.org/10.1/x", doi="10.1/x")
    assert cited.line() == "Source: Müller, https://doi.org/10.1/x"
    assert Record(doi="https://doi.org/10.1/x").line() == "Source: https://doi.org/10.1/x"


def test_names_from_elsewhere_stay_on_the_line() -> None:
    hostile = sourced({"survey": "a\n<b>\x1b[1m", "study": {"citation": "x\r\ny"}})
    assert hostile.line() == "Source: x y (a <b>\ufffd[1m)"


@pytest.mark.parametrize(
    ("weight", "expected"), [("w", "w"), (UNWEIGHTED, None), ("", ""), (None, "")]
)
def test_no_weight_is_not_an_unknown_one(weight: str | None, expected: str | None) -> None:
    made = sourced({"weight": weight})
    assert made.weight == expected
    assert Record.from_dict(made.to_dict()) == made
    assert ("weight" in made.to_dict()) is (expected != "")


def test_a_record_is_read_back_and_unknown_names_are_left_out() -> None:
    made = sourced({**KNOWN, "study": STUDY, "waves": ["q1_2025"], "locations": ["s2_1"]})
    assert made.waves == ("Q1 2025",)
    assert Record.from_dict(json.loads(json.dumps({**made.to_dict(), "later": 1}))) == made


@pytest.mark.parametrize(
    "given",
    [
        None,
        [],
        {},
        {"format": "audiencelab-record"},
        {"format": "other", "version": 1},
        {"format": "audiencelab-record", "version": 1, "title": 3},
        {"format": "audiencelab-record", "version": 1, "title": None},
        {"format": "audiencelab-record", "version": 1, "title": ["a"]},
        {"format": "audiencelab-record", "version": 1, "waves": "Q1"},
        {"format": "audiencelab-record", "version": 1, "waves": [1]},
    ],
)
def test_anything_else_is_no_record(given: object) -> None:
    with pytest.raises(ValueError, match="record"):
        Record.from_dict(given)


def test_texts_are_equal_without_their_run() -> None:
    later = {**KNOWN, "asked_at": "2027-01-01T08:00:00+00:00", "audiencelab": "3.0.1.dev0+local.1"}
    for snapshot in ("", "autumn (2).json"):
        one, other = (
            sourced({**each, "snapshot": snapshot and f"{at}{snapshot}"})
            for at, each in enumerate((KNOWN, later))
        )
        for form in ("<div>{}</div>", "{}", "|{}|", "{}\nnext"):
            assert without_run(form.format(one.line())) == without_run(form.format(other.line()))
            assert without_run(form.format(one.line())) == form.format(one.line(short=True))
        as_json = [json.loads(without_run(json.dumps(each.to_dict()))) for each in (one, other)]
        assert as_json[0] == as_json[1]
        assert as_json[0]["survey"] == "survey kunden"
    assert without_run("counted 12 of 30") == "counted 12 of 30"
    assert without_run("Source: x (version 1)") != without_run("Source: x (version 2)")


def test_each_kind_of_result_has_one() -> None:
    client = al.connect()
    table = client.crosstab("Gender", "Age", waves="latest 2")
    record = record_of(table)
    assert (record.title, record.base) == ("Gender by Age", "all respondents")
    assert record.waves == ("Q3 2025", "Q4 2025")
    assert record.code.startswith("client.crosstab(")
    test = record_of(table.test())
    assert test.method.startswith("Two-sided t test")
    assert (test.base, test.waves) == (record.base, record.waves)
    waves = client.stats("Gender", splitter="waves", waves=["q1_2025", "q2_2025"])
    for each in (waves, waves.moving_average(2), client.mean("Age", waves="latest 2")):
        found = record_of(each)
        assert len(found.waves) == 2
        assert found.base
        assert found.survey_version == record.survey_version


def test_the_time_is_that_of_repeated_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    assert counted_at() == "2026-01-01T00:00:00+00:00"
    for wrong in ("today", "1e9", "9" * 30):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", wrong)
        with pytest.raises(ValueError, match="SOURCE_DATE_EPOCH"):
            counted_at()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "")
    assert counted_at() > "2026"


def test_every_display_has_the_record_and_the_line_of_what_it_shows() -> None:
    client = al.connect()
    scope: dict[str, Any] = {"waves": "latest 2"}
    women = client["Gender"] == "Female"
    table = client.crosstab("Gender", "Age", **scope)
    shown: list[Any] = [
        table,
        table.test(),
        client.crosstab([al.mean("Age")], "Gender", **scope).test(),
        client.stats("Gender", **scope),
        client.grid("Trust in sources", **scope),
        client.mean("Age", by="Gender", **scope),
        client.profile(women, ["Pets"], **scope),
        client.overlap([women, client["Age"] == "18 to 24"], **scope),
        client.turf("Pets", size=2, exclude="No pets", **scope),
        client.summary_table(["Gender"], by="Age", **scope),
        client.tab_book("Gender", ["Pets"], **scope),
        client.quantile_groups("Short video a day", 3, **scope),
        client.design_effects(table),
        client.stats("Gender", splitter="waves", **scope).moving_average(2),
    ]
    for result in shown:
        data, metadata = result._repr_mimebundle_()
        kind = type(result).__name__
        found = Record.from_dict(metadata["audiencelab"])
        assert found.title, kind
        assert found.waves == ("Q3 2025", "Q4 2025"), kind
        assert found.line() == metadata["audiencelab"]["line"], kind
        for form in {"text/html", "text/markdown"} & data.keys():
            assert found.line() in data[form], (kind, form)
            assert "Weighted" in data[form], (kind, form)


def test_a_table_without_a_weight_names_none(tmp_path: Path, own_cache: None) -> None:
    rows = ["a,b,w", *["x,u,1", "y,v,2", "x,v,1"] * 40]
    (tmp_path / "kunden.csv").write_text("\n".join(rows), encoding="utf-8")
    client = al.open(tmp_path / "kunden.csv", weight=None, quiet=True)
    answers = client["a"].audiences()
    shown: list[Any] = [
        client.crosstab("a", "b"),
        client.crosstab("a", "b").test(),
        client.stats("a"),
        client.overlap([*answers]),
        client.turf([*answers], size=1),
        client.mean("w") if "w" in client.catalogue else client.stats("b"),
    ]
    for result in shown:
        data, metadata = result._repr_mimebundle_()
        assert metadata["audiencelab"]["weight"] is None
        for form in data.values():
            if isinstance(form, str):
                assert "Weighted" not in form
        assert "Unweighted" in data["text/html"]
        assert "nweighted" in data["text/plain"]
    written = client.crosstab("a", "b").to_html(metrics=["size", "column"])
    assert "Weighted" not in written
    assert "Count" in written


def test_a_citation_of_many_authors_stays_whole(tmp_path: Path, own_cache: None) -> None:
    rows = ["a,b,w", *["x,u,1", "y,v,2", "x,v,1"] * 40]
    (tmp_path / "kunden.csv").write_text("\n".join(rows), encoding="utf-8")
    study = {"citation": ", ".join(["Müller"] * 110), "doi": "10.5281/zenodo.1"}
    client = al.open(tmp_path / "kunden.csv", weight=None, study=study, quiet=True)
    answers = client["a"].audiences()
    table = client.crosstab("a", "b")
    shown: list[Any] = [
        table,
        table.test(),
        client.stats("a"),
        client.mean("w"),
        client.profile(answers[0], ["b"]),
        client.overlap([*answers]),
        client.design_effects(table),
        client.tab_book("a", ["b"]),
        al.Crosstab(client, "a", "b").wait(),
    ]
    for result in shown:
        data, metadata = result._repr_mimebundle_()
        for form in {"text/html", "text/markdown"} & data.keys():
            assert metadata["audiencelab"]["line"] in data[form], (type(result).__name__, form)
        if saved := data.get("application/vnd.audiencelab.crosstab.v1+json"):
            assert saved["source"] == record_of(table).line(short=True)

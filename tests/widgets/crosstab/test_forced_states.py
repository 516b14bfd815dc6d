"""Limits and states that widgets meet rarely, forced by replacing one part of the package.

Messages as large as the limits take megabytes; a table of a million cells takes minutes.
"""

from __future__ import annotations

import gc
import io
import json
import time
import tracemalloc
from pathlib import Path

import pytest
from openpyxl import load_workbook

import audiencelab as al
from audiencelab.client import Client
from audiencelab.widgets import bundle
from audiencelab.widgets.bundle import BundleMissing
from audiencelab.widgets.crosstab import sending
from audiencelab.widgets.picker import QuestionPicker, catalogue
from tests.messages import fails
from tests.widgets.conftest import Wire
from tests.widgets.crosstab.conftest import Make
from tests.widgets.crosstab.grids import AGES, MEN, WOMEN, refused
from tests.widgets.crosstab.test_export import save
from tests.widgets.crosstab.test_formatting import BRANDS, ask_letters
from tests.widgets.picker.test_widget import pull
from tests.widgets.test_scope import who_counts

TIMEOUT = 60.0


def test_a_missing_bundle_error_names_the_build_command(
    wire: Wire, small_client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bundle, "STATIC", tmp_path)
    # Without what another test has read.
    monkeypatch.setattr(bundle, "_shelf", bundle._shelf.__wrapped__)
    with fails(BundleMissing):
        al.QuestionPicker(small_client)
    assert wire.messages == []


def test_a_service_of_another_make_counts_everyone(
    small_client: Client, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = type(small_client.sender.context)
    monkeypatch.setattr(context, "has_local", property(lambda _: False))
    assert who_counts(al.Crosstab(small_client, "Gender", "Age"))["fixed"]


def test_a_catalogue_is_sent_completely_in_parts_that_fit_a_message(
    wire: Wire, small_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "PART_BYTES", 5_000)
    parts = pull(wire, al.QuestionPicker(small_client))
    assert len(parts) > 3
    questions = [question for part in parts for question in part["questions"]]
    assert {part["total"] for part in parts} == {len(questions)}
    sent = {each["canonical"]: each for each in questions}
    for known in small_client.catalogue:
        assert sent[known.canonical]["datapoints"] == {
            "codes": [each.code for each in known.datapoints],
            "names": [each.name for each in known.datapoints],
        }
        assert sent[known.canonical]["suffixes"]["codes"] == [s.code for s in known.suffixes]


def test_a_picker_does_not_cache_the_catalogue_and_sends_it_again(
    wire: Wire, small_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "PART_BYTES", 5_000)
    pickers = [al.QuestionPicker(small_client) for _ in range(6)]
    # A second page, or one that was loaded again.
    sent = [pull(wire, pickers[0]) for _ in range(2)]
    assert sent[0] == sent[1]
    size = len(json.dumps(sent[0]))

    def grown(some: list[QuestionPicker]) -> int:
        wire.messages.clear()
        tracemalloc.start()
        try:
            for picker in some:
                pull(wire, picker)
            wire.messages.clear()
            gc.collect()
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    # Threads of other tests may allocate meanwhile: hardly in each of the three.
    assert min(grown(pickers[at : at + 2]) for at in (0, 2, 4)) < size


def test_a_table_that_was_quicker_than_the_workbench_is_remembered(
    small_client: Client, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(client: Client) -> QuestionPicker:
        time.sleep(0.5)  # Without it the grid is nearly always slower than the other parts.
        return QuestionPicker(client)

    monkeypatch.setattr("audiencelab.widgets.workbench.parts.QuestionPicker", late)
    workbench = al.Workbench(small_client, [WOMEN, MEN], AGES)
    workbench.grid.wait(TIMEOUT)
    assert workbench.shown == (workbench.value,)


def test_an_image_too_large_to_send_is_explained(
    make: Make, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    chart = make(AGES, [WOMEN]).linked_chart()
    monkeypatch.setattr("audiencelab.widgets.crosstab.charts.MESSAGE_LIMIT", 1_000)
    answer = wire.answer(wire.ask(chart, "chart")).content
    assert answer["error"]["message"] == ("This chart is too large to send: select fewer cells.")


def test_a_large_file_arrives_in_parts(
    make: Make, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "PART_BYTES", 1_000)
    grid = make(AGES, [WOMEN, MEN]).wait(TIMEOUT)
    data = save(wire, grid, "xlsx", list(range(6)), [0, 1])
    assert len(data) > 2_000
    assert load_workbook(io.BytesIO(data)).sheetnames == ["Table", "Source"]


def test_a_file_too_large_for_the_page_is_rejected_with_advice(
    make: Make, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "MAX_PAGE_CELLS", 3)
    grid = make(AGES, [WOMEN, MEN]).wait(TIMEOUT)
    words = refused(wire, grid, "export", format="xlsx", rows=[0, 1], columns=[0, 1])
    assert "grid.to_excel(path)" in words


def test_a_table_with_too_many_tests_is_rejected(
    wire: Wire, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = make(BRANDS, AGES).wait(TIMEOUT)
    pairs = len(BRANDS) * 15
    monkeypatch.setattr("audiencelab.widgets.crosstab.marks.MAX_TESTS", pairs - 1)
    assert f"{pairs} tests" in ask_letters(wire, grid, [0], [0]).header.no_letters
    assert any(mark for mark in grid.to_wide("letters").to_numpy().ravel())
    heads = make(BRANDS, {"Young": AGES[:3], "Old": AGES[3:]}).wait(TIMEOUT)
    monkeypatch.setattr("audiencelab.widgets.crosstab.marks.MAX_TESTS", len(BRANDS) * 6)
    assert ask_letters(wire, heads, [0], [0]).header.no_letters == ""

"""Columns of text: as they were given, in the order of respondents, and read by nobody else."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab.survey import (
    Survey,
    SurveyBuilder,
    SurveyError,
    SurveyWave,
    check_survey,
    derive,
)
from audiencelab.survey.derivations import Net, NetPoint
from audiencelab.survey.reweighted import weighted_by
from audiencelab.survey.texts import StoredText, Texts
from audiencelab.survey.update import Revision, all_waves, asked_questions, revise
from tests.messages import fails
from tests.survey.formats import accept, flip
from tests.survey.test_builder import CATALOGUE, WAVE

ALPHABETS = [
    "The tea was cold.", "Чай был холодный", "Το τσάι ήταν κρύο", "الشاي بارد", "התה היה קר",
    "お茶が冷たかった", "茶是凉的", "차가 식었어요", "चाय ठंडी थी", "ชาเย็นแล้ว", "", None,
    "👩‍👩‍👧 \x00 <b onclick=alert(1)>&amp;</b> =1+1\r\n\tlast",
]  # fmt: skip
WHERE = np.array([2, 0, 1, -1, 2, 0, 1, 0, 0, 2, 1, 1, 0])
SORTED = [1, 5, 7, 8, 12, 2, 6, 10, 11, 0, 4, 9, 3]
LATER = SurveyWave("w2", "Second", date(2024, 4, 1), date(2024, 6, 30))
YOUNG = Net(code="net", name="Net", question="one", datapoints=(NetPoint("Any", ("one_1",)),))


def built(path: Path, **options: Any) -> Survey:
    with SurveyBuilder(path, CATALOGUE, **options) as builder:
        builder.add_wave(
            WAVE,
            np.ones(13),
            {"where": WHERE, "one": np.arange(13) % 4},
            other_weights={"some": np.where(np.arange(13) % 2, 2.0, np.nan)},
            texts={"q9/../other": Texts.of(ALPHABETS), "id": Texts.of(map(str, range(13)))},
        )
        builder.add_wave(LATER, np.ones(2), {"where": np.array([1, 0])})
        return builder.finish()


def texts_of(survey: Survey, name: str = "q9/../other", wave: str = "w1") -> list[str | None]:
    found = survey.wave(wave).text(name)
    assert found is not None
    return found.to_list()


@given(st.lists(st.none() | st.text(), max_size=40), st.randoms())
def test_any_text_comes_back_in_any_order(values: list[str | None], random: Any) -> None:
    texts = Texts.of(values)
    order = list(range(len(values)))
    random.shuffle(order)
    assert texts.to_list() == values
    assert texts.ordered(np.array(order, int)).to_list() == [values[each] for each in order]
    assert texts.missing.tolist() == [each is None for each in values]


def test_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    assert Texts.of(["a\ud800b"]).to_list() == ["a?b"]


def test_texts_are_sorted_as_their_respondents_are(tmp_path: Path) -> None:
    survey = built(tmp_path / "s", texts=[StoredText("id", is_key=True)])
    assert texts_of(survey) == [ALPHABETS[each] for each in SORTED]
    assert texts_of(survey, "id") == [str(each) for each in SORTED]
    assert survey.texts == (StoredText("id", is_key=True), StoredText("q9/../other"))
    assert survey.wave("w2").text_names == ()
    assert survey.wave("w2").text("id") is None
    assert survey.wave("w1").text("no such") is None
    assert check_survey(survey).sound


def test_parts_and_other_weights_have_the_texts_of_their_respondents(tmp_path: Path) -> None:
    survey = built(tmp_path / "s")
    found = texts_of(weighted_by(survey, "some"), "id")
    assert found == [str(each) for each in SORTED if each % 2]
    n = 150
    with SurveyBuilder(tmp_path / "long", CATALOGUE) as builder:
        texts = {"id": Texts.of(map(str, range(n)))}
        builder.add_wave(WAVE, np.ones(n), {"where": np.zeros(n, int)}, texts=texts)
        long = builder.finish()
    part = long.part("w1", 1, 3).text("id")
    assert part is not None
    assert part.to_list() == [str(each) for each in range(64, 150)]


def test_text_of_a_survey_elsewhere_is_fetched_when_it_is_asked_for(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    survey = built(tmp_path / "s")
    memory = fsspec.filesystem("memory")
    memory.put(str(survey.path), "/texts", recursive=True)
    found = Survey.open("memory://texts")
    wave = found.wave("w1")
    assert wave.question("one") is not None
    assert texts_of(found) == texts_of(survey)
    memory.rm("/texts/text", recursive=True)
    # Without its text the survey answers as before.
    assert Survey.open("memory://texts").wave("w1").question("one") is not None
    with fails(SurveyError):
        wave.text("id")


def test_a_new_version_keeps_texts_and_may_change_them(tmp_path: Path) -> None:
    survey = built(tmp_path / "s", texts=[StoredText("id", is_key=True)])
    kept = texts_of(survey)
    survey = derive(survey, YOUNG)
    assert (texts_of(survey), [each.name for each in survey.texts]) == (kept, ["id", "q9/../other"])

    def plan(current: Survey) -> Revision:
        made = Revision(asked_questions(current), current.derived, all_waves(current))
        new = {"id": None, "coded": Texts.of(["x"] * 13)}
        return replace(made, texts={"w1": new}, described=(StoredText("coded", "Codes"),))

    changed = revise(survey.path, plan)
    assert changed.texts == (StoredText("q9/../other"), StoredText("coded", "Codes"))
    assert texts_of(changed) == kept
    assert texts_of(changed, "coded") == ["x"] * 13
    # The object of the old version never reads files of the new one.
    with fails(SurveyError):
        texts_of(survey)


@contextmanager
def umask(value: int) -> Generator[None]:
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no modes")
@pytest.mark.parametrize("mask", [0o000, 0o077, 0o022])
def test_only_its_owner_may_read_the_text(tmp_path: Path, mask: int) -> None:
    with umask(mask):
        path = built(tmp_path / "s").path
        path.chmod(0o755)
        # The next version is as open as the one before; its text is not.
        built(path, replace=True)
    modes = {
        each.relative_to(path).parts[0]: stat.S_IMODE(each.stat().st_mode)
        for each in path.rglob("*")
        if each.is_file()
    }
    assert modes["panel.json"] == 0o644
    assert modes["text"] == 0o600
    folders = [path / "text", path / "text" / "w1"]
    assert [stat.S_IMODE(each.stat().st_mode) for each in folders] == [0o700, 0o700]


def test_a_copy_without_the_folder_of_text_is_a_survey(tmp_path: Path) -> None:
    survey = built(tmp_path / "s")
    copy = tmp_path / "copy"
    shutil.copytree(survey.path, copy, ignore=shutil.ignore_patterns("text"))
    found = Survey.open(copy)
    assert (found.texts, found.wave("w1").text_names) == ((), ())
    assert found.seal == survey.seal
    found.verify()
    assert check_survey(found).sound
    assert derive(found, YOUNG).texts == ()


def test_a_survey_of_another_user_answers_without_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = built(tmp_path / "s")
    wave, read = survey.wave("w1"), Path.read_bytes

    def refused(path: Path) -> bytes:
        if "text" in path.parts:
            raise PermissionError(13, "Permission denied")
        return read(path)

    def may_read(path: Path, mode: int) -> bool:
        return "text" not in path.parts

    # Whoever runs the tests may read everything, as a rule.
    monkeypatch.setattr(os, "access", may_read)
    monkeypatch.setattr(Path, "read_bytes", refused)
    with fails(SurveyError):
        wave.text("id")
    found = Survey.open(survey.path)
    found.verify()
    assert found.wave("w1").question("one") is not None
    assert check_survey(found).sound


@pytest.mark.parametrize("name", ["1.npy", "1-lengths.npy"])
def test_damaged_text_is_found(tmp_path: Path, name: str) -> None:
    survey = built(tmp_path / "s")
    path = survey.path / "text" / "w1" / name
    flip(path, -1)
    with fails(SurveyError):
        texts_of(survey)
    assert survey.changed_files() == [f"text/w1/{name}"]
    assert not check_survey(survey).sound
    # A file that its manifest takes for its own, and that is of other respondents.
    np.save(path, np.zeros(3, np.load(path).dtype))
    accept(survey.path, f"text/w1/{name}")
    with fails(SurveyError):
        texts_of(Survey.open(survey.path))


def test_text_that_is_not_utf8_is_a_finding(tmp_path: Path) -> None:
    with SurveyBuilder(tmp_path / "s", CATALOGUE) as builder:
        odd = Texts(np.array([1, 0], np.int32), np.array([255], np.uint8))
        answers = {"where": np.zeros(2, int)}
        builder.add_wave(WAVE, np.ones(2), answers, texts={"q9": odd})
        found = check_survey(builder.finish())
    assert [(each.where, each.detail) for each in found.findings if each.matters] == [
        ("w1, text q9", "it is not valid UTF-8")
    ]


def test_a_column_of_another_length_is_refused(tmp_path: Path) -> None:
    with (
        fails(SurveyError),
        SurveyBuilder(tmp_path / "s", CATALOGUE) as builder,
    ):
        texts = {"q9": Texts.of(["a", "b", "c"])}
        builder.add_packed_wave(WAVE, np.ones(2), {}, texts=texts)


def test_texts_are_not_shown_by_what_holds_them(tmp_path: Path) -> None:
    survey = built(tmp_path / "s")
    wave = survey.wave("w1")
    shown = "".join(map(repr, [survey, survey.manifest, wave, wave.text("id"), survey.texts]))
    assert "cold" not in shown

"""SPSS files made record by record: damaged ones do not end this process, sound ones are read."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

from audiencelab import connect
from audiencelab.ingest import draft_codebook, import_survey, readers
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers import open_file
from audiencelab.survey import SourceError

UTF8, LATIN, KOI8 = 65001, 1252, 20866
OPEN_IN_CHILD = readers._open_in_child  # before the fixture of this folder replaces it


def spss_file(
    path: Path,
    values: list[bytes],
    *,
    order: str = "<",
    encoding: int = UTF8,
    labelled: tuple[int, ...] = (4,),
) -> Path:
    """A file without rows: a number A, the text L of two records, a text B at the fourth place."""

    def numbers(*found: int) -> bytes:
        return struct.pack(f"{order}{len(found)}i", *found)

    def variable(width: int, name: str, label: bytes = b"", missing: int = 0) -> bytes:
        form = (1 << 16 | 8 << 8) if width else (5 << 16 | 8 << 8)
        said = numbers(len(label)) + label.ljust(-len(label) % 4 + len(label)) if label else b""
        start = numbers(2, width, bool(label), missing, form, form)
        return start + name.encode().ljust(8) + said + bytes(8 * abs(missing))

    header = b"$FL2" + b" " * 60 + numbers(2, 4, 0, 0, 0) + struct.pack(f"{order}d", 100.0)
    header += b"01 Jan 2600:00:00".ljust(17) + b" " * 64 + bytes(3)
    labels = b"".join(value + b"\x05Label  " for value in values)
    path.write_bytes(
        header
        + variable(0, "A", b"A label", -2)
        + variable(16, "L")
        + numbers(2, -1, 0, 0, 0, 0)
        + b" " * 8
        + variable(8, "B")
        + numbers(3, len(values))
        + labels
        + numbers(4, len(labelled), *labelled)
        + numbers(6, 1)
        + b"A note".ljust(80)
        + numbers(7, 3, 4, 8, 26, 0, 0, -1, 1, 1, 2 if order == "<" else 1, encoding)
        + numbers(999, 0)
    )
    return path


def number(value: float, order: str = "<") -> bytes:
    return struct.pack(f"{order}d", value)


def refusal(path: Path) -> str:
    with pytest.raises(SourceError) as caught:
        open_file(path, Source())
    return str(caught.value)


@pytest.fixture
def in_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read files in another process, which may crash."""
    monkeypatch.setattr(readers, "_open_in_child", OPEN_IN_CHILD)


@pytest.mark.usefixtures("in_child")
@pytest.mark.parametrize("order", "<>")
def test_a_file_that_crashes_the_library_is_refused(tmp_path: Path, order: str) -> None:
    """Labels of a text column for values that are not text."""
    path = spss_file(tmp_path / "damaged.sav", [b"\xfcber    "], order=order)
    assert refusal(path).startswith(f"{path}: cannot be read: the library for such files crashes")
    assert 'encoding = "windows-1252"' in refusal(path)
    latin = Source(encoding="windows-1252")
    assert open_file(path, latin).variables["B"].labels == {"\xfcber": "Label"}


@pytest.mark.usefixtures("in_child")
def test_columns_without_names_are_refused(tmp_path: Path) -> None:
    path = spss_file(tmp_path / "nameless.sav", [b"ja      "])
    path.write_bytes(path.read_bytes().replace(b"A       ", b"\xff       "))
    assert "a column has no name" in refusal(path)


@pytest.mark.parametrize("order", "<>")
def test_sound_labels_are_read_in_either_order_of_bytes(tmp_path: Path, order: str) -> None:
    path = tmp_path / "sound.sav"
    values = [b"ja      ", "für".encode().ljust(8), b"cut  \xc3".ljust(8)]
    spss_file(path, values, order=order)
    assert open_file(path, Source()).variables["B"].labels == {
        "ja": "Label",
        "für": "Label",
        "cut": "Label",
    }
    spss_file(path, [b"f\xfcr".ljust(8)], order=order, encoding=LATIN)
    assert open_file(path, Source()).variables["B"].labels == {"für": "Label"}
    spss_file(path, ["да\0а".encode("koi8_r").ljust(8)], order=order, encoding=KOI8)
    assert open_file(path, Source()).variables["B"].labels == {"да": "Label"}
    spss_file(path, [number(1, order)], order=order, labelled=(1,))
    assert open_file(path, Source()).variables["A"].labels == {"1": "Label"}


@pytest.mark.parametrize("name", ["survey.sav", "survey.zsav"])
def test_the_weight_that_an_spss_file_declares_is_known(tmp_path: Path, name: str) -> None:
    path = written_by_pspp(tmp_path / name, "WEIGHT BY a_long_weight.")
    assert open_file(path, Source()).declared_weight == "a_long_weight"
    path = written_by_pspp(tmp_path / name, "WEIGHT OFF.")
    assert open_file(path, Source()).declared_weight == ""


def written_by_pspp(path: Path, weighting: str) -> Path:
    """As `SAVE` of PSPP 1.6.2 writes it; the weight stands behind a text of several records."""
    if not (pspp := shutil.which("pspp")):
        pytest.skip("PSPP is not installed")
    form = "ZCOMPRESSED" if path.suffix == ".zsav" else "COMPRESSED"
    syntax = f"""DATA LIST LIST /a_long_text (A300) a_long_wide (F2) a_long_weight (F4.1).
BEGIN DATA
"x" 1 0.5
"y" 2 2.5
"z" 1 5.5
END DATA.
{weighting}
SAVE OUTFILE='{path}' /{form}.
"""
    subprocess.run([pspp, "-"], input=syntax, text=True, check=True, capture_output=True)
    return path


def test_a_declared_weight_without_a_long_name_and_in_either_order_of_bytes(tmp_path: Path) -> None:
    for order in "<>":
        path = spss_file(tmp_path / "short.sav", [], order=order)
        octets = bytearray(path.read_bytes())
        octets[76:80] = struct.pack(f"{order}i", 1)
        path.write_bytes(octets)
        assert open_file(path, Source()).declared_weight == "A"
        octets[76:80] = struct.pack(f"{order}i", 2)
        path.write_bytes(octets)
        assert open_file(path, Source()).declared_weight == "", "a text weighs nobody"


def test_an_import_weighs_by_what_the_spss_file_declares(tmp_path: Path) -> None:
    """FREQUENCIES of PSPP 1.6.2 for the same values and WEIGHT BY fx: Yes 6, No 2.5."""
    path = tmp_path / "weighted.sav"
    answers = pd.DataFrame({"q": [1, 1, 1, 2, 2], "fx": [3, 2.5, 0.5, 1, 1.5]})
    pyreadstat.write_sav(answers, path, variable_value_labels={"q": {1: "Yes", 2: "No"}})
    octets = bytearray(path.read_bytes())
    octets[76:80] = struct.pack("<i", 2)
    path.write_bytes(octets)
    import_survey([path], draft_codebook(path).codebook, tmp_path / "survey")
    with connect(survey=tmp_path / "survey") as client:
        frame = client.stats("q").to_frame()
    assert frame["size"].tolist() == [6, 2.5]


@pytest.mark.parametrize("width", [1, 8, 9, 255, 256, 300, 600, 1_000])
def test_a_weight_after_a_text_of_any_width(tmp_path: Path, width: int) -> None:
    path = tmp_path / "wide.sav"
    frame: Any = pd.DataFrame({"text": ["x" * width], "fx": [2.0]})
    pyreadstat.write_sav(frame, path)
    octets = bytearray(path.read_bytes())
    size = struct.unpack_from("<i", octets, 68)[0]
    octets[76:80] = struct.pack("<i", size)
    path.write_bytes(octets)
    assert open_file(path, Source()).declared_weight == "fx"

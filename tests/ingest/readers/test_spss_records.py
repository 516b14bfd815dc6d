"""SPSS files whose text columns have labels for what is no text are refused; all others are read.

The files are made record by record, since no program writes such a one.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

from audiencelab import connect
from audiencelab.ingest import draft_codebook, import_survey
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers import open_file
from audiencelab.ingest.readers.spss_records import labels_of_no_text
from tests.surveys.data import MRSETS

UTF8, LATIN, KOI8 = 65001, 1252, 20866

OPENED = """
import sys
from pathlib import Path
from audiencelab.survey import SourceError
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers import open_file
try:
    print(dict(open_file(Path(sys.argv[1]), Source()).variables["B"].labels))
except SourceError as error:
    print(error)
"""


def opened(path: Path) -> str:
    """What opening a file says, in a process of its own: it may end there."""
    done = subprocess.run(
        [sys.executable, "-c", OPENED, str(path)], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, f"the process ended with {done.returncode}"
    return done.stdout.strip()


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


def test_labels_of_numbers_at_a_text_column_are_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "damaged.sav"
    for labelled in ((4,), (1, 4)):
        said = opened(spss_file(path, [number(1), number(2)], labelled=labelled))
        assert said.startswith(f"{path}, column B: holds texts, and its labels are for values")
        assert "Save the file again in SPSS or PSPP" in said
    assert "values that are no texts" in opened(spss_file(path, [number(1)], labelled=(9,)))
    assert "values that are no texts" in opened(spss_file(path, [b"\xfcber    "], order=">"))


@pytest.mark.parametrize("packed", [False, True])
def test_a_column_of_numbers_that_a_byte_makes_a_text_is_refused(
    tmp_path: Path, packed: bool
) -> None:
    path = tmp_path / ("damaged.zsav" if packed else "damaged.sav")
    frame: Any = pd.DataFrame({"B": [1.0, 2.0]})
    pyreadstat.write_sav(
        frame, path, variable_value_labels={"B": {1: "a", 2: "b"}}, compress=packed
    )
    octets = bytearray(path.read_bytes())
    octets[180] = 1
    path.write_bytes(octets)
    assert "column B: holds texts" in opened(path)


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


@pytest.mark.parametrize(
    ("encoding", "value"),
    [(51932, b"A A\x81\xdc\x81A\x81"), (54936, b"A \x81\xc5\x81 A\x00"), (950, b"  A \x00 AA")],
)
def test_labels_in_letters_that_are_none_do_not_end_the_process(
    tmp_path: Path, encoding: int, value: bytes
) -> None:
    """Whether they can be read is another matter: what reads them knows other codes than Python."""
    opened(spss_file(tmp_path / "damaged.sav", [value], encoding=encoding))


def test_columns_without_names_are_refused_in_words(tmp_path: Path) -> None:
    path = spss_file(tmp_path / "nameless.sav", [b"ja      "])
    path.write_bytes(path.read_bytes().replace(b"A       ", b"\xff       "))
    assert "a column has no name" in opened(path)
    octets = path.read_bytes()
    for name in (b"L       ", b"B       "):
        octets = octets.replace(name, b"\xff       ")
    path.write_bytes(octets)
    assert "cannot be read: it is damaged, and reading it ended with a TypeError." in opened(path)


def test_the_encoding_of_the_codebook_counts(tmp_path: Path) -> None:
    path = spss_file(tmp_path / "latin.sav", [b"f\xfcr".ljust(8)])
    assert labels_of_no_text(path, None) == "B"
    assert open_file(path, Source(encoding="windows-1252")).variables["B"].labels == {
        "für": "Label"
    }


def test_what_is_no_dictionary_is_left_to_the_library(tmp_path: Path) -> None:
    path = spss_file(tmp_path / "cut.sav", [number(1)])
    octets = path.read_bytes()
    assert labels_of_no_text(path, None) == "B"
    for size in range(len(octets) - 4):
        path.write_bytes(octets[:size])
        assert labels_of_no_text(path, None) is None, size
    path.write_bytes(octets[:176] + b"\xff" * 4_000)
    assert labels_of_no_text(path, None) is None


def test_real_files_and_long_texts_with_labels_are_read(tmp_path: Path) -> None:
    path = tmp_path / "long.sav"
    texts = {"short": "ä", "long": "x" * 40, "longer": "y" * 1_000}
    frame: Any = pd.DataFrame(
        {name: [text, ""] for name, text in texts.items()} | {"n": [1.0, 2.0]}
    )
    labels: Any = {name: {text: "Labelled"} for name, text in texts.items()}
    pyreadstat.write_sav(frame, path, variable_value_labels=labels | {"n": {1.0: "One"}})
    assert open_file(path, Source()).header == ("short", "long", "longer", "n")
    for real in (path, MRSETS):
        assert labels_of_no_text(real, None) is None, real


def test_of_letters_in_codes_that_nobody_knows_an_end_is_no_text(tmp_path: Path) -> None:
    unknown = 99_999
    path = spss_file(tmp_path / "unknown.sav", [b"ja      "], encoding=unknown)
    assert labels_of_no_text(path, None) is None
    assert labels_of_no_text(spss_file(path, [number(1)], encoding=unknown), None) == "B"


def test_labels_without_columns_are_no_dictionary(tmp_path: Path) -> None:
    path = spss_file(tmp_path / "damaged.sav", [number(1)])
    octets = path.read_bytes()
    columns, other = struct.pack("<iii", 4, 1, 4), struct.pack("<iii", 5, 1, 4)
    assert octets.count(columns) == 1
    path.write_bytes(octets.replace(columns, other))
    assert labels_of_no_text(path, None) is None


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
    assert frame["positive_size"].tolist() == [6, 2.5]

"""Small files that unpack to huge ones: each is refused by name, or read in bounded memory."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

from audiencelab.ingest import draft_codebook
from audiencelab.survey.errors import SourceError, SurveyError

pytestmark = pytest.mark.slow

MEGABYTE = 1 << 20

# As a stranger's process would be watched: how much memory it ever had.
READ = """\
import resource, sys
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers import open_file
from audiencelab.ingest.tables import Progress
from pathlib import Path
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for piece in open_file(Path(sys.argv[1]), Source()).pieces(["id", "q"], Progress()):
    pass
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def packed(path: Path, head: bytes, block: bytes, megabytes: int) -> Path:
    """A gzipped file of a head and so much of a block; members of gzip follow one another."""
    member = gzip.compress(block * (MEGABYTE // len(block)))
    path.write_bytes(gzip.compress(head) + member * megabytes)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(SourceError) as caught:
        draft_codebook(path)
    return str(caught.value)


@pytest.mark.parametrize("head", [b"", b"id,q\n1,"], ids=["header", "cell"])
@pytest.mark.parametrize("block", [b"a", b",", b"\0"])
def test_a_line_without_an_end(tmp_path: Path, head: bytes, block: bytes) -> None:
    path = packed(tmp_path / "line.csv.gz", head, block, 1_000)
    assert path.stat().st_size < 2 * MEGABYTE
    assert "a line of more than 8,388,608 bytes" in refusal(path)


def test_rows_without_an_end(tmp_path: Path) -> None:
    path = packed(tmp_path / "rows.csv.gz", b"id,q\n", b"1,2\n", 300)
    assert "over 500 times its size" in refusal(path)


def test_what_is_packed_as_people_pack_it_is_read(tmp_path: Path) -> None:
    path = packed(tmp_path / "small.csv.gz", b"id,q\n", b"1,2\n", 3)
    assert path.stat().st_size * 100 < 3 * MEGABYTE
    assert draft_codebook(path).codebook.questions


def test_more_rows_than_a_file_of_its_size_can_have(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    column = pa.array(np.zeros(15_000_000, np.int8))
    table = pa.table({"q": column})
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        for _ in range(4):
            writer.write_table(table, row_group_size=len(column))
    assert "60,000,000 rows in" in refusal(path)


def test_rows_of_long_texts_in_a_small_spss_file(tmp_path: Path) -> None:
    """As many as it says: they would be 9 GB."""
    path = tmp_path / "texts.zsav"
    frame: Any = pd.DataFrame({"q": ["x" * 32_767] * 30})
    pyreadstat.write_sav(frame, path, compress=True)
    with pytest.raises(SurveyError, match="longer than any answer"):
        draft_codebook(path)
    octets = bytearray(path.read_bytes())
    octets[80:84] = (300_000).to_bytes(4, "little")
    path.write_bytes(octets)
    assert path.stat().st_size < MEGABYTE
    assert "more than 268,435,456 bytes, over 500 times its size" in refusal(path)


def test_a_long_text_in_many_rows_is_held_once(tmp_path: Path) -> None:
    """Written out it would be 16 GB."""
    path = tmp_path / "dictionary.parquet"
    texts = pa.array(["x" * (8 * MEGABYTE)])
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(2_000, np.int32)), texts)
    pq.write_table(pa.table({"id": np.arange(2_000), "q": column}), path, compression="zstd")
    assert path.stat().st_size < MEGABYTE
    ran = subprocess.run(
        [sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True
    )
    assert int(ran.stdout) < 500

"""Files that nobody would wish for: each is imported as it should be, or refused in words."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

from audiencelab.cli.advice import in_options
from audiencelab.ingest import Draft, Progress, draft_codebook, from_frame, import_survey
from audiencelab.ingest.codebook import Source, WeightColumn
from audiencelab.ingest.readers import open_file
from audiencelab.ingest.readers.csv_dialect import dialect_of
from audiencelab.ingest.sources import Sources
from audiencelab.survey import SourceError, Survey, SurveyError
from tests.ingest.sources import write
from tests.messages import fails
from tests.survey.counting import counts_by_name as counts

LONG = "w" * 10_000


def drafted(folder: Path, octets: str | bytes, name: str = "odd.csv") -> tuple[Draft, Survey]:
    """What a file is taken for, and the survey of it."""
    path = folder / name
    path.write_bytes(octets if isinstance(octets, bytes) else octets.encode())
    draft = draft_codebook(path)
    return draft, import_survey([path], draft.codebook, folder / "survey")


def names(draft: Draft) -> list[str]:
    return [question.name for question in draft.codebook.questions]


def test_a_header_and_a_value_of_ten_thousand_letters(tmp_path: Path) -> None:
    rows = "".join(f"{place % 2},{LONG}\n" for place in range(20))
    draft, survey = drafted(tmp_path, f"{LONG},text\n{rows}")
    assert names(draft) == [LONG]
    assert counts(survey, LONG) == {"0": 10, "1": 10}
    assert draft.left_out == {"text": "free text: some of it is longer than any answer"}


def test_columns_of_one_name_are_all_read_and_the_report_says_how(tmp_path: Path) -> None:
    draft, survey = drafted(tmp_path, "a,b,a (2),a,,\n1,2,3,4,,\n1,1,1,5,,\n")
    assert names(draft) == ["a", "b", "a (2)", "a (3)"]
    assert [counts(survey, each.code) for each in draft.codebook.questions] == [
        {"1": 2}, {"1": 1, "2": 1}, {"1": 1, "3": 1}, {"4": 1, "5": 1},
    ]  # fmt: skip
    assert draft.left_out == {"": "no values", "(no name) (2)": "no values"}
    note = "odd.csv: 2 columns are named 'a'; they are read as a, a (3)"
    assert note in draft.reasons[""]
    assert survey.import_report is not None
    assert note in survey.import_report["notes"]


def test_an_accent_is_part_of_its_letter_however_it_is_written(tmp_path: Path) -> None:
    draft, survey = drafted(tmp_path, "drink\nCaf\u00e9\nCafe\u0301\nTea\nTea\n")
    assert [point.name for point in draft.codebook.questions[0].points] == ["Caf\u00e9", "Tea"]
    assert counts(survey, "drink") == {"Caf\u00e9": 2, "Tea": 2}


def arrow_table() -> Any:
    """Columns of one name, one of them ordered."""
    level = pa.array(["low", "high"]).dictionary_encode()
    arrays = [pa.array(["x", "y"]), pa.array([1, 2]), pa.array(["p", "q"]), level]
    return pa.Table.from_arrays(arrays, names=["Q1", "Q1", "Q1", "level"])


def pandas_frame() -> Any:
    frame = arrow_table().to_pandas(split_blocks=True)
    frame.columns = ["Q1", "Q1", "Q1", "level"]
    return frame


def written_as(form: str, path: Path) -> Any:
    if form == "pandas":
        return pandas_frame()
    if form == "arrow":
        return arrow_table()
    path = path.with_suffix(f".{form}")
    if form == "parquet":
        pq.write_table(arrow_table(), path)
    elif form == "feather":
        feather.write_feather(arrow_table(), path)
    else:
        getattr(pandas_frame(), f"to_{form.replace('xlsx', 'excel')}")(path, index=False)
    return path


@pytest.mark.parametrize("form", ["csv", "xlsx", "parquet", "feather", "pandas", "arrow"])
def test_columns_of_one_name_are_read_in_every_format_that_may_have_them(
    form: str, tmp_path: Path
) -> None:
    sources = Sources.open(written_as(form, tmp_path / "odd"))
    assert sources.names == ["Q1", "Q1 (2)", "Q1 (3)", "level"]
    [table] = sources.read_all()
    expected = [("x", "y"), ("1", "2"), ("p", "q"), ("low", "high")]
    assert [each.values for each in table.columns.values()] == expected
    assert sources.notes == [
        f"{table.name}: 3 columns are named 'Q1'; they are read as Q1, Q1 (2), Q1 (3)"
    ]


@pytest.mark.parametrize("name", ["odd.csv", "odd.csv.gz", "odd.tsv"])
@pytest.mark.parametrize("declared", ["sep=;\n", '\ufeff"SEP=;"\r\n'])
def test_a_first_line_that_names_the_delimiter_is_not_the_header(
    name: str, declared: str, tmp_path: Path
) -> None:
    text = f"{declared}a, b, c;q\n1;x\n2;y\n1;x\n"
    path = write(tmp_path, name, text)
    for options in (dialect_of([path]), Source()):
        [table] = Sources.open(path, options).read_all()
        columns = {each: column.values for each, column in table.columns.items()}
        assert columns == {"a, b, c": ("1", "2"), "q": ("x", "y")}
        assert table.rows == 3
    path = write(tmp_path, name, text + "1;x;z\n")
    with fails(SourceError):
        Sources.open(path).read_all()


def test_names_that_differ_by_case_alone_are_two_columns(tmp_path: Path) -> None:
    _, survey = drafted(tmp_path, "sex,Sex\n1,2\n1,1\n")
    assert counts(survey, "sex") == {"1": 2}
    assert counts(survey, "Sex") == {"1": 1, "2": 1}


@pytest.mark.parametrize("octets", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_a_file_of_nothing_says_so(tmp_path: Path, octets: bytes) -> None:
    with fails(SourceError):
        drafted(tmp_path, octets)


@pytest.mark.parametrize("octets", ["a,b\n", "a,b\n,\n,\n"])
def test_a_file_without_a_value_says_so(tmp_path: Path, octets: str) -> None:
    with fails(SurveyError):
        drafted(tmp_path, octets)


@pytest.mark.parametrize("suffix", ["sav", "dta", "xpt", "sas7bdat", "parquet", "feather"])
def test_a_file_of_no_bytes_is_named(tmp_path: Path, suffix: str) -> None:
    with fails(SourceError):
        drafted(tmp_path, b"", f"odd.{suffix}")


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8-sig", None),
        ("utf-16", "utf-16"),
        ("windows-1252", "windows-1252"),
    ],
)
def test_encodings_are_found_out(tmp_path: Path, encoding: str, said: str) -> None:
    draft, survey = drafted(tmp_path, "city,b\nZürich,1\n“Bern”,2\n€uro,1\n".encode(encoding))
    assert draft.codebook.source.encoding == said
    assert counts(survey, "city") == {"Zürich": 1, "“Bern”": 1, "€uro": 1}


def test_a_codebook_that_takes_utf16_for_utf8_is_told(tmp_path: Path) -> None:
    source = tmp_path / "odd.csv"
    source.write_bytes("a,b\n1,2\n".encode("utf-16-le"))
    codebook = write(tmp_path, "c.toml", '[[questions]]\ncode = "a"\nname = "A"\ncolumn = "a"\n')
    with fails(SourceError):
        import_survey([source], codebook, tmp_path / "survey")


@pytest.mark.parametrize("line", ["\r\n", "\r"])
def test_lines_may_end_as_they_like(tmp_path: Path, line: str) -> None:
    _, survey = drafted(tmp_path, line.join(["a,b", "1,2", "2,2", ""]))
    assert counts(survey, "b") == {"2": 2}


def test_values_of_all_kinds_in_one_column_are_texts(tmp_path: Path) -> None:
    draft, survey = drafted(tmp_path, "a,b\n1,x\ntwo,\n3.5,x\n2024-01-01,x\n1.0,x\n")
    assert counts(survey, "a") == {"1": 2, "3.5": 1, "2024-01-01": 1, "two": 1}
    assert draft.left_out == {}


def test_one_respondent_is_a_survey(tmp_path: Path) -> None:
    _, survey = drafted(tmp_path, "a,b\nyes,2\n")
    assert survey.waves[0].respondents == 1
    assert counts(survey, "a") == {"yes": 1}


def test_signs_that_mean_something_elsewhere_mean_nothing_here(tmp_path: Path) -> None:
    draft, survey = drafted(tmp_path, '=cmd()|x,<script>,"a\nb",质问😀\n1,2,1,1\n2,1,1,1\n')
    assert names(draft) == ["=cmd()|x", "<script>", "a\nb", "质问😀"]
    codes = [question.code for question in survey.catalogue.questions][:-1]
    assert codes == ["cmd_x", "script", "a_b", "question"]


def weighed(*values: Any) -> str:
    """Thirty respondents with weights of their own, the first ones as given."""
    rows = [*values, *(1 + place / 10 for place in range(30 - len(values)))]
    return "a,weight\n" + "".join(f"{place % 3},{value}\n" for place, value in enumerate(rows))


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("-1", "it holds -1, which cannot be a weight"),
        ("1e300", "it holds 1e+300, which cannot be a weight"),
        ("inf", "it holds 'inf', which is not a number"),
        ("heavy", "it holds 'heavy', which is not a number"),
        ("0", r"1 of 30 respondents (3.3%) weigh 0"),
        ("NaN", r"1 of 30 respondents (3.3%) have none"),
        ("", r"1 of 30 respondents (3.3%) have none"),
    ],
)
def test_a_bad_cell_in_the_weight_stops_the_draft(tmp_path: Path, value: str, why: str) -> None:
    path = write(tmp_path, "odd.csv", weighed(value))
    with pytest.raises(SurveyError, match=re.escape(f"\n  weight: {why}")) as caught:
        draft_codebook(path)
    option = "--weight weight" if value == "0" else "--no-weight"
    assert in_options(str(caught.value)).endswith(f"Write {option}.")
    assert "weight=None" in str(caught.value)
    unweighted = draft_codebook(path, weight=None)
    assert unweighted.codebook.weight is None
    survey = import_survey([path], unweighted.codebook, tmp_path / "survey")
    assert survey.wave("w1").size == 30


@pytest.mark.parametrize("value", ["-1", "1e300", "inf", "heavy"])
def test_a_bad_cell_in_a_weight_that_was_asked_for_is_named(tmp_path: Path, value: str) -> None:
    path = write(tmp_path, "odd.csv", weighed(value))
    with fails(SourceError) as caught:
        draft_codebook(path, weight="weight")
    assert "1 of 30 respondents (3.3%) have a value that is not a number" in str(caught.value)
    assert str(caught.value).endswith("Write al.open(…, weight=None).")
    codebook = draft_codebook(path, weight=None).codebook
    weighted = replace(codebook, weight=WeightColumn("weight"))
    with fails(SourceError):
        import_survey([path], weighted, tmp_path / "survey")


@pytest.mark.parametrize(("value", "respondents"), [("0", 30), ("NaN", 29), ("", 29)])
def test_a_weight_of_0_stays_and_none_is_dropped(
    tmp_path: Path, value: str, respondents: int
) -> None:
    path = write(tmp_path, "odd.csv", weighed(value))
    draft = draft_codebook(path, weight="weight")
    survey = import_survey([path], draft.codebook, tmp_path / "survey")
    assert survey.waves[0].respondents == respondents
    assert survey.wave("w1").size == pytest.approx(sum(1 + n / 10 for n in range(29)))


def test_numbers_with_decimal_commas(tmp_path: Path) -> None:
    halves = [n % 4 + 1 for n in range(1, 60)]
    rows = "".join(
        f"{n % 3};{half // 2},{half % 2 * 5};{n % 40},25\n" for n, half in enumerate(halves, 1)
    )
    draft, survey = drafted(tmp_path, "a;weight;hours\n" + rows)
    source = draft.codebook.source
    assert (source.delimiter, source.decimal) == (";", ",")
    assert draft.codebook.weight is not None
    assert survey.wave("w1").size == sum(halves) / 2
    hours = draft.codebook.questions[1].datapoints
    assert all(band.is_band for band in hours)
    assert sum(counts(survey, "hours").values()) == 59
    untold = draft.to_toml().replace('decimal = ","', "")
    with fails(SourceError):
        import_survey([tmp_path / "odd.csv"], write(tmp_path, "c.toml", untold), tmp_path / "other")


def test_lists_of_codes_with_commas_are_no_decimal_numbers(tmp_path: Path) -> None:
    draft, survey = drafted(tmp_path, "a;b\n1,2,3;1\n1;2\n2,3;1\n")
    assert draft.codebook.source.decimal == "."
    assert counts(survey, "a") == {"1": 2, "2": 2, "3": 2}


def test_letters_that_windows_does_not_know_are_those_of_latin_1(tmp_path: Path) -> None:
    draft, survey = drafted(tmp_path, b"a,b\ncaf\xe9,\x81\nth\xe9,\x81\n")
    assert draft.codebook.source.encoding == "latin-1"
    assert counts(survey, "a") == {"café": 1, "thé": 1}


def test_a_text_longer_than_any_answer_hides_no_delimiter(tmp_path: Path) -> None:
    draft, survey = drafted(tmp_path, f"a;b\n1;{'x' * 200_000}\n2;y\n")
    assert (draft.codebook.source.delimiter, draft.codebook.source.decimal) == (";", ".")
    assert counts(survey, "a") == {"1": 1, "2": 1}


@pytest.mark.parametrize("library", [pd, pl])
def test_lists_in_cells_are_a_multiple_question(tmp_path: Path, library: Any) -> None:
    cells = [[1, 3], [3], [], None, [1, 2, 3]]
    frame: Any = library.DataFrame({"brands": cells, "sex": [1, 2, 1, 2, 1]})
    path = tmp_path / "lists.parquet"
    table = pa.table(frame) if library is pl else pa.Table.from_pandas(frame)
    pq.write_table(table, path)
    draft = draft_codebook(path)
    brands = draft.codebook.questions[0]
    assert (brands.kind, brands.separator) == ("multiple", ";")
    survey = import_survey([path], draft.codebook, tmp_path / "survey")
    assert counts(survey, "brands") == {"1": 2, "2": 1, "3": 3}
    found = survey.wave("w1").question("brands")
    assert found is not None
    assert int(found.asked[0]).bit_count() == 4, "an empty list was asked, no list was not"


def test_text_that_is_no_utf_8_in_a_columnar_file_names_the_file(tmp_path: Path) -> None:
    broken = pa.array([b"S\xc3", b"North"]).cast(pa.string(), safe=False)
    path = tmp_path / "odd.parquet"
    pq.write_table(pa.table({"town": broken.view(pa.string())}), path)
    with fails(SourceError):
        draft_codebook(path)


def test_an_arrow_file_with_damaged_offsets_is_refused_before_they_are_followed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "odd.feather"
    pd.DataFrame({"town": ["North", "South"] * 4}).to_feather(path, compression="uncompressed")
    octets = path.read_bytes()
    place = octets.rindex(b"NorthSouth")
    # The last offset before the text, in the padding of eight octets.
    offsets = octets.rindex((40).to_bytes(4, "little"), 0, place)
    path.write_bytes(octets[:offsets] + b"\xff\xff\xff\x7f" + octets[offsets + 4 :])
    with fails(SourceError):
        draft_codebook(path)


@pytest.mark.parametrize("cut", [1, 10, 60])
def test_a_packed_file_that_is_cut_within_odd_letters_is_told_as_cut(
    tmp_path: Path, cut: int
) -> None:
    odd = np.random.default_rng(5).integers(0xE0, 0xFF, 400, np.uint8).tobytes()
    packed = gzip.compress(b"town,b\n" + odd)
    with fails(SourceError):
        drafted(tmp_path, packed[:-cut], "odd.csv.gz")


def test_values_of_a_structure_stop_nothing(tmp_path: Path) -> None:
    path = tmp_path / "nested.parquet"
    pq.write_table(pa.table({"sex": [1, 2, 1], "deep": [{"x": 1}, {"x": 2}, None]}), path)
    draft = draft_codebook(path)
    assert counts(import_survey([path], draft.codebook, tmp_path / "survey"), "sex") == {
        "1": 2,
        "2": 1,
    }


def test_thousands_of_columns_are_thousands_of_questions(tmp_path: Path) -> None:
    n = 3_000
    frame = pd.DataFrame({f"c{place}x": np.arange(40) % 4 for place in range(n)})
    draft = draft_codebook(frame)
    survey = from_frame(frame, draft.codebook, tmp_path / "survey")
    assert len(survey.catalogue.questions) == n + 1
    assert counts(survey, "c2999x") == dict.fromkeys("0123", 10)


def test_a_file_of_which_no_column_is_wanted_has_its_rows(tmp_path: Path) -> None:
    file = open_file(write(tmp_path, "odd.csv", 'a,b\n1,"two\nlines"\n\n2,2\n\n'), Source())
    assert list(file.pieces([], Progress())) == []
    assert file.rows == 2


def test_a_file_of_which_no_column_is_wanted_is_named_where_it_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv.gz"
    whole = gzip.compress(b"a,b\n" + b"".join(b"%d,2\n" % number for number in range(50_000)))
    path.write_bytes(whole[: len(whole) // 2])
    file = open_file(path, Source())
    with fails(SourceError):
        list(file.pieces([], Progress()))

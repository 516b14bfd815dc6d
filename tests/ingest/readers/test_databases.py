"""Queries of databases, through Arrow or a frame, are counted as the database counts them."""

from __future__ import annotations

import sqlite3
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import audiencelab as al
from audiencelab.ingest import draft_codebook, from_frame
from audiencelab.survey import SourceError, SurveyError
from tests.messages import fails

ROWS = 240


@pytest.fixture(scope="module")
def duck() -> duckdb.DuckDBPyConnection:
    found = duckdb.connect()
    found.sql("create type often as enum ('Sundays', 'Mondays', 'Fridays')")
    found.sql(
        f"""create table answers as select
            uuid() as id,
            case i % 3 when 0 then 'Woman' when 1 then 'Man' end as sex,
            (0.5 + (i % 11) / 10)::decimal(8, 4) as weight,
            (['Sundays', 'Mondays', 'Fridays'])[1 + i % 3]::often as often,
            case i % 5 when 0 then ['Alba', 'Brio'] when 1 then ['Brio'] when 2 then []
                       when 3 then null else ['Cima, new', 'Alba'] end as brands,
            case i % 7 when 0 then null else i % 2 = 0 end as owner,
            (i % 4 + 0.5)::decimal(12, 2) as hours,
            timestamptz '2024-01-01 23:30+00' + interval (i) hour as taken_at
        from range({ROWS}) t(i)"""
    )
    return found


def crosstab(client: al.Client) -> dict[tuple[str, str], tuple[int, float]]:
    """Of brands by sex: respondents, and the sum of their weights."""
    cells = client.crosstab("brands", "sex").to_frame().to_dict("records")
    return {
        (str(each["row"]), str(each["column"])): (int(each["sample"]), round(each["size"], 6))
        for each in cells
        if each["column"] in ("Man", "Woman")
    }


FORMS = {
    "a relation": lambda query: query,
    "a reader": lambda query: query.to_arrow_reader(),
    "a table": lambda query: query.to_arrow_table(),
    "pandas": lambda query: query.df(),
    "polars": lambda query: query.pl(),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_query_of_duckdb_is_counted_as_duckdb_counts_it(
    duck: duckdb.DuckDBPyConnection, form: str
) -> None:
    client = al.open(FORMS[form](duck.sql("select * from answers order by taken_at")), quiet=True)
    counted = duck.sql(
        "select brand, sex, count(*), sum(weight) from answers, unnest(brands) as b(brand) "
        "where sex is not null group by all"
    ).fetchall()
    assert crosstab(client) == {(b, s): (n, float(weight)) for b, s, n, weight in counted}
    for code, column in (("owner", "owner"), ("hours", "hours::double::varchar")):
        marginals = client.with_options(weight=None).crosstab(code).to_frame()
        found = dict(zip(marginals["row"], marginals["sample"], strict=True))
        rows = duck.sql(
            f"select {column}, count(*) from answers where {code} is not null group by 1"
        )
        expected = {str(value).lower(): count for value, count in rows.fetchall()}
        assert {name: found[name] for name in expected} == expected
    codes = {question.code for question in client.catalogue}
    assert codes == {"sex", "often", "brands", "owner", "hours", "location"}


@pytest.mark.parametrize("form", ["a relation", "pandas"])
def test_an_enum_of_duckdb_keeps_its_order(duck: duckdb.DuckDBPyConnection, form: str) -> None:
    client = al.open(FORMS[form](duck.sql("select often, sex from answers")), quiet=True)
    names = [point.name for point in client.catalogue["often"].datapoints]
    assert names == ["Sundays", "Mondays", "Fridays"]


def test_a_query_runs_once(duck: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    duck.sql("create or replace sequence run")
    query = duck.sql("select sex, nextval('run') as number from answers")
    draft_codebook(duck.sql("select sex from answers")).save(tmp_path / "survey.toml")
    al.open(query, codebook=tmp_path / "survey.toml", quiet=True)
    assert duck.sql("select currval('run')").fetchall() == [(ROWS,)]


def test_a_reader_that_was_read_is_refused(duck: duckdb.DuckDBPyConnection) -> None:
    reader = duck.sql("select sex from answers").to_arrow_reader()
    al.open(reader, quiet=True)
    with fails(SourceError):
        al.open(reader, quiet=True)


@pytest.fixture(scope="module")
def lite() -> sqlite3.Connection:
    found = sqlite3.connect(":memory:")
    found.execute("create table answers(id integer, sex text, weight numeric, day date, tea bool)")
    rows = [
        (i, (None, "Woman", "Man")[i % 3], 0.5 + i % 11 / 10, f"2024-{1 + i % 12:02}-05", i % 2)
        for i in range(ROWS)
    ]
    found.executemany("insert into answers values (?, ?, ?, ?, ?)", rows)
    return found


READERS = {"pandas": pd.read_sql, "polars": pl.read_database}


@pytest.mark.parametrize("library", READERS)
def test_a_query_of_sqlite_is_counted_as_sqlite_counts_it(
    lite: sqlite3.Connection, library: str
) -> None:
    read: Any = READERS[library]
    client = al.open(read("select * from answers", lite), weight="weight", quiet=True)
    cells = client.crosstab("tea", "sex").to_frame().to_dict("records")
    found = {
        (each["row"], each["column"]): (each["sample"], round(each["size"], 6))
        for each in cells
        if each["column"] in ("Man", "Woman")
    }
    counted = lite.execute(
        "select cast(tea as text), sex, count(*), round(sum(weight), 6) from answers "
        "where sex is not null group by 1, 2"
    )
    assert found == {(tea, sex): (n, weight) for tea, sex, n, weight in counted}


def extension(kind: Any, values: list[Any], stored: Any) -> pa.Array:
    return pa.ExtensionArray.from_storage(kind, pa.array(values, stored))


def of_postgres(name: str, stored: Any) -> Any:
    return pa.opaque(stored, name, "PostgreSQL")


def test_types_that_databases_add_to_arrow_are_read() -> None:
    """As ADBC sends columns of PostgreSQL of the types uuid, numeric, jsonb and inet."""
    ids = [uuid.UUID(int=i).bytes for i in range(40)]
    table = pa.table(
        {
            "id": extension(pa.uuid(), ids, pa.binary(16)),
            "hours": extension(
                of_postgres("numeric", pa.string()),
                ["2.00", "2.50", None, "10.00"] * 10,
                pa.string(),
            ),
            "brands": extension(
                pa.json_(pa.string()),
                ['["Alba", "Brio"]', "[]", '["Brio"]', "null"] * 10,
                pa.string(),
            ),
            "seat": extension(
                pa.json_(pa.string()), ['{"a": 1}', '"Aisle"', '{"a": 1}', "3"] * 10, pa.string()
            ),
            "address": extension(of_postgres("inet", pa.binary()), [b"\x02\x00"] * 40, pa.binary()),
        }
    )
    for frame in (table, table.to_pandas(types_mapper=pd.ArrowDtype)):
        client = al.open(frame, quiet=True)
        answers = {
            question.code: [point.name for point in question.datapoints]
            for question in client.catalogue
        }
        assert answers["hours"] == ["2", "2.5", "10"]
        assert answers["brands"] == ["Alba", "Brio"]
        assert answers["seat"] == ["3", "Aisle", '{"a": 1}']
        counted = client.crosstab("brands").to_frame()
        assert counted["sample"].tolist()[-2:] == [10, 20]
        assert "id" not in answers
        assert "address" not in answers


def test_columns_of_arrow_in_pandas_are_those_of_arrow(tmp_path: Path) -> None:
    table = pa.table({"x": [[1, 3], [3], [], None], "y": [1.5, 2.0, None, 1.5]})
    for name, frame in (("pandas", table.to_pandas(types_mapper=pd.ArrowDtype)), ("arrow", table)):
        draft = draft_codebook(frame)
        made = from_frame(frame, draft.codebook, tmp_path / name)
        points = {each.code: [p.name for p in each.datapoints] for each in made.catalogue.questions}
        assert (points["x"], points["y"]) == (["1", "3"], ["1.5", "2"])


def test_objects_in_a_frame_of_polars_are_texts_and_not_addresses() -> None:
    cells = pl.Series([Decimal("2.50"), {1, 2}, None, Decimal("2.50")], dtype=pl.Object)
    client = al.open(pl.DataFrame({"x": cells, "sex": ["f", "m", "f", "m"]}), quiet=True)
    assert "2.5" in [point.name for point in client.catalogue["x"].datapoints]


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_bytes_of_any_kind_are_read(kind: Any) -> None:
    cells = pd.Series([kind(b"Alba"), kind(b"Brio"), None, kind(b"Alba")], dtype=object)
    client = al.open(pd.DataFrame({"x": cells}), quiet=True)
    assert [point.name for point in client.catalogue["x"].datapoints] == ["Alba", "Brio"]


def test_cursors_and_rows_are_refused_with_what_they_make(lite: sqlite3.Connection) -> None:
    with fails(SurveyError):
        al.open(lite.execute("select sex from answers"))
    with fails(SurveyError):
        al.open(lite.execute("select sex from answers").fetchall())
    with fails(SurveyError):
        al.open(duckdb.connect().execute("select 1 as x"))

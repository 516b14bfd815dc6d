"""Codebooks of DDI with the data beside them: figures equal to a count by pandas."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.readers.ddi import read_ddi
from audiencelab.survey.errors import SourceError, SurveyError
from tests.ingest import ddi_files
from tests.ingest.ddi_files import CPS, USA, Var, codebook_xml, extract, lines_of
from tests.messages import fails

Extract = Callable[[str, str], Path]


@pytest.fixture(scope="module")
def cps() -> pd.DataFrame:
    return ddi_files.cps()


@pytest.fixture(scope="module")
def usa() -> pd.DataFrame:
    return ddi_files.usa()


def read_again(path: Path, variables: tuple[Var, ...]) -> pd.DataFrame:
    """The lines as pandas reads them, with decimal points."""
    widths = [each.width for each in variables]
    names = [each.name for each in variables]
    found = pd.read_fwf(path, widths=widths, names=names, compression="infer")
    return found / pd.Series({each.name: 10**each.decimals for each in variables})


def shares(client: al.Client, question: str, weight: str | None) -> dict[str, float]:
    shown = client.crosstab(question, weight=weight).to_frame()
    return dict(zip(shown["row"], shown["size"], strict=True))


# ---- an extract of the CPS: lines of text, gzipped ----


@pytest.mark.parametrize("opened", ["cps_1.xml", "cps_1.dat.gz"])
def test_an_extract_has_the_figures_of_its_lines(
    opened: str, cps: pd.DataFrame, tmp_path: Path
) -> None:
    extract(tmp_path, "cps_1", cps, CPS)
    truth = read_again(tmp_path / "cps_1.dat.gz", CPS)
    pd.testing.assert_frame_equal(truth, cps[truth.columns].astype(float), rtol=1e-12)
    client = al.open(tmp_path / opened, weight="ASECWT", quiet=True)
    labels = {0: "NIU or no schooling", 73: "High school diploma", 111: "Bachelor's degree"}
    counted = truth[truth.EDUC.isin(labels)].groupby("EDUC").ASECWT.sum()
    assert shares(client, "EDUC", "ASECWT") == pytest.approx(
        {label: counted[code] for code, label in labels.items()}
    )
    wide = client.crosstab("HEALTH", "STATEFIP").to_wide("sample")
    expected = pd.crosstab(truth.HEALTH, truth.STATEFIP)
    assert wide.iloc[:, -2:].to_numpy().tolist() == expected.to_numpy().tolist()


def test_an_income_outside_the_universe_is_no_income(cps: pd.DataFrame, tmp_path: Path) -> None:
    path = extract(tmp_path, "cps_1", cps, CPS)
    client = al.open(path, weight="ASECWT", quiet=True)
    known = cps[cps.INCTOT < 999_999_998]
    assert len(known) < 0.8 * len(cps)
    mean = client.crosstab([al.mean("INCTOT")]).to_frame()["value"][0]
    assert mean == pytest.approx((known.INCTOT * known.ASECWT).sum() / known.ASECWT.sum())
    drafted = draft_codebook(path, weight="ASECWT")
    said = " ".join(drafted.reasons["source"])
    assert "not asked: 1 'NIU or blank', 999999999 'N.I.U.'" in said
    assert "asked, no answer: 999 'Missing/Unknown', 999999998 'Missing'" in said
    [by_label] = [each for each in drafted.guesses if each.said.startswith("codes labelled")]
    assert by_label.said == "codes labelled 'NIU or blank', 'Missing/Unknown' are not answers"
    [doubt] = [
        each for each in drafted.guesses if each.about == "EDUC" and each.subject == "missing"
    ]
    assert doubt.said.startswith("'NIU or no schooling' (")


def test_weights_with_implied_decimals_are_listed_and_none_is_taken(
    cps: pd.DataFrame, tmp_path: Path
) -> None:
    path = extract(tmp_path, "cps_1", cps, CPS)
    drafted = draft_codebook(path, strict=False)
    assert drafted.codebook.weight is None
    first, *others = [each for each in drafted.guesses if each.about == "weight"]
    assert first.code == 'al.open(…, weight="ASECWT")'
    assert [each.said.split(":")[0] for each in others] == ["or ASECWTH", "or ASECWT"]
    assert f"about {cps.ASECWT.mean():,.0f} on average" in others[1].said
    left_out = draft_codebook(path, weight="ASECWT").left_out
    assert left_out["REPWTP1"] == "a replicate weight"
    assert left_out["SERIAL"] == left_out["PERNUM"] == "an identification"
    drafted = draft_codebook(
        path, weight="ASECWT", replicates="REPWTP*", replicate_method="successive difference"
    )
    assert len(drafted.codebook.design.replicates) == 10


def test_a_draft_can_be_imported_and_has_the_labels(cps: pd.DataFrame, tmp_path: Path) -> None:
    path = extract(tmp_path, "cps_1", cps, CPS)
    draft_codebook(path, weight="ASECWT").save(tmp_path / "survey.toml")
    client = al.open(path, codebook=tmp_path / "survey.toml", quiet=True)
    assert client["EDUC"].name == "Educational attainment"
    sizes = shares(client, "STATEFIP", "ASECWT")
    assert sizes == pytest.approx(
        {
            "Alabama": cps.ASECWT[cps["STATEFIP"] == 1].sum(),
            "California": cps.ASECWT[cps["STATEFIP"] == 6].sum(),
        }
    )


# ---- an extract of USA: CSV, and lines that are not packed ----


@pytest.mark.parametrize("suffix", [".csv.gz", ".txt"])
def test_a_table_and_lines_of_one_codebook_are_alike(
    suffix: str, usa: pd.DataFrame, tmp_path: Path
) -> None:
    path = extract(tmp_path, "usa_1", usa, USA, suffix)
    client = al.open(path, quiet=True)
    two = usa[usa.YEAR == 2005]
    shown = client.crosstab("EMPSTAT", waves="2005").to_frame()
    assert dict(zip(shown["row"], shown["size"], strict=True)) == pytest.approx(
        {
            name: two.PERWT[two["EMPSTAT"] == code].sum()
            for code, name in ((1, "Employed"), (2, "Not"))
        }
    )
    assert set(shares(client, "SPEAKENG", "PERWT")) == {"Does not speak", "Yes"}


def test_codes_in_coding_instructions_are_no_amounts(usa: pd.DataFrame, tmp_path: Path) -> None:
    path = extract(tmp_path, "usa_1", usa, USA)
    client = al.open(path, weight=None, quiet=True)
    two = usa[usa["YEAR"] == 2005]
    mean = client.crosstab([al.mean("BMI")], waves="2005").to_frame()["value"][0]
    assert mean == pytest.approx(two.BMI[(two.BMI > 0) & (two.BMI < 99)].mean())
    mean = client.crosstab([al.mean("VIG10FWK")], waves="2005").to_frame()["value"][0]
    assert mean == pytest.approx(two.VIG10FWK[(two.VIG10FWK > 0) & (two.VIG10FWK < 94)].mean())
    book = draft_codebook(path, weight=None)
    by_code = {each.code: each for each in book.codebook.questions}
    exercise = {point.name: point.value for point in by_code["VIG10FWK"].datapoints}
    assert (exercise["Never"], exercise["Less than once per week"]) == (95, 94)
    assert not {"Unknown-refused", "Not in Universe"} & exercise.keys()
    # 0 means N/A in one of many samples alone, and is shown with both means.
    [doubt] = [
        each for each in book.guesses if each.about == "VALUEH" and each.subject == "missing"
    ]
    assert doubt.said.startswith("0 (")
    assert doubt.code == 'al.open(…, missing={"VALUEH": [0]})'


def test_a_folder_with_an_extract_is_one_survey(usa: pd.DataFrame, tmp_path: Path) -> None:
    extract(tmp_path, "usa_1", usa, USA, ".dat.gz")
    (tmp_path / "readme.txt").write_text("a note")
    client = al.open(tmp_path, weight=None, quiet=True)
    assert (
        client.crosstab("EMPSTAT", waves="all", base_of="everyone").to_frame()["sample"].sum() > 0
    )


def test_other_data_beside_the_same_codebook_are_imported_again(
    usa: pd.DataFrame, tmp_path: Path
) -> None:
    for rows in (usa, usa.iloc[:500]):
        path = extract(tmp_path, "usa_1", rows, USA, ".dat")
        client = al.open(path, weight=None, quiet=True)
        shown = client.crosstab("REGION", waves="2005").to_frame()
        assert shown["sample"].sum() == (rows.YEAR == 2005).sum()


# ---- labels= ----


def test_a_codebook_labels_data_of_any_form(usa: pd.DataFrame, tmp_path: Path) -> None:
    book = tmp_path / "codebook.xml"
    book.write_text(codebook_xml(USA, "elsewhere.dat"), "utf-8")
    usa.to_csv(tmp_path / "answers.csv", index=False)
    (tmp_path / "ICPSR_1.txt").write_text(lines_of(usa, USA))
    expected = usa[usa.YEAR == 2005].EMPSTAT.value_counts()
    for source in (usa, tmp_path / "ICPSR_1.txt"):
        client = al.open(source, labels=book, weight=None, quiet=True)
        shown = client.crosstab("Employment", waves="2005").to_frame()
        assert shown["sample"].tolist() == [expected[1], expected[2]]
        assert shown["row"].tolist() == ["Employed", "Not"]
    drafted = draft_codebook(tmp_path / "answers.csv", labels=book, weight=None)
    assert [each.name for each in drafted.codebook.questions] == [each.label for each in USA[2:]]


def test_codes_with_zeros_in_front_are_those_of_the_codebook(tmp_path: Path) -> None:
    book = tmp_path / "people.xml"
    sysmiss = '<catgry missing="Y"><catValu> Sysmiss </catValu></catgry>'
    sex = Var("SEX", 2, "Sex", categories={"1": "Man", "2": "Woman", "9": "Unknown"}, extra=sysmiss)
    book.write_text(codebook_xml([sex], "people.sav"))
    (tmp_path / "people.csv").write_text("SEX\n" + "01\n02\n02\n09\n" * 9)
    for source, labels in ((book, None), (tmp_path / "people.csv", book)):
        shown = al.open(source, labels=labels, quiet=True).crosstab("SEX").to_frame()
        assert dict(zip(shown["row"], shown["sample"], strict=True)) == {"Man": 9, "Woman": 18}
    [guess] = [
        each for each in draft_codebook(tmp_path / "people.csv").guesses if each.subject == "labels"
    ]
    assert guess.code == f"al.open({str(book)!r})"


@pytest.mark.parametrize("declared", ["category", "item", "range"])
def test_a_missing_code_without_its_decimal_point_is_that_of_the_lines(
    declared: str, tmp_path: Path
) -> None:
    book = tmp_path / "hours.xml"
    extra = {
        "category": "<catgry missing='Y'><catValu>9997</catValu><labl>NA</labl></catgry>",
        "item": "<invalrng><item VALUE='9997'/></invalrng>",
        "range": "<invalrng><range min='9997' max='9999'/></invalrng>",
    }[declared]
    hours = Var("HOURS", 4, "Hours", decimals=1, extra=extra)
    book.write_text(codebook_xml([hours], "hours.dat"))
    (tmp_path / "hours.dat").write_text(" 350\n 400\n9997\n" * 9)
    [found] = al.open(book, quiet=True).stats("HOURS").averages().to_dict("records")
    assert (found["mean"], found["answered_sample"]) == (37.5, 18)


def test_a_given_code_without_its_decimal_point_is_that_of_the_lines(tmp_path: Path) -> None:
    book = tmp_path / "hours.xml"
    hours = Var("HOURS", 4, "Hours", decimals=1, categories={"9999": "On call"})
    book.write_text(codebook_xml([hours], "hours.dat"))
    (tmp_path / "hours.dat").write_text(" 350\n 400\n 450\n9999\n" * 9)
    client = al.open(book, missing={"HOURS": [9999]}, quiet=True)
    [found] = client.stats("HOURS").averages().to_dict("records")
    assert (found["mean"], found["answered_sample"]) == (40, 27)


def test_codes_that_a_codebook_does_not_list_are_told(tmp_path: Path) -> None:
    book = tmp_path / "people.xml"
    sex = Var("SEX", 1, "Sex", categories={"1": "Man", "2": "Woman"})
    # The ends of a scale have labels, and what is between them has none.
    trust = Var("TRUST", 1, "Trust", categories={"0": "None", "4": "Full"})
    book.write_text(codebook_xml([sex, trust], "people.dat"))
    (tmp_path / "people.dat").write_text("10\n21\n14\n33\n" * 9)
    found = [each for each in draft_codebook(book).guesses if each.subject == "codes"]
    said = "9 of 36 rows have '3', which people.xml does not list"
    assert [(each.about, each.said) for each in found] == [("SEX", said)]
    (tmp_path / "people.dat").write_text("30\n41\n34\n33\n" * 9)
    with fails(SourceError):
        draft_codebook(book)


def test_the_part_of_a_codebook_with_most_of_the_columns_is_taken(tmp_path: Path) -> None:
    parts = [
        codebook_xml([Var("id", 3), Var("q", 1, label, categories={"1": answer})], f"{name}.sav")
        .replace("F1", name)
        .partition("</stdyDscr>")[2]
        for name, label, answer in (("hh", "House", "Stone"), ("person", "Sex", "Woman"))
    ]
    files = "".join(part[: part.index("<dataDscr>")] for part in parts)
    variables = "".join(
        part[part.index("<dataDscr>") + 10 : part.index("</dataDscr>")] for part in parts
    )
    extra = Var("age", 2, "Age of person")
    last = ddi_files.var_xml(extra, 0).replace("F1", "person")
    book = tmp_path / "study.xml"
    book.write_text(
        f'<codeBook xmlns="http://www.icpsr.umich.edu/DDI" version="1.2.2">{files}'
        f"<dataDscr>{variables}{last}</dataDscr></codeBook>"
    )
    people = pd.DataFrame({"id": range(60), "q": [1] * 60, "age": [30] * 60})
    drafted = draft_codebook(people, labels=book)
    assert [each.name for each in drafted.codebook.questions] == ["Sex", "Age of person"]
    people.to_csv(tmp_path / "person.csv", index=False)
    people.to_csv(tmp_path / "hh.csv", index=False)
    with fails(SurveyError):
        al.open(book)


# ---- forms of archives ----


@pytest.mark.parametrize(
    "namespace",
    [
        "ddi:codebook:2_5",
        "http://www.icpsr.umich.edu/DDI",
        "http://www.icpsr.umich.edu/ddi/v2.1",
        "",
    ],
)
def test_all_that_a_codebook_declares_is_read(namespace: str, tmp_path: Path) -> None:
    variables = [
        Var(
            "Q1",
            2,
            "Satisfied",
            categories={"1": "Yes", "2": "No", "8": "Don't know", "9": "Refused", "-1": "Inap."},
            missing=["9"],
            extra="<qstn><preQTxt>Now</preQTxt><qstnLit>\n Are you\n satisfied? </qstnLit></qstn>"
            "<universe>Adults</universe><universe>Adults</universe>"
            '<invalrng><range UNITS="INT" max="-1"/><item VALUE="7"/></invalrng>',
            attributes='intrvl="discrete" nature="nominal" wgt-var="W2"',
        ),
        Var("NAME", 5, "Name", kind="character", categories={"01": "One", ".": "x"}),
        Var("W1", 3, "Weight", attributes='wgt="wgt"'),
        Var("W2", 3, "Weight of adults", attributes='wgt="wgt"'),
    ]
    path = tmp_path / "book.xml"
    path.write_text(codebook_xml(variables, "x.tab", title="My study", namespace=namespace))
    book = read_ddi(path)
    first, name, *_ = book.fields
    assert book.title == "My study"
    variable = first.variable
    assert (variable.label, variable.text) == ("Satisfied", "Are you satisfied?")
    assert (variable.universe, variable.measure) == ("Adults", "nominal")
    assert variable.labels["8"] == "Don't know"
    # What declares missing codes declares all of them, but for those who were not asked.
    assert variable.missing == {"7", "9", "-1"}
    assert variable.missing_ranges == ((float("-inf"), -1),)
    assert name.variable.labels == {"01": "One", ".": "x"}
    frame = pd.DataFrame({"Q1": [1, 2, 9] * 20, "W1": [2.5, 1, 1] * 20, "W2": [1, 2.5, 1] * 20})
    drafted = draft_codebook(frame, labels=path)
    assert drafted.codebook.weight is not None
    assert drafted.codebook.weight.column == "W2"
    [question] = drafted.codebook.questions
    assert (question.name, question.universe) == ("Satisfied", "Adults")


def test_several_declared_weights_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "book.xml"
    names = ("KA", "KB")
    variables = [Var(name, 3, attributes='wgt="wgt"') for name in names]
    path.write_text(codebook_xml([Var("Q1", 1), *variables], "x.tab"))
    frame = pd.DataFrame({"Q1": [1, 2] * 20, "KA": [0.5, 1.5] * 20, "KB": [1.5, 0.5] * 20})
    drafted = draft_codebook(frame, labels=path, strict=False)
    said = [each.said for each in drafted.guesses if each.about == "weight"]
    assert said[0] == "no weight, all weigh 1: several weights are declared"
    assert [each[:5] for each in said[1:]] == ["or KA", "or KB"]


def test_widths_alone_place_each_column_after_the_other(tmp_path: Path) -> None:
    text = codebook_xml([Var("A", 2), Var("B", 3)], "x.dat")
    for start, end in ((1, 2), (3, 5)):
        text = text.replace(f'StartPos="{start}" EndPos="{end}"', "")
    (tmp_path / "x.xml").write_text(text)
    (tmp_path / "x.dat").write_text("01002\n" * 30 + "02017\n" * 30)
    shown = al.open(tmp_path / "x.xml", quiet=True).crosstab("B").to_frame()
    assert dict(zip(shown["row"], shown["sample"], strict=True)) == {"2": 30, "17": 30}


# ---- what is wrong with the files ----


def broken(folder: Path, data: str, *changes: tuple[str, str]) -> Path:
    """A codebook of a column of two digits, some of its text replaced, and data beside it."""
    path, text = folder / "x.xml", codebook_xml([Var("AGE", 2, "Age")], "x.dat")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)
    (folder / "x.dat").write_text(data)
    return path


SECOND_LINE = '</var><var name="B"><location StartPos="1" EndPos="1" RecSegNo="2"/></var>'
WRONG: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "beyond": ("01\n02\n", (('EndPos="2"', 'EndPos="5"'),)),
    "letters": ("01\n\n02\nA1\n", ()),
    "levels": (
        "01\n",
        (('type="rectangular"/>', '><recGrp rectype="H"/><recGrp rectype="P"/></fileStrc>'),),
    ),
    "cards": ("01\n", (("</var>", SECOND_LINE), ('width="2"/>', 'RecSegNo="1"/>'))),
    "nowhere": ("01\n", (("<location", "<place"),)),
    "number": ("01\n", (('StartPos="1"', 'StartPos="one"'),)),
    "empty": ("01\n", (("<var ", "<no "), ("</var>", "</no>"))),
    "damaged": ("01\n", (("</codeBook>", ""),)),
}


def test_a_codebook_that_does_not_fit_names_line_and_column(tmp_path: Path) -> None:
    for data, changes in WRONG.values():
        path = broken(tmp_path, data, *changes)
        with fails(SourceError):
            al.open(path)
    signs = broken(tmp_path, "01\n .\n02\n**\n  \n")
    shown = al.open(signs, quiet=True).crosstab("AGE").to_frame()
    assert shown["sample"].tolist() == [1, 1]


def test_other_xml_and_data_without_a_description_are_refused(tmp_path: Path) -> None:
    for text in ("<DDIInstance/>", "<html/>", "no XML", '<codeBook xmlns="ddi:codebook:2_5"/>'):
        path = tmp_path / "x.xml"
        path.write_text(text)
        with fails(SourceError):
            al.open(path)
        with pytest.raises(SurveyError):
            al.open(pd.DataFrame({"a": [1]}), labels=path)
    path.write_text(codebook_xml([Var("AGE", 2)], "elsewhere.dat"))
    with fails(SourceError):
        al.open(path)
    for name in ("cps_1.dat.gz", "notes.txt"):
        (tmp_path / name).write_bytes(gzip.compress(b"01\n") if "gz" in name else b"01\n")
        with fails(SourceError):
            al.open(tmp_path / name)
    with fails(SurveyError):
        al.open(pd.DataFrame({"other": [1, 2]}), labels=path)
    (tmp_path / "elsewhere.csv").write_text("other\n1\n2\n")
    with fails(SurveyError):
        al.open(path)


def test_entities_do_not_fill_the_memory(tmp_path: Path) -> None:
    several = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<!DOCTYPE x [<!ENTITY a0 "aaaaaaaaaa">{several}]><codeBook'
    path = broken(tmp_path, "01\n", ("<codeBook", bomb), (">Age<", ">&a9;<"))
    with pytest.raises(SourceError, match="amplification"):
        al.open(path)
    outside = tmp_path / "secret.txt"
    outside.write_text("secret")
    named = f'<!DOCTYPE x [<!ENTITY f SYSTEM "{outside.as_uri()}">]><codeBook'
    path = broken(tmp_path, "01\n", ("<codeBook", named), (">Age<", ">&f;<"))
    with pytest.raises(SourceError, match="undefined entity"):
        al.open(path)


def test_characters_that_the_codebook_does_not_describe_are_reported(tmp_path: Path) -> None:
    path = broken(tmp_path, "01 and more\n02 and more\n")
    [guess] = [each for each in draft_codebook(path).guesses if "describes the first" in each.said]
    assert guess.said == "lines of 11 characters, and the codebook describes the first 2"

"""Encodings of text files are found out by their bytes or by their letters, and named."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from audiencelab.ingest import Draft, draft_codebook, import_survey
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers import open_file
from audiencelab.ingest.readers.csv_dialect import dialect_of, encoding_of
from audiencelab.survey import SourceError, SurveyError
from tests.ingest.sources import write
from tests.messages import fails
from tests.survey.counting import counts_by_name as counts

TEXTS = {
    "French": "sexe,avis\nFemme,Très satisfait\nHomme,Plutôt insatisfait\nFemme,Ça dépend\n",
    "German": "Geschlecht,Häufigkeit\nMännlich,täglich\nWeiblich,nie\nWeiblich,für mich größer\n",
    "Spanish": "sexo,¿Cuántos años?\nMujer,Más o menos\nHombre,Sí\nMujer,Niños\n",
    "Swedish": "kön,ålder\nkvinna,väldigt nöjd\nman,inte nöjd\n",
    "Icelandic": "kyn,svar\nkona,mjög ánægð\nkarl,veit ekki það\nkona,þriðji\n",
    "English": "q1,q2\nI don’t know,“Yes”\nIt’s fine,No – never\n",
    "Polish": "płeć,odpowiedź\nkobieta,się zgadzam\nmężczyzna,nie wiem\nkobieta,źle\n",
    "Czech": "pohlaví,odpověď\nmuž,rozhodně souhlasím\nžena,spíše nesouhlasím\n",
    "Hungarian": "nem,válasz\nférfi,egyetért\nnő,nem tudja\nnő,inkább elégedett\n",
    "Russian": "пол,ответ\nмужчина,Полностью согласен\nженщина,Затрудняюсь ответить\n",
    "Ukrainian": "стать,відповідь\nчоловік,Повністю згоден\nжінка,Важко відповісти\n",
    "Greek": "φύλο,απάντηση\nΆνδρας,Συμφωνώ απόλυτα\nΓυναίκα,Δεν ξέρω\n",
    "Turkish": "cinsiyet,cevap\nKadın,Kesinlikle katılıyorum\nErkek,Bilmiyorum, değil\n",
    "Hebrew": "מין,תשובה\nאישה,מסכים מאוד\nגבר,לא יודע\n",
    "Arabic": "الجنس,الجواب\nذكر,أوافق بشدة\nأنثى,لا أعرف\n",
    "Thai": "เพศ,คำตอบ\nชาย,เห็นด้วยอย่างยิ่ง\nหญิง,ไม่ทราบ\n",
    "Lithuanian": "lytis,atsakymas\nmoteris,visiškai sutinku\nvyras,nežinau, ąžuolas\n",
    "Japanese": "性別,回答\n男性,非常に満足\n女性,どちらともいえない\n",
    "Chinese": "性别,回答\n男,非常满意\n女,不满意\n女,不知道\n",
    "Taiwan": "性別,回答\n男,非常滿意\n女,不滿意\n女,不知道\n",
    "Korean": "성별,응답\n남성,매우 만족\n여성,잘 모르겠음\n",
}
ENCODINGS = {
    **dict.fromkeys(("French", "German"), ("windows-1252", "latin-1", "mac-roman", "cp850")),
    **dict.fromkeys(("Spanish", "Swedish", "English"), ("windows-1252", "mac-roman")),
    "Icelandic": ("windows-1252",),
    **dict.fromkeys(("Polish", "Czech", "Hungarian"), ("windows-1250", "iso-8859-2")),
    "Russian": ("windows-1251", "koi8-r", "cp866"),
    "Ukrainian": ("windows-1251", "koi8-u"),
    "Greek": ("windows-1253",),
    "Turkish": ("windows-1254",),
    "Hebrew": ("windows-1255",),
    "Arabic": ("windows-1256",),
    "Thai": ("cp874",),
    "Lithuanian": ("windows-1257",),
    "Japanese": ("shift-jis", "cp932", "euc-jp"),
    "Chinese": ("gb2312", "gb18030"),
    "Taiwan": ("big5",),
    "Korean": ("euc-kr", "cp949"),
}
CASES = [(language, each) for language, names in ENCODINGS.items() for each in names]


def drafted(path: Path) -> Draft:
    return draft_codebook(path)


def told(draft: Draft) -> list[tuple[str, str]]:
    return [(each.said, each.code) for each in draft.guesses if each.subject == "encoding"]


@pytest.mark.parametrize(("language", "encoding"), CASES)
def test_texts_are_read_by_their_letters(language: str, encoding: str, tmp_path: Path) -> None:
    text = TEXTS[language]
    path = write(tmp_path, "a.csv", text, encoding)
    found = encoding_of(path)
    assert path.read_bytes().decode(found or "utf-8") == text
    assert dialect_of([path]).encoding.said


@pytest.mark.parametrize("language", ["Russian", "Japanese"])
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_bytes_prove_unicode_and_nothing_is_guessed(
    language: str, encoding: str, end: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(TEXTS[language].replace("\n", end).encode(encoding))
    draft = drafted(path)
    assert [each.column for each in draft.codebook.questions] == [
        *TEXTS[language].partition("\n")[0].split(",")
    ]
    assert told(draft) == []


def test_one_accent_is_enough_for_windows(tmp_path: Path) -> None:
    for word in ("Café", "Côte d’Ivoire", "€5", "it’s", "10–20", "5°", "MUÑOZ", "Þór", "Nescafé®"):
        path = write(tmp_path, "a.csv", f"q1,q2\n{word},1\nNo,2\n", "windows-1252")
        assert encoding_of(path) == "windows-1252", word


def test_a_blank_of_an_old_macintosh_is_a_blank(tmp_path: Path) -> None:
    text = "What do you know\xa0of it?,How much?\nNovice,Not much\xa0\nExpert,Not at all\xa0\n"
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode("mac-roman"))
    draft = drafted(path)
    said, code = told(draft)[0]
    assert said == (
        "read as mac-roman, by its letters: 'Not much\\xa0', which is 'Not muchÊ' in windows-1252"
    )
    assert code == 'al.open(…, encoding="windows-1252")'
    assert draft.codebook.source.encoding == "mac-roman"
    assert "read as mac-roman" in draft.to_toml()
    survey = import_survey([path], draft.codebook, tmp_path / "survey")
    assert sum(counts(survey, draft.codebook.questions[1].code).values()) == 2
    assert told(draft_codebook(path, encoding="windows-1252")) == []


def test_files_of_one_study_are_read_together(tmp_path: Path) -> None:
    # Nothing in the second alone says more than windows-1252 does.
    one = write(tmp_path, "a.csv", TEXTS["Czech"], "windows-1250")
    two = write(tmp_path, "b.csv", "pohlaví,odpověď\nmuž,ano\n", "windows-1250")
    plain = write(tmp_path, "c.csv", "x,y\n1,2\n")
    assert dialect_of([plain, two, one]).options.encoding == "windows-1250"


def test_files_in_two_encodings_are_refused(tmp_path: Path) -> None:
    one = write(tmp_path, "a.csv", TEXTS["German"], "windows-1252")
    two = write(tmp_path, "b.csv", TEXTS["German"], "utf-8")
    with fails(SurveyError):
        draft_codebook([one, two])
    write(tmp_path, "b.csv", "x,y\n1,2\n", "utf-16")
    with fails(SurveyError):
        draft_codebook([write(tmp_path, "c.csv", "x,y\n1,2\n"), two])


def test_a_damaged_byte_in_utf8_is_an_error_with_its_row(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(TEXTS["Russian"].encode() + b"\xff,x\n")
    with fails(SourceError):
        drafted(path)


def test_what_is_text_in_no_encoding_is_an_error_with_its_row(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    noise = bytes(0x80 | each for each in Random(1).randbytes(600))
    cells = b",".join(b"a" + noise[each : each + 6] + b"b" for each in range(0, 600, 6))
    path.write_bytes(b"q," * 99 + b"q\n" + cells + b"\n")
    with fails(SourceError):
        drafted(path)


def test_a_large_file_is_read_in_blocks(tmp_path: Path) -> None:
    # A character may be cut by the end of a block, and the first other one is far down.
    for encoding in ("windows-1251", "cp949", "utf-8"):
        text = "пол" if encoding != "cp949" else "성별"
        path = tmp_path / "a.csv"
        path.write_bytes(b"a,b\n" + b"1,2\n" * 300_000 + f"{text},1\n".encode(encoding) * 50_000)
        assert (encoding_of(path) or "utf-8") == encoding


def test_labels_in_another_file_name_their_encoding(tmp_path: Path) -> None:
    answers = write(tmp_path, "a.csv", "q1\n1\n2\n")
    labels = "variable,value,label\nq1,,Пол\nq1,1,Мужчина\nq1,2,Женщина\n"
    table = write(tmp_path, "labels.csv", labels, "koi8-r")
    draft = draft_codebook(answers, labels=table)
    assert draft.codebook.questions[0].name == "Пол"
    assert "read as koi8-r" in "".join(draft.reasons["source"])


def test_triple_s_data_name_their_encoding(tmp_path: Path) -> None:
    write(
        tmp_path,
        "a.sss",
        '<sss version="2.0"><survey><record ident="A"><variable ident="1" type="character">'
        '<name>q1</name><label>Q</label><position start="1" finish="10"/></variable></record>'
        "</survey></sss>",
    )
    write(tmp_path, "a.asc", "Мужчина   \nЖенщина   \nЖенщина   \n", "windows-1251")
    draft = drafted(tmp_path / "a.sss")
    assert told(draft)
    assert open_file(tmp_path / "a.sss", Source(encoding="koi8-r")).guesses == ()

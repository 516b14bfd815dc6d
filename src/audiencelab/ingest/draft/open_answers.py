"""Which columns of free text are open answers to keep, and the questions they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from audiencelab.ingest.codebook import CodedQuestion, CodedText
from audiencelab.ingest.meaning.guess import Guess, quoted
from audiencelab.ingest.meaning.profile import ColumnProfile
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.wording import plural

GivenTexts = bool | str | Sequence[str]
"""Columns whose texts are kept; True for those of open answers, False for none."""

CONTACT = "contact data"
"""Why a column of free text is left out."""

_OPEN = re.compile(r"free text|the text of another answer|a comment")
"""How the reasons begin for which open answers make no question."""

_CONTACT_NAME = re.compile(
    r"name|nom|nombre|nome|naam|namn|tel|"
    r"(.*[_. -])?(e?[_-]?mail(s|_?addr\w*)?|(mobile|cell)?_?(tele)?phone(_?(no|nr|num\w*))?|"
    r"(first|last|full|sur|family|given|middle|user|maiden|respondent|contact|your)[_. -]?name|"
    r"(vor|nach|familien)name|pr[eé]nom|apellidos?|cognome|"
    r"(street|home|postal|ip|mailing)?[_. -]?addr(ess)?(_?\d)?|adresse|stra(ss|[sß])e|"
    r"direcci[oó]n|indirizzo|ansprechpartner(in)?|имя|фамилия|адрес|телефон|почта|名前|氏名|姓名|名字|住所|地址|"
    r"電話(番号)?|电话|メール(アドレス)?|邮箱|이름|주소|전화(번호)?|الاسم|العنوان|الهاتف|url|user_?agent|browser|device_?id|token|signature)",
    re.I,
)
_CONTACT_WORDS = re.compile(
    r"\b(e-?mails?( address)?|(tele|mobile |cell ?)?phone|(first|last|full|family) name|surname|"
    r"your name|(postal|home|street|mailing) address|vorname|nachname|telefon\w*|pr[eé]nom|"
    r"correo( electr[oó]nico)?|tel[eé]fono)\b",
    re.I,
)
_MOST_WORDS = 6
"""Of a label that asks for contact data; longer ones may only speak of them."""

_CONTACT_VALUE = re.compile(
    r"[^@\s]+@[^@\s]+\.\w{2,}|https?://\S+|\+?[\d(][\d\s()./-]{5,}\d|Mozilla/\d.*|"
    r"-?\d{1,3}\.\d{3,}[,; ]+-?\d{1,3}\.\d{3,}.*"
)
_TOKEN = re.compile(r"(?=\S*\d)\S{8,}")
_AFTER_CODE = re.compile(r"[\W_]|oe|oth|txt|text|spec|r\d", re.I)


def is_contact(column: ColumnProfile) -> bool:
    """Whether a column of text says who or where respondents are, by its name, label or values."""
    label = column.variable.label
    if _CONTACT_NAME.fullmatch(column.name) or (
        _CONTACT_WORDS.search(label) and len(label.split()) <= _MOST_WORDS
    ):
        return True
    values = [*column.answers]
    of_contact = sum(map(bool, map(_CONTACT_VALUE.fullmatch, values)))
    if 2 * of_contact > len(values):
        return True
    # Codes of one length, a different one for each respondent.
    is_code = len(values) == column.answered and len({*map(len, values)}) == 1
    return is_code and all(map(_TOKEN.fullmatch, values))


def open_answers(
    columns: Mapping[str, ColumnProfile],
    left_out: Mapping[str, str],
    kept_items: Iterable[str],
    given: GivenTexts,
) -> tuple[list[str], dict[str, str]]:
    """The columns whose texts are kept, in the order of the files; and contact data among others.

    left_out: why columns make no question. kept_items: columns of text that are items of questions.
    The second value is why some columns are not kept. Raises `SurveyError` for columns in `given`
    that are not there.
    """
    if not isinstance(given, bool):
        wanted = [given] if isinstance(given, str) else [*given]
        if unknown := [name for name in wanted if name not in columns]:
            raise SurveyError(
                f"text={given!r} is not valid: there is no column {listed(unknown)}. The columns "
                f"are {listed([*columns], 12)}."
            )
        return [name for name in columns if name in wanted], {}
    items = {*kept_items}
    found = [
        name
        for name, column in columns.items()
        if column.answers and (name in items or _OPEN.match(left_out.get(name, "")))
    ]
    contact = dict.fromkeys((name for name in found if is_contact(columns[name])), CONTACT)
    return [name for name in found if given and name not in contact], contact


def coded_texts(
    columns: Iterable[ColumnProfile], questions: Sequence[CodedQuestion]
) -> tuple[CodedText, ...]:
    """Columns of text with the questions that they belong to, where the names say so."""
    return tuple(
        CodedText(each.name, each.variable.label, _question_of(each.name, questions))
        for each in columns
    )


def _question_of(name: str, questions: Sequence[CodedQuestion]) -> str:
    """The code of the question whose item a column is, or whose code its name begins with."""
    for question in questions:
        if name in question.columns:
            return question.code
    found = ""
    for question in questions:
        for start in {question.code, *question.columns}:
            rest = name[len(start) :]
            begins = name.lower().startswith(start.lower()) and _AFTER_CODE.match(rest)
            if begins and len(start) > len(found):
                found = start
    owners = (q.code for q in questions if found and found in {q.code, *q.columns})
    return next(owners, "")


def text_guesses(texts: Sequence[CodedText]) -> list[Guess]:
    """That open answers are kept, with the code that reads them."""
    if not texts:
        return []
    names = [each.column for each in texts]
    said = f"{plural(len(names), 'open answer')} kept: {listed(names, 4)}"
    code = f"client.respondents(text=[{quoted(names[0])}])"
    return [Guess("file", "text", said, code, 3)]

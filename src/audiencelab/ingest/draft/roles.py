"""What a column is for, guessed from its name, its label and its values."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from contextlib import suppress

from audiencelab.expressions.codes import WAVE_COLUMNS
from audiencelab.ingest.draft.places import is_location
from audiencelab.ingest.draft.separated import separator_of
from audiencelab.ingest.meaning.profile import ColumnProfile
from audiencelab.ingest.readers.redcap import FORM_STATUS, STATUSES
from audiencelab.ingest.wave_names import period_of
from audiencelab.ingest.waves import undecided_date
from audiencelab.wording import plural

_YEARS = ("survey_year", "surveyyear", "syear", "svyyear", "vcf0004", "year", "quarter", "week")
"""Names of columns that may be the wave, if their values are not dates."""

_PERIODS = ("half-year", "month", "quarter", "season", "week")
_MOST_PERIODS = 60

_WAVE_ORDER = {name: order for order, name in enumerate((*WAVE_COLUMNS, *_YEARS))}
_DATES = re.compile(
    r"(date|start|end|interview|field|record|submit|complet|day|time|month|quarter)", re.I
)

_BIRTH = re.compile(r"(birth|born|dob)", re.I)
_ID = re.compile(
    r"^(|id|.*_id|ids?_.*|.*id|uuid|guid|serial|.*serial.*|case|caseno|record.*|respondent.*|"
    r"index|row|rownum|unnamed.*|key|scram)$",
    re.I,
)
_SURE_ID = re.compile(
    r"(.*[_. ])?(id|uid|uuid|guid|idno|seqn|serial_?(no|nr|num|number)?)|"
    r"(case|resp|respondent|person|pers|house|household|hh|p|h|user|member|interviewer|int|subject|"
    r"surveyist|student|school|family|record|response|session|sample|cps)_?"
    r"(idp?|no|nr|num|number)|"
    # German, Dutch, Spanish, Portuguese, French, Russian, Japanese, Chinese
    r"lfdn|lfd_?nr|(fall|befragten|befragungs|interview|fragebogen|teilnehmer|probanden|personen|"
    r"respondent)_?(nr|nummer|id)|deelnemer_?(nr|nummer|id)|panell?ist(_?(id|nr))?|"
    r"id_?(encuesta(do)?|entrevista(do)?|cuestionario|persona|repondant|répondant|enqu[eê]te)|folio|"
    r"identifi(ant|cador)|(номер|ид)_?(анкеты|респондента|интервью)|респондент(_?ид)?|"
    r"回答者_?(id|番号)|サンプル_?(id|番号)|受访者_?(id|编号)|样本_?(id|编号)",
    re.I,
)
_ID_LABEL = re.compile(
    r"\b(identif\w*|(respondent|case|serial|questionnaire|interview|household|record)'?s? "
    r"(id|no|nr|number))\b",
    re.I,
)
_CODE = re.compile(
    r"(^|[\W_])(zip|zip_?code|zip_?5|post_?code|postal_?code|plz|postleitzahl|code_?postal|"
    r"codigo_?postal|fips|fips_?code|phone|telephone|area_?code)(?=$|[\W_\d])",
    re.I,
)
_ADDRESS = re.compile(r"[\da-f]*[.:][\da-f.:]+", re.I)

_IDENTIFICATION = "an identification"

NO_VALUES = "no values"
"""Why a column without answers makes no question."""

TIME = "a time of day"
"""Why a column of many times of day makes no question."""

DATE = "a date; name it under [wave] to make waves of it"
"""Why a column of dates makes none; a wave may be made of it."""

_MOST_TEXTS = 300
_CLOCK = re.compile(r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?( ?[ap]\.?m\.?)?", re.I)
_MOST_TIMES = 24
"""Of more times of day, one for each hour, few respondents have the same."""
_FEWEST_ROWS = 30
"""Respondents of a file, from which a few texts among them are remarks and no categories."""

_FEWEST_REMARKS = 8
"""Different texts of one or two words, from which they are remarks."""

_LONG_ANSWER = 20
"""Characters of an answer, in writing without blanks too, that is a sentence."""

_FEWEST_IDS = 40
_FEWEST_IN_ROW = 200


def is_wave_name(name: str) -> bool:
    """Whether a column is called a wave, and not a date or a part of one."""
    return name.lower() in WAVE_COLUMNS


def may_be_wave(name: str) -> bool:
    """Whether a column is called a wave or a period, and is one where its values differ."""
    return name.lower() in _WAVE_ORDER


def find_wave(columns: Iterable[ColumnProfile]) -> ColumnProfile | None:
    """The likeliest column of waves. Dates make waves only in a column named like a wave."""
    found = [
        column
        for column in columns
        if column.name.lower() in _WAVE_ORDER
        and column.is_full
        # One value does not divide anything; more than 60 are likelier days or respondents.
        and 2 <= len(column.answers) <= 60
        and (not column.is_date or is_wave_name(column.name))
    ]
    return min(found, key=lambda column: _WAVE_ORDER[column.name.lower()], default=None)


def find_periods(columns: Iterable[ColumnProfile]) -> ColumnProfile | None:
    """The first column whose answers are all names of periods, such as "Q1 2025", by its labels."""
    for column in columns:
        names = [column.label(value) for value in column.answers]
        if column.is_full and not column.is_date and 1 < len(names) <= _MOST_PERIODS:
            periods = [period_of(name) for name in names]
            if all(each is not None and each.unit in _PERIODS for each in periods):
                return column
    return None


def find_date(columns: Iterable[ColumnProfile]) -> ColumnProfile | None:
    """The first column of dates on which respondents may have been interviewed."""
    return next(
        (
            column
            for column in columns
            if column.is_date and column.is_full and column.calls(_DATES)
            if not column.calls(_BIRTH)
        ),
        None,
    )


# ---- columns that make no question ----


def is_code(column: ColumnProfile) -> bool:
    """Whether a column holds postcodes or the like: digits that are not an amount."""
    return column.calls(_CODE)


def is_identification(why: str) -> bool:
    """Whether a column was left out, for this reason, as the number of a person or a thing."""
    return why.startswith(_IDENTIFICATION)


def why_left_out(column: ColumnProfile) -> str | None:
    """Why a column makes no question; None where it does."""
    why = column.variable.no_question
    # A column such as tasks_complete may count tasks.
    if why and (why != FORM_STATUS or column.answers.keys() <= STATUSES):
        return why
    if not column.answers:
        return NO_VALUES
    if column.is_date:
        return DATE
    if number := undecided_date(column.answers):
        return f"a date; which number is the {number} is not known"
    return None if column.labels else _why_no_answers(column)


def _why_no_answers(column: ColumnProfile) -> str | None:
    """Why the values of a column, which have no labels, are not answers; None where they are."""
    distinct = column.distinct
    if _is_address(column):
        return f"IP addresses: {distinct:,} different ones"
    if _ID.match(column.name) and distinct > 50 and distinct > 0.9 * column.filled:
        return f"{_IDENTIFICATION}: different for every respondent"
    if _is_id(column):
        return f"{_IDENTIFICATION}: {distinct:,} different values"
    if is_code(column) and distinct > _MOST_TEXTS:
        return f"codes, and not amounts: {distinct:,} different values"
    if distinct > _MOST_TIMES and all(map(_CLOCK.fullmatch, column.answers)):
        return TIME
    # Many different numbers are an amount, and lists are several answers: neither is free text.
    if column.numbers is not None or separator_of(column):
        return None
    if distinct > _MOST_TEXTS or (distinct > 20 and distinct > 0.5 * column.filled):
        return f"free text: {distinct:,} different texts"
    if _is_remark(column):
        return f"free text: {plural(distinct, 'text')} of {column.filled:,} respondents"
    if max(map(len, column.answers)) > 200:
        return "free text: some of it is longer than any answer"
    return None


def _is_remark(column: ColumnProfile) -> bool:
    """Whether few respondents wrote something, nearly each something else, as in a box of remarks.

    Their sentences are not answers, which tables would show.
    """
    if column.rows < _FEWEST_ROWS or column.filled > 0.5 * column.rows:
        return False
    if column.distinct >= _FEWEST_REMARKS and column.distinct == column.filled:
        return True
    long = [each for each in column.answers if len(each.split()) > 2 or len(each) > _LONG_ANSWER]
    return column.distinct > 0.5 * column.filled and len(long) > 0.5 * column.distinct


def _is_address(column: ColumnProfile) -> bool:
    """Whether most respondents have an IP address here."""
    if column.numbers is not None:
        return False
    held = sum(count for value, count in column.answers.items() if _is_ip(value))
    return held > 0.5 * column.answered


def _is_ip(value: str) -> bool:
    if not _ADDRESS.fullmatch(value):
        return False
    with suppress(ValueError):
        ipaddress.ip_address(value)
        return True
    return False


def _is_id(column: ColumnProfile) -> bool:
    """Whether a column numbers respondents, households or interviewers."""
    numbers, distinct = column.numbers, column.distinct
    is_plain = column.is_whole or numbers is None
    if distinct <= _FEWEST_IDS or not is_plain or is_location(column):
        return False
    if _SURE_ID.fullmatch(column.name) or _ID_LABEL.search(column.variable.label):
        return True
    if not numbers or column.others or distinct < max(_FEWEST_IN_ROW, column.filled):
        return False
    # Numbers in a row, each once: a count of respondents, whatever its name is.
    return max(numbers) - min(numbers) + 1 == distinct

"""The waves of a draft: by a column, by dates, or a wave for each file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import UNSET, UnsetType

from audiencelab.ingest.codebook import CodedWave, Period, WaveColumn
from audiencelab.ingest.draft.roles import find_date, find_periods, find_wave, is_wave_name
from audiencelab.ingest.draft.told import Told
from audiencelab.ingest.draft.wave_lists import PLACEHOLDERS, THE_FILE, listed_waves
from audiencelab.ingest.meaning.guess import CODEBOOK, GuessOption
from audiencelab.ingest.meaning.profile import ColumnProfile
from audiencelab.ingest.sources import Sources
from audiencelab.ingest.wave_names import period_of
from audiencelab.ingest.waves import check_order_of_dates, date_of, dates_of
from audiencelab.lines import near
from audiencelab.survey.catalogue import placeholder
from audiencelab.survey.errors import SurveyError, listed
from audiencelab.wording import plural

_NAMED = 8
"""Waves that a sentence names."""


class DraftedWaves:
    """The waves of some sources. told, left_out: of the draft, which are added to."""

    def __init__(self, sources: Sources, told: Told, left_out: dict[str, str]) -> None:
        self._sources = sources
        self._told = told
        self._left_out = left_out

    def of(
        self, columns: Mapping[str, ColumnProfile], asked_for: str | UnsetType | None
    ) -> tuple[WaveColumn | None, tuple[CodedWave, ...]]:
        """The column of the waves and their list.

        asked_for: the column, by default found; None for no column.
        """
        dates = find_date(columns.values())
        column = self._column(columns, asked_for)
        if column is not None:
            self._left_out[column.name] = "the wave"
            if column.is_date:
                return WaveColumn(column.name, by=self._period(column)), ()
            check_order_of_dates(column.name, column.answers)
            waves, why, by = listed_waves(self._sources.tables, column, dates)
            is_dated = PLACEHOLDERS not in why
            self._told.tell("waves", why, "" if is_dated else CODEBOOK, 3 if is_dated else 2)
            if by and not is_dated:
                said = (
                    f"waves in the order of {by}: {listed([each.name for each in waves], _NAMED)}"
                )
                said += "; in the codebook: [[waves]]"
                self._told.tell("waves", said, CODEBOOK, 1 if by == THE_FILE else 2)
            return WaveColumn(column.name), waves
        choices = _choices(columns, None)
        code = next((each.code for each in choices if not each.present), "")
        # Dates are offered and not taken: respondents of one fieldwork are interviewed on many
        # days.
        if asked_for is None:
            self._told.tell("wave", "no column makes waves, as asked for", "", 3, choices)
        elif dates is not None:
            said = f"{dates.name} holds dates, and each quarter may be a wave"
            self._told.tell("wave", said, code, choices=choices)
        elif (named := find_periods(columns.values())) is not None:
            shown = [named.label(value) for value in named.answers]
            said = f"one wave, and {named.name} holds periods ({listed(shown, _NAMED)})"
            self._told.tell("wave", said, code, 1, choices)
        files = self._sources.files
        if len(files) > 1 and not self._sources.is_one_table:
            if periods := _periods([file.path.stem for file in files]):
                self._told.tell("waves", "each file is a wave, by the period in its name", CODEBOOK)
                return None, periods
            why = f"each file is a wave, in the order given: {PLACEHOLDERS}"
            self._told.tell("waves", why, CODEBOOK)
            return None, tuple(
                CodedWave(f"w{number}", placeholder(number), name=file.name)
                for number, file in enumerate(files, start=1)
            )
        if dates is None:
            return None, ()
        said = f"all respondents are in one wave, dated by {dates.name}"
        self._told.tell("waves", said, severity=3)
        days = dates_of(dates.answers).values()
        return None, (CodedWave("w1", min(days), max(days), name=self._sources.name),)

    def _column(
        self, columns: Mapping[str, ColumnProfile], asked_for: str | UnsetType | None
    ) -> ColumnProfile | None:
        if asked_for is None:
            return None
        records = self._sources.records
        event = columns.get(records.event) if records and records.event else None
        if asked_for is UNSET and event is not None:
            column, why = event, "its events are the waves"
        elif asked_for is UNSET:
            column = find_wave(columns.values())
            why = f"by its name; {len(column.answers)} values, none missing" if column else ""
        elif asked_for in columns:
            column, why = columns[asked_for], "asked for"
        elif left_out := self._left_out.get(asked_for):
            raise SurveyError(f"{asked_for!r} cannot be the column of the waves: it is {left_out}.")
        else:
            close = near(asked_for, columns)
            hint = f" Did you mean {close!r}?" if close else " Write al.open(…, wave=None)."
            raise SurveyError(f"There is no column {asked_for!r} to make waves of.{hint}")
        if column is not None:
            severity = 2 if asked_for is UNSET else 3
            choices = _choices(columns, column)
            self._told.tell("wave", f"{column.name}: {why}", "", severity, choices)
        return column

    def _period(self, column: ColumnProfile) -> Period | None:
        """The period of the waves that dates make; None where each of them is a wave."""
        longest = max(map(len, column.answers))
        # Months as they are: each is a wave already.
        if longest == len("2024-03"):
            return None
        if is_wave_name(column.name):
            # An import takes ISO days as they are; a time of day has to be cut off.
            is_day = longest == len("2024-03-31") and all(map(date_of, column.answers))
            return None if is_day else "day"
        said = "each quarter is a wave; `by` may also be day, month or year"
        self._told.tell("wave", said, CODEBOOK)
        return "quarter"


def _choices(
    columns: Mapping[str, ColumnProfile], chosen: ColumnProfile | None
) -> Sequence[GuessOption]:
    """The columns that may make the waves, the present one first, and none; () without any."""
    finders = (find_date, find_periods, find_wave)
    found = [chosen, *(find(columns.values()) for find in finders)]
    offered = {each.name: each for each in found if each is not None}
    each_wave = {name: _waves_of(column) for name, column in offered.items()}
    made = [
        GuessOption(f"{name}: {each_wave[name]}", column is chosen, {"wave": name})
        for name, column in offered.items()
    ]
    none = GuessOption("no waves: all respondents together", chosen is None, {"wave": None})
    return ([none, *made] if chosen is None else [*made, none]) if made else ()


def _waves_of(column: ColumnProfile) -> str:
    if column.is_date and not is_wave_name(column.name):
        return "each quarter of its dates is a wave"
    return f"{plural(len(column.answers), 'wave')}, one for each value"


def _periods(stems: Sequence[str]) -> tuple[CodedWave, ...]:
    """A wave for each file, where all their names say periods of one length; () otherwise."""
    found = [period_of(stem) for stem in stems]
    known = [(each, span) for each in found if each and (span := each.span)]
    periods = {(each.unit, each.nth) for each, _ in known}
    is_sure = len({unit for unit, _ in periods}) == 1
    if not is_sure or len(periods) < len(stems):
        return ()
    return tuple(
        CodedWave(f"w{number}", *span, name=each.text)
        for number, (each, span) in enumerate(known, start=1)
    )

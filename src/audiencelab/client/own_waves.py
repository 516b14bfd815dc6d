"""Add waves to the survey of a client in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, Unpack, cast, overload

import msgspec
from msgspec import UNSET, UnsetType

from audiencelab.client.changes import change_survey, check_own_survey
from audiencelab.client.connection.source import in_memory_of
from audiencelab.client.context import ClientContext
from audiencelab.client.snapshots.format import SnapshotError, read_header
from audiencelab.import_card import show
from audiencelab.keywords import keywords

if TYPE_CHECKING:
    from audiencelab.ingest import Codebook
    from audiencelab.ingest.draft.given import GivenMissing
    from audiencelab.ingest.drift import Decide
    from audiencelab.ingest.report import ImportReport
    from audiencelab.survey.reader import Survey


class WaveOptions(TypedDict, total=False):
    """What `add_wave` takes beside a file; the method describes them."""

    wave: str | None
    weight: str | UnsetType | None
    sheet: str | int | None
    encoding: str | None
    missing: GivenMissing | None
    decide: Decide | None


class OwnWaves:
    """The part of a client that adds waves to its survey."""

    _context: ClientContext

    @overload
    def add_wave(
        self,
        source: Any,
        *,
        codebook: Codebook | str | Path | None = None,
        dry_run: Literal[True],
        **given: Unpack[WaveOptions],
    ) -> ImportReport: ...

    @overload
    def add_wave(
        self,
        source: Any,
        *,
        codebook: Codebook | str | Path | None = None,
        dry_run: Literal[False] = False,
        quiet: bool = False,
        **given: Unpack[WaveOptions],
    ) -> Self: ...

    @keywords(WaveOptions)
    def add_wave(
        self,
        source: Any,
        *,
        codebook: Codebook | str | Path | None = None,
        dry_run: bool = False,
        quiet: bool = False,
        **given: Unpack[WaveOptions],
    ) -> Self | ImportReport:
        """Add the respondents of a file or a frame as a further wave; returns the client.

        The codebook that built the survey reads it, with all edits since. Columns that it does not
        know become questions, further items belong to their set or grid, further values are
        answers, after the others; what the file lacks was not asked in this wave.

        The file is compared with the survey: moved codes are read by their labels where labels and
        shares agree, and where figures do not compare with those of earlier waves a break is
        stored. A card shows what was taken for granted, with the argument that changes it;
        `client.import_report.drift` lists what is different.

        source: as for `audiencelab.open`; also several files of one wave, or of several.
        wave: what the wave is called, such as "Q1 2026" or "Wave 4", or the column that makes
            several. By default the survey's wave column, whose values that the survey does not know
            are waves; otherwise the period that the file's name says, or the one after the last.
        weight: the column of weights, where it is not called as in the survey; None: all weigh 1.
        codebook: what the columns mean, in place of that of the survey and of all guesses.
        sheet, encoding, missing: as for `audiencelab.open`.
        decide: how questions are read that the file has otherwise than the survey:
            {"q5": "labels"}, as for `audiencelab.open`.
        dry_run: change nothing, and return the report of what adding would do, `report.drift`
            among it, also where that would be refused.
        quiet: show no card.

        The survey gets its next version, or the client answers from a copy, as for `edit`. The same
        file again changes nothing. Raises `SurveyError` for a file of another survey, a wave that
        the survey has, a period that is not certain, a weight that is not there, answers that would
        mean something else than in the survey, with what decides each, and as `audiencelab.open`;
        `SurveyBusyError` while another process writes the survey; `LookupError` for a client of a
        remote service. Nothing is changed then.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"tea": ["yes", "no", "no"], "quarter": ["Q4 2025"] * 3})
        >>> client = al.open(frame, to=folder / "tracker", quiet=True)
        >>> spring = pd.DataFrame({"tea": ["yes", "yes"], "quarter": ["Q1 2026"] * 2})
        >>> [wave.name for wave in client.add_wave(spring, quiet=True).waves()]
        ['Q4 2025', 'Q1 2026']
        """
        from audiencelab.ingest.added import Added, WaveArguments
        from audiencelab.ingest.adding import Adding

        context = self._context
        check_own_survey(context)
        said = WaveArguments.of(**given)
        code = _as_code(source, {**msgspec.structs.asdict(said), "codebook": codebook})
        if context.service is None:
            change_survey(context, _unchanged, _recorded(context, source, dry_run), code)
            return self
        adding = Adding(context.service.survey.path, in_memory_of(source), codebook, said)
        if dry_run:
            return adding.tried().report
        made: list[Added] = []

        def make(survey: Survey) -> Survey:
            made.append(adding.add())
            return survey if made[0].is_repeated else made[0].survey

        change_survey(context, make, adding.record, code, quiet=quiet)
        if not quiet:
            show(made[0].card())
        return self


def _unchanged(survey: Survey) -> Survey:
    return survey


def _recorded(context: ClientContext, source: Any, dry_run: bool) -> dict[str, Any]:
    """The change as a snapshot has it, whose file need not be there any more."""
    file = context.snapshot
    if dry_run or file is None:
        raise LookupError(
            f"{context} answers from a snapshot, and has no survey to compare a file with."
        )
    several = cast("Sequence[Any]", source if isinstance(source, list | tuple) else [source])
    names = [*map(_name, several)]
    for each in read_header(file).edits[len(context.edits.made) :][:1]:
        if each.get("change") == "wave" and (each["files"] == names or "" in names):
            return each
    raise SnapshotError(
        f"{file} was recorded without {', '.join(names) or 'the frame'}. Open the source itself, "
        "and record it again."
    )


def _name(source: Any) -> str:
    """The name of a file, without the folders of one machine; "" for a frame."""
    return PureWindowsPath(source).name if isinstance(source, str | Path) else ""


def _as_code(source: Any, given: Mapping[str, Any]) -> str:
    """The call as code; a frame is called "frame"."""
    if isinstance(source, list | tuple):
        shown = repr([str(each) for each in cast("Sequence[Any]", source)])
    else:
        shown = repr(str(source)) if isinstance(source, str | Path) else "frame"
    usual = {"weight": UNSET}
    named = {name: each for name, each in given.items() if each is not usual.get(name)}
    texts = {n: str(v) if isinstance(v, Path) else v for n, v in named.items()}
    written = [f"{name}={value!r}" for name, value in texts.items()]
    return f".add_wave({', '.join([shown, *written])})"

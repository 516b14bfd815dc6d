"""Columns of a frame, and what they are to a survey."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import msgspec

from audiencelab.ingest.cache import digest, digest_of
from audiencelab.ingest.codebook import Codebook
from audiencelab.ingest.codebook_files import load_codebook
from audiencelab.ingest.dictionaries import dictionary_file
from audiencelab.ingest.draft.given import GivenMissing, GivenOrder, by_question
from audiencelab.ingest.matching import check_columns
from audiencelab.ingest.opening import content_of
from audiencelab.ingest.readers.frames import in_memory
from audiencelab.ingest.sources import Sources
from audiencelab.survey.errors import SurveyError, listed

WAVE = "wave"
"""The column of a frame that has the waves, as in `client.respondents()`."""


@dataclass(frozen=True)
class FrameColumns:
    """Columns of a frame, and what they are.

    key: the column of the keys; wave: that of the waves, if it has one. columns: all others.
    weights: those of them that are weights. codebook: what the others mean, in place of a draft.
    """

    sources: Sources
    key: str
    wave: str | None
    columns: tuple[str, ...]
    weights: tuple[str, ...]
    codebook: Codebook | None
    missing: GivenMissing | None
    order: GivenOrder | None
    record: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        frame: Any,
        key: str,
        *,
        wave: str | None = None,
        weights: str | Iterable[str] = (),
        labels: str | Path | None = None,
        codebook: Codebook | str | Path | None = None,
        missing: GivenMissing | None = None,
        order: GivenOrder | None = None,
    ) -> FrameColumns:
        """Read a frame, or the files of one; see `Client.with_columns`.

        Raises `SurveyError` for columns that are not there, and for what is not a frame.
        """
        book = load_codebook(Path(codebook)) if isinstance(codebook, str | Path) else codebook
        if book is not None and (missing is not None or order is not None or labels is not None):
            raise SurveyError(
                "labels=, missing= and order= are not valid with codebook=, which declares them: "
                "write them there, or leave codebook= out."
            )
        options = None if book is None else book.source
        sources = Sources.open(_as_frame(frame, key), options, labels=labels)
        header = sources.names
        check_columns(header, key, wave)
        named = (weights,) if isinstance(weights, str) else tuple(weights)
        if odd := [each for each in named if each not in header]:
            raise SurveyError(
                f"weights={odd!r} is not valid: the frame has no such column; it has "
                f"{listed(header)}."
            )
        wave = WAVE if wave is None and WAVE in header and key != WAVE else wave
        columns = tuple(each for each in header if each not in (key, wave))
        if not columns:
            raise SurveyError(
                f"The frame has no column beside {listed([each for each in (key, wave) if each])}: "
                "add those that become questions."
            )
        record: dict[str, Any] = {
            "change": "columns",
            "columns": [*columns],
            "key": key,
            "wave": wave,
            "weights": [*named],
            "frame": digest_of(*content_of(sources)),
            "labels": None if labels is None else digest(dictionary_file(labels)),
            "codebook": None if book is None else digest_of(msgspec.json.encode(book).decode()),
            "missing": by_question(missing),
            "order": None if order is None else by_question(order),
        }
        known = {name: value for name, value in record.items() if value}
        return cls(sources, key, wave, columns, named, book, missing, order, known)


def _as_frame(given: Any, key: str) -> Any:
    """A frame whose index, of pandas, is a column where it has the keys; files as they are."""
    if isinstance(given, Mapping):
        import pandas

        given = pandas.DataFrame(cast("Mapping[str, Any]", given))
    if hasattr(given, "to_frame") and hasattr(given, "index") and not hasattr(given, "columns"):
        if given.name is None:
            raise SurveyError("A Series needs a name, which is that of its question: .rename(…).")
        given = given.to_frame()
    if hasattr(given, "iloc") and key not in given.columns and key in given.index.names:
        given = given.reset_index()
    return in_memory(given)

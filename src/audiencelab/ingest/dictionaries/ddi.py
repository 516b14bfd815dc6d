"""Codebooks of DDI (DDI-Codebook) for data in any form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from audiencelab.ingest.dictionaries.base import Dictionary
from audiencelab.ingest.readers import SurveyFile
from audiencelab.ingest.readers.ddi import DdiCodebook, DescribedFile, read_ddi, weights_of
from audiencelab.ingest.readers.xml import check_codebook, root_of


def ddi_codebook(path: Path) -> Dictionary | None:
    """What a codebook of DDI says of columns; None for triple-S.

    Raises `SourceError` for any other XML.
    """
    if (kind := root_of(path)) == "sss":
        return None
    check_codebook(path, kind)
    book = read_ddi(path)
    parts = [part for each in book.files if (part := _of(book, each)).variables]
    whole = _of(book, None)
    return _OfFiles(whole.name, whole.variables, parts=tuple(parts)) if len(parts) > 1 else whole


@dataclass(frozen=True)
class _OfFiles(Dictionary):
    """A codebook of several files of data, which may have other columns of one name."""

    parts: tuple[Dictionary, ...] = ()

    def describe(self, files: Sequence[SurveyFile]) -> None:
        """Tell some files what their columns are, by the file that has the most of them."""
        header = {name.lower() for file in files for name in file.header}
        shared = [len(header & {*map(str.lower, part.variables)}) for part in self.parts]
        best = self.parts[shared.index(max(shared))]
        (best if max(shared) else super()).describe(files)


def _of(book: DdiCodebook, file: DescribedFile | None) -> Dictionary:
    fields = book.of(file)
    weights = weights_of(fields)
    is_one = len(weights) == 1
    return Dictionary(
        book.path.name,
        {each.name: each.variable for each in fields},
        declared_weight=weights[0] if is_one else "",
        title=book.title,
        study=book.study,
        other_weights=() if is_one else weights,
        guesses=book.guesses,
    )

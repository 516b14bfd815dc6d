"""Open answers of an import: columns of text, as they were written, in the order of respondents."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy.typing as npt

from audiencelab.ingest.codebook import Codebook, canonical_value
from audiencelab.ingest.readers.base import ReadColumns
from audiencelab.ingest.waves import WaveRows
from audiencelab.survey.lazy_mapping import LazyMapping
from audiencelab.survey.texts import StoredText, Texts


def described_texts(
    codebook: Codebook, tables: Sequence[ReadColumns], questions: Collection[str]
) -> Iterator[StoredText]:
    """What a survey keeps of the columns of text. questions: by full code, those that it has."""
    base = codebook.study.namespace
    for each in codebook.texts:
        said = (table.variables.get(each.column) for table in tables)
        label = each.label or next((found.label for found in said if found and found.label), "")
        codes = (each.question, f"{base}.{each.question}")
        question = next((code for code in codes if code in questions), "")
        yield StoredText(each.column, label, question)


def texts_of(codebook: Codebook, wave: WaveRows, order: npt.NDArray[Any]) -> Mapping[str, Texts]:
    """The columns of text that the files of a wave have, each made when it is looked up.

    order: of the respondents. What the files or the codebook declare missing is not a text.
    """
    source = codebook.source
    missing = {
        canonical_value(value)
        for value in (*source.not_asked, *source.not_selected, *source.missing)
    }

    def read(name: str) -> Texts:
        return Texts.of(wave.values_of(name, missing)[order].tolist())

    held = {name for segment in wave.segments for name in segment.table.columns}
    return LazyMapping([each.column for each in codebook.texts if each.column in held], read)

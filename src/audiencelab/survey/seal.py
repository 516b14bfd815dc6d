"""The seal of a survey: a checksum of its content, the same wherever and whenever it was made."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from audiencelab.schema import SavedAudience
from audiencelab.survey.catalogue import InsightRecord, SurveyCatalogue
from audiencelab.survey.derivations import Definition
from audiencelab.survey.layout import Manifest, StoredWave, is_text
from audiencelab.survey.record import SurveyRecord


def seal_of(
    manifest: Manifest,
    catalogue: SurveyCatalogue,
    audiences: Sequence[SavedAudience],
    insights: Sequence[InsightRecord],
    derived: Sequence[Definition],
    record: SurveyRecord,
) -> str:
    """SHA-256, in hex digits, of everything that answers depend on; no array is read.

    That is the arrays of all waves (answers, numbers, weights, design) by their checksums, the
    waves, the weights, and the records. The survey's own name, its provenance, its import report
    and the form of its files are left out: they differ between two imports of the same file. So is
    text, on which no answer depends and which a copy may leave out.
    """
    content: dict[str, object] = {
        "arrays": {
            name: file.sha256
            for name, file in manifest.files.items()
            if name.endswith(".npy") and not is_text(name)
        },
        "waves": _waves(manifest.waves),
        "weight": (manifest.weight, manifest.weight_bits, manifest.other_weights),
        "catalogue": catalogue,
        "audiences": tuple(audiences),
        "insights": tuple(insights),
        "derived": tuple(derived),
    }
    # Which questions were routed is in the answers; surveys of before have no record of it.
    if (known := msgspec.structs.replace(record, routed=None)) != SurveyRecord():
        content["record"] = known
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()


def _waves(waves: Sequence[StoredWave]) -> list[object]:
    """The waves without what is computed from their weights, and without the name of the only one.

    An import gives the only wave the name of the study, which may be that of the file.
    """
    replace = msgspec.structs.replace
    return [
        (
            replace(each.wave, name="") if len(waves) == 1 else each.wave,
            each.rows,
            each.questions,
            each.numbers,
            each.replication,
        )
        for each in waves
    ]

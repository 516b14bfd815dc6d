"""A survey on disk: names of files, the manifest, checksums, the format's version.

    panel.json        the manifest: version, waves, row offsets, weight bits, checksums of files
                      and of blocks, provenance
    catalogue.json    questions, categories, datasets, namespaces
    audiences.json    saved audiences
    insights.json     insights
    derived.json      definitions of derived questions (only where there are such)
    import.json       what an import read and dropped (only where there was one)
    codebook.json     the codebook that it was made with, with all edits (only of an import)
    record.json       who counts by default, what waves did not offer, who was asked each item
                      (only where that is not the default)
    asked/<code>.npy  uint64 [rows, words], who was asked an item, where that is not its question
    waves/<code>/     bits.npy (uint64 [rows, words]) and weights.npy (float64 [respondents]);
                      strata.npy and clusters.npy (int32 [respondents]) where they are known;
                      persons.npy of a panel, and these two (int64 [respondents]);
                      fpc.npy (float64 [respondents]) and replicates.npy (float64 [replicate
                      weights, respondents]) too; raked_from.npy (float64 [respondents]) and
                      raked.npy (int32 [margins, respondents]) of a raked wave;
                      numbers.npy (float64 [questions, respondents]) of questions about numbers;
                      weights-1.npy … (float64 [respondents], NaN for none) of other weights,
                      and raked_from-1.npy and raked-1.npy of those that were raked
    text/<code>/      columns of text, which only this user may read: 1.npy … (uint8, all texts in
                      UTF-8) and 1-lengths.npy … (int32 [respondents], bytes, -1 for no text)

Rows of a wave: for each question asked in it, in catalogue order, one row of who was asked, then
its datapoints, and for each datapoint its suffixes. `docs/reference/survey-format.md` has the same
for people.
"""

from __future__ import annotations

import errno
import hashlib
import tomllib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from audiencelab.files import write_failure
from audiencelab.flags import flag
from audiencelab.schema.http import UNWEIGHTED
from audiencelab.survey.blocks import pieces_of
from audiencelab.survey.catalogue import SurveyWave
from audiencelab.survey.errors import (
    DamagedSurveyError,
    SurveyError,
    SurveyExistsError,
    listed,
)
from audiencelab.survey.remote import Folder
from audiencelab.survey.texts import StoredText
from audiencelab.wording import plural

FORMAT = "audiencelab-panel"
FORMAT_VERSION = 2

MANIFEST = "panel.json"
CATALOGUE = "catalogue.json"
AUDIENCES = "audiences.json"
INSIGHTS = "insights.json"
DERIVED = "derived.json"
IMPORT_REPORT = "import.json"
CODEBOOK = "codebook.json"
RECORD = "record.json"
ASKED = "asked/{wave}.npy"
BITS = "waves/{wave}/bits.npy"
WEIGHTS = "waves/{wave}/weights.npy"
OTHER_WEIGHTS = "waves/{wave}/weights-{number}.npy"
DESIGN = "waves/{wave}/{column}.npy"
FPC = "waves/{wave}/fpc.npy"
REPLICATES = "waves/{wave}/replicates.npy"
RAKED_FROM = "waves/{wave}/raked_from.npy"
RAKED = "waves/{wave}/raked.npy"
OTHER_RAKED_FROM = "waves/{wave}/raked_from-{number}.npy"
OTHER_RAKED = "waves/{wave}/raked-{number}.npy"
NUMBERS = "waves/{wave}/numbers.npy"
TEXT = "text"
TEXT_BYTES = "text/{wave}/{number}.npy"
TEXT_LENGTHS = "text/{wave}/{number}-lengths.npy"

RAKED_WEIGHTS = "raked_weights"
"""The field of the provenance with what other weights were raked to, by their names.

Each has `raked`, the targets, and `raked_waves` as the survey has them for its usual weight.
"""
RAKED_CHANGED = "raked_changed"
"""The field of these, and of the provenance, with the margins that have other answers since."""

_ENTRIES = {
    MANIFEST,
    CATALOGUE,
    AUDIENCES,
    INSIGHTS,
    DERIVED,
    IMPORT_REPORT,
    CODEBOOK,
    RECORD,
    "asked",
    "waves",
    TEXT,
}
"""Everything that may be in a survey's folder."""

_NO_SEAL = "0" * 64
_NUMBER = 8
"""Bytes of a weight, and of a word of bits."""

T = TypeVar("T")


class StoredFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """Size and checksum of a file of the survey.

    crc32: of an array, the checksums of its blocks (`blocks`); empty of text, and in a survey of
        format 1.
    """

    octets: int
    sha256: str
    crc32: tuple[str, ...] = ()


class Replication(msgspec.Struct, frozen=True):
    """How replicate weights were made, and what each squared deviation counts."""

    method: str
    scales: tuple[float, ...]


class StoredWave(msgspec.Struct, frozen=True, omit_defaults=True):
    """A wave, and where its questions' rows begin (the asked row; by full code).

    squared_weights: Σw², correctly rounded; None in a survey written before it was kept.
    numbers: rows of the file of numbers, by full code.
    replication: of its replicate weights, where it has some.
    texts: the numbers of the files of its columns of text, by name.
    clusters_recur: whether other waves were drawn from the same clusters.
    """

    wave: SurveyWave
    rows: int
    questions: dict[str, int]
    squared_weights: float | None = None
    numbers: dict[str, int] = {}
    replication: Replication | None = None
    texts: dict[str, int] = {}
    clusters_recur: bool = False


class OtherWeight(msgspec.Struct, frozen=True):
    """A weight beside the usual one; its weights are multiples of 2^-weight_bits."""

    name: str
    weight_bits: int


class Manifest(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of `panel.json`.

    weight_bits: weights are multiples of 2^-weight_bits.
    other_weights: those that a query may choose in place of the usual one; the first is number 1.
    files: every other file by its path in the survey.
    provenance: where the data came from, free in form.
    texts: columns of text, open answers and keys.
    seal: SHA-256 of the manifest's own file with zeros instead of the seal; "" in a survey
        written before it was kept.
    """

    format: str
    version: int
    name: str
    weight_bits: int
    waves: tuple[StoredWave, ...]
    files: dict[str, StoredFile]
    description: str = ""
    provenance: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    other_weights: tuple[OtherWeight, ...] = ()
    texts: tuple[StoredText, ...] = ()
    seal: str = ""

    def __repr__(self) -> str:
        waves, files = plural(len(self.waves), "wave"), plural(len(self.files), "file")
        return f"<Manifest of {self.name!r}: {waves}, {files}>"

    @property
    def weight_names(self) -> tuple[str, ...]:
        """The weights that a query may choose, the usual one first if it has a name."""
        usual = self.provenance.get("weight")
        named = () if usual in (None, "", UNWEIGHTED) else (str(usual),)
        return (*named, *(each.name for each in self.other_weights))

    @property
    def weight(self) -> str:
        """The weight as text, such as "weight, raked to known margins in w1, w2 (in part)".

        Empty where it is not known; the waves are left out where all respondents were raked.
        """
        parts = [str(self.provenance.get("weight") or "")]
        if self.provenance.get("raked"):
            changed = [code.rpartition(".")[2] for code in self.provenance.get(RAKED_CHANGED, ())]
            since = f" ({listed(changed)} changed since)" if changed else ""
            parts.append(f"raked to known margins{self._raked_where()}{since}")
        return ", ".join(filter(None, parts))

    def _raked_where(self) -> str:
        """The raked waves; empty for all of them, or in a survey written before they were kept."""
        raked = cast("dict[str, list[str]] | None", self.provenance.get("raked_waves"))
        waves = [stored.wave.code for stored in self.waves]
        if raked is None or all(raked.get(code) == [] for code in waves):
            return ""
        return " in " + listed(
            [f"{code} (in part)" if raked[code] else code for code in waves if code in raked]
        )


class _Header(msgspec.Struct):
    """The part of a manifest that every version has."""

    format: str = ""
    version: int = 0


def read_manifest(folder: Folder) -> Manifest:
    """The manifest of a folder; `SurveyError` if it is not a survey, or of a newer format."""
    path = folder / MANIFEST
    if not path.is_file():
        if folder.is_file():
            raise SurveyError(
                f"{folder} is a file, not the folder of a survey. Write al.open({str(folder)!r})."
            )
        why = f"it has no {MANIFEST}" if folder.exists() else "there is no such folder"
        raise SurveyError(f"{folder} is not a survey: {why}. `audiencelab import` makes one.")
    # The header alone first: a newer format may have fields that this version cannot read.
    header = read_json(path, _Header)
    if header.format != FORMAT:
        raise SurveyError(f"{path} is not the manifest of a survey (its format is not {FORMAT!r}).")
    if header.version > FORMAT_VERSION:
        raise SurveyError(
            f"{folder} is a survey of format {header.version}, newer than this audiencelab reads "
            f"({FORMAT_VERSION}). Upgrade audiencelab, or import the sources again with this one."
        )
    manifest = read_json(path, Manifest)
    for stored in manifest.waves:
        _check_wave(path, stored, manifest.files)
    return manifest


def is_text(name: str) -> bool:
    """Whether a file, by its path in the survey, is one of text."""
    return name.startswith(f"{TEXT}/")


def names_folder(code: str) -> bool:
    """Whether a wave's code can be the name of its folder, and of no folder elsewhere."""
    return bool(code) and not code.startswith(".") and not set(code) & set("/\\\0")


def _check_wave(path: Folder, stored: StoredWave, files: dict[str, StoredFile]) -> None:
    """Raise `SurveyError` for a wave outside the survey's folder, or larger than its files."""
    wave, rows = stored.wave, stored.rows
    if not names_folder(wave.code):
        raise SurveyError(f"{path} is damaged: {wave.code!r} cannot be a wave's code.")
    words = -(-wave.respondents // 64)
    needed = {WEIGHTS: _NUMBER * wave.respondents, BITS: _NUMBER * words * rows}
    if stored.numbers:
        needed[NUMBERS] = _NUMBER * wave.respondents * len(stored.numbers)
    held = {name: files.get(name.format(wave=wave.code)) for name in needed}
    # A manifest may come from elsewhere: sizes that it claims are compared before files are mapped.
    if any(each is None or not 0 <= needed[name] <= each.octets for name, each in held.items()):
        raise SurveyError(
            f"{path} is damaged: wave {wave.code} has no files of {wave.respondents:,} "
            f"respondents in {rows:,} rows. Import the survey again."
        )
    # A negative row would count from the end: the answers to another question.
    inside = all(0 <= row < rows for row in stored.questions.values())
    if not inside or sorted(stored.numbers.values()) != list(range(len(stored.numbers))):
        raise SurveyError(
            f"{path} is damaged: wave {wave.code} has questions outside its {rows:,} rows. "
            "Import the survey again."
        )
    blocks = {BITS: len(stored.questions), NUMBERS: len(stored.numbers)}
    needed = {name.format(wave=wave.code): count for name, count in blocks.items()}
    digits = 8 * pieces_of(wave.respondents)
    asked = ASKED.format(wave=wave.code)
    if asked in files and files[asked].octets < _NUMBER * words * len(files[asked].crc32):
        raise SurveyError(f"{path} is damaged: {asked} is smaller than its rows. Import it again.")
    for name, file in files.items():
        # Files of format 1 have no checksums of blocks.
        if not file.crc32 or not name.startswith(f"waves/{wave.code}/"):
            continue
        if [len(each) for each in file.crc32] != [digits] * needed.get(name, 1):
            raise SurveyError(
                f"{path} is damaged: {name} has checksums of other blocks. Import the survey again."
            )


def check_target(folder: Path, *, replace: bool) -> None:
    """Raise `SurveyExistsError` unless a survey may be put there and nothing else is lost."""
    flag("replace", replace)
    if not folder.exists():
        return
    if not replace:
        raise SurveyExistsError(
            f"{folder} exists already. Choose another folder, or replace the survey that is there "
            "with replace=True."
        )
    if not folder.is_dir():
        raise SurveyExistsError(f"{folder} is a file; only a survey can be replaced.")
    # Replacing removes the whole folder, and notes or files of others in it would be lost.
    if foreign := sorted({path.name for path in folder.iterdir()} - _ENTRIES):
        raise SurveyExistsError(
            f"{folder} is not replaced, since it contains more than a survey: {listed(foreign)}. "
            "Move that elsewhere, or choose another folder."
        )


def read_json(path: Folder, kind: type[T], stored: StoredFile | None = None) -> T:
    """A JSON file as a typed value; `SurveyError` names the file when it is damaged.

    stored: its checksum, which is compared.
    """
    try:
        octets = path.read_bytes()
        if stored is not None and hashlib.sha256(octets).hexdigest() != stored.sha256:
            raise DamagedSurveyError(
                f"{path} is damaged: it differs from its checksum. Import the survey again."
            )
        return msgspec.json.decode(octets, type=kind)
    except FileNotFoundError:  # pragma: no cover - it existed before, and is gone since
        raise SurveyError(f"{path} is missing: the survey is damaged. Import it again.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SurveyError(f"{path} is damaged ({error}). Import the survey again.") from None


def write_json(path: Path, value: object) -> None:
    """Write a value as indented JSON, since people may want to read it."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n")


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest of a survey, sealed."""
    path = folder / MANIFEST
    write_json(path, msgspec.structs.replace(manifest, seal=_NO_SEAL))
    octets = path.read_bytes()
    seal = hashlib.sha256(octets).hexdigest().encode()
    # The last zeros are those of the seal: it is the last field, and labels come before it.
    path.write_bytes(seal.join(octets.rsplit(_NO_SEAL.encode(), 1)))


def is_sealed(folder: Folder, manifest: Manifest) -> bool:
    """Whether the manifest's file is as it was written, or has no seal."""
    if not manifest.seal:
        return True
    before, _, after = (folder / MANIFEST).read_bytes().rpartition(manifest.seal.encode())
    return hashlib.sha256(before + _NO_SEAL.encode() + after).hexdigest() == manifest.seal


def stored_file(
    path: Folder, crc32: tuple[str, ...] = (), goes_on: Callable[[], bool] = lambda: True
) -> StoredFile:
    """The size and checksum of a file, which is read while `goes_on`.

    crc32: those of its blocks.
    """
    digest, octets = hashlib.sha256(), 0
    with path.open("rb") as file:
        while goes_on() and (piece := file.read(1 << 20)):
            digest.update(piece)
            octets += len(piece)
    return StoredFile(octets, digest.hexdigest(), crc32)


def read_toml(path: str | Path, kind: type[T], what: str) -> T:
    """A TOML file that people write, as a typed value.

    what: the content, for messages. Raises `SurveyError` that names the file and the location.
    """
    file = Path(path).expanduser()
    try:
        return msgspec.convert(tomllib.loads(file.read_text("utf-8")), kind, strict=False)
    except FileNotFoundError:
        raise SurveyError(f"{file}: there is no such file of {what}.") from None
    except OSError as error:
        raise SurveyError(f"{file} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:  # also not valid: TOML, UTF-8, the type
        raise SurveyError(f"{file}: {error}") from None


@contextmanager
def writes(target: Path) -> Generator[None]:
    """Around code that writes files of the survey at `target`: `OSError` becomes `SurveyError`."""
    try:
        yield
    except OSError as error:
        # numpy reports a full disk without an error number.
        known = OSError(errno.ENOSPC, str(error)) if error.errno is None else error
        why = write_failure(known, target.parent)
        raise SurveyError(f"{target} could not be written: {why}") from error

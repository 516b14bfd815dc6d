"""Open any source as a survey: import it once, and say what was assumed.

The import is kept in the `cache`, or in a folder that the caller names.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from audiencelab._version import __version__
from audiencelab.import_card import ImportCard
from audiencelab.ingest.cache import cached, digest, digest_of
from audiencelab.ingest.codebook import (
    Codebook,
    DesignColumns,
    ReplicateMethod,
    WeightColumn,
)
from audiencelab.ingest.codebook_files import load_codebook
from audiencelab.ingest.dictionaries import dictionary_file
from audiencelab.ingest.draft import draft_codebook
from audiencelab.ingest.draft.given import GivenMissing, GivenOrder, by_question
from audiencelab.ingest.draft.kinds import GivenKinds
from audiencelab.ingest.draft.open_answers import GivenTexts
from audiencelab.ingest.draft.weights import check_weights
from audiencelab.ingest.drift.compare import check_decisions
from audiencelab.ingest.drift.record import Decide
from audiencelab.ingest.importer import import_survey
from audiencelab.ingest.markup import composed
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.readers import companions
from audiencelab.ingest.readers.base import partition_columns
from audiencelab.ingest.readers.contents import missing_file, of_an_address
from audiencelab.ingest.report import ImportReport
from audiencelab.ingest.sources import Sources, find_files
from audiencelab.ingest.study import check_study, with_study
from audiencelab.survey.errors import SurveyError, SurveyExistsError
from audiencelab.survey.layout import MANIFEST
from audiencelab.survey.reader import Survey

_OPENED = "opened"
"""The field of a manifest's provenance that says what a survey was made of, and how."""


class Opened(NamedTuple):
    """A survey that was opened.

    card: what was taken for granted; None for a survey folder. frame: what `frame_digest` returns.
    """

    survey: Survey
    card: ImportCard | None
    frame: str = ""


def frame_digest(source: Any) -> str:
    """A checksum of what a frame contains, by which it is known again; "" for files and folders."""
    if isinstance(source, str | Path | list | tuple | Survey):
        return ""
    return digest_of(*_content(source, None, None, None, None)[1])


def open_source(
    source: Any,
    *,
    weight: str | Sequence[str] | UnsetType | None = UNSET,
    wave: str | UnsetType | None = UNSET,
    person: str | None = None,
    key: str | None = None,
    codebook: Codebook | str | Path | None = None,
    study: Mapping[str, str] | None = None,
    labels: str | Path | None = None,
    sheet: str | int | None = None,
    to: str | Path | None = None,
    name: str = "",
    encoding: str | None = None,
    replicates: str | Sequence[str] = (),
    replicate_method: ReplicateMethod | None = None,
    fay: float | None = None,
    strata: str | UnsetType | None = UNSET,
    clusters: str | UnsetType | None = UNSET,
    clusters_recur: bool = False,
    fpc: str | None = None,
    missing: GivenMissing | None = None,
    order: GivenOrder | None = None,
    kind: GivenKinds | None = None,
    text: GivenTexts = True,
    decide: Decide | None = None,
    guesses: Callable[[], Sequence[Guess]] | None = None,
) -> Opened:
    """A source as a survey, see `audiencelab.open`.

    guesses: of a pinned codebook, which says all but how the files are read: those of an import
    that goes by it.
    """
    named = {
        "wave": None if wave is UNSET else wave,
        "person": person,
        "key": key,
        "codebook": codebook,
        "study": study,
        "labels": labels,
        "sheet": sheet,
        "missing": missing,
        "order": order,
        "kind": kind,
        "decide": decide,
        "to": to,
        "encoding": encoding,
        "text": None if text is True else text,
    }
    replication = {"replicates": replicates, "replicate_method": replicate_method, "fay": fay}
    drawn = {"strata": strata, "clusters": clusters, "fpc": UNSET if fpc is None else fpc}
    drawn |= {"clusters_recur": True if clusters_recur else UNSET}
    drawn = {each: value for each, value in drawn.items() if value is not UNSET}
    named |= {each: value for each, value in replication.items() if value != ()}
    given = [*drawn, *(each for each, value in named.items() if value is not None)]
    given += ["wave"] if wave is None else []
    if found := existing(source):
        if given or not (weight is UNSET or weight is None or isinstance(weight, str)):
            raise SurveyError(
                f"{given[0] if given else 'weight'}= is about an import, and {found.address} is "
                "a survey already. Open the files that it was made of with it."
            )
        return Opened(found, None)
    in_codebook = ("person", "key", "labels", "sheet", "missing", "order", "kind")
    in_codebook += (*replication,)
    in_codebook += ("strata", "clusters", "clusters_recur", "fpc")
    extra = [each for each in in_codebook if each in given]
    if codebook is not None and guesses is None and extra:
        raise SurveyError(
            f"{extra[0]}= is not valid with codebook=, which declares key, labels, sheet, "
            "missing codes, order and design: write it there, or leave codebook= out."
        )
    book = load_codebook(Path(codebook)) if isinstance(codebook, str | Path) else codebook
    check_study(study)
    codebook_itself = book
    if book is not None:
        book = with_study(_as_given(book, weight, text), study)
    sources, content = _content(source, book, encoding, labels, sheet)
    by_wave = None if wave is UNSET else wave or [None]
    arguments = [None if weight is UNSET else [weight], by_wave, _unsealed(book), name, encoding]
    arguments += [replication] if replicates else []
    arguments += [drawn] if drawn else []
    arguments += [["person", person]] if person else []
    arguments += [["key", key]] if key else []
    arguments += [] if sheet is None else [["sheet", sheet]]
    arguments += [] if missing is None else [["missing", by_question(missing)]]
    arguments += [] if order is None else [["order", by_question(order)]]
    arguments += [] if kind is None else [["kind", dict(kind)]]
    arguments += [] if text is True else [["text", text]]
    arguments += [] if decide is None else [["decide", repr(decide)]]
    # A codebook has it already.
    arguments += [] if study is None or book is not None else [["study", sorted(study.items())]]
    # With the version: another one may read the same file in another way.
    made_of = digest_of(__version__, *content, msgspec.json.encode(arguments).decode())[:32]

    def make(target: Path) -> Survey:
        opened = Sources.open(sources or source, book and book.source, encoding, labels, sheet)
        opened.decide = _decided(decide, opened)
        if book is None:
            used = _drafted(
                opened,
                weight=weight,
                wave=wave,
                person=person,
                key=key,
                replicates=replicates,
                replicate_method=replicate_method,
                fay=fay,
                strata=strata,
                clusters=clusters,
                clusters_recur=clusters_recur,
                fpc=fpc,
                missing=missing,
                order=order,
                kind=kind,
                text=text,
            )
            used = used._replace(codebook=with_study(used.codebook, study))
        else:
            used = _declared(opened, _with_waves(opened, book, wave), codebook_itself, guesses)
        return import_survey(
            opened,
            used.codebook,
            target,
            name=name,
            encoding=encoding,
            provenance={_OPENED: {"key": made_of}},
            guesses=used.guesses,
        )

    is_alone = sources is not None and book is None and labels is None
    # The content alone, by which a later call knows the frame whatever its arguments are.
    frame = digest_of(*content) if is_alone else frame_digest(source)
    if to is None:
        return _opened(cached(_of_this_code(made_of), _label(source), make), frame)
    folder = Path(to).expanduser()
    if not (folder / MANIFEST).is_file():
        return _opened(make(folder), frame)
    found = Survey.open(folder)
    # Never replaced: a folder that the caller named may hold edits.
    if found.manifest.provenance.get(_OPENED, {}).get("key") != made_of:
        raise SurveyExistsError(
            f"{folder} was made of other data, or with other arguments. Open it as it is with "
            f"open({str(to)!r}), name another folder with to=, or remove this one."
        )
    return _opened(found, frame)


def _decided(decide: Decide | None, sources: Sources) -> Decide:
    if decide and len(sources.files) < 2:
        raise SurveyError(
            "decide= is not valid: it is about what differs between files, and there is one. Use "
            "client.edit."
        )
    check_decisions(decide or {})
    return decide or {}


class _Made(NamedTuple):
    """A codebook, and what its draft took for granted."""

    codebook: Codebook
    guesses: tuple[Guess, ...]


def _drafted(sources: Sources, **options: Any) -> _Made:
    draft = draft_codebook(sources, **options, strict=False)
    if draft.objection:
        raise SurveyError(draft.objection)
    return _Made(draft.codebook, draft.guesses)


def _declared(
    sources: Sources,
    book: Codebook,
    itself: Codebook | None,
    guesses: Callable[[], Sequence[Guess]] | None,
) -> _Made:
    """The same of a codebook; what it declares itself is taken as it is."""
    if itself is not None and book.weight != itself.weight:
        check_weights(sources, book)
    return _Made(book, () if guesses is None else tuple(guesses()))


def _with_waves(sources: Sources, book: Codebook, wave: str | UnsetType | None) -> Codebook:
    """A codebook with the waves of a call: those of another column, or one of all respondents."""
    if wave is UNSET or wave == (book.source.wide or (book.wave and book.wave.column)):
        return book
    if wave is None:
        return replace(book, wave=None, waves=())
    drafted = draft_codebook(sources, weight=None, wave=wave, text=False, strict=False).codebook
    return replace(book, wave=drafted.wave, waves=drafted.waves)


def _unsealed(book: Codebook | None) -> Codebook | None:
    """A codebook without the version of the survey that it makes, which a pinned one names."""
    if book is None or book.pinned is None:
        return book
    return replace(book, pinned=replace(book.pinned, survey=""))


def _of_this_code(key: str) -> str:
    """The key in the cache; of a development version another one after a change of this package."""
    if ".dev" not in __version__:
        return key
    changed = max(file.stat().st_mtime_ns for file in Path(__file__).parent.rglob("*.py"))
    return digest_of(key, str(changed))[:32]


def _as_given(
    book: Codebook, weight: str | Sequence[str] | UnsetType | None, text: GivenTexts
) -> Codebook:
    """The codebook with the weights of a call, and without columns of text where it says so."""
    if text is not True:
        book = _without_texts(book, text)
    if weight is UNSET:
        return book
    return _weighted(book, composed([weight] if isinstance(weight, str) else [*(weight or ())]))


def _without_texts(book: Codebook, text: GivenTexts) -> Codebook:
    """The codebook without columns of text; `SurveyError` for others than it names."""
    if text is not False:
        raise SurveyError(
            f"text={text!r} is not valid with codebook=, which declares the columns of open "
            "answers as [[texts]]: write them there, or leave codebook= out. text=False keeps none."
        )
    return replace(book, texts=())


def _weighted(book: Codebook, names: Sequence[str]) -> Codebook:
    """The codebook with other weights."""
    if book.weight is not None and book.weight.column not in names[:1]:
        # Replicate weights are those of the weight that the codebook names.
        known = book.design
        drawn = DesignColumns(
            known.strata,
            known.clusters,
            known.fpc,
            person=known.person,
            clusters_recur=known.clusters_recur,
        )
        book = replace(book, design=drawn)
    return replace(book, weight=WeightColumn(names[0], tuple(names[1:])) if names else None)


def _opened(survey: Survey, frame: str) -> Opened:
    return Opened(survey, ImportReport.of(survey).card(), frame)


def existing(source: Any) -> Survey | None:
    """A survey that is open, in a folder or at an address; None for what has to be imported."""
    if isinstance(source, Survey):
        return source
    if not isinstance(source, str | Path):
        return None
    if re.match(r"https?://", str(source)):
        raise SurveyError(of_an_address(str(source)))
    is_survey = "://" in str(source) or (Path(source).expanduser() / MANIFEST).is_file()
    return Survey.open(source) if is_survey else None


def _content(
    source: Any,
    codebook: Codebook | None,
    encoding: str | None,
    labels: str | Path | None,
    sheet: str | int | None,
) -> tuple[Sources | None, list[str]]:
    """What identifies the content of a source; a frame is read for it, files are not opened."""
    described = [] if labels is None else [str(labels), digest(dictionary_file(labels))]
    if isinstance(source, str | Path | list | tuple):
        files = find_files(_paths(source))
        if missing := next((each.path for each in files if not each.path.is_file()), None):
            raise SurveyError(missing_file(missing))
        beside = {path for file in files for path in companions(file.path)}
        # Names count, since waves and columns are read from names of files and of all folders.
        parts = [
            part
            for file in files
            for part in (file.name, repr(partition_columns(file.path)), digest(file.path))
        ]
        return None, [*parts, *map(digest, sorted(beside)), *described]
    sources = Sources.open(source, codebook and codebook.source, encoding, sheet=sheet)
    return sources, [*described, *content_of(sources)]


def bytes_of(source: Any, labels: str | Path | None, sheet: str | int | None) -> Iterator[str]:
    """What identifies the data of a source, whatever its files are called and wherever they are."""
    if labels is not None:
        yield digest(dictionary_file(labels))
    if not isinstance(source, str | Path | list | tuple):
        yield from content_of(Sources.open(source, sheet=sheet))
        return
    for file in find_files(_paths(source)):
        yield from map(digest, (file.path, *sorted(companions(file.path))))


def content_of(sources: Sources) -> Iterator[str]:
    """What identifies the content of sources, which are read for it."""
    for table in sources.read_all():
        for column, found in table.columns.items():
            codes = hashlib.sha256(found.codes.tobytes()).hexdigest()
            yield from (column, codes, repr(found.values), repr(table.variables.get(column)))


def _label(source: Any) -> str:
    """A source in short: the names of files, or "frame"."""
    if not isinstance(source, str | Path | list | tuple):
        return "frame"
    names = (Path(each).expanduser().resolve().name.partition(".")[0] for each in _paths(source))
    return " and ".join(dict.fromkeys(names))


def _paths(source: Any) -> Sequence[str | Path]:
    paths = [source] if isinstance(source, str | Path) else source
    return cast(Sequence[str | Path], paths)

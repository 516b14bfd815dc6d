"""What `open()` opens: a survey made of files or of a frame, or a snapshot that was recorded of it.

A snapshot answers for the source that it was recorded of, which is not read then.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import UNSET, UnsetType

from audiencelab.client.connection.target import SNAPSHOT_VARIABLE
from audiencelab.client.names import WavesLike
from audiencelab.client.snapshots.format import (
    Header,
    OpenedSource,
    SnapshotError,
    is_snapshot,
    read_header,
)
from audiencelab.import_card import CardLine, ImportCard, complete, show
from audiencelab.wording import without_controls

if TYPE_CHECKING:
    from audiencelab.survey import Survey

_ABOUT_CALLS = frozenset({"weight", "to"})
"""Arguments that do not have to be those of the recording: checked apart, or about a folder."""


@dataclass(frozen=True, slots=True)
class OpenedAs:
    """What a source was opened as: a survey or a snapshot.

    waves, weight: of calls that name none, unless the caller gave others.
    recorded: what a snapshot of the client says of the source. code: the arguments as code, where
        they can be given again.
    """

    survey: Survey | None
    snapshot: Path | None
    waves: WavesLike | UnsetType
    weight: str | UnsetType | None
    recorded: OpenedSource
    code: tuple[str, ...] = ()


def open_source(
    source: Any, given: Mapping[str, Any], snapshot: str | Path | None = None, *, quiet: bool
) -> OpenedAs:
    """Open a source, or the snapshot that answers for it; the card of its import is shown.

    given: the arguments of the import that were given, by name.
    snapshot: the file that answers; default `AUDIENCELAB_SNAPSHOT`, where that is of this source.
    Raises `SnapshotError` for a source or arguments that are not the recorded ones, and as
    `audiencelab.open`.
    """
    source = in_memory_of(source)
    described = OpenedSource(_name(source), {name: _code(each) for name, each in given.items()})
    found = _snapshot(source, described, snapshot)
    opened = _import(source, given, described) if found is None else _replay(found, given)
    if not quiet:
        _show(opened.recorded, source, given)
    return opened


def in_memory_of(source: Any) -> Any:
    """A frame that can be read twice; anything else as it is."""
    if not hasattr(source, "__arrow_c_stream__"):
        return source
    from audiencelab.ingest.readers.frames import in_memory

    return in_memory(source)


def _show(opened: OpenedSource, source: Any, given: Mapping[str, Any]) -> None:
    if opened.card is not None:
        show(opened.card.of_call(*_call(source, given)))
    elif opened.lines:
        print("\n".join(map(without_controls, opened.lines)))  # noqa: T201 -- what 2.0 assumed


def _import(source: Any, given: Mapping[str, Any], described: OpenedSource) -> OpenedAs:
    from audiencelab.ingest.opening import open_source as import_source
    from audiencelab.ingest.opening_pinned import open_pinned
    from audiencelab.survey.errors import SurveyError

    others = {name: value for name, value in given.items() if name != "pin"}
    try:
        if pin := given.get("pin"):
            opened = open_pinned(source, pin, others)
        else:
            opened = import_source(source, **others)
            if (card := opened.card) and "codebook" not in given:
                opened = opened._replace(card=_with_unread(card, source, given.get("name", "")))
    except SurveyError as error:
        error.args = (complete(str(error), *_call(source, given)),)
        raise
    weight = given.get("weight", UNSET)
    recorded = msgspec.structs.replace(described, frame=opened.frame, card=opened.card)
    # A survey that was there before is not imported again: the weight is that of calls.
    called = weight if opened.card is None and isinstance(weight, str | None) else UNSET
    code = () if opened.card is None else _as_code(source, given)
    return OpenedAs(opened.survey, None, UNSET, called, recorded, code)


def _with_unread(card: ImportCard, source: Any, name: str) -> ImportCard:
    """A card that names the pinned codebook which the call did not read, if there is one."""
    from audiencelab.ingest.opening_pinned import unread_pin

    if not (path := unread_pin(source, name)):
        return card
    said = f"{path} pins this source, and was not read"
    line = CardLine("codebook", said, "al.open(…, pin=True)", severity=1)
    return msgspec.structs.replace(card, lines=(line, *card.lines))


def _replay(file: Path, given: Mapping[str, Any]) -> OpenedAs:
    header = read_header(file)
    # 2.0 did not record the waves of calls, which were all.
    waves = "all" if header.scope is UNSET else UNSET
    weight = UNSET if "weight" not in given else _weight(file, header, given["weight"])
    return OpenedAs(None, file, waves, weight, header.opened or OpenedSource())


def _snapshot(source: Any, described: OpenedSource, named: str | Path | None) -> Path | None:
    """The snapshot that answers for a source, if any."""
    variable = os.environ.get(SNAPSHOT_VARIABLE)
    if _is_snapshot(source):
        file = Path(source).expanduser()
    elif named is not None or variable:
        file = Path(named or variable or "").expanduser()
        recorded = read_header(file).opened
        if recorded is not None and not _is_of(recorded, described, source):
            if named is None:
                return None
            raise SnapshotError(
                f"{file} was recorded of {recorded.name or 'another frame'}, not of "
                f"{described.name or 'this frame'}. open({str(file)!r}) replays it whatever it is "
                "of."
            )
    else:
        return None
    _check_arguments(file, described.arguments)
    return file


def _is_of(recorded: OpenedSource, described: OpenedSource, source: Any) -> bool:
    """Whether a snapshot was recorded of this source; frames have no name, but contents."""
    if recorded.name != described.name:
        return False
    if not recorded.frame:
        return True
    from audiencelab.ingest.opening import frame_digest

    return frame_digest(source) == recorded.frame


def _is_snapshot(source: Any) -> bool:
    # By its name first: a source for which a snapshot answers is not read.
    if not isinstance(source, str | Path) or not str(source).endswith(".jsonl"):
        return False
    return is_snapshot(Path(source).expanduser())


def _check_arguments(file: Path, given: Mapping[str, str]) -> None:
    """Raise `SnapshotError` for an argument of the import that is not the recorded one."""
    recorded = read_header(file).opened
    if recorded is None:
        return
    for name in given.keys() - _ABOUT_CALLS:
        if (before := recorded.arguments.get(name)) != given[name]:
            was = "without it" if before is None else f"with {name}={before}"
            raise SnapshotError(
                f"{name}={given[name]} is not valid here: {file} was recorded {was}, and a "
                "snapshot is not imported again. Give what it was recorded with, or open the "
                "source itself and record it again."
            )


def _weight(file: Path, header: Header, given: str | Sequence[str] | None) -> str | None:
    """The weight of calls; which is the usual one is known where the client is made."""
    several = (given,) if given is None or isinstance(given, str) else tuple(given)
    known = (*header.weights, header.weight.partition(", raked")[0])
    unknown = next((each for each in several if each is not None and each not in known), None)
    if unknown is not None and header.weight:
        raise SnapshotError(
            f"weight={unknown!r} is not valid here: {file} was recorded of a survey with "
            f"{' and '.join(filter(None, dict.fromkeys(known)))}. Open the source itself, and "
            "record it again."
        )
    return several[0] if several else None


def _name(source: Any) -> str:
    """The name of a file or folder, of files their names; empty for a frame."""
    if isinstance(source, str | Path):
        return Path(source).expanduser().absolute().name
    if isinstance(source, list | tuple):
        return ", ".join(map(_name, cast("list[Any]", source)))
    return str(getattr(getattr(source, "folder", None), "name", ""))


def _code(value: Any) -> str:
    """An argument as code, for comparison: of a file its name, of a codebook its checksum.

    The folders of a file are those of one machine, and not for readers of a snapshot.
    """
    if isinstance(value, Path) or (isinstance(value, str) and ("/" in value or "\\" in value)):
        return repr(PureWindowsPath(value).name)
    if isinstance(value, msgspec.Struct):
        return f"<{type(value).__name__} {sha256(msgspec.json.encode(value)).hexdigest()[:16]}>"
    return repr(value)


def _as_code(source: Any, given: Mapping[str, Any]) -> tuple[str, ...]:
    """The arguments that open a file again; none where they cannot be written."""
    if not isinstance(source, str | Path) or not _is_writable(given):
        return ()
    _, named = _call(source, given)
    file = str(Path(source).expanduser().absolute())
    return (repr(file), *(f"{name}={value}" for name, value in named.items()))


def _call(source: Any, given: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """The source of a call of `open()` as code, and its other arguments by name."""
    named = {name: str(each) if isinstance(each, Path) else each for name, each in given.items()}
    return written_source(source), {
        name: repr(value) if _is_writable({name: value}) else name for name, value in named.items()
    }


def written_source(source: Any) -> str:
    """The source of a call of `open()` as code."""
    if isinstance(source, list | tuple):
        return repr([str(each) for each in cast("list[Any]", source)])
    return repr(str(source)) if isinstance(source, str | Path) else "frame"


def _is_writable(given: Mapping[str, Any]) -> bool:
    return all(
        isinstance(each, str | Path | list | dict | int | float | None) for each in given.values()
    )

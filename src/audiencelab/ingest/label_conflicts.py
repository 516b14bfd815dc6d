"""What several files say of one column: joined where they agree, refused where they do not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from audiencelab.ingest.columns import Variable
from audiencelab.ingest.readers import Table
from audiencelab.survey.errors import SurveyError

_MOST = 10
_ADVICE = (
    "Import the first file alone, and add the other with a codebook of its own: "
    "`audiencelab survey add-wave`."
)


class _Source(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def variables(self) -> Mapping[str, Variable]: ...


class _Difference(NamedTuple):
    """Two labels of one value. is_shuffled: one of them is another value's in the other file."""

    words: str
    is_shuffled: bool


def joint_variables(sources: Sequence[_Source]) -> dict[str, Variable]:
    """What the sources say of each column, together.

    Raises `SurveyError` with every value that has different labels in two of them.
    """
    found = [each.words for each in _differences(sources)]
    if found:
        first = sources[0].name
        _refuse(
            found,
            f"{_ADVICE} If the labels mean the same, draft the codebook from one file "
            f"(`audiencelab codebook {first}`), and import all with it.",
        )
    joint: dict[str, Variable] = {}
    for source in sources:
        for name, variable in source.variables.items():
            known = joint.get(name)
            joint[name] = variable if known is None else _joined(known, variable)
    return joint


def check_places(sources: Sequence[_Source], columns: Iterable[str]) -> None:
    """Raise `SurveyError` if labels of some columns changed places from one source to another.

    No codebook can be right for both of them.
    """
    found = [each.words for each in _differences(sources, set(columns)) if each.is_shuffled]
    if found:
        _refuse(found, _ADVICE)


def relabelled(sources: Sequence[_Source], columns: Iterable[str]) -> list[str]:
    """Values of some columns that have different labels in two sources, the first few of them."""
    found = [each.words for each in _differences(sources, set(columns))]
    more = len(found) - _MOST
    return found[:_MOST] + ([f"{more:,} more values have different labels"] if more > 0 else [])


def check_missing_values(tables: Sequence[Table], joint: Mapping[str, Variable]) -> None:
    """Raise `SurveyError` for values that are answers in one source and missing in another."""
    found: dict[str, None] = {}
    for table in tables:
        for name, column in table.columns.items():
            own, together = table.variables.get(name), joint.get(name)
            if own is None or together is None or _declares_alike(own, together):
                continue
            for value, _ in column.counted():
                if together.is_missing(value) and not own.is_missing(value):
                    found[_disputed(name, value, table, tables)] = None
    if found:
        _refuse(
            list(found),
            f"Declare the same values missing in all files, or draft the codebook from one "
            f"file (`audiencelab codebook {tables[0].name}`), say there what each value means, and "
            "import all with it.",
        )


def _disputed(name: str, value: str, table: Table, tables: Sequence[Table]) -> str:
    other = next(
        each for each in tables if (known := each.variables.get(name)) and known.is_missing(value)
    )
    label = other.variables[name].labels.get(value)
    words = f" ({label!r})" if label else ""
    return (
        f"{name}: {value} is an answer in {table.name}, and declared missing{words} in {other.name}"
    )


def _refuse(found: Sequence[str], advice: str) -> None:
    lines = [f"  {words}" for words in found[:_MOST]]
    lines += [f"  … and {len(found) - _MOST:,} more"] if len(found) > _MOST else []
    shown = "\n".join(lines)
    raise SurveyError(f"The files do not say the same of their values:\n{shown}\n{advice}")


def _differences(
    sources: Sequence[_Source], columns: set[str] | None = None
) -> Iterator[_Difference]:
    """Values whose label in a source differs from that of the first source which labels them.

    A value that both declare missing is read by each file's own label, and is left out.
    """
    first: dict[str, list[_Source]] = {}
    for source in sources:
        for name, variable in source.variables.items():
            if columns is not None and name not in columns:
                continue
            for value, label in variable.labels.items():
                for other in first.get(name, ()):
                    said = other.variables[name]
                    if not (known := said.labels.get(value)) or not label:
                        continue
                    both_missing = said.is_missing(value) and variable.is_missing(value)
                    if _plain(known) != _plain(label) and not both_missing:
                        words = f"{name}: {value} is {known!r} in {other.name}, and {label!r} in "
                        yield _Difference(
                            words + source.name,
                            _has_elsewhere(said, value, label)
                            or _has_elsewhere(variable, value, known),
                        )
                    break
            first.setdefault(name, []).append(source)


def _has_elsewhere(variable: Variable, value: str, label: str) -> bool:
    """Whether a label is that of another value."""
    plain = _plain(label)
    return any(_plain(other) == plain for each, other in variable.labels.items() if each != value)


def _plain(label: str) -> str:
    """A label without what makes no difference: case, blanks and punctuation."""
    return "".join(filter(str.isalnum, label.casefold())) or label.strip()


def _joined(first: Variable, other: Variable) -> Variable:
    return replace(
        first,
        label=first.label or other.label,
        order=first.order or other.order,
        labels={**first.labels, **{v: t for v, t in other.labels.items() if v not in first.labels}},
        missing=first.missing | other.missing,
        missing_ranges=tuple(dict.fromkeys((*first.missing_ranges, *other.missing_ranges))),
    )


def _declares_alike(own: Variable, joint: Variable) -> bool:
    return own.missing == joint.missing and set(own.missing_ranges) == set(joint.missing_ranges)

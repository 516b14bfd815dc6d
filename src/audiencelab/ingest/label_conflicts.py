"""Compare the labels and missing values of one column in several files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from audiencelab.ingest.columns import Variable
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.readers import ReadColumns, SurveyFile
from audiencelab.survey.errors import SurveyError

_MOST = 10
_ADVICE = (
    "Import the first file alone, and add the other with a codebook of its own: "
    "`audiencelab survey add-wave`."
)


class _Difference(NamedTuple):
    """Two labels of one value. is_shuffled: one of them is another value's in the other file."""

    message: str
    is_shuffled: bool


def joint_variables(files: Sequence[SurveyFile]) -> dict[str, Variable]:
    """The metadata of each column, joined over the files.

    Raises `SurveyError` with every value that has different labels in two of them.
    """
    first = files[0].name
    _check(
        (each.message for each in _differences(files)),
        f"{_ADVICE} If the labels mean the same, draft the codebook from one file "
        f"(`audiencelab codebook {first}`), and import all with it.",
    )
    joint: dict[str, Variable] = {}
    for file in files:
        for name, variable in file.variables.items():
            known = joint.setdefault(name, variable)
            if known is not variable:
                joint[name] = replace(
                    known,
                    label=known.label or variable.label,
                    order=known.order or variable.order,
                    # The first file's labels twice: first for their order, last to win over the
                    # others'.
                    labels={**known.labels, **variable.labels, **known.labels},
                    missing=known.missing | variable.missing,
                    missing_ranges=(
                        *dict.fromkeys((*known.missing_ranges, *variable.missing_ranges)),
                    ),
                )
    return joint


def check_shuffled(files: Sequence[SurveyFile], columns: Iterable[str]) -> None:
    """Raise `SurveyError` if labels of some columns belong to other values in another file.

    No codebook can be right for both of them.
    """
    found = _differences(files, set(columns))
    _check((each.message for each in found if each.is_shuffled), _ADVICE)


def relabelled(files: Sequence[SurveyFile], columns: Iterable[str]) -> list[Guess]:
    """Values of some columns that have different labels in two files."""
    found = _differences(files, set(columns))
    return [Guess("file", "labels", each.message, severity=1) for each in found]


def check_missing_values(tables: Sequence[ReadColumns], joint: Mapping[str, Variable]) -> None:
    """Raise `SurveyError` for values that are answers in one file and missing in another."""
    found: dict[str, None] = {}
    for table in tables:
        for name, own in table.variables.items():
            together = joint[name]
            is_alike = own.missing == together.missing and {*own.missing_ranges} == {
                *together.missing_ranges
            }
            if is_alike or name not in table.columns:
                continue
            for value, _ in table.columns[name].counted():
                if together.is_missing(value) and not own.is_missing(value):
                    found[_disputed(name, value, table, tables)] = None
    _check(
        found,
        "Declare the same values missing in all files, or draft the codebook from one file "
        f"(`audiencelab codebook {tables[0].name}`), define there what each value means, and "
        "import all with it.",
    )


def _disputed(name: str, value: str, table: ReadColumns, tables: Sequence[ReadColumns]) -> str:
    other = next(
        each for each in tables if (known := each.variables.get(name)) and known.is_missing(value)
    )
    label = other.variables[name].labels.get(value)
    words = f" ({label!r})" if label else ""
    return (
        f"{name}: {value} is an answer in {table.name}, and declared missing{words} in {other.name}"
    )


def _check(messages: Iterable[str], advice: str) -> None:
    """Raise `SurveyError` if there are messages."""
    if found := list(messages):
        lines = [f"  {message}" for message in found[:_MOST]]
        lines += [f"  … and {len(found) - _MOST:,} more"] if len(found) > _MOST else []
        shown = "\n".join(lines)
        raise SurveyError(f"The files differ in what their values mean:\n{shown}\n{advice}")


def _differences(
    files: Sequence[SurveyFile], columns: set[str] | None = None
) -> Iterator[_Difference]:
    """Values whose label in a file differs from that of the first file which labels them.

    A value that both declare missing is read by each file's own label, and is left out.
    """
    first: dict[tuple[str, str], tuple[SurveyFile, Variable]] = {}
    for file in files if len(files) > 1 else ():
        for name, variable in file.variables.items():
            if columns is not None and name not in columns:
                continue
            for value, label in variable.labels.items():
                if not label:
                    continue
                other, known = first.setdefault((name, value), (file, variable))
                old = known.labels[value]
                both_missing = known.is_missing(value) and variable.is_missing(value)
                if _plain(old) != _plain(label) and not both_missing:
                    yield _Difference(
                        f"{name}: {value} is {old!r} in {other.name}, and {label!r} in {file.name}",
                        _has_elsewhere(known, value, label) or _has_elsewhere(variable, value, old),
                    )


def _has_elsewhere(variable: Variable, value: str, label: str) -> bool:
    """Whether a label is that of another value."""
    plain = _plain(label)
    return any(_plain(other) == plain for each, other in variable.labels.items() if each != value)


def _plain(label: str) -> str:
    """A label without what makes no difference: case, blanks and punctuation."""
    # A label of signs alone, such as "+" and "-", is compared by these.
    return "".join(filter(str.isalnum, label.casefold())) or label.strip()

"""How a result was made: the calls of Python that make it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast


@dataclass(frozen=True, slots=True)
class MadeOf:
    """A call of a method of another result.

    of: writes the code of that result, "" where it is not known. call: what follows it, such as
    ".test(vs='rest')". before: what precedes it.
    """

    of: Callable[[], str]
    call: str
    before: str = ""

    def __str__(self) -> str:
        code = self.of()
        return f"{self.before}{code}{self.call}" if code and self.call else ""

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        # The other result is not pickled with the one that was made of it.
        return str, (str(self),)


Made: TypeAlias = str | MadeOf | None
"""Code, given `client` and `al`; None where the data of a result say how it was made."""


_LONGEST = 70
"""Columns of a call on one line."""


def method_code(method: str, given: Sequence[object], named: Mapping[str, object]) -> str:
    """A call of a method, ".test(vs='rest')"; "" where an argument cannot be written."""
    parts = [value_code(each) for each in given]
    parts += [(code := value_code(each)) and f"{name}={code}" for name, each in named.items()]
    if None in parts:
        return ""
    written = cast("list[str]", parts)
    line = f".{method}({', '.join(written)})"
    if len(line) <= _LONGEST:
        return line
    return "\n".join([f".{method}(", *(f"    {each}," for each in written), ")"])


def value_code(value: object, write: Callable[[object], str | None] | None = None) -> str | None:
    """A value as code; None where it cannot be written, such as an iterator that is used up.

    write: of what a list or a mapping holds; by default this function.
    """
    write = write or value_code
    if value is None or isinstance(value, str | bool | int | float):
        return repr(value)
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        pairs = [(write(key), write(each)) for key, each in items]
        if any(None in pair for pair in pairs):
            return None
        return f"{{{', '.join(f'{key}: {each}' for key, each in pairs)}}}"
    if isinstance(value, list | tuple | set | frozenset):
        parts = [write(each) for each in cast("Sequence[object]", value)]
        if None in parts:
            return None
        code = ", ".join(cast("list[str]", parts))
        if isinstance(value, tuple):
            return f"({code},)" if len(parts) == 1 else f"({code})"
        return f"[{code}]"
    own, kind = cast(Any, value), type(value)
    if hasattr(kind, "tolist"):  # of numpy
        return value_code(own.tolist())
    return own.to_code() or None if hasattr(kind, "to_code") else None

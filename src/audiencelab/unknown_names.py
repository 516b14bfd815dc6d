"""Names that an object does not have: read as ours by `words.OBJECTS`, or refused with a hint."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from audiencelab.keywords import take_words
from audiencelab.lines import code_of, name_of, near, text_code
from audiencelab.words import OBJECTS, Member, Words


class OtherWords:
    """Mixin: words of other programs for members work, other unknown names are refused with help.

    The words are those of the object's classes in `words.OBJECTS`. Completion does not show them,
    and a type checker reports them. Words for arguments of its methods are taken too.
    """

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        take_words(cls)

    if not TYPE_CHECKING:  # a type checker would not see a misspelt name any more

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or hasattr(type(self), name):
                # Again, for the error of the property's own code, in place of one about the name.
                return object.__getattribute__(self, name)
            return meant(self, name)

    def _phrase(self, name: str) -> Callable[[], Any] | None:
        """What reads a word that no member has, with other arguments or another result."""
        return None


def meant(it: Any, name: str) -> Any:
    """What a word for a member reads; raises `AttributeError` for another name."""
    kind = it.__class__
    read = it._phrase(name) if hasattr(kind, "_phrase") else None
    if read is not None:
        return read()
    for table in _tables(it):
        given = table.same.get(name, ())
        for member in (given,) if isinstance(given, str) else given:
            if hasattr(it, member.partition("(")[0].partition(".")[0]):
                return _read(it, member)
    raise refused(it, name)


def refused(it: object, name: str) -> AttributeError:
    """The error about a name that an object, or a module, does not have."""
    # Without the object, to which Python would add a suggestion of its own.
    return AttributeError(_Refusal(it, name), name=name)


class _Refusal:
    """The text of an error, made when it is read: most of them end in a `hasattr`."""

    def __init__(self, it: object, name: str) -> None:
        self._it, self._name = it, name
        # The caller's name is at hand now, and not where the text is read.
        self._called = "" if name.startswith("_") else name_of(it)

    def __str__(self) -> str:
        it, name = self._it, self._name
        module = isinstance(it, ModuleType)
        owner = f"module {it.__name__!r}" if module else f"{type(it).__name__!r} object"
        advice = _advice(it, name)
        if "{it}" in advice:
            advice = advice.replace("{it}", self._called or code_of(it))
        return f"{owner} has no attribute {name!r}.{advice}"

    def __repr__(self) -> str:
        return repr(str(self))

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)


def _advice(it: object, name: str) -> str:
    """What to write instead of a name, as far as it is known."""
    if name.startswith("_"):
        return ""
    tables, known = _tables(it), _members(it)
    if instead := next((table.instead[name] for table in tables if name in table.instead), ""):
        question = text_code(getattr(it, "question", ""))
        return f" Write {instead.replace('{question}', question)}."
    if close := near(name, known, 0.75):
        return f" Did you mean {close!r}?"
    table = next((each for each in tables if each.otherwise), Words())
    members = ", ".join(map(table.listed.format, known))
    return f" {table.otherwise}".rstrip().replace("{members}", members)


def _tables(it: object) -> list[Words]:
    kinds = [it] if isinstance(it, ModuleType) else type(it).__mro__
    return [OBJECTS[each.__name__] for each in kinds if each.__name__ in OBJECTS]


def _members(it: object) -> tuple[str, ...]:
    return tuple(name for name in dir(it) if not name.startswith("_"))


def _read(it: Any, member: Member) -> Any:
    for step in member.split("."):
        name, called, given = step.partition("(")
        it = getattr(it, name)
        if called:
            it = it(*literal_eval(f"[{given[:-1]}]"))
    return it

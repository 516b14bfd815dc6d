"""The catalogue as a tree of categories, to be walked: `catalogue.tree["Media"]["Radio"]`.

Built from the paths that the questions came with; nothing is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from audiencelab.client.errors import UnknownCodeError
from audiencelab.wire import Category
from audiencelab.wording import harmless

if TYPE_CHECKING:
    from audiencelab.client.catalogue.question import CatalogueQuestion

__all__ = ["CatalogueCategory", "grow"]

_LINES = 40


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CatalogueCategory:
    """A category: `category["Basics"]` is the one below of that name (or id).

    children: the categories below. questions: those that stand in this one itself.
    The root, `catalogue.tree`, has no name and holds the questions that no category claims.
    """

    id: str
    name: str
    children: tuple[CatalogueCategory, ...]
    questions: tuple[CatalogueQuestion, ...]

    def __getitem__(self, key: str) -> CatalogueCategory:
        """The category below of that name or id; raises `UnknownCodeError`."""
        folded = key.casefold() if isinstance(key, str) else key  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        for found in (
            [child for child in self.children if key == child.id],
            [child for child in self.children if folded == child.name.casefold()],
        ):
            if len(found) == 1:
                return found[0]
        known = ", ".join(repr(child.name) for child in self.children) or "none"
        place = f"below {self.name!r}" if self.name else "at the top"
        raise UnknownCodeError(f"No category {key!r} {place}; there are: {known}.", [key])

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        folded = key.casefold()
        return any(key == child.id or folded == child.name.casefold() for child in self.children)

    def __iter__(self) -> Iterator[CatalogueCategory]:
        return iter(self.children)

    def all_questions(self) -> tuple[CatalogueQuestion, ...]:
        """The questions of this category and of all below it, each once."""
        return tuple({each.canonical: each for each in self._all()}.values())

    def all_categories(self) -> tuple[CatalogueCategory, ...]:
        """The categories below this one and all below them, parents before children."""
        return tuple(each for child in self.children for each in (child, *child.all_categories()))

    def __repr__(self) -> str:
        lines = every = list(self._lines(0))
        # The deepest go first: a branch that is cut off tells less than one that is not opened.
        while len(lines) > _LINES and (deepest := max(depth for depth, _ in lines)) > 1:
            lines = [line for line in lines if line[0] < deepest]
        shown = [f"{'  ' * depth}{words}" for depth, words in lines[:_LINES]]
        if hidden := len(every) - len(shown):
            shown.append(f"… and {hidden:,} more; tree['…'] opens a branch")
        return harmless("\n".join(shown))

    def _ipython_key_completions_(self) -> list[str]:
        return [child.name or child.id for child in self.children]

    def _all(self) -> Iterator[CatalogueQuestion]:
        yield from self.questions
        for child in self.children:
            yield from child._all()

    def _lines(self, depth: int) -> Iterator[tuple[int, str]]:
        yield depth, f"{self.name or 'Catalogue'} ({len(self.all_questions()):,})"
        for child in self.children:
            yield from child._lines(depth + 1)


@dataclass
class _Growing:
    """A category that questions are still being put into."""

    record: Category
    children: dict[str, _Growing] = field(default_factory=dict[str, "_Growing"])
    questions: list[CatalogueQuestion] = field(default_factory=list["CatalogueQuestion"])

    def finish(self) -> CatalogueCategory:
        # Where the service gives places, they count; else the order in which they came.
        children = sorted(self.children.values(), key=lambda child: child.record.order or 0)
        return CatalogueCategory(
            self.record.id,
            self.record.name,
            tuple(child.finish() for child in children),
            tuple(self.questions),
        )


def grow(questions: Iterable[CatalogueQuestion]) -> CatalogueCategory:
    """The root of the tree in which these questions stand; one may stand in several places."""
    root = _Growing(Category(id=""))
    for question in questions:
        for lineage in question.lineages or ((),):
            place = root
            for category in lineage:
                place = place.children.setdefault(category.id, _Growing(category))
            place.questions.append(question)
    return root.finish()

"""The catalogue as a tree of categories: `catalogue.tree["Media"]["Radio"]`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from audiencelab.client.catalogue.labels import lowered
from audiencelab.client.catalogue.question import CatalogueQuestion
from audiencelab.client.errors import UnknownCodeError
from audiencelab.hidden_members import hide_members
from audiencelab.schema import Category
from audiencelab.wording import without_controls

_LINES = 40


@hide_members("all_categories", "all_questions")
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CatalogueCategory:
    """A category; `category["Basics"]` is its child with that name (or id).

    children: the categories below. questions: the questions of this category itself.
    The root, `catalogue.tree`, has no name and holds the questions without a category.
    """

    id: str
    name: str
    children: tuple[CatalogueCategory, ...]
    questions: tuple[CatalogueQuestion, ...]

    def __getitem__(self, key: str) -> CatalogueCategory:
        """The child with that name or id; raises `UnknownCodeError`."""
        for found in self._by_id(key), self._by_name(key):
            if len(found) == 1:
                return found[0]
        known = ", ".join(repr(child.name) for child in self.children) or "none"
        where = f"below {self.name!r}" if self.name else "at the top"
        raise UnknownCodeError(f"No category {key!r} {where}; there are: {known}.", [key])

    def __contains__(self, key: object) -> bool:
        return bool(self._by_id(key) or self._by_name(key))

    def __iter__(self) -> Iterator[CatalogueCategory]:
        return iter(self.children)

    def all_questions(self) -> tuple[CatalogueQuestion, ...]:
        """The questions of this category and of all categories below it, without duplicates.

        >>> client.catalogue.tree["About you"].all_questions()[0].name
        'Gender'
        """
        return tuple({each.canonical: each for each in self._walk_questions()}.values())

    def all_categories(self) -> tuple[CatalogueCategory, ...]:
        """All categories below this one, parents before children.

        >>> len(client.catalogue.tree["About you"].all_categories())
        7
        """
        return tuple(each for child in self.children for each in (child, *child.all_categories()))

    def __repr__(self) -> str:
        lines = every = list(self._lines(0))
        # Hide the deepest level first, so that no branch is cut off in its middle.
        while len(lines) > _LINES and (deepest := max(depth for depth, _ in lines)) > 1:
            lines = [line for line in lines if line[0] < deepest]
        shown = [f"{'  ' * depth}{text}" for depth, text in lines[:_LINES]]
        if hidden := len(every) - len(shown):
            shown.append(f"… and {hidden:,} more; tree['…'] opens a branch")
        return without_controls("\n".join(shown))

    def _ipython_key_completions_(self) -> list[str]:
        return [child.name or child.id for child in self.children]

    def _by_id(self, key: object) -> list[CatalogueCategory]:
        return [child for child in self.children if key == child.id]

    def _by_name(self, key: object) -> list[CatalogueCategory]:
        folded = lowered(key) if isinstance(key, str) else key
        return [child for child in self.children if folded == lowered(child.name)]

    def _walk_questions(self) -> Iterator[CatalogueQuestion]:
        yield from self.questions
        for child in self.children:
            yield from child._walk_questions()

    def _lines(self, depth: int) -> Iterator[tuple[int, str]]:
        yield depth, f"{self.name or 'Catalogue'} ({len(self.all_questions()):,})"
        for child in self.children:
            yield from child._lines(depth + 1)


@dataclass
class _Builder:
    """A category to which questions are still being added."""

    record: Category
    children: dict[str, _Builder] = field(default_factory=dict[str, "_Builder"])
    questions: list[CatalogueQuestion] = field(default_factory=list[CatalogueQuestion])

    def build(self) -> CatalogueCategory:
        # The sort is stable: categories without an order keep that of their questions.
        children = sorted(self.children.values(), key=lambda child: child.record.order or 0)
        return CatalogueCategory(
            self.record.id,
            self.record.name,
            tuple(child.build() for child in children),
            tuple(self.questions),
        )


def build_tree(questions: Iterable[CatalogueQuestion]) -> CatalogueCategory:
    """The root of the tree of these questions; a question may be in several categories."""
    root = _Builder(Category(id=""))
    for question in questions:
        for lineage in question.lineages or ((),):
            node = root
            for category in lineage:
                node = node.children.setdefault(category.id, _Builder(category))
            node.questions.append(question)
    return root.build()

"""TURF of the respondents of the survey in this process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from msgspec import UNSET

from audiencelab.analysis.best_sets import Rules
from audiencelab.analysis.turf import ItemPatterns, apart_pairs, turf_sets
from audiencelab.client.audiences import (
    AudiencesLike,
    assign_base_id,
    assign_ids,
    assign_names,
    question_codes,
    to_audiences,
)
from audiencelab.client.names import Names, QuestionLike, names_in, read_once
from audiencelab.client.operations.call_code import call_code
from audiencelab.client.operations.names import names_for, read_scope
from audiencelab.client.operations.overlap import counted_waves
from audiencelab.client.operations.turf_rules import ItemsLike, find_rules
from audiencelab.client.operations.who_counts import who_of
from audiencelab.client.respondents import service_here
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.sending import Sender, load_names, require_respondents
from audiencelab.expressions import Audience
from audiencelab.results.overlap import distinct_names
from audiencelab.schema.scope import Scope
from audiencelab.tables import TurfResult
from audiencelab.wording import plural

if TYPE_CHECKING:
    from audiencelab.engine.patterns import Patterns

SizesLike: TypeAlias = int | Iterable[int] | None
"""The most items of a set, or each number of items."""

MOST_ITEMS = 64
"""Items of one call: `engine.patterns` counts no more."""

_USUAL_SIZE = 5

MOST_SETS = 10
"""Sets of each number of items by default."""

_REMOTE = " A remote service finds the best of up to 8 audiences: client.overlap(audiences).turf()."

_ALONE = 30
"""Respondents of an item from which it is worth a note that they chose no other."""


def fetch_turf(
    sender: Sender,
    items: AudiencesLike,
    size: SizesLike,
    must: ItemsLike,
    exclude: ItemsLike,
    top: int,
    given: ScopeArguments,
) -> TurfResult:
    """See `Client.turf`."""
    sender.check_usable()
    service_here(sender.context, otherwise=_REMOTE)
    if type(top) is not int or top < 1:
        raise ValueError(f"top must be a number of sets, at least 1; got {top!r}.")
    sender = sender.with_weight(given.get("weight", UNSET))
    items, must, exclude = map(read_once, (items, must, exclude))
    size = [*size] if isinstance(size, Iterable) else size
    chosen = {"must": must, "exclude": exclude, "top": None if top == MOST_SETS else top}
    every, scope = _named(sender, items, given)
    rules = find_rules(every, must, exclude)
    every, rules = rules.kept(every)
    counts = _counts(size, len(rules.must), len(every))
    scope, notes = counted_waves(sender, every, scope)

    from audiencelab.engine import CrosstabSpec

    spec = CrosstabSpec(tuple(each.expression for each in every), (), scope)
    found = service_here(sender.context, scope.weight).patterns(spec)
    names = distinct_names(every)
    _check(found, names)
    patterns = ItemPatterns(found.words, found.weights, found.samples, found.divisor, len(every))
    base_size, base_sample = patterns.everyone
    free = [each for each in range(len(every)) if each not in rules.must]
    best, greedy = _on_one_core(
        patterns,
        counts,
        Rules(rules.must, tuple(free), apart_pairs(rules.apart, len(every))),
        top,
        all_counts=size is not None,
    )
    context = sender.context
    return TurfResult(
        items=every,
        singles=tuple(patterns.item_set([each]) for each in range(len(every))),
        best=best,
        greedy_sets=greedy,
        must=rules.must,
        apart=rules.apart,
        base_size=base_size,
        base_sample=base_sample,
        everyone_sample=float(found.base_sample),
        base_audience=scope.base,
        provenance=context.provenance("turf", scope)
        | sender.version_fact
        | {"waves": list(scope.waves or ())},
        notes=(*notes, *_asked_note(found, names), *_alone_note(patterns, names)),
        who=who_of(context, question_codes(every), scope),
        made=call_code(sender, "client.turf()", [items, size], chosen, scope),
    )


def _on_one_core(patterns: ItemPatterns, *given: Any, **options: Any) -> Any:
    from audiencelab.engine.kernel import blas_on_one_core

    # Thousands of small products: sharing each among cores takes longer.
    with blas_on_one_core():
        return turf_sets(patterns, *given, **options)


def _named(
    sender: Sender, items: AudiencesLike, given: ScopeArguments
) -> tuple[tuple[Audience, ...], Scope]:
    """The items with names and ids, and whom the call counts."""
    taken = set[str]()
    names = names_for(sender, names_in(items))
    _refuse_scales(items, names)
    every = assign_ids(to_audiences("items", items, names), "items", taken)
    _check_items(every)
    scope = read_scope(sender, given)
    base = assign_base_id(scope.base, taken)
    require_respondents(sender, every if base is None else (*every, base))
    load_names(sender, question_codes((*every, base), nameless=True))
    describe = sender.context.describe
    if base is not None:
        scope = replace(scope, base=assign_names([base], describe)[0])
    return assign_names(every, describe), scope


def _refuse_scales(items: Any, names: Names) -> None:
    """Refuse questions whose answers are points of a scale for each of several items."""
    listed = cast(Sequence[object], items if isinstance(items, list | tuple) else [items])
    for each in listed:
        if isinstance(each, QuestionLike) and not names.is_total(str(each)):
            question = names.question(each)
            if question.suffixes:
                raise ValueError(
                    f"items: {question.name!r} is not valid: it rates its items on a scale, so "
                    "the points that count must be named. Write client.turf("
                    f"client[{question.code!r}].top_box(2))."
                )


def _check_items(items: Sequence[Audience]) -> None:
    if not 2 <= len(items) <= MOST_ITEMS:
        raise ValueError(f"turf() takes 2 to {MOST_ITEMS} items; got {len(items)}.")
    for position, item in enumerate(items):
        if item.expression is None:
            raise ValueError(f"items[{position}] is everyone, who are reached by it; leave it out.")


def _counts(size: SizesLike, least: int, items: int) -> list[int]:
    """The numbers of items of the sets, ascending."""
    least = max(1, least)
    if size is None:
        size = max(least, min(_USUAL_SIZE, items))
    listed = [size] if isinstance(size, int) else size
    counts = [*listed] if isinstance(cast(object, listed), Iterable) else []
    if not counts or any(type(each) is not int or not least <= each <= items for each in counts):
        raise ValueError(
            f"size={size!r} is not valid: a set has {least} to {items} items here. Write size=3 "
            "for sets of up to 3 items, or size=[3] for sets of 3."
        )
    return [*range(least, size + 1)] if isinstance(size, int) else sorted(set(counts))


def _check(found: Patterns, names: Sequence[str]) -> None:
    if not found.offered.all():
        new = ", ".join(repr(n) for n, known in zip(names, found.offered, strict=True) if not known)
        raise ValueError(
            f"items: {new} was offered in none of the waves that are counted. Leave it out: "
            f"exclude=[{new}]."
        )
    if not found.base_sample:
        raise ValueError(
            "There are no respondents in the base. Pass another base_audience= or waves=."
        )
    if not found.weights.sum():
        listed = ", ".join(f"{name!r} ({n:,})" for name, n in zip(names, found.asked, strict=True))
        raise ValueError(
            f"No respondent of the {found.base_sample:,} in the base was asked all of the items: "
            f"{listed}. Leave some out with exclude=, or pass base_of='everyone', where who was "
            "not asked an item does not have it."
        )


def _asked_note(found: Patterns, names: Sequence[str]) -> list[str]:
    """How many of the base were asked all items, where not all were."""
    counted = int(found.samples.sum())
    if counted == found.base_sample:
        return []
    fewest = int(found.asked.argmin())
    return [
        f"{counted:,} of {found.base_sample:,} respondents count, those who were asked all of the "
        f"{len(names)} items; fewest were asked {names[fewest]!r} ({found.asked[fewest]:,})."
    ]


def _alone_note(patterns: ItemPatterns, names: Sequence[str]) -> list[str]:
    """Items such as "None of these", which reach those who want nothing."""
    alone = [each for each in patterns.alone() if patterns.item_set([each]).sample >= _ALONE]
    if not alone:
        return []
    listed = ", ".join(repr(names[each]) for each in alone)
    return [
        f"{plural(len(alone), 'item')} shared no respondents with any other: {listed}. If "
        f"that means that nothing was chosen, leave it out: exclude=[{listed}]."
    ]

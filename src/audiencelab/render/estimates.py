"""Estimates as a small table: a line for each figure, and in one line what they rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from math import isnan

from audiencelab.analysis.method_note import percent_words
from audiencelab.markup import Card, Section, card, note, table
from audiencelab.render.cell_text import marked_text
from audiencelab.results.arrangement import LOW_BASE, low_base_mark, low_base_words
from audiencelab.results.banner import joined
from audiencelab.results.estimates import ALL, Estimate, EstimatesData, interval_words, shown
from audiencelab.results.provenance import waves_fact, weight_fact
from audiencelab.results.record import sourced
from audiencelab.results.who_counts import base_line, notes
from audiencelab.wording import without_controls

_TEXT_LINES = 40
"""Lines that a terminal shows."""

_NAMED = 4
"""Statistics that a title names."""


def estimates_card(result: EstimatesData) -> Card:
    """The figures as a table, with their base, waves, weight and method."""
    headers = ["", *_headers(result)]
    rows: list[Sequence[str] | Section] = []
    for line, about, name in _named(result):
        rows += [Section(about)] if about else []
        rows.append([name, *_figures(line, _averaged(result))])
    listed = table(headers, rows, numeric=range(1, len(headers)), noun="figure")
    source = sourced(result.table.provenance).line()
    said = (*notes(result.table), result.method, *_low(result), source)
    under = [note(each) for each in said if each]
    return card(_title(result), listed, *under, subtitle=_facts(result))


def estimates_text(result: EstimatesData) -> str:
    """The same as text: one figure is a line."""
    if len(result.lines) == 1:
        [line] = result.lines
        group = f", {line.group}" if line.group != ALL else ""
        within = (
            f"{_interval_title(result)} {interval_words(line)}, " if line.low < line.high else ""
        )
        total = f"; average of waves, {shown(line, line.total)} in all"
        return without_controls(
            f"{_about(line)}: {_statistic(line)}{group} {shown(line, line.value)} "
            f"({within}n = {line.sample:,.0f}{total if _averaged(result) else ''}). {_whom(result)}"
        )
    headers = ("", *_headers(result))
    body: list[Sequence[str]] = []
    for line, about, name in _named(result):
        body += [(about,)] if about else []
        body.append((f"  {name}", *_figures(line, _averaged(result))))
    more = len(body) - _TEXT_LINES
    body = body[:_TEXT_LINES] if more > 1 else body
    cells = [headers, *(each for each in body if len(each) > 1)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [_title(result)]
    for name, *values in (headers, *body):
        right = (value.rjust(width) for value, width in zip(values, widths[1:], strict=False))
        lines.append("  ".join([name.ljust(widths[0]), *right]).rstrip())
    lines += [f"… and {more} more lines: .to_frame() has all"] if more > 1 else []
    lines += [f"{_facts(result)} · {result.method}", *_low(result)]
    return without_controls("\n".join(lines))


def _title(result: EstimatesData) -> str:
    """What the figures are, such as "Mean of Age by Gender"."""
    statistics = list(dict.fromkeys(line.statistic for line in result.lines))
    about = _shared(result)
    groups = list(dict.fromkeys(line.by for line in result.lines if line.by))
    words = [", ".join(statistics[:_NAMED]) + " …" * (len(statistics) > _NAMED)]
    words += [f"of {joined(about)}"] if about else []
    words += [f"({result.lines[0].direction})"] if _one_direction(result) else []
    words += [f"by {', '.join(groups)}"] if groups else []
    title = " ".join(words)
    return title[:1].upper() + title[1:]


def _statistic(line: Estimate, *, bare: bool = False) -> str:
    """The statistic with what its amounts run from and to."""
    return line.statistic + (f" ({line.direction})" if line.direction and not bare else "")


def _one_direction(result: EstimatesData) -> bool:
    """Whether the amounts of all figures run from and to the same, which the title says."""
    return len({line.direction for line in result.lines}) == 1 and bool(result.lines[0].direction)


def _averaged(result: EstimatesData) -> bool:
    """Whether there are sums of several waves, which are averages."""
    return any(line.is_averaged for line in result.lines)


def _whom(result: EstimatesData) -> str:
    """Base, waves and weight, in a line."""
    provenance = result.table.provenance
    facts = (base_line(result.table), waves_fact(provenance), weight_fact(provenance))
    # They are counted of everyone.
    whole = any(line.group == ALL for line in result.lines)
    found = (*facts, *(result.left_out if whole else ()))
    return " · ".join(filter(None, found))


def _facts(result: EstimatesData) -> str:
    """The same, and what sums are of."""
    found = [_whom(result)]
    if _averaged(result):
        found.append("sums are the average of waves, total adds the waves up")
    return " · ".join(filter(None, found))


def _named(result: EstimatesData) -> Iterator[tuple[Estimate, str, str]]:
    """Each figure with what is written above it, and its own name in the table.

    What all figures share is in the title. Without groups a figure is named by the rest.
    """
    several = len({line.statistic for line in result.lines}) > 1
    has_groups = len({(line.by, line.group) for line in result.lines}) > 1
    begun, before = len(_shared(result)), ""
    for line in result.lines:
        statistic = _statistic(line, bare=_one_direction(result))
        named = several or (line.direction and not _one_direction(result))
        own = joined((*_parts(line)[begun:], *([statistic] if named else [])))
        if has_groups:
            yield line, own if own != before else "", line.group
        else:
            yield line, "", own or line.group
        before = own


def _shared(result: EstimatesData) -> tuple[str, ...]:
    """What all figures are about: a question, and its item and answer where they are the same."""
    columns = zip(*map(_parts, result.lines), strict=False)
    return tuple(column[0] for column in takewhile(lambda column: len(set(column)) == 1, columns))


def _parts(line: Estimate) -> tuple[str, ...]:
    return tuple(filter(None, (line.question, line.item, line.answer)))


def _about(line: Estimate) -> str:
    return joined(_parts(line))


def _interval_title(result: EstimatesData) -> str:
    return f"{percent_words(result.level)} interval"


def _headers(result: EstimatesData) -> list[str]:
    total = ["total"] if _averaged(result) else []
    return [_unit(result), "standard error", _interval_title(result), *total, "n"]


def _unit(result: EstimatesData) -> str:
    """The statistic, where all figures are of one."""
    words = {line.statistic for line in result.lines}
    return words.pop() if len(words) == 1 else "value"


def _figures(line: Estimate, averaged: bool) -> Sequence[str]:
    sample = "–" if isnan(line.sample) else f"{line.sample:,.0f}"
    error = shown(line, line.standard_error).removesuffix(line.unit)
    total = [shown(line, line.total)] if averaged else []
    return _value(line), error, interval_words(line) or "–", *total, sample


def _value(line: Estimate) -> str:
    """The value with its low-base mark."""
    return marked_text(shown(line, line.value), line.value, low_base_mark(line.sample))


def _low(result: EstimatesData) -> list[str]:
    """What the marks mean, where there are any."""
    few = any(line.sample < LOW_BASE and not isnan(line.value) for line in result.lines)
    return [low_base_words(of="base")] if few else []

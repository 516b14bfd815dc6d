"""Compare a column of a wave with the same column before: every difference, with its shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audiencelab.ingest.codebook import natural
from audiencelab.ingest.drift.amounts import other_range, unlike_amounts
from audiencelab.ingest.drift.asked import other_asked
from audiencelab.ingest.drift.missing_codes import (
    Difference,
    apart_codes,
    missing_codes,
)
from audiencelab.ingest.drift.record import Decision, DriftKind
from audiencelab.ingest.drift.seen import (
    Seen,
    are_close,
    are_close_texts,
    distinct,
    plain,
    words_of,
)
from audiencelab.ingest.drift.shares import (
    ABSENT,
    CERTAIN,
    absence,
    agrees,
    follows_labels,
    moved_codes,
    stays,
)

_SHOWN = 3
_EXCHANGED = 0.2
"""The part of respondents whose answers are others, from which on all may mean something else."""


def differences(
    old: Seen, new: Seen, *, by_labels: bool = False, is_item: bool = False
) -> list[Difference]:
    """What is different in a column; empty where nothing is, or one of the two shows nothing.

    by_labels: compare nothing but labels and missing codes. is_item: of a set or a grid.
    """
    if by_labels:
        if old.form != "answers" or new.form != "answers" or not old.labels or not new.labels:
            return [*missing_codes(old, new)]
        return [*missing_codes(old, new), *_Answers(old, new).by_labels()]
    found = [*_text(old, new, is_item=is_item)]
    if old.is_empty or new.is_empty:
        return found
    if old.asked and new.asked and (other := other_asked(old.asked, new.asked)):
        found.append(Difference("asked", other.said, other.is_break))
    if different := _form(old, new):
        return [*found, different]
    found += missing_codes(old, new)
    if "numbers" in (old.form, new.form):
        if unlike := unlike_amounts(old.numbers, new.numbers):
            decision = unlike.factor or "break"
            found.append(Difference("range", unlike.said, True, True, decision))
        return found
    return [*found, *_Answers(old, new).found()] if old.form == "answers" else found


def label_reads(
    old: Seen, new: Seen, *, is_decided: bool = False, missing: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What values of the new file are by their labels, where that is not their own value.

    Answers of the new file alone whose value was another answer's get a value of their own, where
    other labels moved, or is_decided: an answer is what its label says. missing: the labels of the
    missing codes of before, by which words are read too.
    """
    before, now = distinct(old.labels, old.values), distinct(new.labels, new.values)
    if not old.labels or not new.labels:
        words = {plain(value): value for value in new.counts}
        before = {**distinct(missing or {}, missing or {}), **before}
        if not new.labels and before and sum(each in before for each in words) * 2 > len(words):
            return {value: before[each] for each, value in words.items() if each in before}
        return {}
    known = {value: before[label] for label, value in now.items() if label in before}
    reads = {value: read for value, read in known.items() if value != read}
    taken = {*old.values, *new.values}
    for value in new.values if reads or is_decided else ():
        if value in known:
            continue
        was = plain(old.labels.get(value, ""))
        is_other = was not in ("", plain(new.labels.get(value, ""))) and value in new.labels
        is_other = is_other and (is_decided or not is_renamed(old, new, value))
        # Its value belongs to another answer, which moved to it or from it.
        if value in reads.values() or was in now or is_other:
            reads[value] = _free(taken)
            taken.add(reads[value])
    return reads


def is_renamed(old: Seen, new: Seen, value: str) -> bool:
    """Whether another label of a code may be another form of the label before.

    Neither the words of an answer that is gone came to it, nor did its own go to one that is new:
    answers that are joined or divided are others.
    """
    was, now = old.labels[value], new.labels[value]
    if not are_close(was, now):
        return False
    kept = {*map(plain, old.labels.values())} & {*map(plain, new.labels.values())}
    for labels, one, other in ((old.labels, now, was), (new.labels, was, now)):
        more = words_of(one) - words_of(other)
        rest = [e for e in labels.values() if e not in (was, now) and plain(e) not in kept]
        if any(words and words <= more for words in map(words_of, rest)):
            return False
    return True


def _free(taken: set[str]) -> str:
    whole = [int(value) for value in taken if value.isdecimal()]
    return str(max(whole, default=0) + 1)


# ---- the question ----


def has_other_text(old: Seen, new: Seen) -> bool:
    """Whether the text of a column is not that of before, nor close to it."""
    if not old.text or not new.text or (old.is_part and plain(old.text) in plain(new.text)):
        return False
    return not are_close_texts(old.text, new.text)


def _text(old: Seen, new: Seen, *, is_item: bool) -> Iterator[Difference]:
    if not old.text or not new.text:
        return
    before, now = plain(old.text), plain(new.text)
    if before == now or (old.is_part and before in now):
        return
    if not has_other_text(old, new):
        yield Difference("renamed question", f"{old.text!r} is called {new.text!r}")
        return
    if is_item:
        # The text alone says what an item is: a brand in place of another has its own figures.
        said = f"it was {old.text!r} ({old.largest}), and is {new.text!r} ({new.largest})"
        yield Difference("renamed question", said, refuses=True, decision="labels")
        return
    # Other words for the same answers are another wording; other answers another question.
    same = not {*map(plain, old.labels.values())}.isdisjoint(map(plain, new.labels.values()))
    alike = same and agrees(old.counts, new.counts)
    said = f"it was {old.text!r}, and is {new.text!r}"
    if not alike:
        said += f": {_shares(old)} before, {_shares(new)} now"
    yield Difference("renamed question", said, True, not alike)


def _form(old: Seen, new: Seen) -> Difference | None:
    """That a column holds something else."""
    before, now = old.form, new.form
    if before == now or ({before, now} == {"numbers", "answers"} and _are_numbers(old, new)):
        return None
    said = f"it held {_described(old)}, and holds {_described(new)}"
    return Difference("type", said, True, True)


def _are_numbers(old: Seen, new: Seen) -> bool:
    """Whether both are numbers, few of which may have labels."""
    pair = (old, new)
    return all(
        each.numbers and sum(v in each.labels for v in each.counts) * 2 <= len(each.counts)
        for each in pair
    )


def _described(seen: Seen) -> str:
    if seen.form == "numbers":
        low, high = min(seen.numbers, default=0.0), max(seen.numbers, default=0.0)
        return f"numbers ({low:g} to {high:g})"
    if seen.form == "texts":
        return f"{len(seen.counts) + seen.others:,} different texts"
    return "dates" if seen.form == "dates" else f"{len(seen.values)} answers ({_shares(seen)})"


def _shares(seen: Seen) -> str:
    """The largest answers with their shares."""
    most = sorted(seen.counts, key=lambda value: -seen.counts[value])
    more = ", …" if len(most) > _SHOWN else ""
    return ", ".join(f"{seen.named(v)} {seen.share(v)}" for v in most[:_SHOWN]) + more


# ---- answers ----


class _Answers:
    """The answers of a column before and now, without values that are a missing code in one."""

    def __init__(self, old: Seen, new: Seen) -> None:
        gone = {*old.missing, *new.missing} | apart_codes(old, new)
        self._old, self._new = old.without(gone), new.without(gone)
        self._missing = old.missing
        self._both = bool(self._old.labels and self._new.labels)

    def found(self) -> Iterator[Difference]:
        reads = label_reads(self._old, self._new, missing=self._missing)
        if points := self._points(reads):
            yield points
            return
        if reads and not self._new.labels:
            said = f"answers are written as words: {_shares(self._new)}"
            yield Difference("moved codes", said, reads=reads)
        elif reads:
            yield self._moved(reads)
        read = self._new.read_as(reads).without(self._missing)
        if not reads and (moved := self._by_shares()):
            yield moved
            return
        yield from self._words(read)
        yield from self._others(read)

    def by_labels(self) -> Iterator[Difference]:
        """What labels alone show."""
        reads = label_reads(self._old, self._new)
        if points := self._points(reads):
            yield points
            return
        if reads:
            yield self._moved(reads)
        yield from self._words(self._new.read_as(reads))

    def _moved(self, reads: dict[str, str]) -> Difference:
        """Codes whose labels are those of other codes before."""
        old, new = self._old, self._new
        is_turned = _is_turned(reads, old)
        kind: DriftKind = "turned scale" if is_turned else "moved codes"
        shown = [value for value in reads if value in new.labels][:_SHOWN]
        parts = [self._was_and_is(value) for value in shown]
        more = f" and {len(reads) - _SHOWN} more" if len(reads) > _SHOWN else ""
        said = f"{'; '.join(parts)}{more}"
        agreed = follows_labels(old.counts, new.counts, reads, known=old.values)
        if agreed >= CERTAIN:
            said += ": the shares follow the labels, by which answers are read"
            return Difference(kind, said, decision="codes", reads=reads)
        if agreed > -CERTAIN and self._is_inserted(reads):
            said += ": their order is the same, and answers are read by their labels"
            return Difference(kind, said, decision="codes", reads=reads)
        if agreed <= -CERTAIN:
            said += ": the shares follow the codes, so the labels may be wrong"
            return Difference(kind, said, refuses=True, decision="labels")
        said += ": the shares fit both the codes and the labels"
        return Difference(kind, said, refuses=True, decision="labels")

    def _is_inserted(self, reads: Mapping[str, str]) -> bool:
        """Whether answers were inserted or taken out, and all others kept their order.

        Labels that were mixed up by mistake would be the same ones.
        """
        old, new = self._old, self._new
        kept = [reads.get(value, value) for value in new.values if value in new.labels]
        common = [value for value in kept if value in old.labels]
        is_other = len(common) < max(len(old.labels), len(new.labels))
        return is_other and common == sorted(common, key=natural)

    def _was_and_is(self, value: str) -> str:
        old, new = self._old, self._new
        before = old.labels.get(value)
        was = f"was {before!r} ({old.share(value)})" if before else f"was {old.share(value)}"
        return f"{value} {was} and is {new.label(value)!r} ({new.share(value)})"

    def _by_shares(self) -> Difference | None:
        """Codes that moved by their shares, under the same labels or without any."""
        old, new = self._old, self._new
        if not self._both and not (old.numbers and new.numbers):
            return None
        if not self._both and (unlike := other_range(old.numbers, new.numbers)):
            return Difference("range", unlike.said, True, True, unlike.factor or "break")
        # An answer that one file alone labels is new or gone, and did not move.
        if self._both and old.labels.keys() != new.labels.keys():
            return None
        moved = moved_codes(old.counts, new.counts, is_labelled=self._both)
        if moved is None:
            return None
        reads = {value: read for value, read in moved.reads.items() if value != read}
        values = sorted(reads, key=lambda v: -abs(_part(new, v) - _part(old, v)))[:_SHOWN]
        parts = [f"{old.named(v)} was {old.share(v)} and is {new.share(v)}" for v in values]
        said = "; ".join(parts)
        said += ", as if the scale was turned round" if moved.is_turned else ", as if codes moved"
        said += " under the same labels" if self._both else ""
        kind: DriftKind = "turned scale" if moved.is_turned else "moved codes"
        return Difference(kind, said, refuses=True, decision=_as_given(reads), reads=reads)

    def _points(self, reads: Mapping[str, str]) -> Difference | None:
        """Another number of points of a scale."""
        old, new = self._old, self._new
        before, now = old.points, new.points
        if len(before) == len(now) and not reads:
            return None
        if old.is_scale and new.is_scale:
            is_other = len(before) != len(now)
        elif old.has_ends and new.has_ends:
            is_other = before[-1] != now[-1]
        elif not old.labels and not new.labels:
            is_other = self._is_longer(before, now)
        else:
            return None
        if not is_other:
            return None
        said = f"{_scale(old)} were {_shares(old)}; {_scale(new)} are {_shares(new)}"
        common = [value for value in now if value in before]
        is_same = self._both and all(plain(old.label(v)) == plain(new.label(v)) for v in common)
        decision: Decision = "labels" if reads else "break"
        return Difference("points", said, True, not is_same, decision)

    def _is_longer(self, before: list[str], now: list[str]) -> bool:
        """Whether numbers without labels are points of a longer or shorter scale.

        The points of both are answered otherwise then; beside a new answer the others stay.
        """
        old, new = self._old, self._new
        if not old.numbers or not new.numbers or not (_is_row(before) and _is_row(now)):
            return False
        more, less = (new, old) if len(now) > len(before) else (old, new)
        added = {value: count for value, count in more.counts.items() if value not in less.counts}
        if len(added) < 2 or absence(sum(added.values()), more.answered, less.answered) > ABSENT:
            return False
        common = {v: count for v, count in more.counts.items() if v in less.counts}
        return bool(common) and not stays(less.counts, common)

    def _words(self, new: Seen) -> Iterator[Difference]:
        """Other labels of the same codes. new: read by labels."""
        old = self._old
        if not self._both:
            return
        known = {*distinct(old.labels, old.values)}
        changed = [
            value
            for value in new.labels
            if value in old.labels
            and plain(old.labels[value]) != plain(new.labels[value])
            and plain(new.labels[value]) not in known
        ]
        if not changed:
            return
        shown = [
            f"{value} {old.labels[value]!r} ({old.share(value)}) is called "
            f"{new.labels[value]!r} ({new.share(value)})"
            for value in changed
        ]
        if old.is_scale or new.is_scale:
            more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
            yield Difference("words", "; ".join(shown[:_SHOWN]) + more, True)
            return
        for value, said in zip(changed, shown, strict=True):
            is_close = is_renamed(old, new, value)
            label = new.labels[value]
            decision: Decision = "codes" if is_close else "labels"
            yield Difference(
                "renamed answer", said, not is_close, not is_close, decision, value, label
            )

    def _others(self, new: Seen) -> Iterator[Difference]:
        """Answers that are new or gone. new: read by labels."""
        old = self._old
        added = [v for v in new.values if v not in old.counts and v not in old.labels]
        added = [v for v in added if self._is_new(v, new)]
        gone = [v for v in old.values if v not in new.counts and v not in new.labels]
        gone = [v for v in gone if self._is_gone(v, new)]
        if len(added) == len(gone) == 1 and not self._both and not old.numbers:
            was, value = gone[0], added[0]
            if agrees(old.counts, new.read_as({value: was}).counts):
                said = f"{was!r} ({old.share(was)}) is called {value!r} ({new.share(value)})"
                yield Difference("renamed answer", said, True, False, {value: was}, value, value)
                return
        yield from self._other_words(added, gone, new)
        for value in added:
            kind: DriftKind = "missing codes" if value in new.off else "new answer"
            said = f"{new.named(value)} ({new.share(value)}) is new"
            label = new.labels.get(value, "")
            yield Difference(kind, said, kind == "missing codes", value=value, label=label)
        for value in gone:
            kind = "missing codes" if value in old.off else "gone answer"
            said = f"{old.named(value)} ({old.share(value)} before) is gone"
            yield Difference(kind, said, kind == "missing codes", value=value)

    def _other_words(self, added: list[str], gone: list[str], new: Seen) -> Iterator[Difference]:
        """Answers written as words that went and came together, or more points of a scale."""
        old = self._old
        if old.labels or new.labels or old.numbers or new.numbers or len(added) < 2:
            return
        parts = sum(_part(old, v) for v in gone), sum(_part(new, v) for v in added)
        is_exchanged = len(gone) > 1 and min(parts) >= _EXCHANGED
        if is_exchanged or (old.has_scale_words and new.has_scale_words):
            kind: DriftKind = "words" if len(added) == len(gone) else "points"
            said = f"{len(old.points)} answers were {_shares(old)}"
            yield Difference(kind, f"{said}; {len(new.points)} are {_shares(new)}", True)

    def _is_new(self, value: str, new: Seen) -> bool:
        if value in new.labels and self._both:
            return True
        old = self._old
        return absence(new.counts.get(value, 0), new.answered, old.answered) < ABSENT

    def _is_gone(self, value: str, new: Seen) -> bool:
        old = self._old
        if not old.counts.get(value):
            return False
        # Labels of all answers of a file are a list of what it offered.
        if value in old.labels and self._both and new.counts.keys() <= new.labels.keys():
            return True
        return absence(old.counts[value], old.answered, new.answered) < ABSENT


def _is_turned(reads: Mapping[str, str], old: Seen) -> bool:
    """Whether the labels are those of the same scale from its other end."""
    points = old.points
    if len(points) < 3 or not reads.keys() <= {*points}:
        return False
    turned = dict(zip(points, reversed(points), strict=True))
    return all(reads.get(value, value) == read for value, read in turned.items())


def _is_row(values: list[str]) -> bool:
    whole = [int(value) for value in values if value.lstrip("-").isdecimal()]
    return len(whole) == len(values) > 1 and whole[-1] - whole[0] == len(whole) - 1


def _scale(seen: Seen) -> str:
    return f"{len(seen.points)} points to {seen.named(seen.points[-1])}"


def _part(seen: Seen, value: str) -> float:
    return seen.counts.get(value, 0) / max(1, seen.answered)


def _as_given(reads: Mapping[str, str]) -> dict[str | int, str | int]:
    """Values as people write them: integers as such."""

    def given(value: str) -> str | int:
        return int(value) if value.lstrip("-").isdecimal() else value

    return {given(value): given(read) for value, read in reads.items()}

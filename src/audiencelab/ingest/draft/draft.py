"""Draft a codebook for undescribed sources; every guess has a reason.

The draft can be imported as it is, or edited first. It keeps the order of the file.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from audiencelab.ingest.codebook import (
    Codebook,
    CodedQuestion,
    DesignColumns,
    ReplicateMethod,
    Source,
    Study,
    WaveColumn,
    WeightColumn,
)
from audiencelab.ingest.columns import Progress, watching
from audiencelab.ingest.draft.designs import (
    DraftedDesign,
    NamedDesign,
    find_replicates,
)
from audiencelab.ingest.draft.drafted import Draft
from audiencelab.ingest.draft.given import (
    Given,
    GivenMissing,
    GivenOrder,
    by_question,
    in_given_order,
    with_missing,
)
from audiencelab.ingest.draft.keys import with_key
from audiencelab.ingest.draft.kinds import GivenKinds, with_kinds
from audiencelab.ingest.draft.listed import check_listed, labels_as_values
from audiencelab.ingest.draft.open_answers import (
    GivenTexts,
    coded_texts,
    open_answers,
    text_guesses,
)
from audiencelab.ingest.draft.places import FoundLocation, find_location, is_location, with_namibia
from audiencelab.ingest.draft.question_list import QuestionList
from audiencelab.ingest.draft.questions import scalars
from audiencelab.ingest.draft.roles import (
    NO_VALUES,
    why_left_out,
)
from audiencelab.ingest.draft.told import (
    Told,
    doubts,
    event_guess,
    left_out_guesses,
    off_scale_guesses,
    unanswered_guesses,
)
from audiencelab.ingest.draft.waves import DraftedWaves
from audiencelab.ingest.draft.weights import choose_weight
from audiencelab.ingest.drift.files import settle_labels
from audiencelab.ingest.markup import composed
from audiencelab.ingest.meaning.groups import (
    declared_groups,
    is_other_text,
    named_groups,
)
from audiencelab.ingest.meaning.guess import CODEBOOK, Guess
from audiencelab.ingest.meaning.missing import (
    MissingCodes,
    find_missing_codes,
    missing_reasons,
    unanswered_values,
)
from audiencelab.ingest.meaning.mixed import as_numbers
from audiencelab.ingest.meaning.own_codes import without_own_codes
from audiencelab.ingest.meaning.profile import ColumnProfile, profile_columns
from audiencelab.ingest.sources import Sources
from audiencelab.survey.errors import SurveyError, listed

_Columns = dict[str, ColumnProfile]


def draft_codebook(
    source: Any,
    *,
    weight: str | Sequence[str] | UnsetType | None = UNSET,
    wave: str | UnsetType | None = UNSET,
    person: str | None = None,
    key: str | None = None,
    encoding: str | None = None,
    options: Source | None = None,
    labels: str | Path | None = None,
    sheet: str | int | None = None,
    replicates: str | Sequence[str] = (),
    replicate_method: ReplicateMethod | None = None,
    fay: float | None = None,
    strata: str | UnsetType | None = UNSET,
    clusters: str | UnsetType | None = UNSET,
    clusters_recur: bool = False,
    fpc: str | None = None,
    missing: GivenMissing | None = None,
    order: GivenOrder | None = None,
    kind: GivenKinds | None = None,
    text: GivenTexts = True,
    banded: bool = True,
    strict: bool = True,
    progress: Progress | None = None,
) -> Draft:
    """Draft a codebook for survey files, or for a frame; other arguments are as for `open`.

    options: how files are read, apart from their encoding.
    banded: numbers without labels are put into round bands; otherwise each number is a datapoint.
    strict: a weight that is doubtful is an error; otherwise the survey is unweighted then, and the
        reasons list the columns that the weight may be.

    Raises `SurveyError` as `open`, for a weight that is doubtful (the message lists the columns
    that it may be), and for sources in which there is nothing to ask about.

    >>> import pandas as pd
    >>> from audiencelab.ingest import draft_codebook
    >>> frame = pd.DataFrame({"tea": ["yes", "no", "no"], "sex": ["f", "m", "f"]})
    >>> draft_codebook(frame).respondents
    3
    """
    sources = Sources.open(source, options, encoding, labels, sheet)
    weight, wave = composed(weight), composed(wave)
    person, key = composed(person), composed(key)
    if isinstance(wave, str) and "*" in wave and wave not in sources.names:
        wave = sources.split_waves(wave)
    settle_labels(sources, by_question(missing))
    columns = labels_as_values(profile_columns(sources, progress or watching()))
    drawn = find_replicates(composed(replicates), columns, replicate_method, fay)
    drawn = replace(drawn, person=person or sources.person, clusters_recur=clusters_recur)
    named = {"strata": strata, "clusters": clusters, "fpc": fpc, "person": person}
    design = NamedDesign.of(columns, named, drawn)
    text = composed(text) if isinstance(text, str) else text

    def make(given: Given) -> Draft:
        drafting = _Drafting(sources, kind)
        return drafting.draft(given, weight, wave, design, key, text, banded, strict)

    return _as_given(make, Given(columns), missing, order)


def draft_columns(
    sources: Sources,
    columns: Sequence[str],
    everywhere: Sequence[str],
    missing: GivenMissing | None = None,
    order: GivenOrder | None = None,
) -> Draft:
    """The draft of some columns, all of which are answers.

    everywhere: values that are not answers in any column, of the survey that they are for.
    """
    profiles = labels_as_values(profile_columns(sources, Progress(), columns))

    def make(given: Given) -> Draft:
        drafting = _Drafting(sources, has_roles=False)
        known = Given(given.columns, tuple(dict.fromkeys((*everywhere, *given.everywhere))))
        return drafting.draft(
            known, None, UNSET, NamedDesign(), None, text=False, banded=True, strict=False
        )

    return _as_given(make, Given(profiles), missing, order)


def _as_given(
    make: Callable[[Given], Draft],
    given: Given,
    missing: GivenMissing | None,
    order: GivenOrder | None,
) -> Draft:
    """A draft with the missing codes and the order of answers that a caller gives."""
    if missing is not None:
        # A first draft: codes are given by question, and only a draft makes questions.
        given = with_missing(given.columns, make(given).codebook, missing)
    draft = make(given)
    draft = dataclasses.replace(draft, guesses=(*draft.guesses, *given.unused))
    if order is None:
        return draft
    codebook, codes = in_given_order(draft.codebook, order)
    kept = (each for each in draft.guesses if each.about not in codes or each.subject != "order")
    return dataclasses.replace(draft, codebook=codebook, guesses=tuple(kept))


class _Drafting:
    """The reasons of a draft in the making, and the columns left out so far.

    kinds: what columns that belong together are, where that is given.
    has_roles: whether columns may be waves, locations, the design or keys; else all are answers.
    """

    def __init__(
        self, sources: Sources, kinds: GivenKinds | None = None, *, has_roles: bool = True
    ) -> None:
        self.sources = sources
        self.kinds = kinds
        self.has_roles = has_roles
        self.told = Told()
        self.guesses, self.reasons = self.told.guesses, self.told.reasons
        self.left_out: dict[str, str] = {}

    def draft(
        self,
        given: Given,
        weight: str | Sequence[str] | UnsetType | None,
        wave: str | UnsetType | None,
        named: NamedDesign,
        key: str | None,
        text: GivenTexts,
        banded: bool,
        strict: bool,
    ) -> Draft:
        sources, reasons, replication = self.sources, self.reasons, named.replication
        columns, of_countries = with_namibia(given.columns)
        self.guesses += of_countries
        codes = find_missing_codes(columns.values(), given.everywhere)
        headings = [f"{f.name}: {f.heading}" for f in sources.files if f.heading]
        by_file = missing_reasons(columns.values())
        signs = [each.said for each in codes.guesses]
        reasons["source"] = [*headings, *codes.reasons, *signs, *by_file]
        of_files = [each for file in sources.files for each in file.guesses]
        self.guesses += of_files
        reasons["source"] += [each.said for each in of_files if each.subject == "encoding"]
        self.guesses += doubts("file", headings, 3)
        self.guesses += doubts("missing", codes.reasons, 2, codes.ways_back)
        self.guesses += [*codes.guesses, *doubts("missing", by_file, 3)]
        columns = {name: column.without(codes.of(column)) for name, column in columns.items()}
        # The weight first, then waves and location: what they take does not make a question.
        chosen = choose_weight(
            columns,
            given=weight,
            declared=[
                name
                for each in sources.files
                for name in filter(None, [each.declared_weight, *each.other_weights])
            ],
            origin=sources.files[0].origin,
            tables=sources.tables,
            strict=strict,
        )
        reasons["weight"] = chosen.reasons
        self.guesses += chosen.guesses
        self.left_out |= chosen.left_out
        self.left_out |= dict.fromkeys(replication.replicates, "a replicate weight")
        if replication.person is not None:
            self.left_out[replication.person] = "the person"
        if sources.person is not None:
            self.left_out[sources.person] = "the row of each person"
        if key in columns:
            self.left_out[str(key)] = "the key of respondents"
        columns = self._remaining(columns)
        roles = columns if self.has_roles else {}
        wave_column, waves = DraftedWaves(sources, self.told, self.left_out).of(roles, wave)
        replication = self._with_records(replication, wave_column)
        location = find_location(roles.values())
        columns = self._remaining(columns)
        named = dataclasses.replace(named, replication=replication)
        drafted = DraftedDesign(sources, self.told, self.left_out)
        wave_name = None if wave_column is None else wave_column.column
        design = drafted.of(self._remaining(roles), named, wave_name)
        # The columns that make questions; those of declared sets always do.
        # Sets may write names in another case than the columns.
        declared = {name.lower() for each in sources.sets for name in each.columns}
        columns = self._remaining(columns)
        for name, column in columns.items():
            columns[name], guesses = as_numbers(column)
            self.guesses += guesses
        items = [name for name, column in columns.items() if is_other_text(column)]
        for name, column in columns.items():
            is_kept = name.lower() in declared or name in items
            why = None if is_kept else why_left_out(column)
            # A column without values may be an item of a multiple question.
            if why is not None and why != NO_VALUES:
                self.left_out[name] = why
        written, contact = open_answers(
            given.columns if text not in (True, False) else columns, self.left_out, items, text
        )
        self.left_out |= {name: why for name, why in contact.items() if name in self.left_out}
        texts = [given.columns[name] for name in written]
        columns = self._remaining(columns)
        columns = {
            # A region with the number 99 is a region.
            name: column if is_location(column) else without_own_codes(column)
            for name, column in columns.items()
        }
        self.guesses += check_listed(columns.values(), sources.tables)
        reasons["check"] += codes.doubts
        self.guesses += doubts("missing", codes.doubts)
        questions, study = self._questions(columns, location, codes, banded)
        rows = sum(table.rows for table in sources.tables)
        names = ", ".join(source.name for source in sources.files)
        reasons[""] = [
            f"Drafted from {names}: {rows:,} respondents, {len(sources.names):,} columns.",
            "Every guess has its reason above it. Put right what is wrong, then import.",
            *sources.notes,
        ]
        codebook = Codebook(
            study=study,
            source=replace(
                sources.options,
                not_asked=scalars(codes.not_asked),
                not_selected=scalars(codes.not_selected),
                missing=scalars(codes.missing),
            ),
            weight=None if chosen.column is None else WeightColumn(chosen.column, chosen.others),
            wave=wave_column,
            waves=waves,
            design=design,
            questions=tuple(questions),
            texts=coded_texts(texts, questions),
        )
        reasons["texts"] = [f"{n}: {self.left_out[n]}" for n in written if n in self.left_out]
        self.guesses += text_guesses(codebook.texts)
        known = given.columns if roles else {}
        codebook, of_key = with_key(codebook, known, sources.tables, key, self.left_out)
        self.guesses += of_key
        kept = {
            question.code: shown
            for question in questions
            if (column := columns.get(question.column or ""))
            and (shown := unanswered_values(column))
        }
        # The weight or the wave makes no question, and is used all the same.
        unused = {n: why for n, why in self.left_out.items() if n not in codebook.columns}
        self.guesses += [*unanswered_guesses(kept), *left_out_guesses(unused)]
        self.guesses += off_scale_guesses(codebook.questions)
        return Draft(
            codebook,
            dict(reasons),
            self.left_out,
            rows,
            chosen.without,
            kept,
            chosen.objection,
            tuple(self.guesses),
        )

    def _with_records(self, design: DesignColumns, wave: WaveColumn | None) -> DesignColumns:
        """The design with records as persons, where each of their events is a wave."""
        records = self.sources.records
        if records is None:
            return design
        is_wave = wave is not None and wave.column == records.event
        self.guesses.append(event_guess(records, is_wave=is_wave))
        if not is_wave or design.person is not None:
            return design
        self.left_out[records.record] = "the person"
        return replace(design, person=records.record)

    def _remaining(self, columns: _Columns) -> _Columns:
        return {name: column for name, column in columns.items() if name not in self.left_out}

    def _questions(
        self,
        columns: _Columns,
        location: FoundLocation | None,
        codes: MissingCodes,
        banded: bool,
    ) -> tuple[list[CodedQuestion], Study]:
        """The questions in the order of the file, and the study with the location among them."""
        groups = list(declared_groups(columns, self.sources.sets))
        taken = {column.name for group in groups for column in group.columns}
        place = location.column.name if location else None
        not_grouped = {*taken, place}
        free = [each for each in columns.values() if each.name not in not_grouped]
        named = named_groups(free, self.sources.tables)
        groups += named.groups
        self.reasons["check"] += named.doubts
        self.guesses += doubts("several answers", named.doubts)
        kinds = with_kinds(groups, self.kinds)
        made = QuestionList(codes, self.sources.names)
        made.add_all(
            *(columns, kinds.groups, named.formed),
            location=place,
            banded=banded,
            choices=kinds.choices,
        )
        study = replace(Study(self.sources.name, location=made.location), **self.sources.study)
        self.left_out |= dict.fromkeys(made.without_values, NO_VALUES)
        self.reasons.update(made.reasons, missing=made.missing_reasons())
        self.guesses += [*made.guesses, *kinds.guesses]
        if not made.questions:
            reasons = "\n".join(f"  {name}: {why}" for name, why in self.left_out.items())
            origin = self.sources.files[0].origin
            raise SurveyError(f"{origin}: there is nothing in it to make a question of.\n{reasons}")
        if location is None or study.location is None:
            why = "no location: no column is named like one and filled for all respondents"
            self.reasons["study"].append(why)
        else:
            why = f"{place}: {location.said}"
            self.reasons["study"].append(f"location: {why}")
            others = f"; also {listed(location.others)}" if location.others else ""
            self.guesses.append(Guess("location", "location", why + others, CODEBOOK, 3))
        return made.questions, study

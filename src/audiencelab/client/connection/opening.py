"""`open()`: a client of a survey that is made of files or of a frame."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from weakref import ref

from msgspec import UNSET, UnsetType

from audiencelab.client.client import Client
from audiencelab.client.connection.connect import ConnectArguments, connect, connection_to
from audiencelab.client.connection.design_columns import column_named
from audiencelab.client.connection.reopening import Reopening
from audiencelab.client.connection.source import open_source, written_source
from audiencelab.client.names import WavesLike
from audiencelab.keywords import keywords
from audiencelab.schema.scope import BaseOf

if TYPE_CHECKING:
    from audiencelab.ingest import Codebook
    from audiencelab.ingest.codebook import ReplicateMethod
    from audiencelab.ingest.draft.given import GivenMissing, GivenOrder
    from audiencelab.ingest.draft.kinds import GivenKinds
    from audiencelab.ingest.draft.open_answers import GivenTexts
    from audiencelab.ingest.drift.record import Decide


_NONE_MEANS = ("weight", "wave", "strata", "clusters")
"""Arguments of which None says that there is none."""

_SERVICE = re.compile(r"https?://[^/@]+/?")
"""The address of a service, which is not a file."""


@keywords()
def open(  # noqa: A001 -- only ever used as audiencelab.open
    source: Any,
    weight: str | Sequence[str] | UnsetType | None = UNSET,
    *,
    wave: str | UnsetType | None = UNSET,
    person: str | None = None,
    key: str | None = None,
    codebook: Codebook | str | Path | None = None,
    pin: bool | str | Path = False,
    study: Mapping[str, str] | None = None,
    labels: str | Path | Mapping[str, Mapping[Any, str]] | None = None,
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
    decide: Decide | None = None,
    to: str | Path | None = None,
    waves: WavesLike | UnsetType = UNSET,
    base_of: BaseOf | None = None,
    minimum_base: int = 0,
    name: str = "",
    encoding: str | None = None,
    store: str | Path | None = None,
    snapshot: str | Path | None = None,
    quiet: bool = False,
) -> Client:
    """Open your own survey: files, a frame or a survey folder, in this process.

    A card shows what was taken for granted, in 12 lines at most and the worst first: the weight,
    the waves, missing codes, scales, the groups of columns that make one question, and what was
    left out, each with the code that changes it. `client.import_report` shows all of it. The import
    is kept in the user's cache folder (`audiencelab cache list`), so that the same source opens at
    once the next time.

    source: a file of SPSS (.sav, .zsav, .por), Stata (.dta), SAS (.sas7bdat, .xpt), CSV, Excel
        (.xlsx), triple-S (.sss, .xml), Parquet or Feather; a codebook of DDI (.xml) beside its
        data, or the text that it describes (.dat, .dat.gz, .asc, .txt); a folder, a pattern or a
        list of files; a frame of pandas, polars or Arrow, or a relation of DuckDB; a survey folder,
        its address or a `Survey`; or the address of a service, as for `connect`.
    weight: the column of weights, by its name or as `frame["weight"]`; None for no weight. Of
        several, `["wgt", "wgt_panel"]`, calls use the first, unless `weight=` in a call or in
        `with_options` names another. Of a survey folder it is the weight of every call. By
        default the one that the file declares, else the one column that can be nothing else; where
        a weight is doubtful, the survey is unweighted, and the card lists what may be it.
    wave: the column that makes the waves; each quarter is a wave where it holds dates. By default
        a column that is named like one, such as `wave` or `year`; None for no column. Where each
        wave has columns of its own, how their names end or begin, with * for the wave: "_w*" for
        q1_w1 and q1_w2.
    person: of a panel, the column that is the same for a person in all waves: tests between waves
        then use the pairs. Where each wave has columns of its own, each row is a person by default.
    key: the column that names each respondent of a wave, for `client.with_columns`, or "row" for
        the rows of the file. By default one that is named like that, or the person.
    codebook: what the columns mean, in place of all guesses: a .toml or .json file, or a
        `Codebook`; `weight`, `wave` and `study` replace what it says of them.
        `audiencelab.ingest.draft_codebook(source).save("survey.toml")` writes one to edit.
    pin: True keeps what columns mean in a codebook beside the notebook, `survey.codebook.toml` for
        survey.sav: the first call writes it, later ones read it in place of all guesses, so that
        a later version, which may guess otherwise, gives the same figures; the card says what it
        would have taken by itself. Or the name of that file, which several files and frames need.
    study: what the study says of itself to those who cite it, by field: {"citation": "Müller
        (2025), Customers", "doi": "10.5281/zenodo.1", "licence": "CC BY 4.0"}; also "producer",
        "universe" and "field_dates". By default what the file or its codebook says.
    labels: a file with the labels of columns and values: a table of variables, values and labels
        (.csv, .tsv, .xlsx), a statistics file such as .sav, triple-S, a codebook of DDI (.xml), a
        datamap (.txt), or the structure of a LimeSurvey survey (.lss). Or names of answers by their
        values, by question: {"gender": {1: "Male", 2: "Female"}}.
    sheet: of a workbook, by its name or, as in pandas, its number from 0. By default the first one
        that looks like a table of respondents; the report names it where there are several.
    replicates: the columns of replicate weights, as a list or a pattern such as "pwgtp*", from
        which design effects and tests take their variances.
    replicate_method: how they were made: "BRR", "Fay" (with its factor as `fay`), "JK1", "JK2",
        "bootstrap" or "successive difference". "JKn" is declared in a codebook.
    strata, clusters: the columns that say how the sample was drawn: the stratum of each respondent,
        and the primary sampling unit, such as a sampling point, counted again in each
        stratum. Tests and intervals rest on them; `client.design` shows them. None for a sample
        without; by default columns that are named like that.
    clusters_recur: whether the same code of a cluster is the same sampling point in several waves,
        so that figures of several waves, and changes between them, rest on the points in common.
        By default each wave counts clusters of its own.
    fpc: the column with how many units the stratum has in the population, or which part of them was
        drawn; variances are smaller then.
    missing: codes that are not answers, by value or label: {"q3": [98, 99], "*": [-9]} by question
        or column, "*" for all; a list is for all. {"q3": []}: nothing that only looks like a code.
    order: answers in their order, by question: {"q5": ["Never", "Sometimes", "Often"]}; answers
        that are not named follow.
    kind: what columns that belong together are, by question: {"q7": "single"} makes a question of
        each, "grid" or "multiple" one of them all. By default as their values say.
    text: the columns of open answers to keep, for `client.respondents(text=…)`: by default those of
        free text, but not names, addresses and other contact data; False for none, or a list of
        columns. The survey folder then contains them, readable by this user alone.
    decide: of several files, how a question or column is read that one of them has otherwise than
        those before it: {"q5": "labels"} (an answer is what its label says), "codes" (a code means
        what it meant), "break" (as it is, and figures of earlier waves do not compare), {5: 1, 1:
        5} (values of the later file as values of before), or a factor. What is not certain is an
        error that lists it; the card names every other difference.
    to: the folder of the survey, in place of the cache. It is opened if it was made of the same
        source with the same arguments.
    waves: the waves of every call that names none: codes, names, a year ("2025"), "latest 4" or
        "all", which is the default of a survey that is imported; a snapshot has by default those of
        the client that recorded it.
    base_of: who of the base counts in a cell of every call that does not name it, as for
        `client.crosstab`: by default "valid" for a survey that is imported.
    minimum_base: figures that count, or rest on, fewer respondents are withheld, as for `connect`.
    name: of the study, by default that of the source.
    encoding: of the files' text, where it is not the one that they declare.
    store: the file that keeps saved charts and audiences, as for `connect()`.
    snapshot: a file written by `client.recording()` to answer from, in place of the source, which
        is then not read; default `AUDIENCELAB_SNAPSHOT`, where that was recorded of a source of
        this name. A snapshot can also be the source itself.
    quiet: show no card.

    Raises `SurveyError` for a source that cannot be read, a column that is not there, a
    `weight` that holds something else or that more than 1% of the respondents lack, `missing`
    codes that half of the answers have, answers of `missing` and `order` or columns in `text`
    that are not there, and files in which one code has two meanings; `SurveyExistsError` where `to`
    holds another survey, and `SnapshotError` for a snapshot of another source or made with other
    arguments.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"gender": ["f", "m", "f", "f"], "tea": ["yes", "no", "no", "yes"]})
    >>> client = al.open(frame, to=folder / "survey", quiet=True)
    >>> client.crosstab("tea", "gender").to_wide("sample").to_numpy().tolist()
    [[1.0, 1.0], [2.0, 0.0]]
    """
    if isinstance(source, str) and _SERVICE.fullmatch(source):
        return connect(
            source,
            waves=waves,
            weight=cast(Any, weight),
            base_of=base_of,
            minimum_base=minimum_base,
            snapshot=snapshot,
        )
    own_labels: Mapping[str, Mapping[Any, str]] = {}
    if isinstance(labels, Mapping):
        own_labels, labels = labels, None
    # A column of the frame, frame["weight"], is known by its name.
    if isinstance(weight, list | tuple):
        weight = [getattr(each, "name", each) for each in weight]
    names = weight if isinstance(weight, list) else [getattr(weight, "name", weight)]
    if not all(isinstance(each, str | UnsetType | None) for each in names):
        raise TypeError(
            f"weight must be the name of a column, a list of names, or None; got {weight!r}. "
            f"Write al.open({written_source(source)}, weight=None)."
        )
    if order is not None and not isinstance(order, Mapping):
        raise TypeError(
            f"order must be answers by question; got {type(order).__name__}. Write "
            f'al.open({written_source(source)}, order={{"question": {[*order]!r}}}).'
        )
    given = {
        "weight": getattr(weight, "name", weight),
        "wave": wave,
        "person": person,
        "key": key,
        "codebook": codebook,
        "pin": pin or None,
        "study": study,
        "labels": labels,
        "sheet": sheet,
        "replicates": replicates if isinstance(replicates, str) else [*replicates] or None,
        "replicate_method": replicate_method,
        "fay": fay,
        "strata": column_named("strata", strata),
        "clusters": column_named("clusters", clusters),
        "clusters_recur": clusters_recur or None,
        "fpc": column_named("fpc", fpc),
        "missing": missing,
        "order": order,
        "kind": kind and dict(kind),
        "text": None if text is True else text if isinstance(text, bool | str) else [*text],
        "decide": decide,
        "to": to,
        "name": name or None,
        "encoding": encoding,
    }
    given = {
        each: value
        for each, value in given.items()
        if not (value is UNSET or (value is None and each not in _NONE_MEANS))
    }
    found = open_source(source, given, snapshot, quiet=quiet)
    # A recording holds what was stored.
    kept = store if found.snapshot is None else None
    arguments = ConnectArguments(
        waves=waves, base_of=base_of, minimum_base=minimum_base, store=kept
    )
    connection = connection_to(found, arguments)
    client = Client(connection.transport, connection.context, connection.options)
    for question, named in own_labels.items():
        client.relabel(question, named)
    if found.survey is not None and found.recorded.card is not None:
        context = connection.context
        context.edits.at_opening = len(context.edits.made)
        imported = {**given, **({"labels": own_labels} if own_labels else {})}
        context.reopen = _reopening(source, imported, store, minimum_base)
    return client


def _reopening(
    source: Any, given: Mapping[str, Any], store: str | Path | None, minimum_base: int
) -> Reopening[Client] | None:
    """What opens a source again with other arguments; it does not keep a frame alive."""
    held: Callable[[], Any] = lambda: source  # noqa: E731 -- a reference of another kind, below
    if not isinstance(source, str | Path | list | tuple):
        try:
            held = ref(source)
        except TypeError:
            return None
        del source

    def again(arguments: Mapping[str, Any]) -> Client | None:
        found = held()
        if found is None:
            return None
        return open(found, store=store, minimum_base=minimum_base, quiet=True, **arguments)

    return Reopening(given, again)

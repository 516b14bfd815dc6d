"""What the calls of one client share: the service, what is known of it, the names of codes.

No input or output. A client and the copies that `with_options` makes share one context, from any
number of threads.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from msgspec import UNSET, UnsetType, json

from audiencelab._version import __version__
from audiencelab.client.catalogue import Catalogue
from audiencelab.client.catalogue.file_codes import file_coded
from audiencelab.client.catalogue.other_columns import other_columns
from audiencelab.client.catalogue.scope_code import scope_code
from audiencelab.client.noting import UNNAMED_VARIABLE
from audiencelab.client.options import INCLUDE_PARAMETER, ClientOptions
from audiencelab.client.snapshots.format import OpenedSource
from audiencelab.client.snapshots.recorder import Recorder
from audiencelab.clock import counted_at
from audiencelab.expressions import Expression
from audiencelab.expressions.audience import describe_name
from audiencelab.expressions.codes import BASE_NAMESPACE, wave_name
from audiencelab.local_servers import without_port
from audiencelab.schema import Question
from audiencelab.schema.http import EDITS, UNWEIGHTED
from audiencelab.schema.queries import DEFAULT_WAVES, LATEST_WAVES
from audiencelab.schema.scales import Scale, scale_of
from audiencelab.schema.scope import DEFAULT_SCOPE, BaseOf, Scope
from audiencelab.schema.survey_scope import SurveyScope

if TYPE_CHECKING:
    from audiencelab.service import Service

DEMO_PLACE = "demo survey"
"""The name of the survey that comes with the package."""

LOCATION_QUESTION = "s2"
"""The question whose datapoints are the locations, where the catalogue marks none."""

CLOSED = "This client is closed. Call connect() for another one."

_log = logging.getLogger("audiencelab.client")

_MOST_NAMES = 4096
"""Names of audiences that are kept: describing an expression takes longer than looking it up."""


def names_to_know(names: Mapping[str, str]) -> dict[str, str]:
    """The names of waves, without those that their codes say."""
    return {code: name for code, name in names.items() if name not in (code, wave_name(code))}


_OF_A_SURVEY = (
    *("base_namespace", "location_question", "weight", "weights"),
    *("opened", "source", "edits", "reopen"),
)
"""What a context knows of its survey, and how it was opened."""


@dataclass
class Edits:
    """Edits of a survey that a client made.

    made: as their JSON. code: as Python, of those that are not in the survey that the client opens.
    at_opening: how many of them are arguments of `open()`.
    """

    made: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    code: list[str] = field(default_factory=list[str])
    at_opening: int = 0

    def headers(self) -> dict[str, str]:
        """What names them in a request; nothing where there are none."""
        if not self.made:
            return {}
        digest = sha256(json.encode(self.made, order="sorted")).hexdigest()
        return {EDITS: f"{len(self.made)}-{digest[:16]}"}


@dataclass(eq=False)
class ClientContext:
    """What is known of one service.

    place: its address, or the survey's name. embedded: whether it is in this process.
    snapshot, recorded_at: the file that responses are replayed from, and when it was recorded.
    location_question: the question whose datapoints are the locations; empty until it is found.
    include_parameter: the query parameter that lists relationships.
    weight: which weight the survey's respondents have, where it is known.
    weights: the names of all its weights, where it has several.
    wave_names: the names of waves by their codes, of a survey whose codes do not say them.
    service: the embedded service itself, where there is one.
    usual: the options of the client that `connect()` returned.
    catalogue: every question, once it has been loaded. names: the same for the names of codes, or
        what a snapshot holds of it; empty where it has not come.
    nameless: whether the catalogue cannot be had, so that codes are shown as names.
    charts: names by the ids of charts.
    recorder: what keeps requests and responses while the client and its copies are recorded.
    windows: the codes of waves that the time windows of clients mean, by window and weight.
    opened: the arguments of `open()`, as code, where they can be given again.
    source: what `open()` opened, for snapshots.
    learnt: what a survey elsewhere says of queries that name nothing; None while it is not known.
    assumed: whether queries were sent as to a service that says nothing, since its catalogue did
        not come.
    version: the version of the survey that names and catalogue are of, as its answers name it: ""
        for a service that names none, None while nothing is known.
    edits: those of the survey that its clients made, and nothing else did.
    closed: whether the client that owns the connections has been closed.
    loading: held while a thread loads the catalogue, so that others wait for it.
    reopen: opens the source again with other arguments, for a client of it; None where it cannot,
        and it returns None where the source, a frame, is gone.
    settled: what was chosen of the guesses of its import, once anything was.
    ask_about: requests a question that the catalogue does not have; for the blocking client.
    recorded_questions: reads the questions that a snapshot holds in place of the catalogue.
    """

    place: str
    embedded: bool = False
    base_namespace: str = BASE_NAMESPACE
    location_question: str = ""
    snapshot: Path | None = None
    recorded_at: str = ""
    weight: str = ""
    weights: tuple[str, ...] = ()
    include_parameter: str = INCLUDE_PARAMETER
    wave_names: Mapping[str, str] = field(default_factory=dict[str, str])
    service: Service | None = field(default=None, repr=False)
    opened: tuple[str, ...] = ()
    source: OpenedSource | None = None
    learnt: SurveyScope | None = None
    recorded_questions: Callable[[], Iterable[Question]] = field(default=tuple, repr=False)
    edits: Edits = field(init=False, default_factory=Edits)
    charts: dict[str, Any] = field(init=False, default_factory=dict[str, Any], repr=False)
    catalogue: Catalogue | None = field(init=False, default=None, repr=False)
    usual: ClientOptions | None = field(init=False, default=None, repr=False)
    recorder: Recorder | None = field(init=False, default=None, repr=False)
    version: str | None = field(init=False, default=None)
    assumed: bool = field(init=False, default=False)
    closed: bool = field(init=False, default=False)
    settled: Any = field(init=False, default=None, repr=False)
    ask_about: Callable[[str], Question | None] | None = field(init=False, default=None, repr=False)
    reopen: Callable[[Mapping[str, Any]], Any] | None = field(init=False, default=None, repr=False)

    def __post_init__(self) -> None:
        # Reentrant: a thread holds it while it loads the catalogue, and again while it keeps it.
        self.loading = threading.RLock()
        self._clients: WeakSet[object] = WeakSet()
        # Not `loading`: another thread may hold that for as long as a request takes.
        self._joining = threading.Lock()
        self._reset()

    def _reset(self) -> None:
        self.catalogue = None
        self.nameless = self.assumed = False
        self.version = None
        if self.snapshot is None:
            self.learnt = None
        self.windows: dict[tuple[tuple[str, ...], str | UnsetType | None], tuple[str, ...]] = {}
        self._use_names(self._catalogue_of(()))

    @property
    def survey_scope(self) -> SurveyScope | None:
        """What the survey says of queries that name nothing; None while it is not known."""
        return self.learnt if self.service is None else self.service.survey_scope

    @property
    def waves_by_date(self) -> tuple[str, ...]:
        """The codes of the waves of the survey; () where they are not known."""
        return () if self.survey_scope is None else tuple(self.survey_scope.wave_names)

    def counted_waves(self, scope: Scope) -> list[str] | str:
        """The codes of the waves of a table; "latest 4" of a survey whose waves are not known."""
        if scope.waves:
            return [*scope.waves]
        service = self.service_by(scope.weight)
        known = self.survey_scope if service is None else service.survey_scope
        waves = () if known is None else tuple(known.wave_names)
        return [*waves[-DEFAULT_WAVES:]] or LATEST_WAVES

    def learn(self, scope: SurveyScope) -> None:
        """Note what a survey elsewhere says, with the names of its waves."""
        with self.loading:
            self.learnt = scope
            self.wave_names = names_to_know(scope.wave_names) or self.wave_names

    def own_scope(self, options: ClientOptions) -> Scope:
        """Whom calls with these options count that name nothing themselves, as far as known."""
        survey = self.survey_scope or SurveyScope()
        # None: the default of the operation, which is not the same for all.
        waves = options.scope.waves or (("all",) if survey.waves == "all" else None)
        return replace(options.scope, base_of=options.base_of or survey.base_of, waves=waves)

    def service_by(self, weight: str | UnsetType | None) -> Service | None:
        """The embedded service with a weight of its survey, where there is one."""
        if weight is UNSET or self.service is None:
            return self.service
        return self.service.weighted(weight)

    def chosen_weight(self, weight: str | UnsetType | None) -> str | UnsetType | None:
        """A weight that calls may use; UNSET for the usual one.

        Raises `SurveyError` for a weight that the survey in this process does not have; a service
        elsewhere refuses one that its survey does not have. `TypeError` for anything but a name.
        """
        if weight is UNSET:
            return UNSET
        _check_name(weight)
        if self.snapshot is not None:
            # What was not recorded with it is missed when it is asked for.
            # The text of the weight may go on with the margins that it was raked to.
            usual = self.weight.partition(", raked")[0]
            return UNSET if (UNWEIGHTED if weight is None else weight) == usual else weight
        if self.service is None:
            return weight
        return UNSET if self.service.weighted(weight) is self.service else weight

    def weights_from(self, own: str | UnsetType | None) -> tuple[str | None, ...]:
        """The weights that calls may use, a client's own first; () where they are not known."""
        names = self.service.survey.manifest.weight_names if self.service else self.weights
        known = (None, *names) if self.weight == UNWEIGHTED else (*names, None) if names else ()
        own = next(iter(known), UNSET) if own is UNSET else own
        return () if own is UNSET else (own, *(each for each in known if each != own))

    @property
    def has_local(self) -> bool | None:
        """Whether the service has the local operations and takes a weight, as ours do.

        None while it has not answered.
        """
        if self.service is not None or self.snapshot is not None:
            return True
        return None if self.version is None else bool(self.version)

    def check_open(self) -> None:
        """Raise `RuntimeError` once the client is closed."""
        if self.closed:
            raise RuntimeError(CLOSED)

    def join(self, client: object) -> None:
        """Register a client that keeps the catalogue as an attribute of its own."""
        with self._joining:
            self._clients.add(client)

    def describe(self, expression: Expression | None) -> str:
        """The name of an audience that has none, by the names that are known."""
        return self._name_of(expression)

    def kinds_of(self, codes: Set[str]) -> dict[str, str]:
        """Whether respondents give one answer or several, by question, as far as it is known.

        All tables of a client share this one dictionary, so that a table of many rows costs none.
        """
        for code in codes - self._kinds.keys():
            if (found := self.names.of_code(code)) and (kind := found.record.kind) is not None:
                self._kinds[code] = kind
        return self._kinds

    def scales_of(self, codes: Set[str]) -> dict[str, Scale]:
        """The scales that answers form, by question, as far as known; shared by all tables."""
        for code in codes - self._scales.keys():
            if found := self.names.of_code(code):
                self._scales[code] = scale_of(found.record)
        return self._scales

    def keep_catalogue(self, questions: Iterable[Question]) -> Catalogue:
        """The catalogue of these questions, or the one that another thread has loaded before."""
        with self.loading:
            if self.catalogue is None:
                # A service that says nothing of its survey counts everyone.
                self.learnt = self.learnt or SurveyScope()
                self.catalogue = self._catalogue_of(questions)
                self._use_names(self.catalogue)
            return self.catalogue

    def do_without_catalogue(self) -> None:
        """Show codes as names from now on, except those of questions that a snapshot holds."""
        with self.loading:
            self.nameless = True
            self._use_names(self._catalogue_of(self.recorded_questions()))

    def _catalogue_of(self, questions: Iterable[Question]) -> Catalogue:
        known = self.service.survey.texts if self.service is not None else ()
        open_answers = [each for each in known if not each.is_key]
        texts = {each.label: each.name for each in open_answers}
        texts |= {each.name: each.name for each in open_answers}
        coded = file_coded(self.service.survey) if self.service is not None else None
        return Catalogue(
            *(questions, self.base_namespace, self.ask_about, self.wave_names, texts),
            columns=self._columns,
            file_coded=coded,
        )

    def _columns(self) -> Mapping[str, str]:
        return other_columns(self.service.survey) if self.service is not None else {}

    def _use_names(self, names: Catalogue) -> None:
        self.names = names
        self._kinds: dict[str, str] = {}
        self._scales: dict[str, Scale] = {}
        name_of = partial(describe_name, labels=names)
        self._name_of = lru_cache(maxsize=_MOST_NAMES)(name_of)

    def forget(self) -> None:
        """Forget names and catalogue, so that everything needed is requested again."""
        with self.loading:
            if self.service is not None:
                self.wave_names = names_to_know(self.service.survey_scope.wave_names)
            self._reset()
            with self._joining:
                clients = list(self._clients)
            for client in clients:
                vars(client).pop("catalogue", None)

    def become(self, other: ClientContext) -> None:
        """Answer from the survey of another context, which was opened from the same source."""
        assert self.service is not None
        assert other.service is not None
        with self.loading:
            self.service.use(other.service.survey)
            for name in _OF_A_SURVEY:
                setattr(self, name, getattr(other, name))
            self.forget()

    def renew(self, version: str) -> None:
        """Forget what was learnt of the survey if this is another version of it."""
        if self.version not in (None, version):
            _log.info("The survey of %s has changed: its names are requested again.", self)
            self.forget()

    def to_code(self, scope: Scope = DEFAULT_SCOPE, base_of: BaseOf | None = None) -> str:
        """Python that connects to the same place; the credential is found where it was before.

        scope: that of the client, with its time window as waves. base_of: of its options.
        """
        chosen: dict[str, Any] = scope.arguments(scope.base_of) | (
            {"base_of": base_of} if base_of else {}
        )
        waves = chosen.pop("waves", None)
        if self.survey_scope is not None and waves == (self.survey_scope.waves,):
            waves = None
        if (base := chosen.pop("base_audience", None)) is not None:
            whole = self.to_code(replace(scope, base=None), base_of)
            given = base.to_code() if base.name else base.expression.to_code()
            return f"{whole}.filter({given})"
        if chosen:
            options = ", ".join(f"{name}={code}" for name, code in scope_code(chosen).items())
            return f"{self.to_code(Scope(waves=waves))}.with_options({options})"
        named = list(waves) if waves and len(waves) > 1 else waves and waves[0]
        window = [f"waves={named!r}"] if named else []
        if self.service is not None and self.service.minimum_base:
            window.append(f"minimum_base={self.service.minimum_base}")
        edits = "".join(self.edits.code)
        if self.opened:
            return f"al.open({', '.join([*self.opened, *window])}){edits}"
        if self.snapshot:
            place = [f"snapshot={str(self.snapshot)!r}"]
        elif self.service is None:
            place = [repr(self.place)]
        elif self.place == DEMO_PLACE:
            place = []
        else:
            place = [f"survey={self.service.survey.address!r}"]
        return f"al.connect({', '.join([*place, *window])}){edits}"

    def provenance(
        self,
        operation: str,
        scope: Scope,
    ) -> dict[str, Any]:
        """Where values come from, without a credential; for people to read."""
        base, weight = scope.base, scope.weight
        usual = self.weight or (self.survey_scope or SurveyScope()).weight
        known: dict[str, Any] = {"weight": usual} if usual else {}
        if weight is not UNSET:
            known["weight"] = UNWEIGHTED if weight is None else weight
        if self.survey_scope is not None and self.survey_scope.sizes == "sum":
            known["sizes"] = "sum"
        if self.survey_scope is not None and self.survey_scope.study:
            known["study"] = {**self.survey_scope.study}
        if self.wave_names:
            known["wave_names"] = {**self.wave_names}
        replayed = {"snapshot": self._replayed.name} if self._replayed else {}
        return {
            "operation": operation,
            "service": "embedded" if self.embedded else without_port(self.place),
            "survey": self.place if self.embedded else None,
            "base_audience": base.name if base is not None else "All",
            "locations": list(scope.locations or ()) or "all",
            "asked_at": (self.recorded_at if self._replayed else "") or counted_at(),
            "audiencelab": __version__,
            **known,
            **replayed,
        }

    @property
    def _replayed(self) -> Path | None:
        """The snapshot that results name."""
        return None if os.environ.get(UNNAMED_VARIABLE) else self.snapshot

    def __str__(self) -> str:
        if self._replayed:
            return f"the snapshot {self._replayed.name}, {self.place}"
        return f"{'the embedded service, ' if self.embedded else ''}{self.place}"


def _check_name(weight: object) -> None:
    if not isinstance(weight, str | None):
        raise TypeError(
            f"weight= takes the name of a weight, not a {type(weight).__name__}. A column of a "
            'frame becomes one by client.with_columns(frame, key="…", weights="NAME").'
        )

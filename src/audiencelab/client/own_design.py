"""`client.design`: how the sample was drawn, and a client of the same source by another design."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from msgspec import UNSET, UnsetType

from audiencelab.client.context import ClientContext
from audiencelab.client.operations.sample_design import fetch_design
from audiencelab.client.options import ClientOptions
from audiencelab.client.sending import Sender
from audiencelab.hidden_members import hide_members
from audiencelab.keywords import keywords
from audiencelab.results.sample_design import DesignFacts

if TYPE_CHECKING:
    from audiencelab.ingest.codebook import ReplicateMethod


C = TypeVar("C")


@hide_members("opens")
@dataclass(frozen=True, slots=True, repr=False)
class SampleDesign(DesignFacts, Generic[C]):
    """How the sample of a client's survey was drawn; called, a client by another design.

    `client.design(strata="region", clusters="psu")` opens the source of the client again.
    """

    opens: Callable[[Mapping[str, Any]], C] | None = None

    @keywords()
    def design(
        self,
        *,
        weight: str | Sequence[str] | UnsetType | None = UNSET,
        strata: str | UnsetType | None = UNSET,
        clusters: str | UnsetType | None = UNSET,
        clusters_recur: bool | UnsetType = UNSET,
        fpc: str | UnsetType | None = UNSET,
        replicates: str | Sequence[str] | UnsetType = UNSET,
        replicate_method: ReplicateMethod | UnsetType = UNSET,
        fay: float | UnsetType = UNSET,
        person: str | UnsetType | None = UNSET,
    ) -> C:
        """A client of the same source, opened with other columns of the design.

        Arguments as for `al.open`; what is not named stays. This client stays as it is.

        Raises `LookupError` where the source is not at hand, with the line that opens it, and the
        errors of `al.open`.
        """
        given = {
            "weight": weight,
            "strata": strata,
            "clusters": clusters,
            "clusters_recur": clusters_recur,
            "fpc": fpc,
            "replicates": replicates,
            "replicate_method": replicate_method,
            "fay": fay,
            "person": person,
        }
        changed = {name: each for name, each in given.items() if each is not UNSET}
        if not changed:
            raise TypeError(
                "design is called with what another design has, such as strata=. What is known of "
                "this one is an attribute. Write client.design."
            )
        assert self.opens is not None
        return self.opens(changed)

    __call__ = design
    del design


class OwnDesign:
    """The part of a client that is about how the sample was drawn."""

    _context: ClientContext
    _options: ClientOptions
    _sender: Sender

    @property
    def design(self) -> SampleDesign[Self]:
        """How the sample was drawn: strata, clusters, weight and degrees of freedom.

        It is of those whom this client counts: of a filtered client of its base, as R's `subset` of
        a design. Each line has the code that changes it: `client.design(strata="region",
        clusters="psu")` is a client of the same source by that design. `to_frame()` has the waves.

        Raises `LookupError` where the survey is not in this process.

        >>> client.with_options(waves="latest 1").design.degrees_of_freedom
        1996
        """
        facts = fetch_design(self._sender)
        call = "al.open(source, {})" if self._context.reopen is None else "client.design({})"
        facts["parts"] = tuple(
            each._replace(code=call.format(each.code)) if each.code else each
            for each in facts["parts"]
        )
        return SampleDesign(**facts, opens=self._with_design)

    def _with_design(self, changed: Mapping[str, Any]) -> Self:
        """See `SampleDesign`; changed: arguments of `al.open`."""
        context, again = self._context, None
        context.check_open()
        is_edited = len(context.edits.made) > context.edits.at_opening
        if context.reopen is not None and not is_edited:
            again = context.reopen(changed)
        if again is None:
            why = "it has been edited since" if is_edited else "its source is not at hand"
            raise LookupError(
                f"{context} cannot be opened again by another design: {why}. Write "
                f"{_opening(context, changed)}."
            )
        options = self._options
        if "weight" in changed:
            options = options.with_scope(replace(options.scope, weight=UNSET))
        return type(again)(again.transport, again.sender.context, options)


def _opening(context: ClientContext, changed: Mapping[str, Any]) -> str:
    """The code that opens the source of a client by another design, with its edits."""
    source = context.source
    arguments = {} if source is None else source.arguments
    opened = context.opened or ("frame", *(f"{name}={each}" for name, each in arguments.items()))
    given = [each for each in opened if each.partition("=")[0] not in (*changed, "to")]
    named = [f"{name}={value!r}" for name, value in changed.items()]
    return f"al.open({', '.join([*given, *named])}){''.join(context.edits.code)}"

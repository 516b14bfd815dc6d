"""AudienceEditor: build a nested audience by hand, with its size at every step.

The document that is edited is in `document`, the static form in `static_html`, the page's half in
`js/src/editor`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import UNSET, UnsetType

from audiencelab.client.catalogue.code_layout import audience_code, commented, explained
from audiencelab.errors import Fault
from audiencelab.expressions import (
    Audience,
    CodeError,
    Expression,
    InvalidExpression,
    KeptAudience,
    as_audience,
    parse_audience,
    parse_expression,
    read_code,
    walk,
)
from audiencelab.expressions.nodes import Combinator
from audiencelab.flags import flag
from audiencelab.hidden_members import hide_members
from audiencelab.keywords import keywords
from audiencelab.markup import Form
from audiencelab.render.room import NOTEBOOK, Room
from audiencelab.schema.scope import SCOPE_ARGUMENTS, BaseOf
from audiencelab.widgets._deps import traitlets
from audiencelab.widgets.audience_size import NodeSize, SizeCounter
from audiencelab.widgets.base import ScopedWidget, weighted
from audiencelab.widgets.editor.document import (
    Json,
    audience_of,
    document_of,
    find_document_faults,
    read_document,
    replaced,
)
from audiencelab.widgets.editor.protocol import (
    AudienceArgs,
    CodeExpressions,
    CodeText,
    CompareArgs,
    Compared,
    ComparedPart,
    Editor,
    EditorBase,
    EditorContext,
    MeasureArgs,
    Measures,
    SaveArgs,
    Wording,
)
from audiencelab.widgets.editor.static_html import editor_html
from audiencelab.widgets.numbered import numbered
from audiencelab.widgets.picker.catalogue import serve_catalogue
from audiencelab.widgets.picker.protocol import CodeName
from audiencelab.widgets.rpc_types import NoArgs, PageRequest
from audiencelab.widgets.saved_audiences import SavedAudiences, SavedState, saved_state

if TYPE_CHECKING:
    import pandas as pd

    from audiencelab.client import Client
    from audiencelab.client.audiences import AudienceLike
    from audiencelab.results.overlap import People
    from audiencelab.tables import OverlapResult

_COLUMNS = ["pointer", "depth", "node", "words", "size", "sample", "percentage", "waves"]


@hide_members("document", "revision", "saved")
class AudienceEditor(ScopedWidget):
    """A tree of conditions that is edited by hand, and the audience that it means.

    client: the client that counts, from `audiencelab.connect()`.
    value: the initial `al.Audience` or expression; None is everyone.
    base_audience: the base within which sizes are counted; None is all respondents.
    waves, locations: codes to count in; None is the latest 4 waves, everywhere.
    weight, base_of: as for `client.crosstab`.

    `.value` is the last complete audience: while the tree is unfinished it does not change, and
    `.is_valid` is False. It can be set, observed (`editor.observe(f, "value")`) and linked to a
    grid's base: `traitlets.dlink((editor, "value"), (grid, "base_audience"))`. Setting it is a
    step that can be undone in the widget.

    Raises `TypeError`: `value` is not an audience, or codes are not of type str;
    `InvalidExpression`: `value` contains codes that the catalogue does not have; each fault has a
    JSON pointer.
    """

    kind = traitlets.Unicode("editor", read_only=True).tag(sync=True)
    value = traitlets.Any()

    document = numbered(traitlets.Any())
    revision = traitlets.Int(0, read_only=True).tag(sync=True)
    saved = traitlets.Any(None, allow_none=True).tag(sync=True)

    @keywords()
    def __init__(
        self,
        client: Client,
        value: Audience | Expression | None = None,
        base_audience: Audience | Expression | None = None,
        waves: Sequence[str] | None = None,
        locations: Sequence[str] | None = None,
        weight: str | UnsetType | None = UNSET,
        base_of: BaseOf | None = None,
    ) -> None:
        self._use_client(client)
        self._faults: tuple[Fault, ...] = ()
        # While one of value and document is derived from the other, it must not notify back.
        self._following = True
        audience = self._checked_audience(value)
        super().__init__(
            saved=_opened_state(value),
            value=audience,
            document=document_of(audience),
            base_audience=base_audience,
            waves=waves,
            locations=locations,
            weight=weight,
            base_of=base_of,
        )
        self._following = False
        self._counter = self._new_counter()
        self._saved_audiences = SavedAudiences(client)
        serve_catalogue(self.channel, client)
        self.channel.on(Editor.context, self._answer_context)
        self.channel.on(Editor.measure, self._answer_measure)
        self.channel.on(Editor.words, self._answer_words)
        self.channel.on(Editor.read_code, self._answer_code)
        self.channel.on(Editor.saved_audiences, lambda _: self._saved_audiences.listed())
        self.channel.on(Editor.save, self._answer_save)
        self.channel.on(Editor.compare, self._answer_compare)

    # -- the audience in every form --------------------------------------------------------------

    @property
    def expression(self) -> Expression | None:
        """The expression of the last complete audience; None is everyone."""
        return self.value.expression

    @property
    def is_valid(self) -> bool:
        """Whether the visible tree is complete, so that `.value` is what it shows."""
        return not self._faults

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is missing in the visible tree; the pointers refer to the tree as it is shown."""
        return self._faults

    def describe(self) -> str:
        """The last complete audience as a sentence, with the catalogue's names.

        >>> al.AudienceEditor(client, client["Age"].isin(["18 to 24"])).describe()
        'Age is 18 to 24'
        """
        return self.value.describe(self._catalogue())

    def to_code(self) -> str:
        """Python that evaluates to `.value`, given `client`, and `audiencelab` as `al`.

        >>> al.AudienceEditor(client, client["Age"].isin(["18 to 24"])).to_code()
        "al.Audience(client['Age'].isin(['18 to 24']))"
        """
        audience, labels = self.value, self._catalogue()
        words = "" if labels is None or audience.expression is None else audience.describe(labels)
        return commented(*explained(audience, labels, "" if words == audience.name else words))

    def save(self, *, overwrite: bool = False) -> Audience:
        """Update the saved audience that was opened, or create a new one; returns it as saved.

        overwrite: save even if another user changed it meanwhile, which is an error otherwise
            where the service can detect it.

        A remote service only updates audiences (`value=` was a saved audience); the embedded
        service also creates them. Raises `NothingSavedYet`, `SavedMeanwhile`, and the client's
        errors.

        >>> editor = al.AudienceEditor(client, client["Age"].isin(["18 to 24"]))
        >>> editor.save().name
        'Age is 18 to 24'
        """
        flag("overwrite", overwrite)
        audience = self.value
        saved = self._saved_audiences.save(audience, self._opened(audience), overwrite=overwrite)
        self.saved = saved
        self.document = {**self.document, "audience_id": saved["id"], "name": saved["name"]}
        return parse_audience(saved)

    def compare(self, other: AudienceLike) -> OverlapResult:
        """The overlap of `.value` and another audience, in the editor's base and waves.

        Raises the errors of `Client.overlap`.

        >>> editor = al.AudienceEditor(client, client["Age"].isin(["18 to 24"]))
        >>> overlap = editor.compare(client["Gender"] == "Male")
        >>> f"{overlap.union.sample:,.0f}"
        '4,338'
        """
        scope = replace(self.scope, waves=self.waves or self._counter.waves().counted)
        return self._client.overlap([self.value, other], **scope.arguments(None))

    def measure(self) -> NodeSize:
        """Size, sample, share of the base and waves of the last complete audience.

        >>> al.AudienceEditor(client, client["Age"].isin(["18 to 24"])).measure().sample
        1151
        """
        return self._counter.count([self.expression])[0]

    def to_frame(self) -> pd.DataFrame:
        """One row for each node of `.value`, parents before children.

        Columns: `pointer` (a JSON pointer into the expression), `depth` (0 for the whole), `node`
        (`"and"`, `"or"`, `"leaf"`, `"everyone"`), `words`, `size` (weighted count), `sample`
        (respondents), `percentage` (of the base, 0 to 100) and `waves` (a tuple of codes). Raises
        the client's errors.

        >>> young_men = client["Age"].isin(["18 to 24"]) & (client["Gender"] == "Male")
        >>> al.AudienceEditor(client, young_men).to_frame()["sample"].tolist()
        [540, 1151, 3727]
        """
        import pandas as pd

        nodes = _nodes(self.expression)
        sizes = self._counter.count([node for _, node in nodes])
        labels = self._catalogue()
        rows = [
            (
                pointer,
                pointer.count("/") // 2,
                _node_kind(node),
                Audience(expression=node).describe(labels),
                size.size,
                size.sample,
                float("nan") if size.percentage is None else size.percentage,
                size.waves,
            )
            for (pointer, node), size in zip(nodes, sizes, strict=True)
        ]
        return pd.DataFrame(rows, columns=_COLUMNS)

    # -- traits ----------------------------------------------------------------------------------

    @traitlets.validate("value")
    def _check_value(self, proposal: dict[str, Any]) -> Audience:
        if self._following:
            return proposal["value"]
        audience = self._checked_audience(proposal["value"])
        if saved := _opened_state(proposal["value"]):
            self.saved = saved
        return audience

    @traitlets.observe("value")
    def _write_document(self, change: dict[str, Any]) -> None:
        if not self._following:
            self.document = replaced(self.document, change["new"])

    @traitlets.validate("document")
    def _check_document(self, proposal: dict[str, Any]) -> Json:
        return read_document(proposal["value"])

    @traitlets.observe("document")
    def _read_document(self, change: dict[str, Any]) -> None:
        document = change["new"]
        found = find_document_faults(document, self._catalogue())
        self._faults = tuple(fault for _, fault in found)
        if self._faults:
            return
        # Restored and not cleared: the constructor, which comes here too, is following already.
        before, self._following = self._following, True
        try:
            self.value = audience_of(document)
        finally:
            self._following = before

    @traitlets.observe(*SCOPE_ARGUMENTS)
    def _reset_counter(self, _: object) -> None:
        if not self._following:
            self._counter = self._new_counter()
            self.set_trait("revision", self.revision + 1)

    def _new_counter(self) -> SizeCounter:
        return SizeCounter(weighted(self._client, self.weight), self.scope)

    def _checked_audience(self, value: object) -> Audience:
        """`value` as an audience of which the catalogue knows every code."""
        if isinstance(value, Audience):
            audience = value
        elif value is None or isinstance(value, Expression):
            # A name derived from the expression would be wrong after the first edit.
            audience = Audience(expression=value)
        else:
            audience = as_audience(cast("KeptAudience", value), self._catalogue())
        document = document_of(audience)
        # Without an expression there are no codes to check against the catalogue.
        catalogue = None if audience.expression is None else self._catalogue()
        if faults := [fault for _, fault in find_document_faults(document, catalogue)]:
            raise InvalidExpression(faults)
        return audience

    # -- operations of the page ------------------------------------------------------------------

    def _answer_context(self, _: PageRequest[NoArgs]) -> EditorContext:
        counted = self._counter.waves()
        name = as_audience(self.base_audience).name
        return EditorContext(
            shelf=self._saved_audiences.listable,
            waves=[CodeName(*wave) for wave in counted.waves],
            counted=list(counted.counted),
            base=EditorBase(name, counted.base.size, counted.base.base_sample),
        )

    def _answer_measure(self, request: PageRequest[MeasureArgs]) -> Measures:
        expressions = [parse_expression(each) for each in request.args.expressions]
        return Measures(self._counter.count(expressions, request.check))

    def _answer_words(self, request: PageRequest[AudienceArgs]) -> Wording:
        audience = _audience(request.args)
        labels = self._catalogue()
        return Wording(audience.describe(labels), audience_code(audience, labels))

    def _answer_code(self, request: PageRequest[CodeText]) -> CodeExpressions:
        """Pasted Python in the service's form; the code is parsed and not run."""
        labels = self._catalogue()
        found = read_code(request.args.text, None if labels is None else labels.__getitem__)
        only = found[0] if len(found) == 1 else None
        return CodeExpressions(
            [_expression_in(each).to_wire() for each in found],
            only.name if isinstance(only, Audience) else "",
        )

    def _answer_save(self, request: PageRequest[SaveArgs]) -> SavedState:
        audience, overwrite = _audience(request.args.audience), request.args.overwrite
        return self._saved_audiences.save(audience, self._opened(audience), overwrite=overwrite)

    def _answer_compare(self, request: PageRequest[CompareArgs]) -> Compared:
        """Counts of this audience only, of both, and of the other only."""
        found = self.compare(_audience(request.args.other))
        this, other = found.members.T
        only, both, others = (
            _compared_part(found.people(each))
            for each in (this & ~other, this & other, other & ~this)
        )
        return Compared((only, both, others), list(found.notes))

    def _opened(self, audience: Audience) -> SavedState | None:
        """The saved audience that the visible tree was opened from; undo may have left it."""
        saved = cast("SavedState | None", self.saved)
        return saved if saved and saved["id"] == audience.id else None

    # -- static forms ----------------------------------------------------------------------------

    def _describe(self) -> str:
        unfinished = "" if self.is_valid else ", unfinished"
        return f"AudienceEditor(value={self.value.to_code()}{unfinished})"

    def _static_html(self, room: Room = NOTEBOOK) -> Form:
        return editor_html(self.value, self._counter, self._catalogue(), self.base_audience)


def _nodes(expression: Expression | None) -> list[tuple[str, Expression | None]]:
    return [("", None)] if expression is None else list(walk(expression))


def _expression_in(found: Audience | Expression) -> Expression:
    expression = found.expression if isinstance(found, Audience) else found
    if expression is None:
        raise CodeError("This audience is everyone, so there is no condition to paste.")
    return expression


def _compared_part(people: People) -> ComparedPart:
    # JSON has no NaN.
    percentage = None if math.isnan(people.percentage) else people.percentage
    return ComparedPart(people.size, people.sample, percentage)


def _opened_state(value: object) -> SavedState | None:
    """The saved state of a value that is a saved audience."""
    return saved_state(value) if isinstance(value, KeptAudience) else None


def _node_kind(node: Expression | None) -> str:
    if node is None:
        return "everyone"
    return type(node).__name__.lower() if isinstance(node, Combinator) else "leaf"


def _audience(args: AudienceArgs) -> Audience:
    return parse_audience(msgspec.to_builtins(args))

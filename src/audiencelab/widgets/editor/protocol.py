"""The operations and traits of the audience editor."""

from __future__ import annotations

import msgspec

from audiencelab.widgets.audience_size import NodeSize
from audiencelab.widgets.editor.document import EditorDocument
from audiencelab.widgets.picker.protocol import CatalogueOperations, CodeName
from audiencelab.widgets.rpc_types import Args, Data, NoArgs, PageOperation
from audiencelab.widgets.saved_audiences import SavedList, SavedState, WireExpression


class EditorBase(Data):
    """The base of an editor: its name, weighted size and respondents."""

    name: str
    size: float
    sample: int


class EditorContext(Data):
    """What every size of an editor refers to.

    shelf: saved audiences can be listed, and new ones saved. waves: all accessible ones, by date.
    counted: codes of those in which sizes are counted.
    """

    shelf: bool
    waves: list[CodeName]
    counted: list[str]
    base: EditorBase


class MeasureArgs(Args):
    """expressions: one for each size."""

    expressions: list[WireExpression]


class Measures(Data):
    """A size for each expression."""

    measures: list[NodeSize]


class AudienceArgs(Args):
    """An audience; without an expression it is everyone."""

    name: str = ""
    id: str | None = None
    expression: WireExpression | None = None


class Wording(Data):
    """An audience as a sentence and as Python."""

    sentence: str
    code: str


class CodeText(Args):
    """text: pasted Python or JSON."""

    text: str


class CodeExpressions(Data):
    """The expressions in a code; name: of the only audience, or ""."""

    expressions: list[WireExpression]
    name: str


class SaveArgs(Args):
    """overwrite: save also what was changed meanwhile."""

    audience: AudienceArgs
    overwrite: bool = False


class CompareArgs(Args):
    """The other audience."""

    other: AudienceArgs


class ComparedPart(Data):
    """Counts of one part; percentage: of the base, None where it is empty."""

    size: float
    sample: float
    percentage: float | None


class Compared(Data):
    """parts: of this audience only, of both, of the other only."""

    parts: tuple[ComparedPart, ComparedPart, ComparedPart]
    notes: list[str]


class EditorTraits(msgspec.Struct):
    """The traits of an audience editor.

    revision: grows when base, waves or locations change. saved: the saved audience that was opened.
    """

    document: EditorDocument
    revision: int
    saved: SavedState | None


class Editor(CatalogueOperations):
    """Operations of an audience editor."""

    context = PageOperation("context", NoArgs, EditorContext)
    measure = PageOperation("measure", MeasureArgs, Measures)
    words = PageOperation("words", AudienceArgs, Wording)
    read_code = PageOperation("read_code", CodeText, CodeExpressions)
    saved_audiences = PageOperation("saved_audiences", NoArgs, SavedList)
    save = PageOperation("save", SaveArgs, SavedState)
    compare = PageOperation("compare", CompareArgs, Compared)

"""The operations of the sidebar, and the endpoints of the extension of Jupyter's server."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from audiencelab.jupyter.connections.connection import CredentialStatus, Kind, Source
from audiencelab.jupyter.connections.health import ConnectionCheck
from audiencelab.jupyter.server.folder_surveys import FolderSurvey
from audiencelab.jupyter.templates import Template
from audiencelab.widgets.audience_size import NodeSize
from audiencelab.widgets.picker.protocol import Picked, Picker
from audiencelab.widgets.rpc_types import Args, Code, Data, Failure, NoArgs, PageOperation
from audiencelab.widgets.saved_audiences import SavedList


class SavedId(Args):
    """The id of a saved audience."""

    id: str


class SnippetArgs(Args):
    """What a cell is written for: a selection, or with `kind` "audience" a saved audience."""

    kind: Literal["question", "audience", "crosstab"]
    selection: tuple[Picked, ...] = ()
    id: str = ""


class Sidebar(Picker):
    """Operations of the sidebar."""

    saved_audiences = PageOperation("saved_audiences", NoArgs, SavedList)
    saved_size = PageOperation("saved_size", SavedId, NodeSize)
    snippet = PageOperation("snippet", SnippetArgs, Code)


# -- endpoints ------------------------------------------------------------------------------------


class ConnectionRecord(Data):
    """A survey that can be queried; of its credential only whether and where it is.

    location: its address or folder. code: Python that connects a notebook to the same survey.
    """

    name: str
    kind: Kind
    title: str
    location: str
    code: str
    credential: CredentialStatus
    source: Source


class Connections(Data):
    """default: the name of the default connection. problems: of the configuration."""

    connections: list[ConnectionRecord]
    default: str
    problems: tuple[str, ...]


class SidebarCall(Args):
    """An operation of the sidebar, with its arguments."""

    op: str
    args: dict[str, Any]


class SidebarAnswer(msgspec.Struct, omit_defaults=True):
    """The answer of an operation, with its buffers in base64, or why there is none."""

    ok: bool
    data: Any = None
    buffers: list[str] = []
    error: Failure | None = None


class Refused(Data):
    """The response to a request that failed."""

    error: Failure


class Surveys(Data):
    """The surveys, and the data files, below the server's folder."""

    surveys: list[FolderSurvey]


class OpenSurvey(Args):
    """path: of a survey, relative to the server's folder."""

    path: str


class Templates(Data):
    """The notebooks to begin with."""

    templates: list[Template]


class CreateNotebook(Args):
    """folder: of the new notebook. connection: what it uses; the default connection."""

    folder: str = ""
    connection: str | None = None


class Created(Data):
    """The path of a new notebook, relative to the server's folder."""

    path: str


class Endpoints:
    """What `jupyter.server.handlers` answers over HTTP."""

    connections = PageOperation("connections", NoArgs, Connections)
    check = PageOperation("check", NoArgs, ConnectionCheck)
    ask = PageOperation("ask", SidebarCall, SidebarAnswer)
    surveys = PageOperation("surveys", NoArgs, Surveys)
    open = PageOperation("open", OpenSurvey, ConnectionRecord)
    templates = PageOperation("templates", NoArgs, Templates)
    create = PageOperation("create", CreateNotebook, Created)

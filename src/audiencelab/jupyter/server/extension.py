"""The extension as a Jupyter application: settings, routes, shutdown.

In the settings of Jupyter:

    c.AudienceLab.connections = {"team": {"url": "https://research.example", "title": "Team"}}
    c.AudienceLab.proxy = False
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jupyter_server.extension.application import ExtensionApp
from jupyter_server.utils import url_path_join
from traitlets import Bool, Dict, Float, Int

from audiencelab._version import __version__
from audiencelab.jupyter.server import handlers, proxy
from audiencelab.jupyter.server.context import ServerContext


class AudienceLab(ExtensionApp):
    """audiencelab in the Jupyter server."""

    name = "audiencelab"
    version = __version__
    extension_url = "/lab"
    load_other_extensions = True

    connections = Dict(
        help="Services to offer beside the user's own, by name: an address, a survey's folder, or "
        "a table with url or survey, and title. Tokens do not belong here: they are stored where "
        "audiencelab.connect() looks for them."
    ).tag(config=True)
    proxy = Bool(
        True,
        help="Whether programs in the page may call the operations of a connection's service.",
    ).tag(config=True)

    timeout = Float(
        60.0, help="Seconds without a byte after which a request to a service is given up."
    ).tag(config=True)
    largest_answer = Int(
        512 * 1024 * 1024, help="Maximum bytes of a response that is passed on."
    ).tag(config=True)

    _context: ServerContext | None = None

    def initialize_settings(self) -> None:
        """Create what the handlers share."""
        contents: Any = getattr(self.serverapp, "contents_manager", None)
        root = getattr(contents, "root_dir", "")
        self._context = ServerContext(
            self.connections,
            Path(root) if root and Path(root).is_dir() else None,
            proxies=self.proxy,
            timeout=self.timeout,
            largest_response=self.largest_answer,
        )

    def initialize_handlers(self) -> None:
        """Add the routes of the extension."""
        base = url_path_join("/", self.name)
        for path, handler in (*handlers.ROUTES, *proxy.ROUTES):
            self.handlers.append((rf"{base}/{path}", handler, {"context": self._context}))

    async def stop_extension(self) -> None:
        """Close what is open when the server stops."""
        if self._context is not None:
            self._context.close()

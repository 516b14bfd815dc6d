"""The extension as Jupyter knows it: its settings, its addresses, its end.

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
from audiencelab.jupyter.server.office import Office
from audiencelab.jupyter.server.passing import Terms

__all__ = ["AudienceLab"]


class AudienceLab(ExtensionApp):
    """audiencelab in the Jupyter server."""

    name = "audiencelab"
    version = __version__
    extension_url = "/lab"
    load_other_extensions = True

    connections = Dict(
        help="Services to offer beside the user's own, by name: an address, a survey's folder, or "
        "a table with url or survey, and title. Tokens have no place here: they stand where "
        "audiencelab.connect() looks for them."
    ).tag(config=True)
    proxy = Bool(
        True,
        help="Whether programs in the page may call the ten operations of a connection's service.",
    ).tag(config=True)

    timeout = Float(
        60.0, help="Seconds without a byte after which a service that is asked is given up."
    ).tag(config=True)
    largest_answer = Int(
        512 * 1024 * 1024, help="Bytes of an answer that is passed on; a larger one is cut off."
    ).tag(config=True)

    _office: Office | None = None

    def initialize_settings(self) -> None:
        """Make what the handlers share."""
        self._office = Office(
            self.connections,
            self._root(),
            passes_on=bool(self.proxy),
            terms=Terms(self.timeout, 10 * self.timeout, self.largest_answer),
        )

    def initialize_handlers(self) -> None:
        """Say which addresses are ours."""
        base = url_path_join("/", self.name)
        for path, handler in (*handlers.ROUTES, *proxy.ROUTES):
            self.handlers.append((rf"{base}/{path}", handler, {"office": self._office}))

    async def stop_extension(self) -> None:
        """Close what is open when the server ends."""
        if self._office is not None:
            self._office.close()

    def _root(self) -> Path | None:
        contents: Any = getattr(self.serverapp, "contents_manager", None)
        root = getattr(contents, "root_dir", "")
        return Path(root) if root and Path(root).is_dir() else None

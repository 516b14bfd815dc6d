"""The part of audiencelab that runs in the Jupyter server, so that the browser sees no credential.

Rooms: `extension` (settings, life), `handlers` (requests to answers, as JSON), `proxy` (the
service's own operations, passed on), with `passing` (what may be); `asking` (what a page asks of a
connection), with `saved` and `snippets`; `office` (what the handlers share), `clients` (kept for
connections), `surveys` (found below the server's folder), `notebooks` (new ones, of templates).

Jupyter finds it by the two functions here, in a file that the package installs under
`etc/jupyter/jupyter_server_config.d`. Nothing is imported before it asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audiencelab._version import __version__

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

__all__ = ["__version__"]


def _jupyter_server_extension_points() -> list[dict[str, Any]]:  # pyright: ignore[reportUnusedFunction] -- Jupyter calls it
    from audiencelab.jupyter.server.extension import AudienceLab

    return [{"module": "audiencelab.jupyter.server", "app": AudienceLab}]


def _load_jupyter_server_extension(server: ServerApp) -> None:  # pyright: ignore[reportUnusedFunction] -- as above  # pragma: no cover - servers of before apps
    """For servers that load a module and know nothing of apps."""
    from audiencelab.jupyter.server.extension import AudienceLab

    AudienceLab.load_classic_server_extension(server)

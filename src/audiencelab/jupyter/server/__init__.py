"""The extension of the Jupyter server, so that the browser receives no credential.

Jupyter finds it by the functions below, named in `enabled.json`, which is installed under
`etc/jupyter/jupyter_server_config.d`. Nothing is imported before Jupyter asks.
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
    """For servers that load a module and do not know extension apps."""
    from audiencelab.jupyter.server.extension import AudienceLab

    AudienceLab.load_classic_server_extension(server)

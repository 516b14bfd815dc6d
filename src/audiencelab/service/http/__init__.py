"""The service over HTTP: an ASGI application and a server for it.

Served while a block of code lasts:

    with audiencelab.serve(survey) as url:
        client = audiencelab.connect(url)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audiencelab.errors import AudienceError

if TYPE_CHECKING:
    from audiencelab.service.http.app import application
    from audiencelab.service.http.server import ServeError, serve

__all__ = ["ServeError", "application", "serve"]

_MODULES = {"application": "app", "ServeError": "server", "serve": "server"}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"{__name__}.{_MODULES[name]}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "audiencelab":
            raise
        raise AudienceError(
            f'Serving needs {error.name}, which is not installed: pip install "audiencelab[server]"'
        ) from error
    return getattr(module, name)

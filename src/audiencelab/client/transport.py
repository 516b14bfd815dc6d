"""The embedded service as an HTTP transport: requests go straight into `Service.handle`.

No socket, no thread, no event loop; yet the same bytes cross as over a network, so validation,
authorisation, errors and streaming are the same. Nothing else in the client knows the service,
and nothing of the service is imported before a client is connected to it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from audiencelab.client.credentials import Secret
from audiencelab.client.http import (
    BaseTransport,
    HttpRequest,
    HttpResponse,
    ReadError,
    SyncByteStream,
)

if TYPE_CHECKING:
    from audiencelab.panel import Panel
    from audiencelab.service import Service

__all__ = ["EMBEDDED_URL", "EmbeddedTransport", "demo", "embed", "open_panel"]

EMBEDDED_URL = "https://embedded.invalid"
"""The address that embedded requests carry; by its top-level domain it can never resolve."""


class EmbeddedTransport(BaseTransport):
    """Hands each request to a service in this process and streams its answer as it is made."""

    def __init__(self, service: Service) -> None:
        from audiencelab.service import Request

        self._service = service
        self._request = Request

    def handle_request(self, request: HttpRequest) -> HttpResponse:
        # Still percent-encoded, as it stands in a request line.
        path, _, query = request.url.raw_path.decode("ascii").partition("?")
        answer = self._service.handle(
            self._request(
                method=request.method,
                path=path,
                query=query,
                headers=request.headers,
                body=request.read(),
            )
        )
        return HttpResponse(answer.status, headers=answer.headers, stream=_Body(answer.body))


class _Body(SyncByteStream):
    """The service's lazy bytes; closing it lets the service stop its work."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._chunks
        except Exception as error:
            failure = error
        else:
            return
        # Over a network a service that fails while it sends breaks the connection; so here.
        raise ReadError(f"The embedded service failed ({type(failure).__name__}).")

    def close(self) -> None:
        if (close := getattr(self._chunks, "close", None)) is not None:
            close()


def embed(panel: Panel, token: Secret) -> EmbeddedTransport:
    """A service of its own for one client, over a panel that may be shared."""
    from audiencelab.service import Service

    return EmbeddedTransport(Service(panel, tokens=(token.reveal(),)))


def open_panel(panel: str | Path | Panel) -> Panel:
    """The panel of a folder, or the one that is open; raises `PanelError`."""
    from audiencelab.panel import Panel

    if isinstance(panel, Panel):
        return panel
    if isinstance(panel, (str, Path)):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        return Panel.open(Path(panel).expanduser())
    raise TypeError(f"panel is a folder or an open al.Panel, not {type(panel).__name__}.")


_demo_lock = threading.Lock()
_demo_panels: list[Panel] = []


def demo() -> Panel:
    """The demo panel, opened once in this process: it is immutable, so all may share it."""
    from audiencelab.panel import demo_panel

    with _demo_lock:
        if not _demo_panels:
            _demo_panels.append(demo_panel())
        return _demo_panels[0]

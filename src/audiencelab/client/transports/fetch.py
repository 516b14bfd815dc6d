"""HTTP by the browser's own requests, for httpx, where Python has no sockets.

The browser adds its own headers, follows its own proxy and certificates, and decompresses. It lets
a page read a response only if the service allows the page's origin (CORS).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import httpx

_SET_BY_THE_BROWSER = ("accept-encoding", "connection", "content-length", "host", "user-agent")

_UNDONE_BY_THE_BROWSER = ("content-encoding", "content-length", "transfer-encoding")
"""Headers that do not describe the body as the browser passes it on."""

_REFUSED = (
    "the browser got no response that this page may read. The service must be reachable and allow "
    "the page's origin (CORS)"
)

_NOT_BLOCKING = (
    "Python on a page's main thread cannot wait for a response. Run it in a web worker, as "
    "JupyterLite does"
)


class FetchTransport(httpx.BaseTransport):
    """Waits for each response, which works in a web worker: a kernel of JupyterLite is one."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        browser = import_module("js")
        kind = getattr(browser, "XMLHttpRequest", None)
        # A web worker has no document.
        if kind is None or getattr(browser, "document", None) is not None:
            raise httpx.ConnectError(_NOT_BLOCKING, request=request)
        call = kind.new()
        # Not asynchronous.
        call.open(request.method, str(request.url), False)
        call.responseType = "arraybuffer"
        # Milliseconds; 0 sets no limit.
        call.timeout = 1000 * (request.extensions["timeout"]["read"] or 0)
        for name, value in _headers(request).items():
            call.setRequestHeader(name, value)
        try:
            call.send(_body(request))
        except Exception as error:
            if getattr(error, "name", "") == "TimeoutError":
                raise httpx.ReadTimeout("", request=request) from None
            raise httpx.ConnectError(_REFUSED, request=request) from None
        lines = str(call.getAllResponseHeaders()).splitlines()
        headers = [(name, value.strip()) for name, _, value in (x.partition(":") for x in lines)]
        return _response(call.status, headers, call.response.to_bytes())


def _headers(request: httpx.Request) -> dict[str, str]:
    return {
        name: value for name, value in request.headers.items() if name not in _SET_BY_THE_BROWSER
    }


def _body(request: httpx.Request) -> Any:
    """The bytes as the browser takes them; None without any."""
    content = request.read()
    return import_module("pyodide.ffi").to_js(content) if content else None


def _response(status: int, headers: list[tuple[str, str]], content: bytes) -> httpx.Response:
    kept = [each for each in headers if each[0].lower() not in _UNDONE_BY_THE_BROWSER]
    return httpx.Response(status, headers=kept, content=content)

"""The front end of all widgets: one module and one style sheet, sent to the page once.

Jupyter keeps a widget's own code in each of its models, in every message that creates one and in
every notebook saved with widget state. So a widget contains only a loader (`js/src/loader.ts`), and
the front end is a model of its own that all widgets refer to.
"""

from __future__ import annotations

import json
import threading
import zlib
from functools import cache
from pathlib import Path

from audiencelab.errors import AudienceError
from audiencelab.widgets._deps import ipywidgets, traitlets

STATIC = Path(__file__).with_name("static")


class BundleMissing(AudienceError, FileNotFoundError):
    """The front end is not built in this copy of the package."""


class FrontEnd(ipywidgets.Widget):
    """A model without a view.

    content: a JSON list of the module and the style sheet, deflated.
    """

    content = traitlets.Bytes().tag(sync=True)


_lock = threading.Lock()
_current: FrontEnd | None = None


def front_end() -> FrontEnd:
    """The front end of this kernel, created with the first widget and again after it was closed.

    Raises `BundleMissing` where it is not built.
    """
    global _current
    with _lock:
        if _current is None or _current.comm is None:
            _current = FrontEnd(content=_packed())
        return _current


@cache
def loader() -> str:
    """The module that each widget contains; raises `BundleMissing` where it is not built."""
    return _static("loader.js")


def _packed() -> bytes:
    written = json.dumps([_static("widget.js"), _static("widget.css")], ensure_ascii=False)
    # Without a header: browsers call this format deflate-raw.
    packing = zlib.compressobj(level=9, wbits=-zlib.MAX_WBITS)
    return packing.compress(written.encode()) + packing.flush()


def _static(name: str) -> str:
    try:
        return (STATIC / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BundleMissing(
            f"The widgets' front end ({STATIC / name}) is not built. In a checkout run "
            "`make frontend` (or `npm ci && npm run build` in js/); otherwise reinstall "
            "audiencelab."
        ) from None

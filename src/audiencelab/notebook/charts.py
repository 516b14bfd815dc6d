"""The chart of an output, as its Vega-Lite specification, in whatever form it was saved.

Which form there is depends on the renderer that altair had. Not for charts that brought a picture
alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

__all__ = ["Specification", "specification"]

Specification = dict[str, Any]

_FORM = re.compile(r"application/vnd\.vegalite\.v\d+[+.]json")
"""altair's renderer `mimetype` writes a dot where a plus should stand."""

_CALL = re.compile(r"\}\)\(")
"""What stands before the chart in the page that altair's renderer `html`, its default, writes."""


def specification(data: Mapping[str, Any]) -> Specification | None:
    """The chart among the forms of an output; None where there is none."""
    for form, content in data.items():
        if _FORM.fullmatch(form) and isinstance(content, dict):
            return cast("Specification", content)
    written = data.get("text/html") or ""
    return _in_page("".join(written))


def _in_page(page: str) -> Specification | None:
    if "vegaEmbed" not in page:
        return None
    for call in _CALL.finditer(page):
        try:
            found, _ = json.JSONDecoder().raw_decode(page, call.end())
        except ValueError:
            continue
        if isinstance(found, dict):
            return cast("Specification", found)
    return None

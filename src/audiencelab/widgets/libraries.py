"""The one place that imports the widget libraries, so that lacking them is said once and well."""

from __future__ import annotations

try:
    import anywidget
    import ipywidgets
    import traitlets
except ImportError as missing:
    raise ImportError(
        f"audiencelab's widgets need the package {missing.name!r}: "
        'pip install "audiencelab[widgets]"'
    ) from missing

__all__ = ["anywidget", "ipywidgets", "traitlets"]

"""Imports of the optional widget libraries, with one error where they are not installed."""

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

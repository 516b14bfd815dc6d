"""Audience research inside Jupyter.

An audience is an expression over survey answers; the embedded service turns it
into exact weighted tables, and the widgets turn clicks back into code.
"""

from audiencelab._version import __version__

__all__ = ["__version__"]

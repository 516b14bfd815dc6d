"""The one place that knows the version; the build reads it from here."""

__version__ = "2.0.0"

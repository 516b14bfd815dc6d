"""The one place that knows the version; the build reads it from here."""

__version__ = "3.0.0.dev0"

"""The one place that knows the version; the build reads it from here."""

__version__ = "1.1.0.dev0"

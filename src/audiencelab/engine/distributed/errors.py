"""What goes wrong past one machine; the message names the partition, the worker and the fix."""

from __future__ import annotations

from audiencelab.engine import TabulationError

__all__ = ["ClusterError"]


class ClusterError(TabulationError):
    """A cluster that cannot be used, or a partition that it could not add up."""

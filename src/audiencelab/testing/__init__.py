"""Fault injection: a service that misbehaves on purpose, for the tests of clients.

    FaultProfile(rules=(FaultRule(status=503, times=2),)).wrap(service)

The result has the service's own `handle`; `audiencelab serve --faults FILE` serves one. Its figures
are right: the faults are in when, whether and in which form they come.
"""

from audiencelab.testing.injection import FaultInjector, FaultProfile
from audiencelab.testing.rules import FaultProfileError, FaultRule

__all__ = ["FaultInjector", "FaultProfile", "FaultProfileError", "FaultRule"]

"""A service that misbehaves on purpose, so that what asks it can be tested honestly.

    FaultyService(service, FaultProfile(rules=(FaultRule(status=503, times=2),)))

It stands before a service and has the same `handle`; `audiencelab serve --faults FILE` puts it
there. The figures it sends are right: what is wrong is when, whether and in which dress they come.

Rooms: `profile` what can be asked for; `service` where it happens; `cells` what is done to the
objects of a stream; `delivery` what is done to bytes.
"""

from audiencelab.testing.profile import FaultProfile, FaultProfileError, FaultRule
from audiencelab.testing.service import FaultyService

__all__ = ["FaultProfile", "FaultProfileError", "FaultRule", "FaultyService"]

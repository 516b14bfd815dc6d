"""`FaultyService`: the `handle` of a service, with the faults of a profile between."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from random import Random

import msgspec

from audiencelab.schema.http import JSON, NDJSON, Request, Response
from audiencelab.service.limits import Limits
from audiencelab.service.service import REQUEST_ID, Service, request_id
from audiencelab.testing.cells import disturbed, framed, lines_of
from audiencelab.testing.delivery import delivered, refusal
from audiencelab.testing.profile import FaultProfile, FaultRule

__all__ = ["FaultyService"]

JSON_SEQUENCE = "application/json-seq"


class FaultyService:
    """A service whose answers are disturbed as a profile says.

    sleep: how delays pass.
    """

    def __init__(
        self,
        service: Service,
        profile: FaultProfile,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._service = service
        self._profile = profile
        self._sleep = sleep
        self._lock = threading.Lock()
        self._met = [0] * len(profile.rules)
        self._asked = 0

    @property
    def limits(self) -> Limits:
        """What one request may ask for."""
        return self._service.limits

    def admit(self, request: Request) -> None:
        """Let every request in: a rule may have another answer for it than the service has."""

    def handle(self, request: Request) -> Response:
        """Answer one request, or fail to."""
        rule, chance = self._due(request.path)
        if rule is None:
            return self._service.handle(request)
        if rule.delay:
            self._sleep(rule.delay)
        if rule.status is not None:
            refused = refusal(rule, rule.status)
            refused.headers[REQUEST_ID] = request_id(request)
            return refused
        if rule.changes_objects and request.header("accept"):
            # Only lines of JSON can be changed one by one.
            headers = {**request.headers, "accept": NDJSON}
            request = replace(request, headers=headers)
        return self._disturbed(self._service.handle(request), rule, chance)

    def _due(self, path: str) -> tuple[FaultRule | None, Random]:
        """The rule for this request, counted as used, and its source of chance."""
        with self._lock:
            self._asked += 1
            chance = Random(f"{self._profile.seed}/{self._asked}")
            for place, rule in enumerate(self._profile.rules):
                if not rule.meets(path):
                    continue
                self._met[place] += 1
                used = self._met[place] - rule.after
                if used > 0 and (rule.times is None or used <= rule.times):
                    return rule, chance
            return None, chance

    def _disturbed(self, answer: Response, rule: FaultRule, chance: Random) -> Response:
        sent = dict(answer.headers)
        # What is cut or dressed otherwise has another length, or none.
        sent.pop("content-length", None)
        kind, chunks = sent.get("content-type", ""), answer.body
        if kind == NDJSON:
            chunks = framed(disturbed(lines_of(chunks), rule, chance), rule.framing)
            if rule.framing == "sequence":
                sent["content-type"] = JSON_SEQUENCE
        elif kind == JSON and rule.framing == "pretty":
            chunks = _indented(chunks)
        chunks = delivered(chunks, rule, chance, self._sleep)
        return Response(answer.status, sent, _Body(chunks, answer))


class _Body(Iterator[bytes]):
    """A disturbed body; closing it closes the one it is made of, even if it was never read."""

    def __init__(self, chunks: Iterator[bytes], source: Response) -> None:
        self._chunks = chunks
        self._source = source

    def __next__(self) -> bytes:
        return next(self._chunks)

    def close(self) -> None:
        if isinstance(self._chunks, Generator):
            self._chunks.close()
        self._source.close()


def _indented(chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield msgspec.json.format(b"".join(chunks), indent=2)

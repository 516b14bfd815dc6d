"""Profiles of faults, and the service in front of a service that injects them."""

from __future__ import annotations

import threading
import time
import tomllib
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import msgspec

from audiencelab.schema.http import JSON, NDJSON, Request, Response
from audiencelab.service.context import Handler
from audiencelab.service.limits import Limits
from audiencelab.service.requests import REQUEST_ID, request_id
from audiencelab.testing.mutations import deliver, frame, lines_of, mutate, refusal
from audiencelab.testing.rules import FaultProfileError, FaultRule

JSON_SEQUENCE = "application/json-seq"


class FaultProfile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rules in order; the first that matches a request and is due applies to it, and no other.

    seed: the same seed and the same order of requests give the same random faults.
    """

    rules: tuple[FaultRule, ...] = ()
    seed: int = 0

    @classmethod
    def load(cls, file: str | Path) -> FaultProfile:
        """The profile of a TOML file.

        Raises `FaultProfileError`, which names the file and the path in it, and `OSError`.
        """
        text = Path(file).read_bytes()
        try:
            return msgspec.convert(tomllib.loads(text.decode("utf-8")), cls)
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise FaultProfileError(f"{file} is not TOML: {error}") from None
        except msgspec.ValidationError as error:
            raise FaultProfileError(f"{file} is not a fault profile: {error}") from None

    def wrap(self, service: Handler) -> FaultInjector:
        """The service with the faults of this profile."""
        return FaultInjector(service, self)


class FaultInjector:
    """A service whose responses are disturbed as a profile says.

    sleep: how delays pass.
    """

    def __init__(
        self,
        service: Handler,
        profile: FaultProfile,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._service = service
        self._profile = profile
        self._sleep = sleep
        self._lock = threading.Lock()
        self._matched = [0] * len(profile.rules)
        self._requests = 0

    @property
    def limits(self) -> Limits:
        """Limits of one request."""
        return self._service.limits

    @property
    def minimum_base(self) -> int:
        return self._service.minimum_base

    def admit(self, request: Request) -> None:
        """Accept every request: a rule may refuse one that the service would not."""

    def unready_reasons(self) -> dict[str, str]:
        """What keeps the service itself from answering."""
        return self._service.unready_reasons()

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
        if rule.changes_objects and request.headers.get("accept"):
            # Only lines of JSON can be changed one by one.
            request = replace(request, headers={**request.headers, "accept": NDJSON})
        return self._disturbed(self._service.handle(request), rule, chance)

    def _due(self, path: str) -> tuple[FaultRule | None, Random]:
        """The rule for this request, counted as used, and its source of randomness."""
        with self._lock:
            self._requests += 1
            chance = Random(f"{self._profile.seed}/{self._requests}")
            for number, rule in enumerate(self._profile.rules):
                if not rule.matches(path):
                    continue
                self._matched[number] += 1
                used = self._matched[number] - rule.after
                if used > 0 and (rule.times is None or used <= rule.times):
                    return rule, chance
            return None, chance

    def _disturbed(self, response: Response, rule: FaultRule, chance: Random) -> Response:
        headers = dict(response.headers)
        # A body that is cut or framed otherwise has another length, or none.
        headers.pop("content-length", None)
        kind, chunks = headers.get("content-type", ""), response.body
        if kind == NDJSON:
            chunks = frame(mutate(lines_of(chunks), rule, chance), rule.framing)
            if rule.framing == "sequence":
                headers["content-type"] = JSON_SEQUENCE
        elif kind == JSON and rule.framing == "pretty":
            chunks = _indented(chunks)
        chunks = deliver(chunks, rule, chance, self._sleep)
        return Response(response.status, headers, _Body(chunks, response))


class _Body(Iterator[bytes]):
    """A disturbed body; closing it closes the original one, even if it was never read."""

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

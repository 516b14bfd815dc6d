"""From a method and a path to an operation and its path parameters."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote

from audiencelab.service.operations import Operation
from audiencelab.service.problems import MethodNotAllowedError, NotFoundError

__all__ = ["Router"]


class Router:
    """Finds operations by their path templates; a parameter is one whole segment."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._by_length: dict[int, list[tuple[list[str], Operation]]] = {}
        for operation in operations:
            template = operation.path.split("/")
            self._by_length.setdefault(len(template), []).append((template, operation))

    def find(self, method: str, path: str) -> tuple[Operation, dict[str, str]]:
        """The operation and its decoded parameters.

        path: still percent-encoded, so that an encoded slash stays part of its segment.
        Raises `NotFoundError`, or `MethodNotAllowedError` for a known path.
        """
        segments = path.split("/")
        allowed: list[str] = []
        for template, operation in self._by_length.get(len(segments), []):
            parameters = _match(template, segments)
            if parameters is None:
                continue
            if operation.method == method.upper():
                return operation, parameters
            allowed.append(operation.method)
        if allowed:
            raise MethodNotAllowedError(allowed)
        raise NotFoundError("The service has no operation at this path.")


def _match(template: list[str], segments: list[str]) -> dict[str, str] | None:
    parameters: dict[str, str] = {}
    for wanted, segment in zip(template, segments, strict=True):
        if wanted.startswith("{"):
            if not segment:
                return None
            parameters[wanted[1:-1]] = unquote(segment)
        elif wanted != unquote(segment):
            return None
    return parameters

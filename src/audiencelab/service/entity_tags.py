"""Entity tags (RFC 9110, sections 8.8.3 and 13): what a caller has seen of a resource.

`If-None-Match` of a read saves sending what the caller has; `If-Match` of a write refuses to undo a
change that the caller has not seen. Without either header nothing changes.

The question filter is a POST that only reads. Its answer is 304 as that of a GET: 412, which the
RFC has for other methods, says elsewhere that something was changed.
"""

from __future__ import annotations

from hashlib import sha256
from http import HTTPStatus

from audiencelab.schema.http import Request, Response
from audiencelab.service.responses import PreconditionFailedError


def entity_tag(document: bytes) -> str:
    """The tag of a resource as it is stored or sent, with its quotes."""
    return f'"{sha256(document).hexdigest()[:32]}"'


def check_unchanged(request: Request, document: bytes) -> None:
    """Raise `PreconditionFailedError` unless `If-Match` is absent or fits the stored resource."""
    expected = request.headers.get("if-match")
    if expected is not None and not _fits(expected, entity_tag(document)):
        raise PreconditionFailedError(
            "It was changed since you read it. Read it again, or send the request without If-Match."
        )


def with_tag(request: Request, response: Response) -> Response:
    """The whole response of a read with its tag; 304 without a body if the caller has it."""
    body = response.read()
    tag = entity_tag(body)
    if _fits(request.headers.get("if-none-match", ""), tag):
        return Response(HTTPStatus.NOT_MODIFIED, {"etag": tag}, iter(()), response.details)
    headers = response.headers | {"etag": tag, "cache-control": "private, no-cache"}
    return Response(response.status, headers, iter((body,)), response.details)


def _fits(listed: str, tag: str) -> bool:
    """Whether a list of tags has this one; a proxy that compresses makes it a weak one."""
    tags = {each.strip().removeprefix("W/") for each in listed.split(",")}
    return "*" in tags or tag in tags

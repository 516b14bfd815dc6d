"""The client: the service's operations over HTTP or in this process, with results to work with.

`connect()` gives a `Client`, or `connect_async()` an `AsyncClient`; operations that form groups
stand in `endpoints` and `async_endpoints`, what is made of several operations in `analyses` and
`async_analyses`, and `face` is what both clients have in common. `following` is a crosstab or a
profile while it comes, `progress` tells how far it is, and `session` is what the calls of one
client share.

Rooms, from the top: `inspecting` (a snapshot looked into, asked again), `connection` (from
what the caller says to a client), `calls` (the operations as a client offers them), `operations`
(requests built and answers read, as pure functions), `catalogue` (questions to look things up in),
`flow` (how a call goes, and who performs it), `stream` (a crosstab's cells out of its bytes),
`snapshots` (what was said, kept and said again), `doors` (the ways to a service), `web` (the HTTP
library, held to a call's deadline). On the ground, for all of them: `errors`, `messages`,
`options`, `credentials`, `leaks`, `raw`, `listing` and `awaiting`.
"""

from audiencelab.client.async_client import AsyncClient
from audiencelab.client.calls.queries import Location, Wave
from audiencelab.client.catalogue import Catalogue, CatalogueCategory, CatalogueQuestion
from audiencelab.client.client import Client
from audiencelab.client.connection.connect import connect, connect_async
from audiencelab.client.credentials import Secret
from audiencelab.client.errors import (
    AccessDenied,
    AmbiguousWriteError,
    AuthenticationError,
    ClientError,
    ConnectionChoiceError,
    ConnectionFailed,
    CredentialError,
    IncompleteStream,
    InsecureConnectionError,
    InvalidRequest,
    InvalidResponse,
    NotFound,
    RateLimited,
    RequestError,
    RequestLine,
    RequestRefused,
    RequestTimeout,
    RequestTooLarge,
    ServiceFailure,
    UnknownCodeError,
)
from audiencelab.client.following import AsyncCrosstabStream, CrosstabStream
from audiencelab.client.operations.catalogue import QuestionsAnswer
from audiencelab.client.operations.saved import SavedAudience
from audiencelab.client.raw import RawAnswer
from audiencelab.client.snapshots import Recording, SnapshotError, SnapshotLeak, SnapshotMiss
from audiencelab.client.stream.cells import CrosstabUpdate

__all__ = [
    "AccessDenied",
    "AmbiguousWriteError",
    "AsyncClient",
    "AsyncCrosstabStream",
    "AuthenticationError",
    "Catalogue",
    "CatalogueCategory",
    "CatalogueQuestion",
    "Client",
    "ClientError",
    "ConnectionChoiceError",
    "ConnectionFailed",
    "CredentialError",
    "CrosstabStream",
    "CrosstabUpdate",
    "IncompleteStream",
    "InsecureConnectionError",
    "InvalidRequest",
    "InvalidResponse",
    "Location",
    "NotFound",
    "QuestionsAnswer",
    "RateLimited",
    "RawAnswer",
    "Recording",
    "RequestError",
    "RequestLine",
    "RequestRefused",
    "RequestTimeout",
    "RequestTooLarge",
    "SavedAudience",
    "Secret",
    "ServiceFailure",
    "SnapshotError",
    "SnapshotLeak",
    "SnapshotMiss",
    "UnknownCodeError",
    "Wave",
    "connect",
    "connect_async",
]

"""The client: the service's operations over HTTP or in this process, with results to work with.

`connect()` gives a `Client`. Pure functions build requests and read answers (`operations`), one
generator decides how a call goes (`flow`), and a thin driver performs it (`driver`).

`connection` says where to: `destination` which place is meant, `token_places` where a credential is
found, `credentials` how it stays unseen, `http_settings` what may be set of the HTTP library.

Rooms besides: `client` and `async_client` the public faces, `doors` the ways to a service,
`catalogue` the questions to look things up in, `streams` and `cells` the crosstab stream,
`snapshots`, `errors`. `http` alone imports the HTTP library.
"""

from audiencelab.client.async_client import AsyncClient, AsyncCrosstabStream
from audiencelab.client.calls.queries import Location, Wave
from audiencelab.client.catalogue import Catalogue, CatalogueQuestion
from audiencelab.client.cells import CrosstabUpdate
from audiencelab.client.client import Client, CrosstabStream
from audiencelab.client.connection import connect, connect_async
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
from audiencelab.client.operations.catalogue import QuestionsAnswer
from audiencelab.client.operations.saved import SavedAudience
from audiencelab.client.raw import RawAnswer
from audiencelab.client.snapshots import Recording, SnapshotError, SnapshotLeak, SnapshotMiss
from audiencelab.client.tree import CatalogueCategory

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

"""The client: the service's operations over HTTP or in this process, with results to work with.

`client` and `analyses` have the methods, `async_client` the same for `await`, `operations` a module
for each resource, `sending` the attempts of one call. The rest sends nothing: `audiences`,
`questions`, `decoding`, `exchange`, `stream` (the cells of a crosstab), `context`.
"""

from audiencelab.client.async_client import AsyncClient
from audiencelab.client.catalogue import Catalogue, CatalogueCategory, CatalogueQuestion
from audiencelab.client.client import Client
from audiencelab.client.connection.connect import connect, connect_async
from audiencelab.client.connection.opening import open  # noqa: A004 -- audiencelab.open
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
from audiencelab.client.operations.audiences import Audiences
from audiencelab.client.operations.catalogue import Categories, Questions
from audiencelab.client.operations.charts import Charts
from audiencelab.client.operations.insights import Insights
from audiencelab.client.questions import QuestionsAnswer
from audiencelab.client.responses import Location, RawResponse, Wave
from audiencelab.client.snapshots.format import SnapshotError
from audiencelab.client.snapshots.recording import Recording, SnapshotLeak
from audiencelab.client.snapshots.replay import SnapshotMiss
from audiencelab.client.stream.collector import CrosstabUpdate
from audiencelab.client.streams import AsyncCrosstabStream, CrosstabStream
from audiencelab.schema import SavedAudience

__all__ = [
    "AccessDenied",
    "AmbiguousWriteError",
    "AsyncClient",
    "AsyncCrosstabStream",
    "Audiences",
    "AuthenticationError",
    "Catalogue",
    "CatalogueCategory",
    "CatalogueQuestion",
    "Categories",
    "Charts",
    "Client",
    "ClientError",
    "ConnectionChoiceError",
    "ConnectionFailed",
    "CredentialError",
    "CrosstabStream",
    "CrosstabUpdate",
    "IncompleteStream",
    "InsecureConnectionError",
    "Insights",
    "InvalidRequest",
    "InvalidResponse",
    "Location",
    "NotFound",
    "Questions",
    "QuestionsAnswer",
    "RateLimited",
    "RawResponse",
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
    "open",
]

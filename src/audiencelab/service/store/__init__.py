"""What the service keeps: charts, saved audiences, and answers to requests that may come twice.

`Store.open(path)` is the one way in. Rooms: `store` documents in SQLite; `files` opening one
safely, or saying why not; `schema` the tables and their versions; `placement` whether a file lies
where SQLite may use it; `errors`.
"""

from audiencelab.service.store.errors import (
    StoreBusyError,
    StoreClosedError,
    StoreError,
    StoreFullError,
    StoreWarning,
)
from audiencelab.service.store.store import Documents, Kept, Store

__all__ = [
    "Documents",
    "Kept",
    "Store",
    "StoreBusyError",
    "StoreClosedError",
    "StoreError",
    "StoreFullError",
    "StoreWarning",
]

"""What the service keeps: charts, saved audiences, and answers to requests that may come twice.

Rooms: `store` documents in SQLite, `schema` the tables and their versions, `placement` whether a
file lies where SQLite may use it.
"""

from audiencelab.service.store.store import Documents, Kept, Store, StoreBusyError, StoreError

__all__ = ["Documents", "Kept", "Store", "StoreBusyError", "StoreError"]

"""A cache of arrays that forgets the least recently used ones when they take too many bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock

from audiencelab.engine.bits import Words

__all__ = ["MaskCache"]


class MaskCache:
    """Masks by key, at most `limit` bytes of them; safe to use from many threads.

    A mask larger than the limit is not kept. Masks are made read-only on the way in, since every
    holder shares them.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._held: OrderedDict[Hashable, Words] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    @property
    def bytes_held(self) -> int:
        """What the masks held now take."""
        return self._bytes

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: Hashable) -> Words | None:
        """The mask under `key`, which thereby becomes the most recently used."""
        with self._lock:
            mask = self._held.get(key)
            if mask is not None:
                self._held.move_to_end(key)
            return mask

    def put(self, key: Hashable, mask: Words) -> Words:
        """Keep `mask` if it fits; returns it read-only, or the one another thread put first."""
        mask.flags.writeable = False
        with self._lock:
            if (present := self._held.get(key)) is not None:
                return present
            if mask.nbytes > self.limit:
                return mask
            self._held[key] = mask
            self._bytes += mask.nbytes
            while self._bytes > self.limit:
                _, dropped = self._held.popitem(last=False)
                self._bytes -= dropped.nbytes
        return mask

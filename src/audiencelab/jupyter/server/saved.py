"""The audiences that are saved with a service, as a list shows them.

The service's contract does not list them. Where the service is embedded it can be asked itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audiencelab.errors import AudienceError

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.expressions import Audience
    from audiencelab.widgets.rpc_types import Request

__all__ = ["NotListed", "Shelf"]


class NotListed(AudienceError, LookupError):
    """The service has no operation that lists what is asked for."""


class Shelf:
    """The saved audiences behind one client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def audiences(self) -> list[dict[str, Any]]:
        """Every saved audience that can be read: `id`, `name`, `sentence`, `code`, `updated`.

        sentence: who belongs to it. code: Python that evaluates to it, with `audiencelab` as `al`.
        updated: ISO 8601, or null. Raises `NotListed` for a deployment.
        """
        found: list[dict[str, Any]] = []
        for saved in self._service().saved_audiences():
            try:
                audience = saved.to_audience()
                listed = {
                    "id": saved.id,
                    "name": saved.name,
                    "sentence": audience.describe(self._client.catalogue),
                    "code": audience.to_code(),
                    "updated": saved.updated_at,
                }
            except AudienceError:
                continue  # a broken one cannot be used; the service tells of it elsewhere
            found.append(listed)
        return found

    def audience(self, request: Request) -> Audience:
        """The saved audience whose `id` a request names; raises `NotListed`, `UnknownIdError`."""
        return self._service().saved_audience(str(request.args.get("id"))).to_audience()

    def _service(self):
        try:
            return self._client.service
        except LookupError:
            raise NotListed(
                "This deployment does not list saved audiences: the service has no operation "
                "for it. Those you know the id of can be used in a notebook."
            ) from None

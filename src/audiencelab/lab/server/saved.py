"""What is saved with a service: audiences and charts, as a list shows them.

The service's contract lists neither. Where the service is embedded it can be asked itself.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from audiencelab.errors import AudienceError
from audiencelab.lab.server.snippets import chart_code
from audiencelab.wording import plural

if TYPE_CHECKING:
    from audiencelab.audience import Audience
    from audiencelab.client import Client
    from audiencelab.widgets.requests import Request
    from audiencelab.wire import Chart

__all__ = ["NotListed", "Shelf"]


class NotListed(AudienceError, LookupError):
    """The service has no operation that lists what is asked for."""


class Shelf:
    """The saved things behind one client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def audiences(self) -> list[dict[str, Any]]:
        """Every saved audience that can be read: `id`, `name`, `sentence`, `code`, `updated`.

        sentence: who belongs to it. code: Python that evaluates to it, with `audiencelab` as `al`.
        updated: ISO 8601, or null. Raises `NotListed` for a deployment.
        """
        found: list[dict[str, Any]] = []
        for saved in self._service("saved audiences").saved_audiences():
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
        service = self._service("saved audiences")
        return service.saved_audience(str(request.args.get("id"))).to_audience()

    def charts(self) -> list[dict[str, Any]]:
        """Every chart, in the same fields; code calculates it. Raises `NotListed`."""
        return [
            {
                "id": chart.id,
                "name": chart.name or "",
                "sentence": self._sentence(chart),
                "code": chart_code(chart.id or ""),
                "updated": _when(chart.updated_at),
            }
            for chart in self._service("charts").charts()
        ]

    def _service(self, what: str):
        try:
            return self._client.service
        except LookupError:
            raise NotListed(
                f"This deployment does not list {what}: the service has no operation for it. "
                "Those you know the id of can be used in a notebook."
            ) from None

    def _sentence(self, chart: Chart) -> str:
        """The questions of a chart by name, and by what it is split."""
        catalogue = self._client.catalogue
        codes = dict.fromkeys(
            f"{each.namespace_code}.{each.question_code}" if each.namespace_code else code
            for each in chart.attributes or ()
            if (code := each.question_code)
        )
        named = ", ".join(catalogue.question_name(code) or code for code in codes)
        audiences = chart.audiences
        among = f", among {plural(len(audiences), 'audience')}" if audiences else ""
        split = f", by {chart.splitter}" if chart.splitter else ""
        return f"{named or 'No questions yet'}{among}{split}"


def _when(moment: int | None) -> str | None:
    """Seconds since 1970 as ISO 8601."""
    return None if moment is None else datetime.fromtimestamp(moment, UTC).isoformat()

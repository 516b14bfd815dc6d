"""What a client of a survey in this process can say of it, and change in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audiencelab.client.context import ClientContext

if TYPE_CHECKING:
    from audiencelab.ingest.report import ImportReport
    from audiencelab.service import Service


class OwnSurvey:
    """The part of a client that is about the survey itself."""

    _context: ClientContext

    @property
    def service(self) -> Service:
        """The embedded service itself, for example to add saved audiences and insights.

        Raises `LookupError` for a client of a remote service.
        """
        if self._context.service is None:
            raise LookupError(
                f"{self!r} has no embedded service; only connect() without an address has one."
            )
        return self._context.service

    @property
    def import_report(self) -> ImportReport:
        """What the import read and dropped, and took for granted, the whole of it by subject.

        `guesses` lists what was taken for granted, the worst first; `card()` is what `open` shows.

        Raises `LookupError` for a client of a remote service.

        >>> client.import_report.guesses
        []
        """
        from audiencelab.ingest.report import ImportReport

        return ImportReport.of(self.service.survey)

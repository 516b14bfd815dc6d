"""One browser profile for all tests of JupyterLab, empty at the start of each.

A new profile for each test would read and compile JupyterLab anew, which takes longer than most
tests. This one keeps what is read and compiled, and forgets all that a page can keep.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import BrowserContext

from tests.browser.page import NotebookPage

__all__ = ["Profile"]

KEPT_BY_PAGES = "cookies,local_storage,indexeddb,cache_storage,service_workers,file_systems"


class Profile:
    """A context that lives on the disk, and how it is emptied.

    kept: a page that a test has left as it found it, for the next test of its `file`.
    """

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.kept: NotebookPage | None = None
        self.file: Path | None = None
        # The page it came with: without any, the browser would end.
        self._blank = context.pages[0]
        self._protocol = context.new_cdp_session(self._blank)

    def forget(self, origin: str) -> None:
        """Close every page, and drop what those of this origin have kept and may do."""
        self.kept = None
        for page in self.context.pages:
            if page is not self._blank:
                page.close()
        self.context.clear_cookies()
        self.context.clear_permissions()
        self._protocol.send(
            "Storage.clearDataForOrigin", {"origin": origin, "storageTypes": KEPT_BY_PAGES}
        )

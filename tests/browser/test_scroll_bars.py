"""Scroll bars that take space, as on Windows and Linux; the other tests hide them."""

from __future__ import annotations

from playwright.sync_api import BrowserType, expect

from tests.browser.conftest import CHROMIUM_OPTIONS, PATIENCE, WINDOW, Lab, find_chromium
from tests.browser.server import LabServer

# Names that take all the width that the columns leave.
TABLE = """\
import audiencelab as al
client = al.connect()
rows = [each.renamed(f"{each.name}, " + "among other ways " * 8)
        for each in client.catalogue.audiences("Finding brands")]
al.Crosstab(client, rows, client.catalogue.audiences("Age")[:4]).wait()"""


def test_the_scroll_bar_of_a_table_as_wide_as_the_page_hides_no_column(
    lab_server: LabServer, chromium: BrowserType
) -> None:
    browser = chromium.launch(
        executable_path=find_chromium(),
        args=CHROMIUM_OPTIONS,
        ignore_default_args=["--hide-scrollbars"],
        headless=True,
    )
    try:
        context = browser.new_context(viewport=WINDOW)
        context.set_default_timeout(PATIENCE)
        page = Lab(lab_server, context).run("scroll-bars", [TABLE])
        table = page.cell_output(0).locator(".al-grid-scroller")
        expect(table).to_contain_text("among other ways")
        table.scroll_into_view_if_needed()
        box = table.element_handle()
        page.page.wait_for_function("box => box.scrollWidth === box.clientWidth", arg=box)
        bar, below = table.evaluate(
            "box => [box.offsetWidth - box.clientWidth, box.scrollHeight - box.clientHeight]"
        )
    finally:
        browser.close()
        lab_server.forget()
    assert bar > 0
    assert below > 0

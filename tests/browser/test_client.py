"""The client in a notebook: progress bar, stop button, `await`, a remote service."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import Lab

SET_UP = """
from contextlib import ExitStack
import audiencelab as al
from audiencelab.testing import FaultProfile, FaultRule

running = ExitStack()
drips = FaultRule(path="/v2/query/crosstab", split=500, pause=0.6)
slow = al.connect(running.enter_context(al.serve(faults=FaultProfile(rules=(drips,)))))
distant = al.connect(running.enter_context(al.serve()))
brands, ages = (distant.catalogue.audiences(name) for name in ("Finding brands", "Age"))
"""


def test_a_bar_shows_the_progress_of_a_crosstab_and_the_stop_button_ends_it(lab: Lab) -> None:
    page = lab.open(
        lab.write(
            "progress",
            [
                SET_UP,
                "distant.crosstab(rows=brands, columns=ages, progress=True)",
                "slow.crosstab(rows=brands, columns=ages, progress=True)",
            ],
        )
    )
    page.run_cell(0)
    page.run_cell(1)
    expect(page.cell_output(1).locator(".progress-bar-success")).to_have_count(1)
    expect(page.cell_output(1)).to_contain_text("140/140")

    stopped = page.cell_output(2)
    page.run_cell(2, wait=False)
    expect(stopped).to_contain_text(re.compile(r"[1-9]\d*/140"))
    page.command("notebook:interrupt-kernel")
    expect(stopped).to_contain_text("KeyboardInterrupt")
    expect(stopped.locator(".progress-bar-danger")).to_have_count(1)
    # What is sent before that is called off along with the cell.
    page.wait_idle()
    assert page.python("len(slow.stats('q4'))") == 7


def test_await_and_widgets_work_with_a_service_in_the_same_notebook(lab: Lab) -> None:
    page = lab.run(
        "distant",
        [
            SET_UP,
            "(await al.connect_async().crosstab(rows=brands, columns=ages)).shape",
            "grid = al.Crosstab(distant, rows=brands, columns=ages); grid",
            "al.QuestionPicker(distant)",
        ],
    )
    expect(page.cell_output(1)).to_contain_text("(20, 7)")
    page.python("grid.wait(60) is grid")
    share = page.python("float(grid.to_wide('column').iloc[0, 0])")
    expect(page.cell_output(2).get_by_role("grid")).to_contain_text(f"{share:.1f}%")
    expect(page.cell_output(3).get_by_role("treeitem").first).to_be_visible()

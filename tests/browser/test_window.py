"""How much of a table a workbench tab shows, and that its letters are whole."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

import audiencelab as al
from tests.browser.conftest import Lab
from tests.browser.page import resize
from tests.browser.test_text_size import RESIZE, WHOLE
from tests.browser.test_workbench import FITS
from tests.browser.test_workbench_tab import EMPTY, Tab

# Columns of figures that are whole beside the names and bases of rows, and the part of the names.
COLUMNS = """(grid) => {
  const edge = (cell) => cell.getBoundingClientRect();
  const left = Math.max(...[...grid.querySelectorAll(".al-grid-header .al-grid-frozen")]
    .filter((cell) => cell.checkVisibility()).map((cell) => edge(cell).right));
  const right = edge(grid).left + grid.clientLeft + grid.clientWidth;
  const whole = [...grid.querySelectorAll(".al-grid-header > .al-grid-column")]
    .filter((cell) => cell.checkVisibility())
    .filter((cell) => edge(cell).left >= left - 1 && edge(cell).right <= right + 1);
  const name = edge(grid.querySelector(".al-grid-header .al-grid-name")).width;
  return [whole.length, name / grid.clientWidth];
}"""

# Letters that their cell cuts, or that lie over its value.
CUT_LETTERS = """(grid) => {
  const context = document.createElement("canvas").getContext("2d");
  return [...grid.querySelectorAll(".al-grid-cell[data-letters]:not([data-letters=''])")]
    .filter((cell) => cell.checkVisibility())
    .filter((cell) => {
      const { fontSize, fontFamily, fontWeight, top } = getComputedStyle(cell, "::before");
      context.font = `${fontWeight} ${fontSize} ${fontFamily}`;
      const lines = cell.dataset.letters.split("\\n");
      const width = Math.max(...lines.map((line) => context.measureText(line).width));
      const box = cell.getBoundingClientRect();
      if (cell.dataset.letters.includes("…")) return true;
      const isUnder = cell.classList.contains("is-under");
      if (isUnder) {
        const leading = Number.parseFloat(getComputedStyle(cell).lineHeight);
        const bottom = Number.parseFloat(top) + lines.length * leading;
        return width > box.width || bottom > box.height + 1;
      }
      const range = document.createRange();
      range.selectNodeContents(cell);
      return box.left + 2 + width > range.getBoundingClientRect().left + 1;
    })
    .map((cell) => `${cell.dataset.letters} ${cell.textContent}`);
}"""

LETTERED = ".al-grid-cell[data-letters]:not([data-letters=''])"

LONG = "Personen mit überdurchschnittlichem Haushaltsnettoeinkommen"


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Workbenches of the demo survey: a nested banner, that with letters, and long names."""
    folder = tmp_path_factory.mktemp("benches")
    client = al.connect()
    apps = [client["q20"].any(each.code).named(each.name) for each in client["q20"].datapoints]
    rows = [*apps, *client.catalogue.audiences("q4")]
    nested = al.Workbench(
        client, rows={"Welche davon nutzen Sie?": rows}, columns=al.nest("q4", "q2")
    )
    lettered = al.Workbench(
        client, rows={"Welche davon nutzen Sie?": rows}, columns=al.nest("q4", "q2")
    )
    lettered.grid.significance = "letters"
    ages = [each.named(f"{each.name}: {LONG[: 28 + 4 * i]}") for i, each in enumerate(rows[14:])]
    genders = client.catalogue.audiences("q2")
    columns = {"Alter": ages, "Geschlecht": genders, "Noch einmal": ages}
    long = al.Workbench(client, rows={"Welche davon nutzen Sie?": rows}, columns=columns)
    long.grid.significance = "letters"
    found: dict[str, str] = {}
    for name, bench in {"nested": nested, "lettered": lettered, "long": long}.items():
        found[name] = bench.save(folder / f"{name}.audiencelab.json").read_text()
    return found


def test_a_workbench_tab_gives_the_window_to_its_table(lab: Lab, documents: Any) -> None:
    for name, text in documents.items():
        Path(lab.folder / f"{name}.audiencelab.json").write_text(text)
    page = lab.open(lab.write("beside", [EMPTY]))
    resize(page.page, 1_440, 900)

    def seen(rows: int, columns: int) -> bool:
        whole, part = tab.grid.evaluate(COLUMNS)
        counted = len(tab.grid.evaluate(WHOLE))
        assert (counted, whole) >= (rows, columns), (counted, whole)
        return counted >= rows and whole >= columns and 0.12 <= part <= 0.42

    # Rows without space for their letters beside a value grow when these arrive, after the values.
    for name, letters, least in [
        ("nested", None, 18),
        ("lettered", LETTERED, 18),
        ("long", f"{LETTERED}.is-under", 12),
    ]:
        page.command("docmanager:open", path=f"{name}.audiencelab.json")
        tab = Tab(page)
        expect(tab.grid).to_have_attribute("aria-busy", "false")
        if letters:
            expect(tab.grid.locator(letters)).not_to_have_count(0, timeout=20_000)
            page.come_to_rest()
        page.becomes(partial(seen, least, 10), True, seconds=20)
    assert tab.grid.evaluate(CUT_LETTERS) == []
    assert page.violations(".audiencelab-tab:not(.lm-mod-hidden)") == []
    resize(page.page, 1_100, 900)
    page.becomes(lambda: seen(12, 5), True, seconds=10)
    assert tab.grid.evaluate(CUT_LETTERS) == []
    resize(page.page, 720, 450)
    page.becomes(lambda: seen(3, 1), True, seconds=10)
    resize(page.page, 1_440, 900)
    page.page.evaluate(RESIZE, "20px")
    page.becomes(lambda: seen(6, 5), True, seconds=10)
    assert tab.grid.evaluate(CUT_LETTERS) == []


def test_the_line_below_a_table_unfolds_and_stays_so(lab: Lab, documents: Any) -> None:
    Path(lab.folder / "nested.audiencelab.json").write_text(documents["nested"])
    page = lab.open(lab.write("below", [EMPTY]))
    resize(page.page, 720, 450)
    page.command("docmanager:open", path="nested.audiencelab.json")
    tab = Tab(page)
    expect(tab.grid).to_have_attribute("aria-busy", "false")
    # Six rows in half of a window that is low already, as at a zoom of 200%.
    page.becomes(lambda: len(tab.grid.evaluate(WHOLE)) >= 6, True, seconds=20)
    resize(page.page, 1_440, 900)
    assert tab.box.locator(".al-grid").evaluate(FITS)
    foot = tab.box.locator(".al-grid-foot")
    heights = foot.evaluate("foot => foot.offsetHeight")
    expect(foot).to_contain_text("95% t test")
    tab.box.get_by_role("radio", name="Row %").click()
    expect(foot.locator(".al-grid-short")).to_contain_text("95% of Column % t test")
    tab.grid.locator(".al-grid-line-row .al-grid-cell").nth(30).click()
    assert foot.evaluate("foot => foot.offsetHeight") == heights
    foot.get_by_role("button", name="Legend").click()
    expect(tab.box.get_by_role("button", name="Open cell as audience")).to_be_visible()
    assert page.page.evaluate("() => localStorage.getItem('audiencelab.legend')") == "true"

"""Charts in JupyterLab follow its theme, also after the theme changes."""

from __future__ import annotations

import base64

from playwright.sync_api import Locator

from tests.browser.conftest import Lab

CELL = """\
import audiencelab as al
client = al.connect()
table = client.crosstab(
    rows=client.catalogue.audiences("Gender"), columns=client.catalogue.audiences("Age")
)
al.charts.bar(table, "column_percentage")
"""

CORNER = """async (png) => {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  return [...context.getImageData(3, 3, 1, 1).data.slice(0, 3)];
}"""


def corner(image: Locator) -> list[int]:
    """The colour of what is drawn in the corner of an image."""
    png = image.screenshot(animations="disabled")
    return image.page.evaluate(CORNER, base64.b64encode(png).decode())


def test_a_chart_follows_the_theme(lab: Lab) -> None:
    page = lab.run("chart-theme", [CELL, "al.charts.heatmap(table, 'index')"])
    image = page.cell_output(0).locator("img")
    page.becomes(lambda: corner(image), [255, 255, 255])
    page.screenshot("chart-theme-light")
    page.theme("dark")
    page.becomes(lambda: corner(image), [17, 17, 17])
    page.screenshot("chart-theme-dark")
    page.cell_output(1).locator("img").scroll_into_view_if_needed()
    page.screenshot("chart-theme-heat-dark")
    page.theme("light")
    page.becomes(lambda: corner(image), [255, 255, 255])

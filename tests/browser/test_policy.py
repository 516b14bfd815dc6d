"""Our extension under the strictest content security policy that JupyterLab supports.

The page may be served with a list of what it can load and run. JupyterLab's own settings want
`eval`, and anywidget starts every widget from a blob; whatever else there is can be forbidden, and
is here. A second, stricter list is only reported upon: no report may come of a file of ours.
"""

from __future__ import annotations

import re
import sys
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, Lab
from tests.browser.page import Watch
from tests.browser.server import LabServer
from tests.browser.sidebar import OpenSidebar

PAGE = Path(sys.prefix) / "share" / "jupyter" / "lab" / "static" / "index.html"

SET_UP = """\
import audiencelab as al
client = al.connect()
ages = client.catalogue.audiences('q4')
apps = [client["q20"].any(e.code).named(e.name) for e in client["q20"].datapoints]"""
GRID = "al.Crosstab(client, rows=apps, columns=ages)"
RESULT = "table = client.crosstab(rows=apps, columns=ages)\ntable"
DRAWING = "al.charts.bar(table)"
# Its heights and colours are formulas, which a chart's library likes to compile.
ALTAIR = """\
import altair as alt
alt.renderers.enable("audiencelab", svg=False)
data = alt.Data(values=[{"x": 1}, {"x": 2}])
colour = alt.condition("datum.twice > 2", alt.value("red"), alt.value("blue"))
alt.Chart(data).mark_bar().transform_calculate(twice="datum.x * 2").encode(
    x="x:O", y="twice:Q", color=colour
)
"""

LISTEN = """
window.reports = [];
document.addEventListener("securitypolicyviolation", (event) => window.reports.push({
  disposition: event.disposition, directive: event.effectiveDirective,
  blocked: event.blockedURI, source: event.sourceFile, sample: event.sample,
}));
"""


def policy(scripts: str) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' {inline_scripts()} {scripts}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


def inline_scripts() -> str:
    """The one script that stands in JupyterLab's page itself, named by its digest."""
    scripts = re.findall(r"<script>(.*?)</script>", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    digests = [b64encode(sha256(each.encode()).digest()).decode() for each in scripts]
    return " ".join(f"'sha256-{each}'" for each in digests)


class StrictLab(LabServer):
    """JupyterLab that sends the policy with everything."""

    def _write_configuration(self) -> None:
        super()._write_configuration()
        headers = {
            "Content-Security-Policy": policy("'unsafe-eval' blob:"),
            "Content-Security-Policy-Report-Only": policy(""),
        }
        with (self.home / "config.py").open("a", encoding="utf-8") as config:
            config.write(f"c.ServerApp.tornado_settings = {{'headers': {headers!r}}}\n")


@pytest.fixture
def strict(browser: Browser, tmp_path: Path) -> Iterator[Lab]:
    server = StrictLab(tmp_path)
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.set_default_timeout(PATIENCE)
    context.add_init_script(LISTEN)
    watch = Watch(context)
    try:
        server.start()
        yield Lab(server, context)
    finally:
        context.close()
        server.stop()
    assert watch.outside == []
    assert watch.exceptions == []


def reports(page: Page) -> set[tuple[str, str, str]]:
    """What was refused, and what would have been: (which list, what, whose file)."""
    found = page.evaluate("window.reports")
    return {(each["disposition"], each["blocked"], _owner(each["source"])) for each in found}


def _owner(source: str) -> str:
    [of_lab, extension] = [
        re.search(pattern, source) for pattern in ("/static/lab/", "/extensions/([^/]+)/")
    ]
    return "jupyterlab" if of_lab else extension[1] if extension else source


def test_the_extension_needs_no_further_permissions(strict: Lab) -> None:
    cells = [SET_UP, "al.QuestionPicker(client)", GRID, RESULT, DRAWING, ALTAIR]
    page = strict.open(strict.write("strict", cells))
    page.run_all()
    expect(page.cell_output(1).get_by_role("treeitem").first).to_be_visible()
    expect(page.cell_output(2).get_by_role("grid")).to_contain_text(re.compile(r"\d\.\d"))
    saved = page.cell_output(3).get_by_role("group", name="Saved crosstab")
    expect(saved.get_by_role("grid")).to_contain_text(re.compile(r"\d\.\d"))
    expect(page.cell_output(4).locator("svg").first).to_be_visible()
    expect(page.cell_output(5).locator(".audiencelab-chart-plot svg.marks")).to_be_visible()
    sidebar = OpenSidebar(page)
    expect(sidebar.out).to_contain_text("Ready")
    sidebar.tick("age", "Age")
    sidebar.button("Stats").click(modifiers=["Shift"])
    expect(page.cell_output(len(cells))).to_contain_text("25 to 34")
    page.screenshot("strict-policy")

    # The widgets' own modules are files of the extension. Nothing was refused.
    known = {("report", "eval", "jupyterlab"), ("report", "blob", "anywidget")}
    page.becomes(lambda: reports(page.page), known)

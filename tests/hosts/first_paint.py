"""How soon a table of 20 × 15 stands in a real JupyterLab, beside ipydatagrid.

`python -m tests.hosts.first_paint PYTHON`, an interpreter of an environment of `tests.hosts` with
JupyterLab in it. From the command that runs the cell until the page has painted figures: cold in a
new page with a new kernel that has imported both, warm when the cell is run again. Ours counts the
table meanwhile; ipydatagrid is given one.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median

import nbformat
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import CHROMIUM_OPTIONS, WINDOW, find_chromium
from tests.browser.page import KERNEL_IDLE
from tests.hosts.jupyter import HostLab

RUNS = 5
SECONDS = 120

SET_UP = """\
import numpy, pandas, ipydatagrid
import audiencelab as al
client = al.connect()
columns = (client.catalogue.audiences("Age") * 3)[:15]
client.crosstab(rows="Finding brands", columns=columns)
frame = pandas.DataFrame(numpy.random.rand(20, 15), index=[f"Row {i}" for i in range(20)])
"""
CELLS = {
    "audiencelab": 'al.Crosstab(client, rows="Finding brands", columns=columns)',
    "ipydatagrid": "ipydatagrid.DataGrid(frame)",
}

# Of each, what is true as soon as its figures are there.
PAINTED = """(at) => {
  const output = document.querySelectorAll(".jp-Notebook .jp-Cell")[at];
  const cells = output.querySelectorAll("[role=gridcell]");
  const isFigure = (each) => /\\d%/.test(each.textContent) && each.checkVisibility();
  if ([...cells].some(isFigure)) return true;
  return [...output.querySelectorAll(".lm-DataGrid canvas")].some((canvas) => {
    if (!canvas.width || !canvas.height) return false;
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] && data[i] + data[i + 1] + data[i + 2] < 200) return true;
    }
    return false;
  });
}"""

RUN = f"""async (at) => {{
  const painted = {PAINTED};
  const {{ content }} = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = at;
  content.model.cells.get(at).clearExecution?.();
  const frame = () => new Promise(requestAnimationFrame);
  while (painted(at)) await frame();
  const begun = performance.now();
  window.jupyterapp.commands.execute("notebook:run-cell");
  while (!painted(at)) {{
    if (performance.now() - begun > 60000) return null;
    await frame();
  }}
  await frame();
  return performance.now() - begun;
}}"""


def measure(browser: Browser, python: Path) -> dict[str, tuple[list[float], list[float]]]:
    """Milliseconds of the cold and of the warm runs of each, a page and a kernel for each run."""
    found = {name: ([], []) for name in CELLS}
    with tempfile.TemporaryDirectory() as folder:
        server = HostLab(Path(folder) / "lab", python=python)
        server.home.mkdir()
        server.start()
        try:
            for _ in range(RUNS):
                for name, source in CELLS.items():
                    cold, warm = found[name]
                    page = opened(browser, server, source)
                    cold.append(page.evaluate(RUN, 1))
                    page.wait_for_timeout(1_000)
                    warm.append(page.evaluate(RUN, 1))
                    page.context.close()
                    for session in server.api("GET", "sessions").json():
                        server.api("DELETE", f"sessions/{session['id']}")
        finally:
            server.stop()
    return found


def opened(browser: Browser, server: HostLab, source: str) -> Page:
    """A new page whose first cell has been run."""
    cells = [nbformat.v4.new_code_cell(each) for each in (SET_UP, source)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(made, server.notebooks / "paint.ipynb")
    page = browser.new_context(viewport=WINDOW).new_page()
    page.set_default_timeout(SECONDS * 1000)
    page.goto(f"{server.url}/lab/tree/paint.ipynb?token={server.token}&reset")
    page.wait_for_function("() => window.jupyterapp !== undefined")
    page.evaluate("async () => { await window.jupyterapp.restored; }")
    page.wait_for_function(KERNEL_IDLE, polling=100)
    page.evaluate(
        """async () => {
          window.jupyterapp.shell.currentWidget.content.activeCellIndex = 0;
          await window.jupyterapp.commands.execute("notebook:run-cell");
        }"""
    )
    page.wait_for_function(KERNEL_IDLE, polling=100)
    return page


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_OPTIONS)
        for name, runs in measure(browser, Path(sys.argv[1])).items():
            for kind, each in zip(("cold", "warm"), runs, strict=True):
                all_of = ", ".join(f"{ms:.0f}" for ms in each)
                print(f"{name}, {kind}: median {median(each):.0f} ms ({all_of})")
        browser.close()


if __name__ == "__main__":
    main()

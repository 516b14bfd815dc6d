"""Runs notebooks in a browser's Python, as the kernel of JupyterLite does: cell after cell.

It runs in Pyodide only: JavaScript loads the packages that a cell imports.
"""

import contextlib
import io
import json
from pathlib import Path

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from pyodide_js import loadPackage, loadPackagesFromImports

displayed = []


class Hook(DisplayHook):
    """Keeps the last value of a cell as it is displayed."""

    def write_output_prompt(self):
        pass

    def write_format_data(self, format_dict, md_dict=None):
        displayed.append(format_dict)

    def finish_displayhook(self):
        pass


class Publisher(DisplayPublisher):
    """Keeps what `display()` shows."""

    def publish(self, data, metadata=None, **options):
        displayed.append(data)


class Shell(InteractiveShell):
    displayhook_class = Hook
    display_pub_class = Publisher


async def run(path):
    """What each code cell of a notebook prints and displays, and its error, as JSON."""
    # A site loads it together with this package.
    await loadPackage("pandas")
    shell, cells = Shell.instance(), []
    for cell in json.loads(Path(path).read_text("utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        displayed.clear()
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            await loadPackagesFromImports(source)
            done = shell.run_cell(source)
        error = done.error_before_exec or done.error_in_exec
        cells.append(
            {
                "printed": printed.getvalue() if error is None else "",
                "displayed": displayed.copy(),
                "error": error and f"{type(error).__name__}: {error}",
            }
        )
    return json.dumps(cells, default=repr)

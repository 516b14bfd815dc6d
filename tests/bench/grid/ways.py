"""What is compared: for each way the cell that shows the table, as its own documentation writes it.

Each gets the whole table and a box of some 400 px; nothing is cut off or sampled.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SHARED", "WAYS", "Way"]

SHARED = (
    *("jupyterlab==4.6.*", "ipykernel>=7", "anywidget==0.11.*", "pyarrow", "polars"),
    "pandas==2.3.*",  # with pandas 3, buckaroo sends no text
)
"""What all ways stand on; the page and the kernel are the same for all."""


@dataclass(frozen=True, slots=True)
class Way:
    """A table for notebooks.

    package: what pip installs, in the version that was found to work; "" for ours.
    prepare: code that runs before the clock starts: imports, and the table in its best form.
    show: an expression whose value is shown, in a cell of its own.
    extension: the part of the address under which Lab loads its front end; "" where the widget
        carries that with it.
    code: the bytes of what the widget brings into the page, as an expression.
    """

    name: str
    package: str
    prepare: str
    show: str
    extension: str = ""
    code: str = "sum(len(str(getattr(shown, n, '') or '').encode()) for n in ('_esm', '_css'))"


WAYS = (
    Way(
        "audiencelab",
        "",
        "import audiencelab as al\nclient = ReadyClient(result)",
        "al.Crosstab(client, rows=result.rows, columns=result.columns)",
        code="sum(file.stat().st_size for file in al.widgets.bundle.STATIC.iterdir())",
    ),
    Way(
        "ipydatagrid",
        "ipydatagrid==1.4.0",
        "from ipydatagrid import DataGrid\nframe = frame_of(result)",
        "DataGrid(frame, base_column_size=96, layout={'height': '400px'})",
        extension="/extensions/ipydatagrid/",
    ),
    Way(
        "itables",
        "itables[widget]==2.9.1",
        "from itables.widget import ITable\nframe = frame_of(result)",
        "ITable(frame, maxBytes=0, maxColumns=0, scrollX=True, scrollY='340px', scroller=True,"
        " paging=True)",
    ),
    Way(
        "buckaroo",
        "buckaroo==0.15.11",
        "import buckaroo\nframe = frame_of(result).reset_index()\n"
        # It would leave out what is beyond 250 columns.
        "buckaroo.buckaroo_widget.InfinitePdSampling.max_columns = 1_000",
        "buckaroo.BuckarooInfiniteWidget(frame)",
    ),
    Way(
        "perspective",
        "perspective-python==5.6.1",
        "from perspective.widget import PerspectiveWidget\nframe = frame_of(result)",
        "PerspectiveWidget(frame, plugin='Datagrid')",
        extension="/extensions/@perspective-dev/",
    ),
    Way(
        "quak",
        "quak==0.3.5",
        "import quak\nframe = frame_of(result).reset_index()",
        "quak.Widget(frame)",
    ),
)

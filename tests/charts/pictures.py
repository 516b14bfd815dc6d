"""The charts in the guides, rendered by the code that the guides show.

A guide shows a chart in two themes, `chart-NAME-light.svg` and `chart-NAME-dark.svg`, under the
code whose last line draws it. `python -m tests.charts.pictures` (or `make pictures`) draws them all
again; a test tells when that is due.
"""

from __future__ import annotations

import ast
import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from audiencelab.charts import Chart

DOCS = Path(__file__).parents[2] / "docs"
IMAGES = DOCS / "images"

_PARTS = re.compile(
    r"^```python\n(?P<code>.*?)^```|(?P<name>chart-\w+-(?:light|dark)\.svg)$", re.S | re.M
)


class Picture(NamedTuple):
    """A picture that a guide shows, and what its code draws."""

    name: str
    drawing: Chart

    @property
    def file(self) -> Path:
        return IMAGES / self.name


def guides() -> list[Path]:
    """The pages that show pictures of charts."""
    pages = sorted(DOCS.glob("*/*.md"))
    return [page for page in pages if "images/chart-" in page.read_text(encoding="utf-8")]


def pictures(guide: Path) -> Iterator[Picture]:
    """Run a guide's code from top to bottom and give what it draws above each of its pictures."""
    names: dict[str, Any] = {}
    last: ast.Expr | None = None
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for part in _PARTS.finditer(guide.read_text(encoding="utf-8")):
            if name := part["name"]:
                if last is None:
                    raise ValueError(f"{guide.name} shows {name} under no line that draws.")
                theme = name.removesuffix(".svg").rpartition("-")[2]
                yield Picture(name, eval(_in_theme(last, theme), names))
            else:
                last = _run(part["code"], names)


def _run(code: str, names: dict[str, Any]) -> ast.Expr | None:
    """Run some code, and give its last line if that is a call whose value is shown."""
    module = ast.parse(code)
    exec(compile(module, "<guide>", "exec"), names)
    last = module.body[-1]
    return last if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) else None


def _in_theme(shown: ast.Expr, theme: str) -> Any:
    """The same call with a theme of its own."""
    call = shown.value
    assert isinstance(call, ast.Call)
    themed = ast.keyword("theme", ast.Constant(theme))
    drawn = ast.Call(call.func, call.args, [*call.keywords, themed])
    expression = ast.fix_missing_locations(ast.copy_location(ast.Expression(drawn), call))
    return compile(expression, "<guide>", "eval")


def main() -> None:
    # The day that results are counted in tests.
    os.environ.setdefault("SOURCE_DATE_EPOCH", "1767225600")
    for guide in guides():
        for picture in pictures(guide):
            picture.drawing.save(picture.file)
            print(picture.file.relative_to(DOCS))


if __name__ == "__main__":
    main()

"""The code of the documentation, as the type checker reads it in `make types`."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.test_examples import EXAMPLES
from tests.typed_examples import write


def test_every_example_is_checked(tmp_path: Path) -> None:
    written = write(tmp_path)
    trees = {file.stem: ast.parse(file.read_text("utf-8")) for file in tmp_path.glob("*.py")}
    made = {
        f"{module}.{each.name.replace('__', '.')}"
        for module, tree in trees.items()
        for each in tree.body
        if isinstance(each, ast.FunctionDef)
    }
    assert len(made) == written
    assert made >= {"audiencelab.help", "README.first", "audiencelab_tables_tab_book.TabBook"}
    expected = {f"{v.__module__.replace('.', '_')}.{v.__qualname__}" for v in EXAMPLES.values()}
    assert {each for each in expected if "__" not in each} <= made

"""A class of made students through hand-out, notebooks, collection and report.

`python -m tests.course.made_class` does it for all thirty, and prints what differs from the marks
that are known beforehand.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from audiencelab import cli, course
from audiencelab.course.distribute import folder_name
from audiencelab.course.exercises import EXERCISES
from audiencelab.course.records import FILE
from tests.course.made_students import STUDENTS, MadeStudent, Tries, Try

__all__ = ["MadeClass", "taught"]

_CHECK = re.compile(r'course\.check\("([\d.]+)", answer\)')


@dataclass
class MadeClass:
    """A class at work in a folder. wrong: what differs from what is known."""

    root: Path
    students: Sequence[MadeStudent]
    wrong: list[str] = field(default_factory=list[str])

    def hand_out(self) -> None:
        """By the command, from a list of names."""
        names = self.root / "names.txt"
        names.write_text("\n".join(each.name for each in self.students), "utf-8")
        with contextlib.redirect_stdout(io.StringIO()):
            assert cli.main(["course", "start", str(self.home), "--class", str(names)]) == 0

    @property
    def home(self) -> Path:
        """The folders as they were handed out."""
        return self.root / "handed-out"

    @property
    def desk(self) -> Path:
        """The folders as they were collected."""
        return self.root / "collected"

    def solve(self) -> None:
        """Each in the cells of the own notebooks; then what they hand in."""
        for each in self.students:
            own = folder_name(each.name)
            first = Path(shutil.copytree(self.home / own, self.desk / own))
            self._work(first, each, each.tries(each.habit))
            if each.again:
                second = self.desk / f"{own}{each.suffix}"
                shutil.copytree(self.home / own, second)
                self._work(second, each, each.tries(each.again))
        model = folder_name(self.students[0].name)
        for each in self.students:
            self._copy(self.desk / model, self.desk / folder_name(each.name), each)

    def _work(self, folder: Path, student: MadeStudent, tries: Tries) -> None:
        for path in sorted(folder.glob("*.ipynb")):
            notebook = json.loads(path.read_text("utf-8"))
            code = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
            asked = {found[1]: cell for cell in code if (found := _CHECK.search(cell))}
            if not any(tries.get(number) for number in asked):
                continue
            names: dict[str, Any] = {"display": lambda *_: None}
            with contextlib.chdir(folder):
                run_cell(next(cell for cell in code if "course.connect(" in cell), names)
                for number, cell in asked.items():
                    for each in tries.get(number, []):
                        self._check(student, number, cell, each, names)
                run_cell("course.progress()._repr_html_()", names)

    def _check(
        self, student: MadeStudent, number: str, cell: str, each: Try, names: dict[str, Any]
    ) -> None:
        """Run an exercise's cell with an answer, and compare what it says."""
        where = f"{student.name} {number} {each.code.splitlines()[-1][:60]!r}"
        assert "answer = ..." in cell, cell
        try:
            found = run_cell(cell.replace("answer = ...", each.code), names)
            found._repr_html_()
        except Exception as error:
            self.wrong.append(f"check: {where}: {type(error).__name__}: {str(error)[:80]}")
            return
        same = found.state == each.state or (each.state == "wrong" and not found.right)
        if not same or (each.slip is not None and found.slip != each.slip):
            wanted = each.state if each.slip is None else f"{each.state}, {each.slip!r}"
            self.wrong.append(f"check: {where}: {found.state}, {found.slip!r} for {wanted}")

    @staticmethod
    def _copy(model: Path, own: Path, student: MadeStudent) -> None:
        if student.copied == "folder":
            shutil.rmtree(own)
            shutil.copytree(model, own)
        elif student.copied:
            text = (model / FILE).read_text("utf-8")
            if student.copied == "name":
                name = next(iter(json.loads(text)["students"]))
                text = text.replace(json.dumps(name), json.dumps(student.name.casefold()))
            (own / FILE).write_text(text, "utf-8")

    def mark(self) -> pd.DataFrame:
        """The report, compared with the marks that are known."""
        frame = course.report(self.desk).to_frame()
        lines = {str(line): part.set_index("exercise") for line, part in frame.groupby("folder")}
        for each in self.students:
            line = lines.pop(folder_name(each.name), None)
            if line is None:
                self.wrong.append(f"report: {each.name}: no line")
                continue
            note = str(line["note"].iloc[0])
            if (self.students[0].name.casefold() in note) != bool(each.copied):
                self.wrong.append(f"report: {each.name}: {note!r}")
            marked, solved = set(line.index[line["solved"]]), each.solved()
            for number in sorted(marked ^ solved, key=list(EXERCISES).index):
                told = "not solved" if number in solved else "solved"
                self.wrong.append(f"mark: {each.name} {number}: {told}")
        self.wrong += [f"report: a line for {line}" for line in lines]
        return frame


def run_cell(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line."""
    tree = ast.parse(source)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr) or not _CHECK.search(source)
    exec(compile(tree, "cell", "exec"), names)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    exec(compile(ast.Module([last], []), "cell", "exec"), names)
    return None


def taught(folder: Path, students: Sequence[MadeStudent] = STUDENTS) -> MadeClass:
    """A class that was handed the lessons, solved them, was collected and marked."""
    made = MadeClass(folder, students)
    made.hand_out()
    made.solve()
    made.mark()
    return made


if __name__ == "__main__":
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        wrong = taught(Path(folder)).wrong
    print(*wrong, sep="\n")
    seconds = time.perf_counter() - begun
    print(f"{len(STUDENTS)} students, {len(wrong)} differences, {seconds:.0f} s")
    sys.exit(bool(wrong))

"""What cells did is known by the position of the lines that they noted."""

from __future__ import annotations

import json
from pathlib import Path

from audiencelab.notebook.run_log import RunLog


def test_a_file_belongs_to_the_cell_that_wrote_it_where_the_log_notes_itself(
    tmp_path: Path,
) -> None:
    table = tmp_path / "table.csv"
    table.write_text("n\n5\n", "utf-8")
    with RunLog(tmp_path / "study.ipynb") as log:
        (name,) = log.environment.values()
        noted = Path(name)
        log.next_cell()
        with noted.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps({"wrote": name}) + "\n" for _ in range(3))
        log.next_cell()
        with noted.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"wrote": str(table)}) + "\n")
    assert [[each.path.name for each in cell.written] for cell in log.by_cell] == [
        [],
        ["table.csv"],
    ]

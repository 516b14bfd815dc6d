"""Workbooks read back: by openpyxl, which did not write them, and by LibreOffice where it is."""

from __future__ import annotations

import csv
import shutil
import subprocess
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from audiencelab.tables.base import Exporting


def written(result: Exporting, **options: Any) -> bytes:
    """The bytes of a result's workbook."""
    into = BytesIO()
    result.to_excel(into, **options)
    return into.getvalue()


def sheets(data: bytes) -> dict[str, Worksheet]:
    return {sheet.title: sheet for sheet in openpyxl.load_workbook(BytesIO(data)).worksheets}


def lines(sheet: Worksheet) -> list[list[Any]]:
    """Every line's values; None where there is nothing."""
    return [list(line) for line in sheet.iter_rows(values_only=True)]


def line_of(sheet: Worksheet, name: str) -> list[Any]:
    """The values beside a line's name."""
    [found] = [line[1:] for line in lines(sheet) if line[0] == name]
    return found


def texts(sheet: Worksheet) -> list[str]:
    return [value for line in lines(sheet) for value in line if isinstance(value, str)]


def libreoffice() -> str:
    """The path of LibreOffice; the test is skipped where there is none."""
    if found := shutil.which("soffice") or shutil.which("libreoffice"):
        return found
    pytest.skip("LibreOffice is not installed (apt-get install libreoffice-calc-nogui)")


def converted(data: bytes, folder: Path, kind: str) -> Path:
    """The workbook as LibreOffice writes it in another format."""
    program, file = libreoffice(), folder / "table.xlsx"
    file.write_bytes(data)
    command = [program, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless"]
    command += ["--convert-to", kind, "--outdir", str(folder), str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    [made] = folder.glob(f"table*.{kind.partition(':')[0]}")
    return made


def as_csv(data: bytes, folder: Path) -> list[list[str]]:
    """The first sheet as LibreOffice reads it, every cell as it is shown."""
    # Separator, quotes, UTF-8, from the first line, as shown.
    made = converted(data, folder, "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true")
    with made.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))

"""An analyst's first run: a .sav of 30,000 × 300 to a workbook of 485 rows × 20 columns.

    python -m tests.bench first_run
    python -m tests.bench.bench_first_run FOLDER

Compares `audiencelab import` and a crosstab with letters against a script that an experienced
analyst writes for the same file with pyreadstat, numpy and xlsxwriter. Each runs in a process of
its own. The budget is 1.5 times the script's time. The second run takes the imported survey.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ROWS, RUNS, BUDGET = 30_000, 3, 1.5
SINGLES, BATTERIES, ITEMS, SCALES, TEXTS = 77, 10, 10, 104, 10
BANNER = {"sex": 2, "region": 8, "agegroup": 6, "income": 4}

JOB = """
import audiencelab as al
with al.connect(survey={survey!r}) as client:
    codes = [f"s{{number:03d}}" for number in range(1, {singles} + 1)]
    codes += [f"m{{number:02d}}" for number in range(1, {batteries} + 1)]
    banner = {{code: client.catalogue[code].audiences() for code in {banner!r}}}
    rows = [each for code in codes for each in client.catalogue[code].audiences()]
    table = client.crosstab(rows=rows, columns=banner)
    table.to_excel({out!r}, comparison=table.test(levels=(0.95, 0.90)))
    print(len(rows), sum(map(len, banner.values())))
"""

SCRIPT = """
import numpy as np, pyreadstat, xlsxwriter
from scipy.stats import norm
frame, meta = pyreadstat.read_sav({source!r})
weight = frame["weight"].to_numpy()
def flags(name):
    labels = meta.variable_value_labels[name]
    values = frame[name].to_numpy()
    return [(label, values == value, ~np.isnan(values)) for value, label in labels.items()]
columns = [each for name in {banner!r} for each in flags(name)]
singles = [n for n in frame if n[0] == "s" and n != "sex" and n in meta.variable_value_labels]
items = [n for n in frame if n[0] == "m"]
rows = [(meta.column_names_to_labels[n], *each) for n in singles for each in flags(n)]
rows += [(n, meta.column_names_to_labels[n], *flags(n)[1][1:]) for n in items]
R = np.array([r[2] for r in rows], float)
B = np.array([r[3] for r in rows], float)
C = np.array([c[1] for c in columns], float)
W = (C * weight).T
size, base = R @ W, B @ W
count, n = R @ C.T, B @ C.T
effective = base ** 2 / (B @ (C * weight ** 2).T)
share = size / base
first = np.cumsum([0] + [len(flags(name)) for name in {banner!r}])
letters = np.full(share.shape, "", object)
for low, high in zip(first, first[1:]):
    for i in range(low, high):
        for j in range(low, high):
            if i == j:
                continue
            p1, p2, n1, n2 = share[:, i], share[:, j], effective[:, i], effective[:, j]
            p = (p1 * n1 + p2 * n2) / (n1 + n2)
            with np.errstate(all="ignore"):
                z = (p1 - p2) / np.sqrt(p * (1 - p) * (1 / n1 + 1 / n2))
            pv = 2 * norm.sf(np.abs(z))
            letter = chr(65 + j - low)
            lower = np.where((z > 0) & (pv < 0.10), letter.lower(), "")
            letters[:, i] += np.where((z > 0) & (pv < 0.05), letter, lower)
book = xlsxwriter.Workbook({out!r})
sheet = book.add_worksheet()
percent = book.add_format({{"num_format": "0.0%"}})
whole = book.add_format({{"num_format": "#,##0"}})
for j, (label, *_) in enumerate(columns):
    sheet.write(0, 2 + 5 * j, label)
    for k, head in enumerate(("size", "%", "letters", "sample", "base")):
        sheet.write(1, 2 + 5 * j + k, head)
for i, row in enumerate(rows):
    sheet.write(2 + i, 0, row[0])
    sheet.write(2 + i, 1, row[1])
    for j in range(len(columns)):
        at = 2 + 5 * j
        sheet.write_number(2 + i, at, size[i, j], whole)
        sheet.write_number(2 + i, at + 1, share[i, j], percent)
        sheet.write_string(2 + i, at + 2, letters[i, j])
        sheet.write_number(2 + i, at + 3, count[i, j], whole)
        sheet.write_number(2 + i, at + 4, base[i, j], whole)
book.close()
print(len(rows), len(columns))
"""


def write_survey(path: Path, rows: int = ROWS) -> None:
    """A .sav of 300 columns: an id, a weight, a banner, singles, batteries, scales and texts."""
    import pandas as pd
    import pyreadstat

    rng = np.random.default_rng(7)
    data: dict[str, Any] = {
        "id": np.arange(1, rows + 1, dtype=float),
        "weight": rng.lognormal(0, 0.4, rows).round(6),
    }
    wordings = {"id": "Respondent id", "weight": "Weight"}
    labels: dict[str, dict[int, str]] = {}
    for name, count in BANNER.items():
        data[name] = rng.integers(1, count + 1, rows).astype(float)
        labels[name] = {value: f"{name} {value}" for value in range(1, count + 1)}
    for number in range(1, SINGLES + 1):
        name = f"s{number:03d}"
        answers = rng.integers(1, 6, rows).astype(float)
        data[name] = np.where(rng.random(rows) < 0.1, np.nan, answers)
        labels[name] = {value: f"Answer {value} of {name}" for value in range(1, 6)}
        wordings[name] = f"Question {number}: which of these?"
    for battery in range(1, BATTERIES + 1):
        for item in range(1, ITEMS + 1):
            name = f"m{battery:02d}_{item:02d}"
            data[name] = (rng.random(rows) < 0.04 * item).astype(float)
            labels[name] = {0: "No", 1: "Yes"}
            wordings[name] = f"Which do you use? (list {battery}) - Brand {battery}.{item}"
    for number in range(1, SCALES + 1):
        data[f"k{number:03d}x"] = rng.integers(0, 11, rows).astype(float)
    data["age"] = rng.integers(18, 91, rows).astype(float)
    data["hours"] = rng.gamma(2, 4, rows).round(1)
    data["spend"] = rng.gamma(2, 60, rows).round(2)
    words = np.array([f"word{number}" for number in range(400)])
    for number in range(1, TEXTS + 1):
        picked = words[rng.integers(0, len(words), (rows, 5))]
        told = [
            ", ".join(each) if keep else ""
            for each, keep in zip(picked, rng.random(rows) < 0.2, strict=True)
        ]
        data[f"open{number}"] = told
        wordings[f"open{number}"] = "In your own words"
    pyreadstat.write_sav(
        pd.DataFrame(data),
        str(path),
        column_labels=wordings,
        variable_value_labels=labels,
    )


def timed(*command: str) -> tuple[float, float, str]:
    """Seconds, those of the processor in all processes, and the last line that was printed."""
    start, before = time.perf_counter(), os.times()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, after = time.perf_counter() - start, os.times()
    used = after.children_user + after.children_system
    used -= before.children_user + before.children_system
    lines = done.stdout.splitlines()
    return seconds, used, lines[-1] if lines else ""


def main(folder: str = "") -> None:
    """Print the best of some runs of both."""
    with tempfile.TemporaryDirectory() as made:
        at = Path(folder or made)
        source = at / "survey.sav"
        if not source.exists():
            write_survey(source)
        print(f"survey.sav: {source.stat().st_size / 1e6:.0f} MB")
        names = list(BANNER)
        script = SCRIPT.format(source=str(source), banner=names, out=str(at / "script.xlsx"))
        job = JOB.format(
            survey=str(at / "survey"),
            singles=SINGLES,
            batteries=BATTERIES,
            banner=names,
            out=str(at / "ours.xlsx"),
        )
        runs: dict[str, list[tuple[float, float, str]]] = {
            "import": [],
            "crosstab to workbook": [],
            "script": [],
        }
        for _ in range(RUNS):
            (at / "survey.toml").unlink(missing_ok=True)
            out = ["--out", str(at / "survey"), "--replace", "--quiet", "--weight", "weight"]
            command = [sys.executable, "-m", "audiencelab", "import", str(source), *out]
            runs["import"].append(timed(*command))
            runs["crosstab to workbook"].append(timed(sys.executable, "-c", job))
            runs["script"].append(timed(sys.executable, "-c", script))
        for name, found in runs.items():
            seconds, used, last = min(found)
            print(f"{name}: {seconds:.2f} s ({used:.2f} s of the processor) {last}")
        imported, tabulated, script_alone = (min(found) for found in runs.values())
        for index, what in enumerate(("seconds", "seconds of the processor")):
            first = imported[index] + tabulated[index]
            print(
                f"first run {first / script_alone[index]:.2f} × the script in {what} "
                f"(budget {BUDGET} ×), second run {tabulated[index] / script_alone[index]:.2f} ×"
            )


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Uses an installed audiencelab as somebody would on the first day.

`python -P smoke.py VERSION [EXTRA]`, where EXTRA is the one that was installed, or "all". Stands
alone, since it runs where nothing but the package is installed. What an extra is for must work
where it is there, and be refused with its name where none is. The last line that it prints is JSON
with a digest of the figures, so that environments can be compared. Writes into the current folder.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version as installed
from importlib.resources import files
from pathlib import Path
from typing import Any

BINARIES = Path(sys.prefix) / "bin"
STATIC = ("front-end.json", "loader.js", "page.js", "third-party-licenses.json")
COMMANDS = (
    *("lab", "connections", "serve", "import", "codebook", "survey", "snapshot", "course"),
    *("export", "verify"),
)


def main(arguments: list[str]) -> None:
    """All of it, quickest first."""
    wanted, extra = arguments[0], (arguments[1:] or [""])[0]
    import audiencelab

    here = Path(audiencelab.__file__)
    expect(here.is_relative_to(sys.prefix), f"imported from {here}")
    told = (audiencelab.__version__, installed("audiencelab"))
    expect(told == (wanted, wanted), f"the versions are {told}")
    command_line(wanted)
    static = files("audiencelab.widgets") / "static"
    modules = json.loads((static / "front-end.json").read_text("utf-8"))["imports"]
    empty = [name for name in (*STATIC, *modules) if len((static / name).read_bytes()) < 100]
    expect(not empty, f"next to nothing in {empty}")
    table = crosstab(audiencelab)
    intervals(audiencelab, table)
    for name, use in USES.items():
        # `all` is for one environment; a site is written in one of its own.
        if extra == name or (extra == "all" and name != "lite"):
            use(audiencelab, table)
        elif not extra:
            refused(name, use, audiencelab, table)
    if extra in ("lab", "all"):
        extensions(wanted)
    print(json.dumps({"figures": digest(table)}))


def expect(holds: bool, fault: str) -> None:
    """End with the fault where it does not hold."""
    if not holds:
        sys.exit(fault)


def command_line(wanted: str) -> None:
    """The command is there and names what it can do."""
    said = run("audiencelab", "--help")
    absent = [name for name in COMMANDS if f"\n  {name} " not in said]
    expect(not absent, f"audiencelab --help does not name {absent}:\n{said}")
    said = run("audiencelab", "--version").strip()
    expect(said == f"audiencelab {wanted}", f"audiencelab --version says {said}")


def crosstab(al: Any) -> Any:
    """A table of the demo survey, with what must be true of any."""
    client = al.connect()
    young = al.Audience("18 to 34", al.Q("q4").any("q4_2", "q4_3"))
    brands = client.catalogue.audiences("Finding brands")
    table = client.crosstab(rows=[*brands, young], columns=[young, ~young.expression])
    of_itself = table.to_frame()["column_percentage"].iloc[-2:].tolist()
    expect(of_itself == [100.0, 0.0], f"the young are {of_itself}% of the young and the others")
    return table


def digest(table: Any) -> str:
    """What all environments agree on."""
    return hashlib.sha256(table.to_frame().to_csv(index=False).encode()).hexdigest()


# ---- what each extra is for ----


def widgets(al: Any, table: Any) -> None:
    """A widget has the code that it sends to the page."""
    state = al.QuestionPicker(al.connect()).get_state()
    expect(len(str(state["_esm"])) > 100, "the picker has no code for the page")


def charts(al: Any, table: Any) -> None:
    """A chart is drawn."""
    expect("</svg>" in al.charts.bar(table).svg(), "a bar chart is no picture")


def excel(al: Any, table: Any) -> None:
    """A workbook is written, which is a zip archive."""
    table.to_excel("table.xlsx")
    expect(Path("table.xlsx").read_bytes()[:2] == b"PK", "table.xlsx is no workbook")


def pptx(al: Any, table: Any) -> None:
    """A presentation is written, which is a zip archive."""
    table.to_pptx("table.pptx")
    expect(Path("table.pptx").read_bytes()[:2] == b"PK", "table.pptx is no presentation")


def survey(al: Any, table: Any) -> None:
    """A file of answers becomes a survey that says how many answered."""
    Path("answers.toml").unlink(missing_ok=True)  # drafted where the last environment was tried
    Path("answers.csv").write_text("sex,age\n1,20\n2,30\n1,40\n", encoding="utf-8")
    said = run("audiencelab", "import", "answers.csv", "--out", "answers", "--replace")
    expect("3 respondents" in said, f"audiencelab import says:\n{said}")


def intervals(al: Any, table: Any) -> None:
    """An interval has its figure within."""
    lines = table.intervals()
    low, share, high = (lines[f"column_percentage{end}"] for end in ("_low", "", "_high"))
    known = low.notna()
    expect(known.any(), "there are no intervals")
    expect(bool(((low <= share) & (share <= high))[known].all()), "a figure outside its interval")


def cluster(al: Any, table: Any) -> None:
    """Where a survey would be by its address is looked at."""
    try:
        al.connect(survey="memory://nowhere")
    except al.AudienceError as error:
        if "is not a survey" not in str(error):
            raise


def server(al: Any, table: Any) -> None:
    """A service answers over HTTP."""
    with al.serve() as url:
        told = al.connect(url).catalogue.audiences("Finding brands")
    expect(len(told) > 1, f"the service at {url} knows no brands")


def mcp(al: Any, table: Any) -> None:
    """The tools for assistants are there."""
    said = run("audiencelab", "mcp", "--help")
    expect("Model Context Protocol" in said, f"audiencelab mcp --help says:\n{said}")


def lite(al: Any, table: Any) -> None:
    """A site is refused for its notebook, which is not there, and not for JupyterLite."""
    from audiencelab.jupyter.lite import make_site

    try:
        make_site(Path("site"), notebooks=[Path("nowhere.ipynb")])
    except al.AudienceError as error:
        if "nowhere.ipynb" not in str(error):
            raise


def lab(al: Any, table: Any) -> None:
    """A notebook becomes a page."""
    cell: dict[str, Any] = {"cell_type": "markdown", "id": "one", "metadata": {}}
    cell["source"] = "Words of its own"
    notebook: dict[str, Any] = {"metadata": {}, "nbformat": 4, "nbformat_minor": 5, "cells": [cell]}
    Path("words.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    run("audiencelab", "export", "words.ipynb", "--out", "words.html", "--replace")
    expect("Words of its own" in Path("words.html").read_text("utf-8"), "words.html has no words")


USES: dict[str, Callable[[Any, Any], None]] = {
    "widgets": widgets,
    "charts": charts,
    "excel": excel,
    "pptx": pptx,
    "survey": survey,
    "cluster": cluster,
    "server": server,
    "mcp": mcp,
    "lite": lite,
    "lab": lab,
}


def refused(extra: str, use: Callable[[Any, Any], None], al: Any, table: Any) -> None:
    """Without the extra it is told by what name to install it."""
    try:
        use(al, table)
    except (ImportError, al.AudienceError, SystemExit) as error:
        words = f'pip install "audiencelab[{extra}]"'
        expect(words in str(error), f"it does not say {words}: {error}")
    else:
        sys.exit(f"what {extra} is for works without it")


def extensions(wanted: str) -> None:
    """JupyterLab and its server list theirs, of this environment."""
    for command in (("labextension", "list"), ("server", "extension", "list")):
        said = run("jupyter-" + command[0], *command[1:])
        ours = [line for line in said.splitlines() if line.strip().startswith("audiencelab")]
        words = " ".join(ours).replace(" v", " ").split()
        missing = [word for word in ("enabled", "OK", wanted) if word not in words]
        expect(not missing, f"jupyter {' '.join(command)} does not say {missing}:\n{said}")
        expect(sys.prefix in said, f"found elsewhere than in {sys.prefix}:\n{said}")


def run(name: str, *arguments: str) -> str:
    """What a program of this environment prints."""
    done = subprocess.run(
        [str(BINARIES / name), *arguments], capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    expect(done.returncode == 0, f"{name} {' '.join(arguments)} failed:\n{said}")
    # Jupyter colours what it lists, also where nobody sees colours.
    return said.replace("\x1b[32m", "").replace("\x1b[0m", "")


if __name__ == "__main__":
    main(sys.argv[1:])

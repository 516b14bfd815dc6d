"""`python -m tests.bench.grid`, or `make bench ARGS=grid`.

The grid beside ipydatagrid, itables, buckaroo, perspective and quak: the same table, one browser,
one run, each in a real JupyterLab page and a kernel of its own. The others are installed in an
environment apart, made in the cache folder on the first run.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
from playwright.sync_api import Browser, sync_playwright

from tests.bench.grid import report
from tests.bench.grid.home import Home, furnished
from tests.bench.grid.measuring import Finding, measure
from tests.bench.grid.ways import WAYS, Way
from tests.browser.conftest import CHROMIUM_OPTIONS, find_chromium
from tests.browser.server import LabServer

__all__ = ["main"]

_SHAPES = ((3_000, 300), (50_000, 50))
_SAVING = {"@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True}}


def main(given: Sequence[str] = ()) -> None:
    """Measure and print; see `--help`."""
    options = _options(given)
    home = furnished()
    ways = [way for way in WAYS if way.name in options.ways]
    with tempfile.TemporaryDirectory(prefix="audiencelab-bench-") as folder:
        server = LabServer(Path(folder), python=home.python, settings=_SAVING)
        try:
            server.start()
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=find_chromium(), args=CHROMIUM_OPTIONS, headless=True
                )
                about = _about(browser, home, ways)
                print(about)
                findings = [
                    found
                    for shape in options.shapes
                    for found in _compare(server, browser, home, ways, shape)
                ]
                browser.close()
        finally:
            server.stop()
    if options.markdown:
        options.markdown.write_text(report.page(about, findings), encoding="utf-8")
    if options.json:
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(findings)))


def _compare(
    server: LabServer, browser: Browser, home: Home, ways: Sequence[Way], shape: tuple[int, int]
) -> list[Finding]:
    """All ways at one size, and their table."""
    found: list[Finding] = []
    for way in ways:
        if fault := home.faults.get(way.name):
            found.append(Finding(way.name, *shape, fault=fault))
            continue
        if sys.stderr.isatty():
            print(f"{shape[0]:,} × {shape[1]:,}: {way.name}", file=sys.stderr)
        found.append(measure(server, browser, way, shape))
    print(f"\n{report.table(found)}", flush=True)
    return found


def _about(browser: Browser, home: Home, ways: Sequence[Way]) -> str:
    packages = [way.package.split("[")[0].split("==")[0] for way in ways if way.package]
    versions = [f"{name} {home.versions.get(name, '–')}" for name in ["jupyterlab", *packages]]
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    return (
        f"{os.cpu_count()} cores, load {load:.1f} · Chromium {browser.version}, no GPU · "
        + ", ".join(versions)
    )


def _options(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.grid", description=__doc__)
    parser.add_argument("--ways", type=lambda text: text.split(","), help="names, by commas")
    parser.add_argument("--shapes", type=_shapes, default=_SHAPES, help="such as 3000x300,50000x50")
    parser.add_argument("--markdown", type=Path, help="write the tables to this file")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    options = parser.parse_args(given)
    options.ways = options.ways or [way.name for way in WAYS]
    return options


def _shapes(text: str) -> list[tuple[int, int]]:
    sides = (each.split("x") for each in text.split(","))
    return [(int(rows), int(columns)) for rows, columns in sides]


if __name__ == "__main__":
    main(sys.argv[1:])

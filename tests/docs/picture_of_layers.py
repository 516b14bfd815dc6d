"""The picture of `docs/explanation/architecture.md`, drawn of the table that tests enforce.

`python -m tests.docs.picture_of_layers` (or `make pictures`) draws it again.
"""

from __future__ import annotations

from html import escape
from itertools import pairwise
from pathlib import Path

from tests.test_layers import GROUND, LANGUAGE, LAZY_DOORS, MAY_IMPORT

__all__ = ["PICTURE", "arrows", "doors", "draw", "layers"]

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "layers.svg"

# What stands in a layer's box, in two lines.
GLOSSES = {
    "language": ("audiences as expressions,", "documents on the wire"),
    "panel": ("respondents on disk,", "import, demo survey"),
    "engine": ("masks, exact weighted", "tables, variances"),
    "cluster": ("the same tables over", "many machines"),
    "service": ("requests to answers:", "in process or on a port"),
    "frames": ("results, data frames,", "tests, workbooks"),
    "client": ("the operations, errors,", "snapshots, analyses"),
    "charts": ("results to pictures,", "with no network"),
    "widgets": ("picker, editor, grid,", "workbench"),
    "lab": ("what is added to", "JupyterLab"),
    "notebook": ("notebooks as files:", "verify, export"),
    "course": ("lessons, exercises that", "check themselves"),
}

WIDTH, MARGIN, GAP = 760, 10, 22
BOX_HEIGHT, STEP, MOST_WIDE = 66, 124, 168

STYLE = """\
.layers-picture { width: 100%; max-width: 760px; font: 11px sans-serif; fill: currentColor; }
.layers-picture .name { font-size: 14px; font-weight: 600; }
.layers-picture .box { fill: currentColor; fill-opacity: 0.05; stroke: currentColor; }
.layers-picture .wide { fill: none; stroke: currentColor; stroke-opacity: 0.35; }
.layers-picture .way { fill: none; stroke: currentColor; stroke-opacity: 0.75; }
.layers-picture .door { stroke-dasharray: 5 4; }"""


def layers() -> dict[str, set[str]]:
    """The layers and what each may import, the language as one of them and the ground left out."""
    table: dict[str, set[str]] = {"language": set()}
    for layer, may in MAY_IMPORT.items():
        if layer not in GROUND | LANGUAGE | {"__main__"}:
            below = {"language"} if may & LANGUAGE else set[str]()
            table[layer] = below | (may - LANGUAGE - GROUND)
    return table


def arrows() -> list[tuple[str, str]]:
    """What may be imported, without what an arrow over another layer leads to anyway."""
    table = layers()
    return [
        (layer, below)
        for layer, may in table.items()
        for below in sorted(may)
        if not any(below in _reached(table, other) for other in may - {below})
    ]


def doors() -> list[tuple[str, str]]:
    """Who reaches across, and where: of several layers that one door leads to, the topmost."""
    found: list[tuple[str, str]] = []
    table = layers()
    for file, into in LAZY_DOORS.items():
        hidden = {below for layer in into for below in _reached(table, layer)}
        found += [(file.split("/")[0], topmost) for topmost in sorted(into - hidden)]
    return found


def _reached(table: dict[str, set[str]], layer: str) -> set[str]:
    return table[layer].union(*(_reached(table, below) for below in table[layer]))


def _rank(table: dict[str, set[str]], layer: str) -> int:
    return 1 + max((_rank(table, below) for below in table[layer]), default=-1)


def _places() -> dict[str, tuple[float, float]]:
    """The middle of each layer's box: what imports stands above, and over what it imports."""
    table = layers()
    ranks: dict[int, list[str]] = {}
    for layer in table:
        ranks.setdefault(_rank(table, layer), []).append(layer)
    places: dict[str, tuple[float, float]] = {}
    for rank in sorted(ranks):
        nearest = {a: [places[b][0] for x, b in arrows() if x == a] for a in ranks[rank]}
        row = sorted(ranks[rank], key=lambda a: sum(nearest[a]) / max(1, len(nearest[a])))
        step = (WIDTH - 2 * MARGIN + GAP) / len(row)
        for place, layer in enumerate(row):
            x = MARGIN - GAP / 2 + step * (place + 0.5)
            places[layer] = (x, BOX_HEIGHT / 2 + 64 + STEP * (max(ranks) - rank))
    return places


def draw() -> str:
    """The picture as SVG, in the colours of the page around it."""
    places = _places()
    most = max(sum(y == other for _, other in places.values()) for _, y in places.values())
    wide = min(MOST_WIDE, (WIDTH - 2 * MARGIN - GAP * (most - 1)) / most)
    height = max(y for _, y in places.values()) + BOX_HEIGHT / 2 + 72
    parts = [
        f'<svg class="layers-picture" viewBox="0 0 {WIDTH} {height:g}" role="img"'
        ' aria-labelledby="layers-title" xmlns="http://www.w3.org/2000/svg">',
        f'  <title id="layers-title">{escape(_in_words())}</title>',
        f"  <style>\n{STYLE}\n  </style>",
        '  <defs><marker id="layers-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8"'
        ' markerHeight="8" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="currentColor"/>'
        "</marker></defs>",
        _band(10, "audiencelab, cli", "the front doors reach everything, when they are asked"),
    ]
    boxes = list(places.values())
    parts += [_way(places[a], places[b], wide, "way", boxes) for a, b in arrows()]
    parts += [_way(places[a], places[b], wide, "way door", boxes) for a, b in doors()]
    parts += [_box(layer, *places[layer], wide) for layer in places]
    ground = ", ".join(sorted(GROUND))
    parts += [_band(height - 48, "ground", f"{ground}: every layer may use them"), "</svg>"]
    return "\n".join(parts) + "\n"


def _in_words() -> str:
    said = "; ".join(f"{above} may import {below}" for above, below in arrows())
    across = "; ".join(f"{above} reaches {below} through a door" for above, below in doors())
    return f"Layers of audiencelab, each above what it imports: {said}. {across}."


def _band(top: float, name: str, gloss: str) -> str:
    return (
        f'  <rect class="wide" x="{MARGIN}" y="{top:g}" width="{WIDTH - 2 * MARGIN}" height="34"'
        f' rx="6"/>\n  <text x="{MARGIN + 14}" y="{top + 22:g}"><tspan class="name">{escape(name)}'
        f'</tspan><tspan dx="12">{escape(gloss)}</tspan></text>'
    )


def _box(layer: str, x: float, y: float, wide: float) -> str:
    first, second = GLOSSES[layer]
    return (
        f'  <rect class="box" x="{x - wide / 2:.1f}" y="{y - BOX_HEIGHT / 2:g}" width="{wide:.1f}"'
        f' height="{BOX_HEIGHT}" rx="6"/>\n'
        f'  <text text-anchor="middle" x="{x:.1f}" y="{y - 12:g}"><tspan class="name">{layer}'
        f'</tspan><tspan x="{x:.1f}" dy="19">{escape(first)}</tspan>'
        f'<tspan x="{x:.1f}" dy="14">{escape(second)}</tspan></text>'
    )


Point = tuple[float, float]


def _way(start: Point, end: Point, wide: float, kind: str, middles: list[Point]) -> str:
    """An arrow from box to box: from bottom to top, from top to bottom, or from side to side.

    middles: of all boxes; a way that passes a row of them goes between two.
    """
    (x, y), (to_x, to_y) = start, end
    if y == to_y:
        side = 1 if to_x > x else -1
        path = f"M{x + side * wide / 2:.1f} {y:g} H{to_x - side * (wide / 2 + 2):.1f}"
        return _arrow(kind, path)
    down = 1 if to_y > y else -1
    passed = sorted({row for _, row in middles if min(y, to_y) < row < max(y, to_y)})[::down]
    gaps = [(_gap(middles, row, _along(start, end, row)), row) for row in passed]
    # Ways lean towards each other, so that those of one box are told apart.
    first, last = (gaps[0][0], gaps[-1][0]) if gaps else (to_x, x)
    x += max(-wide / 3, min(wide / 3, (first - x) / 4))
    to_x += max(-wide / 3, min(wide / 3, (last - to_x) / 4))
    half = down * BOX_HEIGHT / 2
    path, here = f"M{x:.1f} {y + half:g}", (x, y + half)
    for gap, row in gaps:
        path += _curve(here, (gap, row - half)) + f" V{row + half:g}"
        here = gap, row + half
    return _arrow(kind, path + _curve(here, (to_x, to_y - half - 2 * down)))


def _arrow(kind: str, path: str) -> str:
    return f'  <path class="{kind}" d="{path}" marker-end="url(#layers-head)"/>'


def _curve(start: Point, end: Point) -> str:
    middle = (start[1] + end[1]) / 2
    return f" C{start[0]:.1f} {middle:g} {end[0]:.1f} {middle:g} {end[0]:.1f} {end[1]:g}"


def _along(start: Point, end: Point, y: float) -> float:
    """Where a straight line from start to end is at this height."""
    return start[0] + (end[0] - start[0]) * (y - start[1]) / (end[1] - start[1])


def _gap(middles: list[Point], row: float, x: float) -> float:
    """The middle of the gap between two boxes of a row that is nearest to x."""
    boxes = sorted(at for at, y in middles if y == row)
    between = [(a + b) / 2 for a, b in pairwise(boxes)] or [x]
    return min(between, key=lambda gap: abs(gap - x))


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
    print(PICTURE.relative_to(PICTURE.parents[2]))

"""Pictures of every surface in every look, to be judged by eye.

`python -m tests.browser.surfaces OUT` writes `OUT/<surface>-<look>.png`, and for each surface what
axe finds. Pictures that are there are not taken again: name surfaces or looks to do so, such as
`--only table 'cell-*'` and `--looks dark 200`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Literal

from tests.browser.page import resize
from tests.browser.scenes.surfaces import SURFACES, Desk
from tests.browser.screenshots import real_lab
from tests.browser.test_text_size import RESIZE

SIDE = "(side) => window.jupyterapp?.shell[side]()"


@dataclass(frozen=True)
class Look:
    """How a page is looked at. files: whether the file browser, or a side bar, is open."""

    width: int = 1440
    height: int = 900
    theme: Literal["light", "dark"] = "light"
    font: int = 13
    forced: bool = False
    files: bool = True


LOOKS = {
    "1440": Look(),
    "1920": Look(1920, 1080),
    "1100": Look(1100, 800),
    # A window of 1440 × 900, zoomed to 200%.
    "200": Look(720, 450, files=False),
    "20px": Look(font=20),
    "dark": Look(theme="dark"),
    "forced": Look(forced=True),
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.browser.surfaces", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="+", metavar="SURFACE", default=[])
    parser.add_argument("--looks", nargs="+", choices=LOOKS, default=[])
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    is_named = bool(given.only or given.looks)
    wanted = {
        surface: looks
        for surface in SURFACES
        if not given.only or any(fnmatch(surface, each) for each in given.only)
        if (
            looks := [
                look
                for look in given.looks or LOOKS
                if is_named or not (given.out / f"{surface}-{look}.png").exists()
            ]
        )
    }
    with real_lab() as lab:
        desk = Desk(lab)
        failed = [name for name in wanted if not take(desk, name, wanted[name], given.out)]
    if failed:
        print(f"Not taken: {', '.join(failed)}", file=sys.stderr)
    return len(failed)


def take(desk: Desk, surface: str, looks: Sequence[str], out: Path) -> bool:
    """Bring a surface up and take it in these looks; whether that worked."""
    started = time.monotonic()
    found: list[str] = []
    try:
        again = SURFACES[surface](desk)
        for name in looks:
            look = LOOKS[name]
            put_on(desk, look)
            if again:
                again()
            settle(desk)
            desk.view.screenshot(path=out / f"{surface}-{name}.png", animations="disabled")
            if look.theme == "dark" or look == Look():
                found += [f"{name} {each}" for each in violations(desk)]
            if again:
                desk.view.keyboard.press("Escape")
    except Exception as error:  # One surface that does not come up leaves the others.
        desk.view.screenshot(path=out / f"{surface}-failed.png")
        print(f"       {surface}: {error}", flush=True)
        return False
    finally:
        put_on(desk, Look())
    print(f"{time.monotonic() - started:5.1f} s  {surface}", *found, sep="\n         ", flush=True)
    return True


def put_on(desk: Desk, look: Look) -> None:
    """Give the page the size, theme, font and colours of a look."""
    view = desk.view
    resize(view, look.width, look.height)
    scheme = look.theme
    view.emulate_media(forced_colors="active" if look.forced else "none", color_scheme=scheme)
    if view.evaluate("() => 'jupyterapp' in window"):
        desk.page.theme(scheme)
        view.evaluate(RESIZE, f"{look.font}px" if look.font != 13 else "")
        view.evaluate(SIDE, "expandLeft" if look.files else "collapseLeft")


def settle(desk: Desk) -> None:
    """Wait until nothing moves, or for some seconds."""
    deadline = time.monotonic() + 5
    if desk.view.locator(".audiencelab").count():
        desk.page.come_to_rest()
    waiting = desk.view.locator(".al-skeleton:visible, .al-stale:visible")
    while waiting.count() and time.monotonic() < deadline:
        desk.view.wait_for_timeout(100)
    desk.view.wait_for_timeout(200)


def violations(desk: Desk) -> list[str]:
    if desk.view.locator(".audiencelab:visible").count() == 0:
        return []
    return [each[:300] for each in desk.page.violations(".audiencelab")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

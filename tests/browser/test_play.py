"""Simulations of the course in JupyterLab: with the keyboard alone, and what is read aloud."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Lab
from tests.browser.page import NotebookPage

SHOW = [
    "from audiencelab.course import play\ngame = play.ask_again(37, 500)\ngame",
    "play.intervals(37, 500)",
    "play.weights()",
    """import audiencelab as al
from audiencelab import course
client = course.classroom()
toys = client["Bought lately"].any("Toys")
parents = client["Children at home"].any("One", "Two", "Three", "Four or more")
base = play.base({
    "Everyone": client.crosstab(toys, "Age"),
    "Parents": client.crosstab(toys, "Age", base_audience=al.Audience("Parents", parents)),
})
base""",
]


@pytest.fixture
def page(lab: Lab) -> NotebookPage:
    return lab.run("play", SHOW)


def test_the_keyboard_alone_is_enough(page: NotebookPage) -> None:
    keys, out = page.page.keyboard, page.cell_output(0)
    out.get_by_role("slider", name="People asked (n)").focus()
    for _ in range(10):
        keys.press("ArrowRight")
    page.expect_python("game.scene.controls[1].value", 1_000)
    keys.press("Tab")
    expect(out.get_by_role("button", name="Ask again", exact=True)).to_be_focused()
    for _ in range(3):
        keys.press("Enter")
    keys.press("Tab")
    keys.press("Space")
    page.expect_python("len(game.to_frame())", 104)
    said = out.get_by_role("status").filter(has_text="Survey 104 asks 1,000 people")
    expect(said).to_have_count(1)
    expect(out.get_by_role("img")).to_have_accessible_name(re.compile("^104 dots, one for"))
    keys.press("Escape")
    keys.press("b")
    expect(page.page.locator(".jp-Notebook .jp-Cell")).to_have_count(len(SHOW) + 1)


def test_an_index_moves_with_its_base(page: NotebookPage) -> None:
    out = page.cell_output(3)
    expect(out.get_by_text("The index is 139.")).to_be_visible()
    out.get_by_role("radio", name="Parents").check()
    expect(out.get_by_text("The index is 98; on the base “Everyone” it is 139.")).to_be_visible()
    for theme in ("light", "dark"):
        page.theme(theme)
        for at, name in enumerate(("ask", "intervals", "weights", "base")):
            root = page.cell_output(at).get_by_role("group", name="Simulation")
            page.screenshot(f"play-{name}-{theme}", of=root)
        assert page.violations() == []

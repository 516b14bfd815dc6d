"""Picker and editor in other scripts, zoomed, with forced colours and reduced motion."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab
from tests.browser.editing import SET_UP, OpenEditor
from tests.browser.page import NotebookPage, resize
from tests.browser.picking import OpenPicker
from tests.browser.worldly import ARABIC, LONG, worldly_survey

PICKER = "picker = al.QuestionPicker(client)\npicker"
EDITOR = (
    "city, often = al.Q('city').any('city_0', 'city_2'), al.Q('often').any('often_2', 'often_3')\n"
    "signs, meals = al.Q('signs').any('signs_0', 'signs_2'), al.Q('meals').any('meals_0')\n"
    "mixed = al.Audience('גילאי 18 (قاهرة)', city & (often | ~signs) & meals)\n"
    "editor = al.AudienceEditor(client, value=mixed)\neditor"
)
DEMO_EDITOR = (
    "young, loopa = al.Q('q4').any('q4_2', 'q4_3'), al.Q('q20', suffixes=[1, 2]).any('q20_1')\n"
    "few = al.Q('q4').any('q4_1') & al.Q('s2').any('s2_49') & al.Q('waves').any('q1_2025')\n"
    "editor = al.AudienceEditor(client, value=(young & ~loopa) | few)\neditor"
)

# Elements of ours that change gradually or by themselves.
MOVING = """() => [...document.querySelectorAll(".audiencelab, .audiencelab *")].filter((each) => {
  const { transitionDuration, animationName } = getComputedStyle(each);
  const still = transitionDuration.split(", ").every((time) => parseFloat(time) === 0);
  return !still || animationName !== "none";
}).map((each) => each.outerHTML)"""


@pytest.fixture
def worldly(lab: Lab, tmp_path: Path) -> NotebookPage:
    """Both widgets on a survey in many scripts."""
    survey = worldly_survey(tmp_path / "survey")
    setup = f"import audiencelab as al\nclient = al.connect(survey={str(survey.path)!r})"
    return lab.run("worldly", [setup, PICKER, EDITOR])


@pytest.fixture
def demo(lab: Lab) -> NotebookPage:
    """Both widgets on the demo survey."""
    return lab.run("seen", [SET_UP, PICKER, DEMO_EDITOR])


def test_other_scripts_long_and_composed_labels_are_displayed(worldly: NotebookPage) -> None:
    picker, editor = OpenPicker(worldly, 1), OpenEditor(worldly, 2)
    editor.settled()
    for name in ("المدينة", "באיזו", "Signs", "How often"):
        picker.tick(name, name)
    picker.box.fill("")
    picker.out.get_by_role("button", name="Details").click()
    picker.row("المدينة").locator(".al-twist").click()
    expect(picker.row(ARABIC[2])).to_be_visible()
    expect(picker.out.get_by_role("list", name="Shares of answers")).to_be_visible()
    expect(editor.out).to_contain_text(LONG)
    for theme in ("light", "dark"):
        worldly.theme(theme)
        worldly.screenshot(f"picker-worldly-{theme}", of=picker.out)
        worldly.screenshot(f"editor-worldly-{theme}", of=editor.out)
        assert worldly.violations() == []
    assert worldly.overhang() == []
    # A code beside a name that is written from the right stays beside it, and whole.
    worldly.becomes(lambda: picker.row(ARABIC[2]).inner_text().split("\n")[-1], "city_2")
    # What is searched is found whichever way it is written, and marked as it was typed.
    picker.box.fill("مدينة other")
    expect(picker.row(ARABIC[2]).locator("mark").first).to_have_text("مدينة")


def test_accents_match_in_any_unicode_form(worldly: NotebookPage) -> None:
    picker = OpenPicker(worldly, 1)
    # Typed as one letter each, kept as letters with accents of their own.
    picker.box.fill("zér")
    expect(picker.row("Signs")).to_be_visible()
    expect(picker.out.locator("mark")).to_have_count(1)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everything_is_reachable_at_200_percent_zoom(demo: NotebookPage, theme: str) -> None:
    """At 200% a window of 1,400 by 900 holds half of each."""
    demo.theme(theme)
    demo.command("application:toggle-left-area")
    resize(demo.page, 700, 450)
    picker, editor = OpenPicker(demo, 1), OpenEditor(demo, 2)
    editor.settled()
    picker.tick("gender", "Gender")
    picker.out.get_by_role("button", name="Details").click()
    demo.screenshot(f"picker-zoomed-{theme}", of=picker.out)
    demo.screenshot(f"editor-zoomed-{theme}", of=editor.out)
    assert demo.overhang() == []
    for opener in ("Filter", "Keys"):
        picker.out.get_by_role("button", name=opener, exact=True).click()
        stays_in_the_window(demo, f"picker-zoomed-{opener.lower()}-{theme}")
    editor.button("Add condition").click()
    expect(editor.out.get_by_role("treeitem").first).to_be_visible()
    stays_in_the_window(demo, f"editor-zoomed-add-{theme}")
    editor.row(0).focus()
    editor.press("Shift+F10")
    stays_in_the_window(demo, f"editor-zoomed-menu-{theme}")


def stays_in_the_window(page: NotebookPage, picture: str) -> None:
    """The open panel, whole; it is closed again."""
    panel = page.page.locator(".al-popover")
    expect(panel).to_be_visible()
    page.screenshot(picture)
    page.come_to_rest()
    box, window = panel.bounding_box(), page.page.viewport_size
    assert box is not None
    assert window is not None
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= window["width"]
    assert box["y"] + box["height"] <= window["height"]
    page.page.keyboard.press("Escape")
    expect(panel).to_have_count(0)


def test_high_contrast_shows_every_state_without_our_colours(demo: NotebookPage) -> None:
    demo.page.emulate_media(forced_colors="active", reduced_motion="reduce")
    picker, editor = OpenPicker(demo, 1), OpenEditor(demo, 2)
    editor.settled()
    picker.out.get_by_role("button", name="Details").click()
    picker.tick("gender", "Gender")
    picker.tick("age 25", "25 to 34")
    expect(picker.out.get_by_role("list", name="Shares of answers")).to_be_visible()
    demo.screenshot("picker-contrast", of=picker.out)
    editor.row(2).locator(".al-editor-join").click(modifiers=["Control"])
    editor.named("Social").hover()
    demo.screenshot("editor-contrast", of=editor.out)
    # What is ticked, pressed or picked out is told by more than a ground of ours.
    expect(picker.row("25 to 34").locator(".al-tick svg")).to_be_visible()
    expect(picker.row("Self-portrait").locator(".al-tick svg")).to_have_count(0)
    operator = editor.row(0).locator(".al-editor-operator > button")
    demo.becomes(lambda: ground(operator.nth(1)) != ground(operator.nth(0)), True)
    demo.becomes(lambda: outline(editor.row(2)) != outline(editor.row(1)), True)


def ground(of: Locator) -> str:
    return of.evaluate("element => getComputedStyle(element).backgroundColor")


def outline(of: Locator) -> str:
    return of.evaluate("element => getComputedStyle(element).outlineStyle")


def test_nothing_moves_with_reduced_motion(demo: NotebookPage) -> None:
    demo.page.emulate_media(reduced_motion="reduce")
    picker = OpenPicker(demo, 1)
    picker.tick("gender", "Gender")
    assert demo.page.evaluate(MOVING) == []

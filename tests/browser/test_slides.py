"""The slides of the course, opened from disk without network."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from audiencelab.course.distribute import lesson_files

slides = pytest.importorskip("tools.slides.__main__")

pytestmark = pytest.mark.browser
HEIGHTS = """[...Array(Reveal.getTotalSlides()).keys()].map((place) => {
  Reveal.slide(place);
  return document.querySelector("section.present").scrollHeight;
})"""
SCREENSHOTS = Path(".artifacts/screenshots")


@pytest.mark.parametrize("lesson", lesson_files(), ids=lambda path: path.stem)
def test_slides_work_from_disk(lesson: Path, browser: Browser, tmp_path: Path) -> None:
    page_file = slides.write_slides(lesson, tmp_path)
    context = browser.new_context(viewport={"width": 1280, "height": 720}, offline=True)
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(page_file.as_uri())
    page.wait_for_selector(".reveal.ready")

    assert page.locator("h1").first.inner_text().startswith("Lesson ")
    heights = page.evaluate(HEIGHTS)
    assert len(heights) >= 8
    # Everything is in sight: nobody scrolls a slide.
    assert max(heights) <= 720
    page.wait_for_function("[...document.images].every((each) => each.naturalWidth > 0)")
    page.evaluate("Reveal.slide(2)")
    page.keyboard.press("t")
    page.locator(".speaker-notes").wait_for(state="visible")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"slides-{lesson.stem}.png")
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert said == []
    context.close()

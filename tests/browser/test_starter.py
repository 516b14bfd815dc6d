"""The notebook that `audiencelab lab` copies: it runs, and its three widgets come up."""

from importlib.resources import as_file, files

from playwright.sync_api import expect

from tests.browser.conftest import Lab

STARTER = files("audiencelab.jupyter.templates").joinpath("starter.ipynb")


def test_the_starter_runs_and_shows_its_widgets(lab: Lab) -> None:
    with as_file(STARTER) as path:
        page = lab.open(path)
    page.run_all()
    for role in ("tree", "treegrid", "grid"):
        expect(page.page.get_by_role(role).first).to_be_visible()
    page.screenshot("starter")
    assert page.python("len(picker.audiences())") > 1

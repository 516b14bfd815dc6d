"""A real survey of 24,762 respondents in JupyterLab, with a typical analysis."""

from __future__ import annotations

import json
from importlib.resources import as_file, files
from pathlib import Path

import pytest
from playwright.sync_api import expect

from audiencelab.survey import Survey
from tests.browser.conftest import Lab

STARTER = files("audiencelab.jupyter.templates").joinpath("starter.ipynb")
CROSS = """\
grid = al.Crosstab(
    client,
    rows=client.catalogue.audiences("EXPNS_DIF"),
    columns=[*client.catalogue.audiences("REGION"), *client.catalogue.audiences("AGE")],
    metric="column_percentage",
)
grid"""


@pytest.fixture
def connect_code(hps_survey: Survey) -> str:
    return f"import audiencelab as al\nclient = al.connect(survey={str(hps_survey.path)!r})"


def test_financial_difficulty_by_region_and_age(lab: Lab, connect_code: str) -> None:
    page = lab.run("difficulty", [connect_code, CROSS, 'client.catalogue["INCOME"]'])
    grid = page.cell_output(1).get_by_role("grid")
    # Four regions and six age groups, beside the header column and the base's two.
    shares = page.python("grid.to_wide('column_percentage').round(1).values.tolist()")
    assert [len(shares), len(shares[0])] == [4, 10]
    # The last columns are out of sight, and not in the page.
    for share in (shares[0][0], shares[3][6]):
        expect(grid).to_contain_text(f"{share:.1f}%")
    # Of 24,762 respondents 1,483 gave no answer; sizes are averages of four weeks, not their sum.
    assert page.python("grid.result.base_sample") == 23_279
    assert round(page.python("float(grid.result.base_size)")) == 230_120_417
    # "$25,000 - $34,999" is a label, and no formula.
    incomes = page.cell_output(2)
    expect(incomes.get_by_text("$25,000 - $34,999")).to_be_visible()
    expect(incomes.locator("mjx-container")).to_have_count(0)
    for theme in ("light", "dark"):
        page.theme(theme)
        page.screenshot(f"survey-difficulty-{theme}")


def test_the_starter_works_on_it(lab: Lab, hps_survey: Survey, tmp_path: Path) -> None:
    with as_file(STARTER) as path:
        starter = json.loads(path.read_text(encoding="utf-8"))
    # What `audiencelab lab --survey` does through the environment of the kernel.
    setting = f"import os\nos.environ['AUDIENCELAB_SURVEY'] = {str(hps_survey.path)!r}\n"
    first = next(cell for cell in starter["cells"] if cell["cell_type"] == "code")
    first["source"] = setting + "".join(first["source"])
    notebook = tmp_path / "starter-on-survey.ipynb"
    notebook.write_text(json.dumps(starter), encoding="utf-8")
    page = lab.open(notebook)
    page.run_all()
    for role in ("tree", "treegrid", "grid"):
        expect(page.page.get_by_role(role).first).to_be_visible()
    page.screenshot("survey-starter")

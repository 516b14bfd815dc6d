"""The notebooks to begin with; that they run is for `make test-notebooks`."""

from pathlib import Path

import nbformat
import pytest

from audiencelab.jupyter import templates

TEMPLATES = templates.list_templates()
NAMES = [template.name for template in TEMPLATES]
TEAM = "al.connect('https://team.example')"


def test_they_are_offered_in_their_order() -> None:
    assert NAMES == ["starter", "crosstab", "profile", "trend", "survey"]
    assert all(each.title and each.description.endswith(".") for each in TEMPLATES)


def test_their_icons_are_drawn_in_the_page() -> None:
    page = (Path(__file__).parents[2] / "js" / "src" / "lab" / "icon.ts").read_text("utf-8")
    icons = [each.icon for each in TEMPLATES]
    # No two cards of the launcher look alike; the logo is that of a new workbench.
    assert len({*icons}) == len(icons)
    assert all(f"\n  {icon}: `<path" in page for icon in icons)


@pytest.mark.parametrize("name", NAMES)
def test_each_is_connected_in_its_first_cell_and_has_no_outputs(name: str) -> None:
    _, notebook = templates.read_template(name, TEAM)
    nbformat.validate(nbformat.from_dict(notebook))
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert (TEAM in code[0]) == (name != "survey")
    assert templates.CONNECT not in "\n".join(code)
    assert "audiencelab" not in notebook["metadata"]
    assert not any(cell.get("outputs") for cell in notebook["cells"])


@pytest.mark.parametrize("name", ["nope", "../starter", "starter.ipynb", "", "/etc/passwd"])
def test_a_name_is_never_a_path(name: str) -> None:
    with pytest.raises(templates.UnknownTemplate):
        templates.read_template(name, TEAM)

"""The notebooks to begin with; that they run is for `make test-notebooks`."""

from pathlib import Path

import nbformat
import pytest

from audiencelab.jupyter import templates

NAMES = [template.name for template in templates.listed()]


def test_they_are_offered_in_their_order() -> None:
    assert NAMES == ["starter", "crosstab", "profile", "trend", "survey"]
    assert all(each.title and each.description.endswith(".") for each in templates.listed())


def test_their_pictures_are_drawn_in_the_page() -> None:
    page = (Path(__file__).parents[2] / "js" / "src" / "lab" / "icon.ts").read_text("utf-8")
    pictures = [each.icon for each in templates.listed() if each.icon]
    assert pictures
    assert all(f"\n  {picture}: `<path" in page for picture in pictures)


@pytest.mark.parametrize("name", NAMES)
def test_each_is_connected_in_its_first_cell(name: str) -> None:
    notebook = templates.filled(templates.read(name), "al.connect('https://team.example')")
    nbformat.validate(nbformat.from_dict(notebook))
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert ("al.connect('https://team.example')" in code[0]) == (name != "survey")
    assert "al.connect()" not in "\n".join(code)
    assert "audiencelab" not in notebook["metadata"]


@pytest.mark.parametrize("name", NAMES)
def test_each_is_saved_without_outputs(name: str) -> None:
    notebook = templates.filled(templates.read(name), templates.CONNECT)
    assert not any(cell.get("outputs") for cell in notebook["cells"])


def test_one_that_is_filled_leaves_the_next_as_it_was() -> None:
    first = templates.filled(templates.read("crosstab"), "al.connect('https://team.example')")
    again = templates.filled(templates.read("crosstab"), templates.CONNECT)
    assert first != again
    assert templates.CONNECT in "".join(str(again))


@pytest.mark.parametrize("name", ["nope", "../starter", "starter.ipynb", "", "/etc/passwd"])
def test_a_name_is_never_a_path(name: str) -> None:
    with pytest.raises(templates.UnknownTemplate):
        templates.read(name)

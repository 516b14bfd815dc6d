"""`import audiencelab` is cheap: the heavy libraries load when they are first used."""

import subprocess
import sys
from importlib import import_module

import pytest

import audiencelab
from audiencelab.survey import demo_survey
from tests.messages import fails

HEAVY = (
    "altair",
    "anywidget",
    "httpx",
    "ipywidgets",
    "numpy",
    "pandas",
    "pyarrow",
    "starlette",
    "tqdm",
)


def test_loads_no_heavy_library() -> None:
    code = f"import sys, audiencelab; sys.exit(', '.join(set({HEAVY}) & set(sys.modules)) or 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"loaded: {done.stderr}"


# What the embedded service needs for its first crosstab is numpy and the standard library, and
# the demo survey is opened without what generates it.
NOT_IN_PROCESS = (
    *("altair", "anywidget", "click", "httpx", "pandas", "pyarrow", "rich", "starlette"),
    "audiencelab.survey.demo.responses",
)


def test_a_first_crosstab_in_process_loads_no_library_that_it_does_not_use() -> None:
    demo_survey()  # so that it is there
    code = f"""
import sys
import audiencelab as al

with al.connect(survey=al.demo_survey()) as client:
    rows = client.catalogue.audiences("Finding brands")
    table = client.crosstab(rows=rows, columns=[al.Audience("18 to 24", al.Q("q4").any("q4_2"))])
assert len(table.rows) == len(rows) > 0
sys.exit(", ".join(set({NOT_IN_PROCESS}) & set(sys.modules)) or 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"loaded: {done.stderr}"


def test_every_public_name_is_there() -> None:
    missing = [name for name in audiencelab.__all__ if not hasattr(audiencelab, name)]
    assert missing == []


def test_completion_offers_the_public_names_alone() -> None:
    assert dir(audiencelab) == sorted(audiencelab.__all__)


OF_EXTRAS = ("AudienceEditor", "Crosstab", "Deck", "QuestionPicker", "Workbench", "charts", "serve")


def test_help_reads_to_its_end_where_no_extra_is_installed() -> None:
    """The libraries of extras are not found, as after `pip install audiencelab` alone."""
    extras = ("altair", "anyio", "anywidget", "starlette", "uvicorn", "vl_convert")
    code = f"""
import importlib.machinery

found = importlib.machinery.PathFinder.find_spec
def find(name, path=None, target=None):
    return None if name in {extras} else found(name, path, target)
importlib.machinery.PathFinder.find_spec = find
help("audiencelab")
import audiencelab
absent = set(audiencelab.__all__) - set(dir(audiencelab))
assert absent == set({OF_EXTRAS})
for name in absent:
    try:
        getattr(audiencelab, name)
    except (ImportError, audiencelab.AudienceError) as error:
        assert 'pip install "audiencelab[' in str(error)
    else:
        raise AssertionError(name)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "class Client" in done.stdout
    assert "demo_survey(" in done.stdout


def test_the_parts_that_the_guides_name_are_there_at_once() -> None:
    code = "import audiencelab as al; print(al.ingest.draft_codebook, al.schema.ChartAttribute)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["survey", "service.http", "widgets", "widgets.editor"])
def test_a_part_that_loads_its_names_late_has_them_all_and_no_others(name: str) -> None:
    part = import_module(f"audiencelab.{name}")
    assert [each for each in part.__all__ if not hasattr(part, each)] == []
    with fails(AttributeError):
        _ = part.nix


@pytest.mark.parametrize("name", ["charts", "course", "widgets"])
def test_completion_offers_the_names_of_a_part_alone(name: str) -> None:
    part = import_module(f"audiencelab.{name}")
    assert dir(part) == sorted(part.__all__)

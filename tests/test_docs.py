"""The reference leaves no public name out."""

import re
from pathlib import Path

import audiencelab

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"


def test_every_public_name_is_documented() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in REFERENCE.glob("*.md"))
    documented = set(re.findall(r"^\.\. auto\w+:: (?:audiencelab\.)?(\w+)$", pages, re.MULTILINE))
    assert set(audiencelab.__all__) - {"__version__"} - documented == set()

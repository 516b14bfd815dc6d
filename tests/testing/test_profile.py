"""Fault profiles as files: read whole, or refused with the place of the mistake."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from audiencelab.testing import FaultProfile, FaultProfileError, FaultRule, rules


def written(folder: Path, text: str) -> Path:
    file = folder / "faults.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_example_of_the_documentation_is_read(tmp_path: Path) -> None:
    example = re.sub(r"(?m)^    ", "", (rules.__doc__ or "").partition("\n\n")[2])
    assert FaultProfile.load(written(tmp_path, example)) == FaultProfile(
        seed=7,
        rules=(
            FaultRule(status=429, retry_after=0.5, retry_after_as="fraction", times=2),
            FaultRule(path="/v2/query/crosstab", shuffle=True, cut_after=20_000, cut="clean"),
        ),
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("seed = ", "not TOML"),
        ("sead = 1", "sead"),
        ('[[rules]]\nstatus = "x"', r"\$.rules\[0\].status"),
        ("[[rules]]\nstatus = 200", r"\$.rules\[0\].status"),
        ("[[rules]]\n[[rules]]\nsplit = 0", r"\$.rules\[1\].split"),
        ("[[rules]]\nduplicate = 1.5", r"\$.rules\[0\].duplicate"),
        ('[[rules]]\nframing = "none"', r"\$.rules\[0\].framing"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(FaultProfileError, match=told) as mistake:
        FaultProfile.load(written(tmp_path, text))
    assert "faults.toml" in str(mistake.value)

"""What a real IPython offers after `client.catalogue["` or `table["`, by its own rules."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

import audiencelab


@pytest.fixture(scope="module")
def shell() -> Iterator[InteractiveShell]:
    shell = InteractiveShell()
    with audiencelab.connect() as client:
        shell.user_ns["client"] = client
        shell.user_ns["table"] = client.crosstab("Gender", "Age")
        yield shell


def offered(shell: InteractiveShell, code: str) -> set[str]:
    with provisionalcompleter():
        return {each.text.strip("\"'") for each in shell.Completer.completions(code, len(code))}


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ('client.catalogue["Gen', "Gender"),
        ("client.catalogue[", "Gender"),
        ('client.catalogue["Gender"]["Fe', "Female"),
        ('client.catalogue["q2"]["Fe', "Female"),
        ('client.catalogue.tree["Abou', "About you"),
        ("client.catalogue.sea", "search"),
        ("client.charts.cr", "create"),
        ('client["Gen', "Gender"),
        ("client.tre", "trend"),
        ('table["col', "column"),
        ("table.to_ex", "to_excel"),
        ("table.chart.", "bar"),
    ],
)
def test_names_are_offered_once_the_catalogue_is_there(
    shell: InteractiveShell, code: str, wanted: str
) -> None:
    shell.user_ns["client"].catalogue  # noqa: B018 -- looked at once, as a notebook does
    assert wanted in offered(shell, code)

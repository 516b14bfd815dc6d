"""The docstring examples of the verbs run on the demo survey."""

import doctest

import audiencelab as al
from audiencelab.widgets.crosstab import axis_verbs


def test_examples_run() -> None:
    with al.connect() as client:
        found = doctest.testmod(axis_verbs, extraglobs={"client": client, "al": al})
    assert found.attempted > 0
    assert found.failed == 0

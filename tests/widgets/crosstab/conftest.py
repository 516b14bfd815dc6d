"""Grids on the small survey, with captured comm messages."""

from collections.abc import Callable
from typing import Any

import pytest

from audiencelab.client import Client
from audiencelab.widgets.crosstab import Crosstab
from tests.widgets.conftest import Wire

Make = Callable[..., Crosstab]


@pytest.fixture
def make(wire: Wire, small_client: Client) -> Make:
    """Makes grids on a captured wire, with the real client unless another is given."""

    def build(*sides: object, client: Any = None, **options: Any) -> Crosstab:
        return Crosstab(client or small_client, *sides, **options)

    return build


@pytest.fixture
def make_complete(make: Make) -> Make:
    """Makes complete grids, unless another client is given."""

    def build(*axes: object, client: Any = None, **options: Any) -> Crosstab:
        grid = make(*axes, client=client, **options)
        return grid if client else grid.wait()

    return build

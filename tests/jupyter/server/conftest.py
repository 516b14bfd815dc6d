"""One Jupyter server for all tests of a file."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.jupyter.server.jupyter import World, put_surveys, world


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[World]:
    with world(tmp_path_factory.mktemp("world")) as made:
        put_surveys(made)
        yield made

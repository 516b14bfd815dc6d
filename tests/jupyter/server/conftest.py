"""One Jupyter server for all tests of a file, which gives up a service after its `SILENCE`."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.jupyter.server.jupyter import World, put_surveys, world


@pytest.fixture(scope="module")
def there(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Generator[World]:
    silence = getattr(request.module, "SILENCE", 60)
    with world(tmp_path_factory.mktemp("world"), silence=silence) as made:
        put_surveys(made)
        yield made

from __future__ import annotations

import pytest

from tests.engine.studies import Study, random_study


@pytest.fixture(scope="session")
def studies(tmp_path_factory: pytest.TempPathFactory) -> list[Study]:
    """Three random surveys of different seeds; the second rotates items and answers."""
    folder = tmp_path_factory.mktemp("studies")
    return [
        random_study(folder / f"study-{seed}", seed, weightless=seed == 3, rotating=seed == 2)
        for seed in (1, 2, 3)
    ]

"""How pytest runs for mutants: without a cache, without shrinking, and with a fixed seed."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.mutation.suites import ROOT, Suite

__all__ = ["prepare", "run"]

# Those that the tests need: to import all that are installed takes longer than the tests.
_PLUGINS = ("pytest_timeout", "_hypothesis_pytestplugin", "anyio.pytest_plugin")

_SETTINGS = "_hypothesis_internal_use_settings"
_EXAMPLES = 30
"""Of a test that makes its examples up."""


def run(suite: Suite, *arguments: str, plugin: object) -> int:
    """Run the tests of a suite with pytest; its exit code."""
    # Examples at random would notice one fault today and another tomorrow. What does not end is
    # ended by the work it does, not by the clock: a busy machine would make faults of sound code.
    given = ["-q", "--hypothesis-seed=0", "--timeout=0", "-p", "no:cacheprovider", *arguments]
    for each in _PLUGINS:
        given += ["-p", each]
    return pytest.main([*given, *(str(ROOT / each) for each in suite.tests)], [_Examples(), plugin])


def prepare() -> None:
    """To be called once, before any pytest is started in this process or a fork of it."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.chdir(ROOT)


class _Examples:
    """An example that fails is enough: it needs to be neither small nor remembered.

    Fewer examples than the tests usually try: what they miss here counts as not noticed.
    """

    @pytest.hookimpl(trylast=True)  # after the conftest, which has a profile of its own
    def pytest_configure(self) -> None:
        settings.register_profile(
            "mutation",
            deadline=None,
            max_examples=_EXAMPLES,
            database=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )
        settings.load_profile("mutation")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Tests that say themselves how many examples they try would not ask the profile."""
        for test in {getattr(item, "function", None) for item in items}:
            own = getattr(test, _SETTINGS, None)
            if own is not None and own.max_examples > _EXAMPLES:
                setattr(test, _SETTINGS, settings(own, max_examples=_EXAMPLES))

"""The page's example for Spark, as it stands there: the same tables, bit for bit."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from audiencelab.engine import CrosstabSpec, Engine, StatsSpec
from audiencelab.expressions import Audience, Q
from audiencelab.schema.scope import Scope
from tests.engine.distributed.asking import answers, cells
from tests.engine.studies import Study

pytest.importorskip("pyspark", reason="pyspark is 500 MB: pip install 'pyspark>=4' to run these")
if shutil.which("java") is None:
    pytest.skip("Spark needs a Java of 17 or newer", allow_module_level=True)

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "scale.md"

pytestmark = [
    pytest.mark.slow,
    # Its own: sockets that are left to be collected, and a pandas newer than it knows.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    # Whatever the tests can import, the processes of Spark can.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    builder = SparkSession.builder.master("local[2]").appName("audiencelab")
    for name in ("ui.enabled", "ui.showConsoleProgress"):
        builder = builder.config(f"spark.{name}", "false")
    session = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def there(spark: Any, study: Study) -> Engine:
    """The engine that the page's example makes."""
    found = re.search(r"```python\n(.*?def spark_engine.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    namespace: dict[str, Any] = {}
    exec(found.group(1), namespace)
    return namespace["spark_engine"](spark, study.survey)


DRINKS = tuple(Q("q9").any(f"q9_{place}") for place in range(1, 7))
PEOPLE = (None, Q("q2").any("q2_1"), ~Q("q4").any("q4_2"))


@pytest.mark.parametrize("base", [None, Q("q2").any("q2_2")])
def test_a_crosstab_is_that_of_one_machine(there: Engine, here: Engine, base: Any) -> None:
    spec = CrosstabSpec(DRINKS * 8, PEOPLE, scope=Scope(Audience(expression=base)))
    assert cells(there, spec) == cells(here, spec)


def test_stats_are_those_of_one_machine(there: Engine, here: Engine) -> None:
    spec = StatsSpec("q9", audiences=PEOPLE, splitter="waves")
    assert answers(there, spec) == answers(here, spec)

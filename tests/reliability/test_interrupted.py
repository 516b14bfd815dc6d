"""Commands that are ended by a signal at any moment, as Ctrl+C, a shutdown or a kill ends them.

`test_surveys` kills before every single step; here the moment is chance, several processes are at
work, and what the command says and leaves is looked at.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from audiencelab.cli import main
from audiencelab.survey import Survey
from tests.ingest.sources import CODEBOOK, imported, write
from tests.reliability.test_survey_folders import contents

pytestmark = pytest.mark.slow

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
TRIES = 2
ROWS = 20_000


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A survey `p`, and a survey that takes a while to import."""
    folder = tmp_path_factory.mktemp("interrupted")
    imported(folder).path.rename(folder / "p")
    lines = (
        f"{n},{('north', 'south')[n % 2]},{1 + n % 2},yes,no,,1;3,Often,Never,{18 + n % 60},1,"
        f"{'ab'[n % 2]}"
        for n in range(ROWS)
    )
    head = "id,where,sex,tea,coffee,milk,drinks,fun,work,age,weight,round"
    write(folder, "spring.csv", "\n".join([head, *lines, ""]))
    write(folder, "spring.toml", CODEBOOK)
    return folder


def command(sources: Path, folder: Path) -> list[str]:
    survey = [str(sources / "spring.csv"), "--codebook", str(sources / "spring.toml")]
    return ["import", *survey, "--out", str(folder / "p"), "--replace", "--quiet"]


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda each: each.name)
def test_an_import_over_a_survey_ends_with_the_old_one_or_the_new(
    sources: Path, tmp_path: Path, ending: signal.Signals
) -> None:
    shutil.copytree(sources / "p", tmp_path / "p")
    old = contents(tmp_path / "p")
    chance = random.Random(ending)
    arguments = command(sources, tmp_path)
    for _ in range(TRIES):
        with subprocess.Popen(
            [sys.executable, "-m", "audiencelab", *arguments],
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            # From the first file that it writes on.
            while process.poll() is None and not list(tmp_path.glob(".p.*.building")):
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 0.5))
            if ending == signal.SIGINT:
                # As a terminal does: every process of the command receives it, if one is left.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, ending)
            else:
                process.send_signal(ending)
            _, said = process.communicate(timeout=600)
        assert "Traceback" not in said
        if ending == signal.SIGINT:
            # A command that had done its work, and was ending, dies of the signal itself.
            assert process.returncode in (0, 130, -signal.SIGINT)
        Survey.open(tmp_path / "p").verify()
        if contents(tmp_path / "p") != old:
            break
        if ending == signal.SIGINT:
            assert re.fullmatch(r"\s*", said)
            assert [path.name for path in tmp_path.iterdir()] == ["p"]
    assert main(arguments) == 0
    new = Survey.open(tmp_path / "p")
    new.verify()
    assert sum(wave.respondents for wave in map(new.wave, [w.code for w in new.waves])) == ROWS
    assert [path.name for path in tmp_path.iterdir()] == ["p"]

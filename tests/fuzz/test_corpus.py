"""Inputs of the corpus are answered as ever, and some that nobody has tried are answered too."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.mutating import mutated, mutated_json
from tests.fuzz.running import CORPUS, fuzz, kept_inputs, readied, tried
from tests.fuzz.targets import Target, all_targets

TARGETS = {target.name: target for target in all_targets()}
FRESH = {"survey files": 5, "csv files": 10, "codes": 20}
"""Of the slow ones; of the others more."""

STATISTICAL = (b".sav", b".zsav", b".dta", b".xpt", b".sas7bdat")


@pytest.fixture(params=TARGETS)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Target]:
    with readied(TARGETS[request.param]) as found:
        yield found


def answered(target: Target, data: bytes) -> str:
    """As `tried`, with no new Python for each file that is read in a process of its own.

    A fork reads it, which has imported all that is needed. Where the fork does not end well, a
    reader in C has crashed perhaps: then the file is read as always.
    """
    if not (target.name == "survey files" and data.partition(b"\n")[0] in STATISTICAL):
        return tried(target, data)
    read, write = os.pipe()
    process = os.fork()
    if not process:
        faulthandler.disable()  # A crash is an answer here.
        signal.alarm(60)
        sys.frozen = True  # type: ignore[attr-defined] -- part of another program: no new process
        try:
            os.write(write, tried(target, data).encode())
            os._exit(0)
        finally:
            os._exit(1)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as answers:
        answer = answers.read()
    _, status = os.waitpid(process, 0)
    return answer if status == 0 else tried(target, data)


@pytest.mark.filterwarnings("default::SyntaxWarning", "ignore:.*fork:DeprecationWarning")
def test_the_corpus_is_answered_and_what_should_be_read_is(target: Target) -> None:
    seeds = [answered(target, data) for data in target.seeds()]
    kept = [answered(target, data) for data in kept_inputs(target)]
    assert any(answer.startswith("accepted") for answer in seeds)
    assert any(not answer.startswith("accepted") for answer in kept)
    assert len(set(kept)) > len(kept) / 2, "the corpus says the same again and again"


@pytest.mark.filterwarnings("default::SyntaxWarning", "ignore:.*fork:DeprecationWarning")
def test_fresh_inputs_are_answered(target: Target) -> None:
    random = Random(f"fresh {target.name}")
    inputs = [*target.seeds(), *kept_inputs(target)]
    for _ in range(FRESH.get(target.name, 60)):
        answered(target, target.made(random, inputs))


def test_the_corpus_is_of_these_targets_and_small() -> None:
    assert {path.name for path in CORPUS.iterdir()} == set(TARGETS)
    kept = list(CORPUS.rglob("*/*"))
    assert sum(path.stat().st_size for path in kept) < 2_000_000


def test_a_seed_makes_the_same_inputs_again() -> None:
    data = b'{"and": [{"question": "q4"}, {"or": [1, 2]}]}'

    def of_bytes(data: bytes, random: Random) -> bytes:
        return mutated(data, [data], random)

    for make in (mutated_json, of_bytes):
        made = [[make(data, random) for _ in range(50)] for random in (Random(1), Random(1))]
        assert made[0] == made[1]
        assert len(set(made[0])) > 20


class _Faulty(Target):
    """Does to some inputs what no reader may do."""

    name = "faulty"
    share = 1

    def seeds(self) -> list[bytes]:
        return [b"sound"]

    def made(self, random: Random, inputs: list[bytes]) -> bytes:
        return random.choice((b"sound", b"raises", b"dies", b"hangs"))

    def run(self, data: bytes) -> str:
        if data == b"raises":
            raise KeyError(data)
        if data == b"dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if data == b"hangs":
            time.sleep(600)
        return "accepted"


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_errors_crashes_and_hangs_are_each_told_with_their_input(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.fuzz.running.HANG", 3.0)
    finding = fuzz(_Faulty(), 8, seed=13)
    told = {failure.data: failure.why for failure in finding.failures.values()}
    assert "KeyError" in told[b"raises"]
    assert "ended with -9" in told[b"dies"]
    assert "no answer after" in told[b"hangs"]
    assert finding.executions == 8
    assert 0 < finding.failed < 8

"""A target in a process of its own, told what to try, and watched.

A reader in C may end the whole process, or never come back: so the input stands in memory that
both processes see before it is tried, and the one outside says which it was.
"""

from __future__ import annotations

import mmap
import multiprocessing
import re
import resource
import time
import traceback
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.fuzz.targets import Target

__all__ = [
    "CORPUS",
    "LONGEST_KEPT",
    "Failure",
    "Finding",
    "fuzz",
    "kept_inputs",
    "readied",
    "tried",
]

CORPUS = Path(__file__).parent / "corpus"

HANG = 10.0
"""Seconds that one input may take on a machine that does other things as well."""

LONGEST_KEPT = 4_096
"""Bytes of an input that others are made of, or that the corpus keeps."""

_MEMORY = 6 << 30
_ROOM = 1 << 22
_LARGEST = 1 << 20
"""Bytes of an input; a larger one is cut."""


@dataclass(frozen=True)
class Failure:
    """An input that broke a promise, and how."""

    data: bytes
    why: str


@dataclass
class Finding:
    """What came of trying a target.

    failures: one for each place where it failed. answers: an input for each way in which it has
    answered.
    """

    executions: int = 0
    accepted: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    failed: int = 0
    failures: dict[str, Failure] = field(default_factory=dict[str, Failure])
    answers: dict[str, bytes] = field(default_factory=dict[str, bytes])


def kept_inputs(target: Target) -> list[bytes]:
    """What the corpus holds for a target."""
    return [path.read_bytes() for path in sorted((CORPUS / target.name).glob("*"))]


def tried(target: Target, data: bytes) -> str:
    """How the target answered: a word or more. Raises whatever it must not."""
    return target.run(data)


def fuzz(target: Target, executions: int, *, seed: int = 0, most_failures: int = 200) -> Finding:
    """Try so many inputs; a crash or a hang costs its process, and the next one goes on."""
    finding = Finding()
    began = time.monotonic()
    while finding.executions < executions and finding.failed < most_failures:
        left = executions - finding.executions
        _in_process(target, left, f"{target.name}/{seed}/{finding.executions}", finding)
    finding.seconds = time.monotonic() - began
    return finding


def _in_process(target: Target, executions: int, seed: str, finding: Finding) -> None:
    with mmap.mmap(-1, _ROOM) as shown, TemporaryDirectory() as folder:
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe(duplex=False)
        arguments = (target, executions, seed, Path(folder), shown, theirs, finding)
        process = context.Process(target=_try_all, args=arguments)
        process.start()
        theirs.close()
        ended = _watched(process, ours, shown, finding)
        if not ended:
            # Counted by itself: what its process had told last did not include it.
            finding.executions += 1


def _watched(process: BaseProcess, ours: Connection, shown: mmap.mmap, finding: Finding) -> bool:
    """Whether the process came to its end by itself; what it tells goes into the finding."""
    number, since = -1, time.monotonic()
    try:
        while True:
            if ours.poll(0.25):
                told: Finding | None = ours.recv()
                if told is None:
                    return True
                vars(finding).update(vars(told))
            now = int.from_bytes(shown[:8], "little")
            if now != number:
                number, since = now, time.monotonic()
            elif time.monotonic() - since > HANG:
                process.kill()
                _fail(finding, _shown(shown), f"no answer after {HANG:g} s")
                return False
    except EOFError:
        process.join()
        why = f"the process ended with {process.exitcode}"
        _fail(finding, _shown(shown), why)
        return False
    finally:
        process.join()


def _fail(finding: Finding, data: bytes, why: str) -> None:
    finding.failed += 1
    # Where it came out tells failures apart; what stood in the input does not.
    places = "".join(re.findall(r"File .*", why)) or why
    known = finding.failures.get(places)
    if known is None or len(data) < len(known.data):
        finding.failures[places] = Failure(data, why)


def _shown(shown: mmap.mmap) -> bytes:
    length = int.from_bytes(shown[8:16], "little")
    return shown[16 : 16 + length]


def _try_all(
    target: Target,
    executions: int,
    seed: str,
    folder: Path,
    shown: mmap.mmap,
    told: Connection,
    finding: Finding,
) -> None:
    # Of code that people paste, Python has things to say on the terminal.
    warnings.simplefilter("ignore", SyntaxWarning)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    random = Random(seed)
    target.begin(folder)
    inputs = [*target.seeds(), *kept_inputs(target), *finding.answers.values()]
    told_at = time.monotonic()
    for number in range(executions):
        data = target.made(random, inputs)[:_LARGEST]
        shown[8 : 16 + len(data)] = len(data).to_bytes(8, "little") + data
        shown[:8] = number.to_bytes(8, "little")
        failed = finding.failed
        _try(target, data, finding, inputs)
        # A failure at once: the next input may end the process.
        if finding.failed > failed or time.monotonic() - told_at > 0.5:
            told.send(finding)
            told_at = time.monotonic()
    told.send(finding)
    told.send(None)


def _try(target: Target, data: bytes, finding: Finding, inputs: list[bytes]) -> None:
    began = time.monotonic()
    finding.executions += 1
    try:
        answer = tried(target, data)
    except Exception as error:
        _fail(finding, data, "".join(traceback.format_exception(error)[-4:]))
        return
    finding.slowest = max(finding.slowest, time.monotonic() - began)
    finding.accepted += answer.startswith("accepted")
    if answer not in finding.answers and len(finding.answers) < target.most_answers:
        finding.answers[answer] = data
        # Long ones are tried once: most of what is made of them would be as slow, and no news.
        if len(data) <= LONGEST_KEPT:
            inputs.append(data)


@contextmanager
def readied(target: Target) -> Generator[Target]:
    """The target with a folder to work in, in this process."""
    with TemporaryDirectory() as folder:
        target.begin(Path(folder))
        yield target

"""Other processes that use a store: started quickly, and heard through a pipe until they end.

What they do stands here as functions, which a server of forks has imported before they are asked
for; a process is then ready within milliseconds.
"""

from __future__ import annotations

import itertools
import multiprocessing
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from audiencelab.service import Service
from audiencelab.service.store import Store
from audiencelab.survey import Survey
from tests.service.asking import TOKEN, ask

_context = multiprocessing.get_context("forkserver")
# The program that runs the tests as well, or every process would begin by reading it.
_context.set_forkserver_preload(["__main__", __name__])


@contextmanager
def started(work: Callable[..., None], *given: Any) -> Iterator[tuple[BaseProcess, Connection]]:
    """A process that works, and what it tells; killed at the end if it is still there."""
    told, telling = _context.Pipe(duplex=False)
    process = _context.Process(target=work, args=(telling, *given))
    process.start()
    telling.close()
    try:
        yield process, told
    finally:
        process.kill()
        process.join()
        told.close()


def heard(told: Connection) -> Iterator[Any]:
    """What a process has told and still tells, until its end."""
    try:
        while True:
            yield told.recv()
    except EOFError:
        return


def write_for_ever(telling: Connection, survey: Path, file: Path, run: int) -> None:
    """Create charts and change each at once; tell every answer as soon as it is there."""
    service = Service(Survey.open(survey), [TOKEN], store=file)
    for number in itertools.count():
        name = f"{run}/{number}"
        key = {"Idempotency-Key": name}
        created = ask(service, "POST", "/v1/charts", {"name": name}, headers=key)
        chart = created.json["id"]
        telling.send((chart, name, None))
        ask(service, "PUT", f"/v1/charts/{chart}", {"color": name})
        telling.send((chart, name, name))


def write_some(telling: Connection, file: Path, ids: list[str]) -> None:
    """Open the store, which may not be there yet, and put documents, each in its own change."""
    with Store.open(file) as store:
        for each in ids:
            with store.writing() as documents:
                documents.put("charts", each, each.encode())
    telling.send(len(ids))


def write_until_full(telling: Connection, survey: Path, file: Path) -> None:
    """Write to a disk that fills up and then has room again; tells the answers of either time.

    The disk is a limit on the size of files, which the system holds this process to.
    """
    service = Service(Survey.open(survey), [TOKEN], store=file)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for most in (200_000, hard):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
        for number in range(30):
            answer = ask(
                service, "POST", "/v1/charts", {"name": "x", "metrics": ["x" * 1_000] * 10}
            )
            telling.send((most == hard, number, answer.status, answer.body))


def open_on_a_full_disk(telling: Connection, file: Path) -> None:
    """Open a new store where nothing can be written; tells the error."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
    try:
        Store.open(file)
    except Exception as error:
        telling.send((type(error).__name__, str(error)))

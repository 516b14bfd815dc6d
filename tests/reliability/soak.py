"""The soak: `python -m tests.reliability.soak --minutes 60 --clients 8`.

Clients ask a real `audiencelab serve` for everything, in a random order, each for itself. Every
figure is compared with the one that the embedded service gave before. What is printed: how many
answers a second, how long they took, errors by kind, and the server's memory with its slope.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import audiencelab as al
from audiencelab.survey.demo import build_demo_survey
from tests.reliability.load import Load, run_load
from tests.service.asking import TOKEN
from tests.service.http.test_commands import address, command

PEOPLE = 24_000
"""Respondents of the survey that is served."""


def soak(
    seconds: float, clients: int, folder: Path, people: int = PEOPLE, workers: int = 1
) -> Load:
    """Serve a survey with a store in a process of its own, and ask it for that long."""
    survey = build_demo_survey(folder / "survey", people)
    options = ["--survey", str(survey.path), "--store", str(folder / "store.db"), "--token", TOKEN]
    with command(*options, "--workers", str(workers)) as server:
        url = address(server)
        return run_load(survey, url, TOKEN, server.pid, seconds=seconds, clients=clients)


def main(arguments: list[str] | None = None) -> int:
    """Run it and print what was measured; 1 if an answer was wrong or missing."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--people", type=int, default=PEOPLE, help="respondents of the survey")
    parser.add_argument("--workers", type=int, default=1, help="worker processes of the service")
    asked = parser.parse_args(arguments)
    print(
        f"audiencelab {al.__version__}, {asked.clients} clients, {asked.minutes:g} minutes, "
        f"{asked.workers} workers"
    )
    with tempfile.TemporaryDirectory() as folder:
        load = soak(60 * asked.minutes, asked.clients, Path(folder), asked.people, asked.workers)
    for line in load.lines():
        print(line)
    return 1 if load.errors else 0


if __name__ == "__main__":
    sys.exit(main())

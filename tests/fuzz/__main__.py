"""Try hostile inputs: `python -m tests.fuzz --executions 1000000`, or `streams codes --seed 7`.

Prints what was tried and what came of it; 1 if a promise was broken. A failing input is written
beside the corpus, into `failures`, and `--again FILE` tries one alone. `--keep` adds to the corpus
an input for each new way in which a reader has answered.
"""

from __future__ import annotations

import argparse
import sys
from hashlib import sha256
from pathlib import Path

from tests.fuzz.running import CORPUS, LONGEST_KEPT, Finding, fuzz, kept_inputs, readied, tried
from tests.fuzz.targets import Target, all_targets

FAILURES = Path(__file__).parent / "failures"


def main(arguments: list[str]) -> int:
    """Run the targets named, by default all."""
    targets = {target.name: target for target in all_targets()}
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(targets))
    parser.add_argument("--executions", type=int, default=100_000, help="in all (100,000)")
    parser.add_argument("--seed", type=int, default=0, help="another one makes other inputs (0)")
    parser.add_argument("--keep", action="store_true", help="add to the corpus")
    parser.add_argument("--again", type=Path, metavar="FILE", help="try this input alone")
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.targets if name not in targets]:
        parser.error(f"no target {', '.join(unknown)}; there are {', '.join(targets)}")
    chosen = [targets[name] for name in given.targets or targets]
    if given.again is not None:
        return _again(chosen, given.again)
    return _all(chosen, given.executions, given.seed, keep=given.keep)


def _again(targets: list[Target], path: Path) -> int:
    for each in targets:
        with readied(each) as target:
            print(f"{target.name}: {tried(target, path.read_bytes())}")
    return 0


def _all(targets: list[Target], executions: int, seed: int, *, keep: bool) -> int:
    print(
        f"{'target':14}{'inputs':>11}{'accepted':>11}{'answers':>9}{'s':>8}{'slowest':>10}{'failed':>8}"
    )
    shares = sum(target.share for target in targets)
    findings: list[Finding] = []
    for target in targets:
        found = fuzz(target, -(-executions * target.share // shares), seed=seed)
        findings.append(found)
        print(
            f"{target.name:14}{found.executions:11,}{found.accepted:11,}{len(found.answers):9,}"
            f"{found.seconds:8.0f}{1000 * found.slowest:7.0f} ms{found.failed:8,}",
            flush=True,
        )
        for failure in found.failures.values():
            place = _write(FAILURES / target.name, failure.data)
            print(f"  {place}\n    {failure.why.replace(chr(10), chr(10) + '    ')}", flush=True)
        if keep:
            _keep(target, found)
    count = sum(found.executions for found in findings)
    failed = sum(found.failed for found in findings)
    print(f"{'all':14}{count:11,} inputs, {failed:,} failed (seed {seed})")
    return 1 if failed else 0


def _keep(target: Target, finding: Finding) -> None:
    """Put a small input for each answer into the corpus that none there is answered with."""
    with readied(target):
        known = {tried(target, data) for data in kept_inputs(target)}
    for answer, data in finding.answers.items():
        if answer not in known and len(data) <= LONGEST_KEPT:
            _write(CORPUS / target.name, data)


def _write(folder: Path, data: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / sha256(data).hexdigest()[:12]
    path.write_bytes(data)
    return path


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

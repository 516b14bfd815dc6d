"""The subcommand `audiencelab snapshot`: what a snapshot holds, and whether it can be trusted.

Mistakes are raised as `SnapshotError`; the command line says them in one place for all commands.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import get_terminal_size

from audiencelab.client.client import Client
from audiencelab.client.inspecting.checking import Finding, ask_again
from audiencelab.client.snapshots.document import Exchange, Snapshot, read, read_lines
from audiencelab.client.snapshots.errors import SnapshotError
from audiencelab.client.snapshots.words import amount, operation_name, printable, question
from audiencelab.wording import plural

__all__ = ["add_snapshot_arguments", "run_snapshot"]


def add_snapshot_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `audiencelab snapshot`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="show what was asked, and how much came")
    listing.add_argument("file", type=Path, metavar="FILE", help="the snapshot")
    verify = actions.add_parser("verify", help="say whether it is as recorded, and still holds")
    verify.add_argument("file", type=Path, metavar="FILE", help="the snapshot")
    place = verify.add_mutually_exclusive_group()
    place.add_argument(
        "--panel", metavar="DIR", help="ask the embedded service on this panel again"
    )
    place.add_argument(
        "--demo", action="store_true", help="ask the embedded service on the demo panel again"
    )
    place.add_argument(
        "--base-url", metavar="URL", help="ask this deployment again (AUDIENCELAB_TOKEN)"
    )


def run_snapshot(arguments: argparse.Namespace) -> int:
    """List a snapshot, or verify it; raises `SnapshotError` where it does not hold."""
    if arguments.action == "list":
        for line in list_lines(read(arguments.file)):
            print(line)
        return 0
    snapshot = _sound(arguments.file)
    print(f"{plural(len(snapshot.exchanges), 'exchange')}, each as it was recorded.")
    client = _client(arguments)
    if client is not None:
        with client:
            _print_findings(arguments.file, ask_again(snapshot, client))
    return 0


def list_lines(snapshot: Snapshot) -> Iterator[str]:
    """A snapshot's provenance, and a table of its exchanges."""
    header = snapshot.header
    place = header.panel or header.place
    yield printable(f"{snapshot.path.name}: {place}, recorded {header.created}")
    yield printable(f"with audiencelab {header.audiencelab}, Python {header.python}")
    if header.waves:
        yield printable(f"waves {', '.join(header.waves)}")
    yield ""
    date = header.created.partition("T")[0]
    rows = [_row(snapshot.line_of(n), each, date) for n, each in enumerate(snapshot.exchanges)]
    # A column that says the same in every line says nothing.
    left_out = {"whole"} if all(each.complete for each in snapshot.exchanges) else set[str]()
    columns = [name for name in _COLUMNS if name not in left_out]
    yield from _table(columns, [[row[name] for name in columns] for row in rows])


# What is longest stands last, where a narrow terminal may cut it.
_COLUMNS = ("line", "when", "operation", "came", "bytes", "whole", "asked")
_LEAST = 20
"""Characters of the last column, however narrow the terminal is."""


def _row(line: int, exchange: Exchange, date: str) -> dict[str, str]:
    """What the table says of an exchange; its date only if it is another than the snapshot's."""
    why_not = printable(exchange.broken) or "called off"
    times = f" ({exchange.asked} times)" if exchange.asked > 1 else ""
    return {
        "line": str(line),
        "when": printable(exchange.when.removeprefix(f"{date}T")),
        "operation": operation_name(exchange),
        "came": amount(exchange),
        "bytes": f"{len(exchange.content):,}",
        "whole": "yes" if exchange.complete else f"no: {why_not}",
        "asked": question(exchange) + times,
    }


def _sound(file: Path) -> Snapshot:
    """The snapshot, once every one of its faults has been told."""
    faults = [str(part) for part in read_lines(file) if isinstance(part, SnapshotError)]
    if faults:
        raise SnapshotError("\n".join(faults))
    return read(file)


def _client(arguments: argparse.Namespace) -> Client | None:
    from audiencelab.client.connecting.connection import connect
    from audiencelab.client.doors.embedded import demo

    if arguments.base_url:
        return connect(arguments.base_url)
    if arguments.panel:
        return connect(panel=arguments.panel)
    return connect(panel=demo()) if arguments.demo else None


def _print_findings(file: Path, findings: Iterator[Finding]) -> None:
    states: Counter[str] = Counter()
    for finding in findings:
        states[finding.state] += 1
        asked = f"{operation_name(finding.exchange)} {question(finding.exchange)}"
        print(f"line {finding.line}: {finding.state:<10} {asked}")
        for detail in finding.details:
            print(f"    {printable(detail)}")
    others = [f"{count:,} {state}" for state, count in states.items() if state != "holds"]
    print(", ".join([f"{states['holds']:,} hold", *others]) + ".")
    if states["moved"] or states["no answer"]:
        raise SnapshotError(f"{file} does not hold there as it was recorded.")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns in line; cells that are too long are cut, and the last where the terminal ends."""
    cut = [[_short(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*cut, strict=True)]
    room = get_terminal_size((100, 24)).columns - sum(width + 2 for width in widths[:-1])
    widths[-1] = min(widths[-1], max(room, _LEAST))
    for number, row in enumerate(cut):
        *cells, last = row
        aligned = [cell.ljust(width) for cell, width in zip(cells, widths, strict=False)]
        yield "  ".join([*aligned, _short(last, widths[-1])]).rstrip()
        if number == 0:
            yield "  ".join("-" * width for width in widths)


def _short(cell: str, most: int = 60) -> str:
    return cell if len(cell) <= most else cell[: most - 1] + "…"

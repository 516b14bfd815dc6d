"""The subcommand `audiencelab snapshot`: what is in one, whether it holds, and what may go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shutil import get_terminal_size

import click

from audiencelab.cli.help import SETTINGS, HeadedGroup
from audiencelab.cli.output import (
    FINDINGS,
    echo,
    echo_lines,
    examples,
    file_argument,
    file_option,
    one_of,
    out_option,
    quiet_option,
    replace_option,
    text_table,
)
from audiencelab.client import Client
from audiencelab.client.snapshots.format import (
    Exchange,
    Snapshot,
    SnapshotError,
    read,
    read_lines,
)
from audiencelab.client.snapshots.summary import amount, operation_name, printable, question
from audiencelab.client.snapshots.trim import trim as trim_snapshot
from audiencelab.client.snapshots.verify import VerifiedExchange, edits_of, requests_of, send_again
from audiencelab.wording import plural


@click.group(cls=HeadedGroup, context_settings=SETTINGS)
def snapshot() -> None:
    """List, verify or trim a snapshot."""


@snapshot.command("list", epilog=examples("snapshot list analysis.audiencelab.jsonl"))
@file_argument("file")
def list_exchanges(file: Path) -> None:
    """List the requests of a snapshot, with the size of each response."""
    echo_lines(_list_lines(read(file)))


@snapshot.command(epilog=examples("snapshot verify analysis.audiencelab.jsonl --demo"))
@file_argument("file")
@click.option("--survey", metavar="DIR", help="Ask the embedded service on this survey again.")
@click.option("--demo", is_flag=True, help="Ask the embedded service on the demo survey again.")
@click.option("--url", metavar="URL", help="Ask this service again (AUDIENCELAB_TOKEN).")
def verify(file: Path, survey: str | None, demo: bool, url: str | None) -> int:
    """Check that a snapshot is as it was recorded.

    With a service, also check that it still holds there. Exit code 1: it is not, or does not.
    """
    one_of({"--survey": survey, "--demo": demo, "--url": url})
    if faults := [str(part) for part in read_lines(file) if isinstance(part, SnapshotError)]:
        echo_lines(faults)
        return FINDINGS
    found = read(file)
    echo(f"{plural(len(found.exchanges), 'exchange')}, each as it was recorded.")
    client = _client(survey, demo, url)
    if client is None:
        return 0
    with client:
        return _print_findings(file, send_again(found, requests_of(client), edits_of(client)))


@snapshot.command(
    epilog=examples(
        "snapshot trim analysis.audiencelab.jsonl -o public.audiencelab.jsonl",
        "snapshot trim analysis.audiencelab.jsonl --notebook analysis.ipynb --run -o public.jsonl",
    )
)
@file_argument("file")
@file_option("--notebook", "FILE", "Keep the questions that its code and outputs name, too.")
@click.option(
    "--run", is_flag=True, help="Run the notebook, and leave out what it does not ask, too."
)
@out_option("FILE", "The snapshot to write.", required=True)
@replace_option
@quiet_option
def trim(
    file: Path, notebook: Path | None, run: bool, out: Path, replace: bool, quiet: bool
) -> None:
    """Leave out what a replay does not need: labels of questions that no request asks for.

    The figures stay. FILE is not changed, unless it is written over with --replace.
    """
    if out.exists() and not replace:
        raise SnapshotError(f"{out} exists. Choose another name, or add --replace.")
    if run and notebook is None:
        raise click.UsageError("--run is about a notebook: add --notebook FILE.")
    text, used = "", None
    if notebook is not None:
        from audiencelab.notebook.check_snapshot import exchanges_used, text_in

        text = text_in(notebook)
        used = exchanges_used(notebook, file) if run else None
    found = trim_snapshot(read(file), text, used)
    before = file.stat().st_size
    found.write(out)
    if not quiet:
        kept, left = plural(len(found.questions), "question"), len(found.unused)
        if run:
            echo(f"{plural(len(found.not_asked), 'exchange')} left out, which no cell used.")
        echo(
            f"{out}: {kept} kept, {left:,} left out; "
            f"{out.stat().st_size / 1000:,.0f} KB of {before / 1000:,.0f} KB."
        )


def _list_lines(found: Snapshot) -> Iterator[str]:
    """A snapshot's provenance, and a table of its exchanges."""
    header = found.header
    yield printable(f"{found.path.name}: {header.source}, recorded {header.created}")
    yield printable(f"with audiencelab {header.audiencelab}, Python {header.python}")
    if header.left_out:
        yield f"trimmed: without {plural(header.left_out, 'question')} that nothing asks"
    if header.waves:
        yield printable(f"waves {', '.join(header.waves)}")
    yield ""
    date = header.created.partition("T")[0]
    rows = [_row(found.line_of(n), each, date) for n, each in enumerate(found.exchanges)]
    # A column that is the same in every line is left out.
    left_out = {"whole"} if all(each.complete for each in found.exchanges) else set[str]()
    columns = [name for name in _COLUMNS if name not in left_out]
    cells = [[row[name] for name in columns] for row in rows]
    yield from text_table(columns, cells, width=get_terminal_size((100, 24)).columns)


# The longest column comes last, where a narrow terminal may cut it.
_COLUMNS = ("line", "when", "operation", "came", "bytes", "whole", "asked")


def _row(line: int, exchange: Exchange, date: str) -> dict[str, str]:
    """The cells of an exchange; its date only if it differs from the snapshot's."""
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


def _client(survey: str | None, demo: bool, url: str | None) -> Client | None:
    from audiencelab.client.connection.connect import connect
    from audiencelab.client.transports.embedded import demo as demo_survey

    if url:
        return connect(url)
    if survey:
        return connect(survey=survey)
    return connect(survey=demo_survey()) if demo else None


def _print_findings(file: Path, findings: Iterator[VerifiedExchange]) -> int:
    """Print what was found; the exit code."""
    states: Counter[str] = Counter()
    for finding in findings:
        states[finding.state] += 1
        asked = f"{operation_name(finding.exchange)} {question(finding.exchange)}"
        echo(f"line {finding.line}: {finding.state:<10} {asked}")
        echo_lines(f"    {printable(detail)}" for detail in finding.details)
    others = [f"{count:,} {state}" for state, count in states.items() if state != "holds"]
    echo(", ".join([f"{states['holds']:,} hold", *others]) + ".")
    if states["moved"] or states["no answer"]:
        echo(f"{file} does not hold there as it was recorded.")
        return FINDINGS
    return 0

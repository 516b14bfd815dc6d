"""The subcommand `audiencelab serve`: the service on a port, until a signal ends it.

The first line on stdout is the address and nothing else, so that a script can read it; it is
written once connections are accepted. What people want to know goes to stderr. No token is ever
written to either.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from audiencelab import tokens
from audiencelab.files import others_can_read
from audiencelab.hosts import is_loopback
from audiencelab.service.faults import FaultProfile
from audiencelab.service.http.server import ServeError, serve
from audiencelab.service.rates import RateLimit

if TYPE_CHECKING:
    from distributed.security import Security

__all__ = ["TOKEN_VARIABLE", "add_serve_arguments", "run_serve"]

TOKEN_VARIABLE = "AUDIENCELAB_TOKEN"

_CERTIFICATES = {
    "--scheduler-ca": "the certificate of the authority that signed the scheduler's (PEM)",
    "--scheduler-cert": "the certificate to show to the scheduler (PEM)",
    "--scheduler-key": "its key (PEM), unless it is in the file of the certificate",
}


def add_serve_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `audiencelab serve`."""
    parser.add_argument(
        "--panel",
        metavar="DIR",
        help="the panel to serve, a folder or an address such as s3://… (default: the demo panel)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="add tables up on a Dask cluster, named by its scheduler: tls://…",
    )
    for option, what in _CERTIFICATES.items():
        parser.add_argument(option, type=Path, metavar="FILE", help=what)
    parser.add_argument(
        "--allow-insecure-scheduler",
        action="store_true",
        help="connect to a scheduler on another machine without TLS; anyone who can reach it can "
        "run code as this service",
    )
    parser.add_argument(
        "--store",
        type=Path,
        metavar="FILE",
        help="the file that keeps charts and saved audiences (default: in memory)",
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="where to listen (default: this machine only)"
    )
    parser.add_argument(
        "--port", type=int, default=0, help="the port; 0, the default, takes any that is free"
    )
    token = parser.add_mutually_exclusive_group()
    token.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help=f"a file that holds the token to ask for (else {TOKEN_VARIABLE}, else one is made)",
    )
    token.add_argument(
        "--token", help="the token itself; other users of this machine can see it in its processes"
    )
    parser.add_argument(
        "--rate-limit",
        type=_rate,
        metavar="N",
        help="requests a second that one credential may send (default: no limit)",
    )
    parser.add_argument(
        "--faults",
        type=Path,
        metavar="FILE",
        help="misbehave as this profile (.toml) says, to test what asks the service",
    )


def run_serve(arguments: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM.

    Raises:
        ServeError: the address or the token will not do.
        FaultProfileError: the file is no fault profile.
        PanelError: the folder holds no panel.
        ClusterError: there is no such scheduler, or its cluster will not do.
        StoreError: the file holds no store.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    token = _token(arguments)
    faults = None if arguments.faults is None else FaultProfile.load(arguments.faults)
    with serve(
        arguments.panel,
        engine=arguments.scheduler,
        security=_security(arguments),
        allow_insecure_scheduler=arguments.allow_insecure_scheduler,
        store=arguments.store,
        host=arguments.host,
        port=arguments.port,
        token=token,
        rate_limit=arguments.rate_limit,
        faults=faults,
    ) as url:
        ended = _signalled()
        print(url, flush=True)
        _explain(url, arguments.host, made=token is None)
        # With a time, so that an interrupt is noticed on every platform.
        while not ended.wait(1.0):
            pass
    return 0


def _security(arguments: argparse.Namespace) -> Security | None:
    """The certificates for the scheduler, None where none are given."""
    given: dict[str, Path | None] = {
        option: getattr(arguments, option.removeprefix("--").replace("-", "_"))
        for option in _CERTIFICATES
    }
    files = {option: path for option, path in given.items() if path is not None}
    if not files:
        return None
    if arguments.scheduler is None:
        raise ServeError(f"{next(iter(files))} needs --scheduler, the address of a scheduler.")
    for option, path in files.items():
        if not path.is_file():
            raise ServeError(f"{option} {path} is not valid: there is no such file.")
    try:
        from distributed.security import Security
    except ModuleNotFoundError:
        return None  # connecting names the extra that is missing
    ca, certificate, key = (None if path is None else str(path) for path in given.values())
    return Security(tls_ca_file=ca, tls_client_cert=certificate, tls_client_key=key)


def _rate(text: str) -> RateLimit:
    """So many requests a second, and as many at once as a second brings."""
    try:
        per_second = float(text)
        return RateLimit(per_second, max(1, round(per_second)))
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError("a rate is a number above 0") from None


def _token(arguments: argparse.Namespace) -> str | None:
    """The token of the user's choosing, None if there is none."""
    if arguments.token is not None:
        return str(arguments.token)
    if arguments.token_file is not None:
        return _token_in(Path(arguments.token_file))
    return os.environ.get(TOKEN_VARIABLE) or None


def _token_in(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        # What is checked is the file that was opened, whatever the name means a moment later.
        if others_can_read(os.fstat(file.fileno())):
            raise ServeError(
                f"{path} is not valid: other users can read it, and the token in it. Make it your "
                f"own: chmod 600 '{path}'"
            )
        text = file.read().strip()
    if not text:
        raise ServeError(f"{path} holds no token.")
    return text


def _signalled() -> threading.Event:
    """Set by the first signal to end; a second one ends the process at once."""
    ended = threading.Event()
    endings = (signal.SIGINT, signal.SIGTERM)

    def end(number: int, frame: object) -> None:
        for each in endings:
            signal.signal(each, signal.SIG_DFL)
        ended.set()

    for each in endings:
        signal.signal(each, end)
    return ended


def _explain(url: str, host: str, *, made: bool) -> None:
    where = "from this machine" if is_loopback(host) else "from other machines too"
    lines = [f"serving {where}; Ctrl-C ends it"]
    if made:
        lines.append(f"token in {tokens.served_token_path(url)}")
        lines.append(f'in Python, as this user: audiencelab.connect("{url}")')
    if not is_loopback(host):
        lines.append(
            "warning: this is plain HTTP: whoever is on the way can read the token and the "
            "answers. Put a proxy with TLS before it."
        )
    print("\n".join(lines), file=sys.stderr, flush=True)

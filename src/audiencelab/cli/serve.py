"""The subcommand `audiencelab serve`: the service on a port, until a signal ends it.

The first line on stdout is the address and nothing else, so that a script can read it; it is
written once connections are accepted. Everything else goes to stderr. No token is ever written to
either.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from contextlib import suppress
from functools import partial
from logging.handlers import WatchedFileHandler
from pathlib import Path
from typing import TYPE_CHECKING

import click

from audiencelab import local_servers
from audiencelab.cli.help import command
from audiencelab.cli.imported import imported_lines
from audiencelab.cli.opening import check_files, survey_of
from audiencelab.cli.output import base_of_option, echo, echo_lines, examples, file_option, one_of
from audiencelab.files import others_can_read, reserve
from audiencelab.local_servers import is_loopback
from audiencelab.schema.scope import BaseOf
from audiencelab.service.credentials import (
    WRITE_ROLE,
    AnyCredentials,
    Credentials,
    CredentialsFile,
    OpenIdIssuer,
)
from audiencelab.service.http import server
from audiencelab.service.http.running import give_back_memory
from audiencelab.service.http.server import ServeError
from audiencelab.service.limits import RateLimit
from audiencelab.survey.reader import Survey
from audiencelab.testing import FaultProfile

if TYPE_CHECKING:
    from distributed.security import Security

TOKEN_VARIABLE = "AUDIENCELAB_TOKEN"


def _rate(ctx: click.Context, param: click.Parameter, value: float | None) -> RateLimit | None:
    """Requests a second, and as many at once as a second brings."""
    if value is None:
        return None
    try:
        return RateLimit(value, max(1, round(value)))
    except (ValueError, OverflowError):
        raise click.BadParameter("a rate must be a number above 0.", ctx, param) from None


@command(epilog=examples("serve tracker.sav --port 8080", "serve my-survey --store charts.db"))
@click.argument("source", required=False, metavar="[SOURCE]")
@click.option("--survey", metavar="SOURCE", help="The same as SOURCE.")
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Count tables on a Dask cluster, named by its scheduler: tls://….",
)
@file_option(
    "--scheduler-ca", "FILE", "The certificate of the authority that signed the scheduler's (PEM)."
)
@file_option("--scheduler-cert", "FILE", "The certificate to show to the scheduler (PEM).")
@file_option(
    "--scheduler-key", "FILE", "Its key (PEM), unless it is in the file of the certificate."
)
@click.option(
    "--allow-insecure-scheduler",
    is_flag=True,
    help="Connect to a scheduler on another machine without TLS; anyone who can reach it can run "
    "code as this service.",
)
@file_option(
    "--store", "FILE", "The file that keeps charts and saved audiences (default: in memory)."
)
@click.option("--host", default="127.0.0.1", help="Where to listen (default: this machine only).")
@click.option(
    "--port", default=0, metavar="N", help="The port; 0, the default, takes any free one."
)
@file_option(
    "--token-file",
    "FILE",
    f"A file with the token to ask for (default: {TOKEN_VARIABLE}, else a new one is made).",
)
@click.option(
    "--token", help="The token itself; other users of this machine can see it in its processes."
)
@file_option(
    "--credentials",
    "FILE",
    "Named credentials, see `audiencelab credentials`; changes of the file apply at once.",
)
@click.option(
    "--oidc-issuer", metavar="URL", help="Accept the JSON Web Tokens of an OpenID Connect issuer."
)
@click.option("--oidc-audience", metavar="NAME", help="The audience that its tokens must be for.")
@click.option(
    "--oidc-write-role",
    metavar="NAME",
    default=WRITE_ROLE,
    help=f"The scope or role of a token that may create and update (default: {WRITE_ROLE}).",
)
@click.option(
    "--rate-limit",
    metavar="N",
    type=float,
    callback=_rate,
    help="Requests a second that one credential may send (default: no limit).",
)
@click.option(
    "--per-caller",
    metavar="N",
    type=click.IntRange(min=1),
    help="Requests that one credential may have in progress (default: all 64; 16 where "
    "credentials have names).",
)
@click.option(
    "--minimum-base",
    metavar="N",
    type=click.IntRange(min=0),
    default=0,
    help="Withhold figures that count or rest on fewer respondents, but at least one "
    "(default: none).",
)
@base_of_option
@click.option(
    "--max-connections",
    metavar="N",
    type=click.IntRange(min=1),
    default=server.MAX_CONNECTIONS,
    show_default=True,
    help="Connections that may have a request; others are answered 503. At most 80 less than the "
    "files that a process may open.",
)
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(min=1),
    default=1,
    help="Processes that answer, one for each core at most (default: 1).",
)
@click.option(
    "--access-log",
    metavar="FILE",
    help="Write a line of JSON for each request to this file, a new one for you alone to read; "
    "- for stderr.",
)
@click.option("--metrics", is_flag=True, help="Answer GET /metrics in the format of Prometheus.")
@click.option(
    "--root-path",
    metavar="PATH",
    default="",
    help="Prefix of all paths, behind a proxy that does not remove it.",
)
@file_option("--ssl-certfile", "FILE", "Serve HTTPS with this certificate (PEM).")
@file_option("--ssl-keyfile", "FILE", "Its key (PEM), unless it is in the certificate's file.")
@file_option("--uds", "FILE", "Listen on this Unix socket, in place of a host and a port.")
@click.option(
    "--proxy-headers",
    is_flag=True,
    help="Log the address in X-Forwarded-For, which a proxy on this machine sets.",
)
@file_option("--faults", "FILE", "Inject the failures of this profile (.toml), to test clients.")
def serve(
    source: str | None,
    survey: str | None,
    scheduler: str | None,
    scheduler_ca: Path | None,
    scheduler_cert: Path | None,
    scheduler_key: Path | None,
    allow_insecure_scheduler: bool,
    store: Path | None,
    host: str,
    port: int,
    token_file: Path | None,
    token: str | None,
    credentials: Path | None,
    oidc_issuer: str | None,
    oidc_audience: str | None,
    oidc_write_role: str,
    rate_limit: RateLimit | None,
    per_caller: int | None,
    minimum_base: int,
    base_of: BaseOf | None,
    max_connections: int,
    workers: int,
    access_log: str | None,
    metrics: bool,
    root_path: str,
    ssl_certfile: Path | None,
    ssl_keyfile: Path | None,
    uds: Path | None,
    proxy_headers: bool,
    faults: Path | None,
) -> None:
    """Serve a survey over HTTP until SIGINT or SIGTERM.

    SOURCE is its folder or an address such as s3://…, or a file, which is read as `crosstab` reads
    it; without one the demo survey is served.
    """
    one_of({"SOURCE": source, "--survey": survey})
    one_of({"--token": token, "--token-file": token_file})
    found = None if (chosen_survey := source or survey) is None else _survey(chosen_survey)
    # A partial and not a lambda: worker processes are sent it.
    set_up_logs = partial(_set_up_logs, access_log)
    set_up_logs()
    give_back_memory()
    known = _credentials(credentials, oidc_issuer, oidc_audience, oidc_write_role)
    chosen = token if token is not None or known else _find_token(token_file)
    certificates = {
        "--scheduler-ca": scheduler_ca,
        "--scheduler-cert": scheduler_cert,
        "--scheduler-key": scheduler_key,
    }
    with server.serve(
        found,
        engine=scheduler,
        security=_security(certificates, scheduler),
        allow_insecure_scheduler=allow_insecure_scheduler,
        store=store,
        host=host,
        port=port,
        token=chosen,
        credentials=known,
        rate_limit=rate_limit,
        max_per_caller=per_caller,
        minimum_base=minimum_base,
        base_of=base_of,
        max_connections=max_connections,
        metrics=metrics,
        root_path=root_path,
        certificate=ssl_certfile,
        key=ssl_keyfile,
        socket_file=uds,
        proxy_headers=proxy_headers,
        faults=None if faults is None else FaultProfile.load(faults),
        workers=workers,
        worker_setup=set_up_logs,
    ) as url:
        ended = _ending()
        echo(url)
        made = chosen is None and known is None
        plain = ssl_certfile is None and uds is None
        echo_lines(_explanation(url, host, made=made, plain=plain), err=True)
        echo_lines(imported_lines(found), err=True)
        # With a time, so that an interrupt is noticed on every platform.
        while not ended.wait(1.0):
            pass


def _survey(source: str) -> Survey:
    """The survey to serve; a file is imported into the cache first."""
    check_files((source,))
    return survey_of(source)


def _credentials(
    path: Path | None, issuer: str | None, audience: str | None, write_role: str
) -> Credentials | None:
    """Named callers, from a file, an issuer or both; None where neither is given."""
    if (issuer is None) != (audience is None):
        raise ServeError("--oidc-issuer and --oidc-audience belong together.")
    kinds: list[Credentials] = []
    if path is not None:
        kinds.append(CredentialsFile(path))
    if issuer is not None and audience is not None:
        kinds.append(OpenIdIssuer(issuer, audience, write_role=write_role))
    return AnyCredentials(kinds) if kinds else None


def _set_up_logs(file: str | None) -> None:
    """Log to stderr, and lines of requests and writes to a file that may be rotated meanwhile."""
    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    if file is None:
        return
    handler = logging.StreamHandler() if file == "-" else _PrivateLog(file)
    handler.setFormatter(logging.Formatter("%(message)s"))
    for name in ("audiencelab.access", "audiencelab.audit"):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        logger.propagate = False


class _PrivateLog(WatchedFileHandler):
    """A log that may be rotated; a new file of it is readable by this user alone."""

    def __init__(self, file: str) -> None:
        with suppress(FileExistsError):
            reserve(Path(file))
        super().__init__(file, encoding="utf-8")

    def reopenIfNeeded(self) -> None:  # noqa: N802 -- of the standard library
        with suppress(FileExistsError):
            reserve(Path(self.baseFilename))
        super().reopenIfNeeded()


def _security(certificates: dict[str, Path | None], scheduler: str | None) -> Security | None:
    """The certificates for the scheduler, None where none are given."""
    given = {option: path for option, path in certificates.items() if path is not None}
    if not given:
        return None
    if scheduler is None:
        raise ServeError(f"{next(iter(given))} needs --scheduler, the address of a scheduler.")
    for option, path in given.items():
        if not path.is_file():
            raise ServeError(f"{option} {path} is not valid: there is no such file.")
    try:
        from distributed.security import Security
    except ModuleNotFoundError:
        return None  # connecting names the extra that is missing
    ca, certificate, key = (None if path is None else str(path) for path in certificates.values())
    return Security(tls_ca_file=ca, tls_client_cert=certificate, tls_client_key=key)


def _find_token(path: Path | None) -> str | None:
    """The token of a file or of the environment, None where there is neither."""
    if path is None:
        return os.environ.get(TOKEN_VARIABLE) or None
    with path.open(encoding="utf-8", errors="replace") as file:
        # The file that was opened is checked, whatever the name means a moment later.
        if others_can_read(os.fstat(file.fileno())):
            raise ServeError(
                f"{path} is not valid: other users can read it, and the token in it. Make it your "
                f"own: chmod 600 '{path}'"
            )
        text = file.read().strip()
    if not text:
        raise ServeError(f"{path} contains no token.")
    return text


def _ending() -> threading.Event:
    """An event that the first signal to end sets; a second signal ends the process at once."""
    ended = threading.Event()
    signals = (signal.SIGINT, signal.SIGTERM)

    def end(number: int, frame: object) -> None:
        for each in signals:
            signal.signal(each, signal.SIG_DFL)
        ended.set()

    for each in signals:
        signal.signal(each, end)
    return ended


def _explanation(url: str, host: str, *, made: bool, plain: bool) -> list[str]:
    local = is_loopback(host)
    lines = [f"serving {'this machine' if local else 'other machines too'}; Ctrl-C ends it"]
    if made:
        lines.append(f"token in {local_servers.token_path(url)}")
        lines.append(f'in Python, as this user: audiencelab.connect("{url}")')
    if not local and plain:
        lines.append(
            "warning: this is plain HTTP: others on the network can read the token and the "
            "answers. Put a reverse proxy with TLS before it."
        )
    return lines

"""The subcommand `audiencelab mcp`: a survey as tools for assistants."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from audiencelab.assistants.tools import RequireCredentials, server
from audiencelab.cli.help import command
from audiencelab.cli.output import base_of_option, echo, examples, file_option, one_of
from audiencelab.client import connect
from audiencelab.local_servers import is_loopback
from audiencelab.schema.scope import BaseOf
from audiencelab.service.credentials import CredentialsFile
from audiencelab.service.http.server import ServeError
from audiencelab.survey import Survey, demo_survey


@command(
    epilog=examples("mcp --survey my-survey", "mcp --http --port 8090 --credentials team.toml")
)
@click.option("--survey", metavar="DIR", help="The survey (default: the demo survey).")
@click.option("--url", metavar="URL", help="A service, asked with the token of AUDIENCELAB_TOKEN.")
@click.option("--http", is_flag=True, help="Serve HTTP at /mcp, in place of stdin and stdout.")
@click.option("--host", default="127.0.0.1", help="Where to listen (default: this machine only).")
@click.option("--port", default=8090, metavar="N", show_default=True, help="The port.")
@file_option("--credentials", "FILE", "Named credentials, see `audiencelab credentials`.")
@click.option(
    "--minimum-base",
    metavar="N",
    type=click.IntRange(min=0),
    default=0,
    help="Withhold figures that count or rest on fewer respondents (default: none).",
)
@base_of_option
def mcp(
    survey: str | None,
    url: str | None,
    http: bool,
    host: str,
    port: int,
    credentials: Path | None,
    minimum_base: int,
    base_of: BaseOf | None,
) -> None:
    """Answer assistants over a survey, by the Model Context Protocol.

    Without --http the assistant starts the command itself and talks to it through stdin and stdout.
    """
    one_of({"--survey": survey, "--url": url})
    if http and credentials is None and not is_loopback(host):
        raise ServeError("Others can reach this host, so assistants need --credentials.")
    if url and minimum_base:
        raise ServeError("--minimum-base is for a survey; give it to the service of --url.")
    chosen = f", base_of={base_of!r}" if base_of else ""
    with ExitStack() as stack:
        if url:
            client, code = connect(url, base_of=base_of), f"al.connect({url!r}{chosen})"
        else:
            opened = Survey.open(survey) if survey else demo_survey()
            given = repr(survey) if survey else "al.demo_survey()"
            code = f"al.connect(survey={given}{chosen})"
            client = connect(survey=opened, base_of=base_of, minimum_base=minimum_base)
        stack.enter_context(client)
        made = server(client, code)
        if not http:
            made.run("stdio")
            return
        import uvicorn

        app = made.streamable_http_app(host=host)
        echo(f"http://{host}:{port}/mcp")
        uvicorn.run(
            app if credentials is None else RequireCredentials(app, CredentialsFile(credentials)),
            host=host,
            port=port,
            log_level="warning",
            server_header=False,
        )

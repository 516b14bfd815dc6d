"""From what a user calls their cluster to an engine on it: the checks that belong to connecting.

A scheduler's address is connected to, and left again by `close`; a client is the user's own and
stays open. Every machine of the cluster must have the same audiencelab as this process.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from audiencelab.cluster.errors import ClusterError
from audiencelab.cluster.tabulator import ClusterTabulator

if TYPE_CHECKING:
    from distributed import Client

    from audiencelab.panel import Panel

__all__ = ["attach"]

_CONNECT_SECONDS = 10

_EXTRA = 'pip install "audiencelab[cluster]"'

_CHOICES = (
    "engine is a dask.distributed Client, or the address of a scheduler such as "
    '"tcp://10.0.0.1:8786"'
)


def attach(panel: Panel, engine: Client | str) -> ClusterTabulator:
    """A tabulator of a panel on a cluster.

    engine: a `distributed.Client`, or a scheduler's address.
    Raises `ClusterError` if it is neither, cannot be reached, or has another audiencelab, and
    `PanelError` if the panel changed meanwhile.
    """
    if isinstance(engine, str):
        client, own = _connected(engine), True
    else:
        client, own = _checked(engine), False
    try:
        _check_versions(client)
        return ClusterTabulator(client, panel, owns_client=own)
    except BaseException:
        if own:
            client.close()
        raise


def _connected(address: str) -> Client:
    if "://" not in address:
        raise ClusterError(f"{address!r} is no address: {_CHOICES}.")
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise ClusterError(
            f"A cluster needs {error.name}, which is not installed: {_EXTRA}"
        ) from None
    try:
        return Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        failure = ClusterError(
            f"No scheduler answers at {address} ({error}). `dask scheduler` prints the address "
            "it listens on; both sides need a like version of Dask."
        )
    raise failure


def _checked(engine: Any) -> Client:
    # Whoever has a client has imported it.
    known: Any = sys.modules.get("distributed")
    if known is None or not isinstance(engine, known.Client):
        hint = " (a cluster gives one by get_client())" if hasattr(engine, "get_client") else ""
        raise ClusterError(f"{_CHOICES}, not {type(engine).__name__}{hint}.")
    if engine.asynchronous:
        raise ClusterError("The Client is asynchronous; make one without asynchronous=True.")
    if engine.status != "running":
        raise ClusterError("The Client is closed. Make another one.")
    return engine


def _check_versions(client: Client) -> None:
    """Tasks are functions and classes of this package, so all must have the same one."""
    found: Any = client.get_versions(packages=["audiencelab"])
    here = found["client"]["packages"]["audiencelab"]
    machines = {"the scheduler": found["scheduler"], **found["workers"]}
    for name, each in machines.items():
        there = each["packages"]["audiencelab"]
        if there != here:
            has = "no audiencelab" if there is None else f"audiencelab {there}"
            where = name if name.startswith("the ") else f"worker {name}"
            raise ClusterError(
                f"{where} has {has}, and this process {here}. Install the same there: "
                f'pip install "audiencelab[cluster]=={here}"'
            )

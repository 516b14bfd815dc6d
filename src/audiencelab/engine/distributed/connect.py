"""Connecting to a user's cluster: a scheduler's address or a Dask client, checked.

What a scheduler sends is unpickled, so anyone who can reach it can run code in this process. An
address on another machine therefore needs TLS with certificates, or an explicit permission. Every
machine of the cluster must have the same audiencelab as this process.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from audiencelab.engine.distributed.dask import ClusterError, ClusterTabulator
from audiencelab.flags import flag
from audiencelab.local_servers import is_loopback

if TYPE_CHECKING:
    from distributed import Client
    from distributed.security import Security

    from audiencelab.survey import Survey

_CONNECT_SECONDS = 10

_TLS = ("tls", "wss")

_CHOICES = (
    "engine is a dask.distributed Client, or the address of a scheduler such as "
    '"tcp://10.0.0.1:8786"'
)


def attach(
    survey: Survey,
    engine: Client | str,
    *,
    security: Security | None = None,
    allow_insecure_scheduler: bool = False,
) -> ClusterTabulator:
    """A tabulator of a survey on a cluster.

    engine: a `distributed.Client`, which stays open, or a scheduler's address.
    security: the certificates for an address that begins with `tls://`; by default those of
        Dask's configuration.
    allow_insecure_scheduler: connect to an address on another machine without TLS.
    Raises `ClusterError` if it is neither, is not secure, cannot be reached, or has another
    audiencelab, and `SurveyError` if the survey changed meanwhile.
    """
    allowed = flag("allow_insecure_scheduler", allow_insecure_scheduler)
    own = isinstance(engine, str)
    if not own and (security is not None or allowed):
        raise ClusterError(
            "security and allow_insecure_scheduler are for a scheduler's address; a Client has "
            "its own security. Give it to dask.distributed.Client instead."
        )
    client = _connect(engine, security, allowed=allowed) if own else _checked(engine)
    try:
        _check_versions(client)
        return ClusterTabulator(client, survey, owns_client=own)
    except BaseException:
        # A client of the caller stays open, whatever failed.
        if own:
            client.close()
        raise


def _connect(address: str, security: Security | None, *, allowed: bool) -> Client:
    if "://" not in address:
        raise ClusterError(f"{address!r} is not an address: {_CHOICES}.")
    if not (allowed or _is_secure(address)):
        raise ClusterError(
            f"{address} is not valid: it is another machine without TLS, and anyone who can "
            "reach that scheduler can run code in this process. Write tls://… with security= "
            "(--scheduler-ca, --scheduler-cert and --scheduler-key), or, in a network that you "
            "trust, allow_insecure_scheduler=True (--allow-insecure-scheduler)."
        )
    try:
        from distributed import Client
        from distributed.security import Security
    except ModuleNotFoundError as error:
        raise ClusterError(
            f"A cluster needs {error.name}, which is not installed: "
            'pip install "audiencelab[cluster]"'
        ) from None
    if security is not None and not isinstance(security, Security):
        kind = type(security).__name__
        raise ClusterError(f"security must be a distributed.Security or None; got {kind}.")
    with_tls = _scheme(address) in _TLS
    # Workers of a cluster with TLS must not be reached without it either.
    certificates = security or Security(require_encryption=with_tls or None)
    # Without certificates Dask opens no TLS.
    tls: Any = certificates.get_tls_config_for_role("client")
    if with_tls and not (tls["ca_file"] and tls["cert"]):
        raise ClusterError(
            f"{address} needs certificates: give security=distributed.Security(tls_ca_file=…, "
            "tls_client_cert=…, tls_client_key=…), or --scheduler-ca, --scheduler-cert and "
            "--scheduler-key."
        )
    try:
        # As the default it would take over the caller's own use of Dask.
        return Client(
            address, timeout=_CONNECT_SECONDS, set_as_default=False, security=certificates
        )
    except (OSError, ValueError) as error:
        failure = ClusterError(
            f"No scheduler answers at {address} ({error}). `dask scheduler` prints the address "
            "it listens on; both sides need a like version of Dask."
        )
    # Raised outside of the handler: the message has the cause, and no chain of Dask's own frames.
    raise failure


def _scheme(address: str) -> str:
    return urlsplit(address).scheme.lower()


def _is_secure(address: str) -> bool:
    """Whether what an address sends comes from this machine, or from a holder of a certificate."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return False
    # `inproc` is a scheduler within this process.
    return _scheme(address) in (*_TLS, "inproc") or is_loopback(host)


def _checked(engine: Any) -> Client:
    # If there is a client, its module is imported.
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
    """Tasks are functions and classes of this package, so all machines must have the same one."""
    found: Any = client.get_versions(packages=["audiencelab"])
    here = found["client"]["packages"]["audiencelab"]
    workers = {f"worker {address}": each for address, each in found["workers"].items()}
    for name, each in {"the scheduler": found["scheduler"], **workers}.items():
        there = each["packages"]["audiencelab"]
        if there != here:
            has = "no audiencelab" if there is None else f"audiencelab {there}"
            raise ClusterError(
                f"{name} has {has}, and this process {here}. Install the same there: "
                f'pip install "audiencelab[cluster]=={here}"'
            )

"""Answers and errors that say the credential, kept from whoever asked.

Some services, and proxies before them, repeat what they were sent. A result and an error alike are
shown, logged, and saved with a notebook. So an answer that holds the credential is withheld, and of
a refusal that does only our own words are left.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from audiencelab.client.credentials import Secret
from audiencelab.client.errors import RequestError
from audiencelab.client.leaks import Watch, leaks
from audiencelab.client.messages import Head, Withheld
from audiencelab.client.raw import shown_headers

__all__ = ["Guard", "is_veiled"]

_ECHO = (
    "The service's answer held the credential and is not shown: the service repeats what it is "
    "sent. Tell whoever runs it."
)


class Guard:
    """Looks at an answer before the flow does, which may show any of it.

    alarmed: whether the credential was seen. Refusals pass; `is_veiled` is for their words.
    """

    def __init__(self) -> None:
        self.alarmed = False
        self._watch = Watch(())

    def begun(self, head: Head, secrets: Collection[Secret]) -> Head | Withheld:
        """The head of an answer, if it can be shown."""
        self._watch = Watch(secrets if 200 <= head.status < 300 else ())
        shown = "\n".join((*shown_headers(head.headers).values(), ""))
        return self._withhold() if self._watch.sees(shown.encode("utf-8", "replace")) else head

    def came(self, piece: bytes) -> bytes | Withheld:
        """A piece of its body, if it can be shown; one before it may hold the first half."""
        return self._withhold() if self._watch.sees(piece) else piece

    def _withhold(self) -> Withheld:
        self.alarmed = True
        return Withheld(_ECHO)


def is_veiled(error: RequestError, secrets: Collection[Secret]) -> bool:
    """Take the service's words out of an error that says one of the secrets; whether it did."""
    told = (str(error), *(f"{each.pointer} {each.detail}" for each in error.faults))
    if not leaks(secrets, (each.encode("utf-8", "replace") for each in told)):
        return False
    status = f" ({error.status})" if error.status else ""
    error.message = (
        f"The service refused the request{status}, and its words held the credential: they are "
        "not shown. Tell whoever runs the service."
    )
    error.request = replace(error.request, request_id="")
    error.faults = ()
    error.hints = tuple(each for each in error.hints if not leaks(secrets, (each.encode(),)))
    error.args = (error.message, error.request)
    return True

"""The saved-audience operation of a client."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypedDict, Unpack

import msgspec
from msgspec import UNSET

from audiencelab.client.arguments import Seen, codes, if_match_header
from audiencelab.client.audiences import AudienceLike, to_audience
from audiencelab.client.decoding import check_about, reader, unwrap
from audiencelab.client.exchange import Call
from audiencelab.client.names import Names, names_in
from audiencelab.client.operations.group import OperationGroup
from audiencelab.client.operations.names import names_for
from audiencelab.client.sending import ask, require_respondents
from audiencelab.keywords import keywords
from audiencelab.schema import SavedAudience
from audiencelab.schema.endpoints import UPDATE_SAVED_AUDIENCE
from audiencelab.schema.etags import with_etag

_read_saved = reader(SavedAudience)


class SavedAudienceChanges(TypedDict, total=False):
    """The fields that an update of a saved audience may assign."""

    name: str
    expression: AudienceLike | None
    flags: Iterable[str]
    folder_id: str
    folder: int
    position: float
    shared: bool
    datasets: Iterable[str]


class Audiences(OperationGroup):
    """The saved-audience operation of a client."""

    @keywords(SavedAudienceChanges, UNSET)
    def update(
        self,
        audience_id: str,
        *,
        if_match: Seen | None = None,
        **changes: Unpack[SavedAudienceChanges],
    ) -> SavedAudience:
        """Assign fields of a saved audience.

        name: its name. expression: its definition, an audience or an expression.
        flags: any of "authored", "curated", "isP2". datasets: dataset codes.
        folder_id: a folder's UUID; the nil UUID removes it from its folder. folder: the legacy
            integer id of a folder. position: its sort position, a number.
        shared: whether others see it.
        if_match: the audience as you read or wrote it. If someone else saved it since, nothing is
            changed and `SavedMeanwhile` is raised. Without it, and where the service sends no
            entity tags, the update is made in any case.

        Fields that are not given stay. The result is the audience after the update, which queries
        and charts accept. Raises `ValueError` if nothing is given, `InvalidRequest` with every
        fault, `NotFound`, and the other errors of `ClientError`.

        >>> saved = client.service.save_audience(al.Audience("Men", client["Gender"] == "Male"))
        >>> client.audiences.update(saved.id, name="Men of all ages").name
        'Men of all ages'
        >>> saved = client.service.saved_audience(saved.id)
        >>> client.audiences.update(saved.id, position=2.0, if_match=saved).position
        2.0

        It sends PATCH /v2/saved/audiences/{id}.
        """
        if not changes:
            raise ValueError(
                "Nothing to update: pass fields to change, such as name=… or expression=…. "
                f"It takes {', '.join(SavedAudienceChanges.__annotations__)}."
            )
        if not isinstance(audience_id, str) or not audience_id:
            raise TypeError("audience_id must be a str that is not empty.")
        given = changes.get("expression")
        needs = names_in(None if given is None else to_audience("expression", given))
        names = names_for(self._sender, needs)
        body = {name: self._to_json(name, value, names) for name, value in changes.items()}
        request = UPDATE_SAVED_AUDIENCE.request(
            audience_id, headers=if_match_header(if_match), body=msgspec.json.encode(body)
        )

        def read(body: bytes) -> SavedAudience:
            # The audience is the whole response, or in its field `data`.
            saved = _read_saved(unwrap(body, "id"))
            if str(saved.v1_id) != audience_id:
                check_about("audience", saved.id, audience_id)
            return saved

        call = Call(request, read, UPDATE_SAVED_AUDIENCE.retry, with_etag)
        return ask(self._sender, call)

    def _to_json(self, name: str, value: Any, names: Names) -> Any:
        if value is None:
            return None
        if name == "expression":
            audience = to_audience("expression", value, names)
            require_respondents(self._sender, [audience])
            expression = audience.expression
            return None if expression is None else expression.to_wire("saved")
        if name in ("flags", "datasets"):
            return codes(name, value)
        # JSON has no other numbers: msgspec would send null.
        if name == "position" and not (isinstance(value, (int, float)) and math.isfinite(value)):
            raise TypeError("position must be a finite number.")
        return value

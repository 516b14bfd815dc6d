"""The saved-audience operation of a client."""

from __future__ import annotations

from typing import Unpack

from audiencelab.client._async.asking import ask, require_respondents
from audiencelab.client._async.sending import AsyncSender
from audiencelab.client.operations.arguments import document_kwargs
from audiencelab.client.operations.audiences import to_audience
from audiencelab.client.operations.saved_audiences import SavedAudienceChanges, build_update
from audiencelab.client.resource import Resource
from audiencelab.schema import SavedAudience


class AsyncAudiences(Resource[AsyncSender]):
    """The saved-audience operation of a client."""

    @document_kwargs(SavedAudienceChanges)
    async def update(
        self, audience_id: str, **changes: Unpack[SavedAudienceChanges]
    ) -> SavedAudience:
        """Assign fields of a saved audience (PATCH /v2/saved/audiences/{id}).

        name: its name. expression: its definition, an audience or an expression.
        flags: any of "authored", "curated", "isP2". datasets: dataset codes.
        folder_id: a folder's UUID; the nil UUID removes it from its folder. folder: the legacy
            integer id of a folder. position: its sort position, a number.
        shared: whether others see it.

        Fields that are not given stay. The result is the audience after the update, which queries
        and charts accept. Raises `ValueError` if nothing is given, `InvalidRequest` with every
        fault, `NotFound`, and the other errors of `ClientError`.
        """
        call = build_update(audience_id, changes)
        if (given := changes.get("expression")) is not None:
            require_respondents(self._sender.session, [to_audience("expression", given)])
        return await ask(self._sender, call)

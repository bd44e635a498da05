"""Corrections of the open game: what one would change, what players ask for, and undo."""

from __future__ import annotations

from typing import Any

import msgspec

from appliance.games.protocol import Rejection
from web.context import Web
from web.errors import Refused
from web.routes.answers import PreviewAnswer, Route, given, schema_of
from web.routes.api.sent import answered, meant_by
from web.routes.bodies import AcceptedBody, AmendBody, AskBody, PreviewBody, RefuseBody, UndoBody


def add(route: Route, web: Web) -> None:
    """Add these routes to the API."""
    table = web.table

    @route("POST /amendments/preview", PreviewBody, schema_of(PreviewAnswer))
    def preview(body: dict[str, Any]) -> Any:
        """Return what an amendment would change, and the first later action that it would make impossible."""
        web.access().need_kiosk()
        preview = table.preview_amendment(body["seq"], meant_by(web, body["action"]))
        if isinstance(preview, Rejection):
            raise Refused.because(preview)
        problem = preview.first_problem
        message = web.speech().rejected(problem) if problem else None
        return given(PreviewAnswer(**msgspec.structs.asdict(preview), message=message))

    @route("POST /amendments", AmendBody, AcceptedBody)
    def amend(body: dict[str, Any]) -> Any:
        """Replace an action of the history and fold all later actions again."""
        web.access().need_kiosk()
        return answered(table.amend(body["seq"], meant_by(web, body["action"]), body["id"], body["newest_entry"]))

    @route("POST /corrections/ask", AskBody, AcceptedBody)
    def ask(body: dict[str, Any]) -> Any:
        """Ask for a correction, as a player. The touchscreen grants it by an amendment, or refuses it."""
        web.access().acting_for(body["seat"])
        return answered(table.ask_for(body["seat"], body["seq"], body["action"], body["id"]))

    @route("POST /corrections/refuse", RefuseBody, AcceptedBody)
    def refuse(body: dict[str, Any]) -> Any:
        """Take down what a player asks for."""
        web.access().acting_for(body["seat"])
        return answered(table.refuse(body["seat"], body["id"]))

    @route("POST /undo", UndoBody, AcceptedBody)
    def undo(body: dict[str, Any]) -> Any:
        """Undo the newest action."""
        web.access().need_kiosk()
        return answered(table.undo(body["id"], body["newest_entry"]))

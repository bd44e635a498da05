"""Corrections of the open game: what one would change, what players ask for, and undo."""

from __future__ import annotations

import msgspec

from web.context import Web
from web.errors import or_refuse
from web.routes.api.sent import answered, meant_by
from web.routes.bodies import AcceptedBody, AmendBody, AskBody, PreviewAnswer, PreviewBody, RefuseBody, UndoBody
from web.routes.operations import ApiBlueprint


def add(api: ApiBlueprint, web: Web) -> None:
    """Add these routes to the API."""
    table = web.table

    @api.operation("POST /amendments/preview")
    def preview(body: PreviewBody) -> PreviewAnswer:
        """Return what an amendment would change, and the first later action that it would make impossible."""
        web.access().need_kiosk()
        preview = or_refuse(table.preview_amendment(body.seq, meant_by(web, body.action)))
        problem = preview.first_problem
        message = web.speech().rejected(problem) if problem else None
        return PreviewAnswer(**msgspec.structs.asdict(preview), message=message)

    @api.operation("POST /amendments")
    def amend(body: AmendBody) -> AcceptedBody:
        """Replace an action of the history and fold all later actions again."""
        web.access().need_kiosk()
        return answered(table.amend(body.seq, meant_by(web, body.action), body.id, body.newest_entry))

    @api.operation("POST /corrections/ask")
    def ask(body: AskBody) -> AcceptedBody:
        """Ask for a correction, as a player. The touchscreen grants it by an amendment, or refuses it."""
        web.access().acting_for(body.seat)
        return answered(table.ask_for(body.seat, body.seq, body.action, body.id))

    @api.operation("POST /corrections/refuse")
    def refuse(body: RefuseBody) -> AcceptedBody:
        """Take down what a player asks for."""
        web.access().acting_for(body.seat)
        return answered(table.refuse(body.seat, body.id))

    @api.operation("POST /undo")
    def undo(body: UndoBody) -> AcceptedBody:
        """Undo the newest action."""
        web.access().need_kiosk()
        return answered(table.undo(body.id, body.newest_entry))

"""A café's wall: all its tables, who plays there and what happened last. It is public."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from appliance.games.protocol import Happening
from appliance.hub.chain.night_calls import kept_for
from appliance.hub.chain.tables_now import TableNow
from web.hub.context import HubWeb

_UNSPEAKABLE = (KeyError, ValueError, TypeError, OverflowError, IndexError, AttributeError, RecursionError)
"""The exceptions of formatting a sentence with unexpected values. A table with a stolen key may send any values."""


def blueprint(web: HubWeb) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("wall", __name__)

    def newest(table: TableNow) -> str | Markup:
        """Return the sentence of a table's last happening; "" if there is none or its game has no words for it."""
        if table.game is None or not table.game.told:
            return ""
        told = table.game.told[-1]
        speech = web.speech(table.game.kind, tuple(name or web.speech()("hub.somebody") for name in table.game.players))
        code = f"happening.{told.code}"
        if code not in speech.words:
            return ""
        try:
            return speech.happened(Happening(told.code, told.values, told.rule))
        except _UNSPEAKABLE:
            return ""

    @bp.get("/wall")
    def page() -> ResponseReturnValue:
        every = web.tables()
        account = web.account()
        own = account.cafe if account is not None else ""
        first = min((table.cafe for table in every if table.cafe), default="")
        cafe = request.args.get("cafe", own or first)
        shown = [table for table in every if table.cafe == cafe]
        return render_template(
            "hub/wall.html",
            cafe=cafe,
            cafes=sorted({table.cafe for table in every}),
            tables=[(table, newest(table)) for table in shown],
            kept=kept_for(web.database),
        )

    return bp

"""A café's wall: all its tables, who plays there and what happened last. It is public."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from appliance.games.league.result import name_key
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

    def known(asked: str, cafes: Sequence[str]) -> str | None:
        """Return the spelling of a café that has tables or an account; None if it has neither."""
        of_accounts = (account.cafe for account in web.accounts.all() if account.cafe)
        return next((cafe for cafe in (*cafes, *of_accounts) if name_key(cafe) == name_key(asked)), None)

    @bp.get("/wall")
    def page() -> ResponseReturnValue:
        every = web.tables()
        account = web.account()
        own = account.cafe if account is not None else ""
        cafes = sorted({table.cafe for table in every})
        asked = request.args.get("cafe")
        cafe = (own or next(filter(None, cafes), "")) if asked is None else known(asked, cafes)
        shown = [table for table in every if table.cafe == cafe]
        page = render_template(
            "hub/wall.html",
            cafe=cafe,
            cafes=cafes,
            tables=[(table, newest(table)) for table in shown],
            kept=kept_for(web.database),
        )
        return page, 404 if cafe is None else 200

    return bp

"""The accounts of the chain, which those of the chain add and remove."""

from __future__ import annotations

from flask import Blueprint, redirect, request
from flask.typing import ResponseReturnValue

from appliance.games.base.rules.names import LONGEST_NAME, is_name
from appliance.games.league.result import name_key
from web.errors import Refused
from web.hub.account_form import page_with_form, typed_account
from web.hub.context import HubWeb


def blueprint(web: HubWeb) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("accounts", __name__, url_prefix="/accounts")

    @bp.get("")
    def page() -> ResponseReturnValue:
        web.need_chain()
        return page_with_form(web, "accounts", accounts=web.accounts.all())

    @bp.post("")
    def add() -> ResponseReturnValue:
        web.need_chain()
        try:
            name, password = typed_account()
            cafe = request.form.get("cafe", "").strip()
            if cafe and not is_name(cafe):
                raise Refused(422, "not_a_name", values={"longest": LONGEST_NAME})
            if not web.accounts.add(name, password, "cafe" if cafe else "chain", cafe):
                raise Refused(409, "account_taken")
        except Refused as refused:
            return page_with_form(web, "accounts", refused, accounts=web.accounts.all())
        return redirect("/accounts")

    @bp.post("/remove")
    def remove() -> ResponseReturnValue:
        own, name = web.need_chain(), request.form.get("name", "")
        if name_key(name) == own.name:
            raise Refused(409, "own_account", back="/accounts")
        if not web.accounts.remove(name):
            raise Refused(409, "last_account", back="/accounts")
        return redirect("/accounts")

    return bp

"""Signing in and out, the first account, and the accounts of the chain."""

from __future__ import annotations

import hmac
from typing import Any

from flask import Blueprint, redirect, render_template, request
from flask.typing import ResponseReturnValue

from appliance.games.base.rules.names import LONGEST_NAME, is_name
from appliance.games.league.result import name_key
from appliance.hub.people.accounts import PASSWORD_LEAST, PASSWORD_MOST
from web.doors.security import own_path
from web.errors import Refused
from web.hub.context import HubWeb


def blueprint(web: HubWeb) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("login", __name__)

    def typed() -> tuple[str, str]:
        """Return the name and the password of the form for a new account."""
        name, password = request.form.get("name", "").strip(), request.form.get("password", "")
        if not is_name(name):
            raise Refused(422, "not_a_name", values={"longest": LONGEST_NAME})
        if not PASSWORD_LEAST <= len(password) <= PASSWORD_MOST:
            raise Refused(422, "not_a_password", values={"least": PASSWORD_LEAST})
        return name, password

    def form(page: str, refused: Refused | None = None, **shown: Any) -> ResponseReturnValue:
        """Return a page with a form. After a refusal it shows the reason and the typed values except the password."""
        why = "" if refused is None else web.speech().rejected(refused.rejection)
        typed = request.form.to_dict()
        made = render_template(f"hub/{page}.html", why=why, typed=typed, least=PASSWORD_LEAST, **shown)
        return made, 200 if refused is None else refused.status

    @bp.get("/login")
    def page() -> ResponseReturnValue:
        if not web.accounts.any():
            return redirect("/first")
        return render_template("hub/login.html", wrong="wrong" in request.args)

    @bp.post("/login")
    def sign_in() -> ResponseReturnValue:
        name, password = request.form.get("name", ""), request.form.get("password", "")
        account = None

        def is_right() -> bool:
            nonlocal account
            account = web.accounts.entered(name, password)
            return account is not None

        if not web.entered(f"account {name_key(name)[:LONGEST_NAME]}", is_right) or account is None:
            return redirect("/login?wrong=1")
        response = redirect(own_path(request.form.get("back", "/"), "/"))
        web.sign_in(response, account)
        return response

    @bp.post("/logout")
    def sign_out() -> ResponseReturnValue:
        response = redirect("/league")
        # The browser caches pages. Without this, its next user could go back to them.
        response.headers["Clear-Site-Data"] = '"cache"'
        web.sign_out(response)
        return response

    @bp.get("/first")
    def first_page() -> ResponseReturnValue:
        if web.accounts.any():
            return redirect("/login")
        return form("first")

    @bp.post("/first")
    def first() -> ResponseReturnValue:
        given, code = request.form.get("code", "").strip(), web.site.first_code
        try:
            if not code or not web.entered("first", lambda: hmac.compare_digest(given.encode(), code.encode())):
                raise Refused(403, "first_code_wrong")
            name, password = typed()
        except Refused as refused:
            return form("first", refused)
        if not web.accounts.add(name, password, "chain", "", only_first=True):
            return redirect("/login")
        response = redirect("/")
        account = web.accounts.named(name)
        assert account is not None
        web.sign_in(response, account)
        return response

    @bp.get("/accounts")
    def accounts() -> ResponseReturnValue:
        web.need_chain()
        return form("accounts", accounts=web.accounts.all())

    @bp.post("/accounts")
    def add() -> ResponseReturnValue:
        web.need_chain()
        try:
            name, password = typed()
            cafe = request.form.get("cafe", "").strip()
            if cafe and not is_name(cafe):
                raise Refused(422, "not_a_name", values={"longest": LONGEST_NAME})
            if not web.accounts.add(name, password, "cafe" if cafe else "chain", cafe):
                raise Refused(409, "account_taken")
        except Refused as refused:
            return form("accounts", refused, accounts=web.accounts.all())
        return redirect("/accounts")

    @bp.post("/accounts/remove")
    def remove() -> ResponseReturnValue:
        own, name = web.need_chain(), request.form.get("name", "")
        if name_key(name) == own.name:
            raise Refused(409, "own_account", back="/accounts")
        if not web.accounts.remove(name):
            raise Refused(409, "last_account", back="/accounts")
        return redirect("/accounts")

    return bp

"""Signing in and out, and the first account."""

from __future__ import annotations

import hmac

from flask import Blueprint, redirect, render_template, request
from flask.typing import ResponseReturnValue

from appliance.games.base.rules.names import LONGEST_NAME
from appliance.games.league.result import name_key
from web.doors.security import own_path
from web.errors import Refused
from web.hub.account_form import page_with_form, typed_account
from web.hub.context import HubWeb


def blueprint(web: HubWeb) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("login", __name__)

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
        return page_with_form(web, "first")

    @bp.post("/first")
    def first() -> ResponseReturnValue:
        given, code = request.form.get("code", "").strip(), web.site.first_code
        try:
            if not code or not web.entered("first", lambda: hmac.compare_digest(given.encode(), code.encode())):
                raise Refused(403, "first_code_wrong")
            name, password = typed_account()
        except Refused as refused:
            return page_with_form(web, "first", refused)
        if not web.accounts.add(name, password, "chain", "", only_first=True):
            return redirect("/login")
        response = redirect("/")
        account = web.accounts.named(name)
        assert account is not None
        web.sign_in(response, account)
        return response

    return bp

"""A guest's own page: take a nickname and get a code, or erase the name with that code."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request
from flask.typing import ResponseReturnValue

from appliance.games.base.rules.names import LONGEST_NAME, is_name
from appliance.hub.people.guests import erase, is_known, is_theirs, take_name
from hardware.clock import MonotonicClock
from web.doors.pin_tries import PinTries
from web.doors.shares import whose
from web.errors import Refused
from web.hub.context import HubWeb

NAMES_OF_ADDRESS = ((60.0, 20), (3600.0, 120))
"""Limits of nicknames per address. All guests of a café may share one address; taking very many names is slowed."""


def blueprint(web: HubWeb) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("guests", __name__, url_prefix="/guest")
    taken = PinTries(MonotonicClock(), NAMES_OF_ADDRESS, of_all=())

    @bp.get("")
    def page() -> ResponseReturnValue:
        return render_template("hub/guest.html", code=None, name="", erased="erased" in request.args)

    @bp.post("/take")
    def take() -> ResponseReturnValue:
        name = request.form.get("name", "").strip()
        if not is_name(name):
            raise Refused(422, "not_a_name", values={"longest": LONGEST_NAME}, back="/guest")
        # The code allows its owner to erase the name, so a name that has played is given out only by somebody who
        # runs the café and can see who plays under it.
        account = web.account()
        if account is None and not taken.take(whose(request.remote_addr or "")):
            raise Refused(429, "too_often", back="/guest")
        sees_them = account is not None and (account.role == "chain" or is_known(web.database, name, account.cafe))
        if not sees_them and is_known(web.database, name):
            raise Refused(409, "name_known", back="/guest")
        code = take_name(web.database, name)
        if code is None:
            raise Refused(409, "name_taken", back="/guest")
        return render_template("hub/guest.html", code=f"{code[:5]}-{code[5:]}", name=name, erased=False)

    @bp.post("/erase")
    def erase_name() -> ResponseReturnValue:
        name, code = request.form.get("name", ""), request.form.get("code", "")
        account = web.account()
        is_owner = account is not None and account.role == "chain"
        if not is_owner and not web.entered("erase", lambda: is_theirs(web.database, name, code)):
            raise Refused(403, "guest_code_wrong", back="/guest")
        erase(web.database, name, web.now_s())
        return redirect("/guest?erased=1")

    return bp

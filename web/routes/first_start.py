"""The pages of the first start, which guide the owner: language, PIN, sensors, calibration, touchscreen, network."""

from __future__ import annotations

import secrets

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from msgspec.structs import replace
from werkzeug.wrappers import Response

from appliance.service.machine.asks import (
    AccessPoint,
    Ask,
    CloseAccessPoint,
    Done,
    Join,
    Look,
    OpenAccessPoint,
    Touchscreen,
    join_code,
)
from appliance.service.machine.web_address import is_this_machine_alone
from appliance.words.catalogues import LANGUAGES, language_names
from web.context import Web
from web.doors.seats import code_svg
from web.doors.security import is_of_another_site
from web.errors import Refused, must_save
from web.words.viewer import choose_language

STEPS = ("language", "pin", "sensors", "calibrate", "touchscreen", "network", "ready")
OWN_WIFI = "Smugglers"
_SIGNS = "abcdefghijkmnpqrstuvwxyz23456789"
"""Characters of the password of the table's own Wi-Fi. Look-alikes are left out, because people type it."""


def blueprint(web: Web) -> Blueprint:
    """Return the routes. All except `/first/code` need the owner's rights."""
    bp = Blueprint("first_start", __name__, url_prefix="/first")

    @bp.before_request
    def owner_only() -> ResponseReturnValue | None:
        return None if request.endpoint == "first_start.enter" else web.need_host(url_for("first_start.begin"))

    @bp.get("")
    def begin() -> ResponseReturnValue:
        return redirect(url_for("first_start.step", name=STEPS[0]))

    @bp.get("/<name>")
    def step(name: str) -> ResponseReturnValue:
        if name not in STEPS:
            raise Refused(404, "not_found")
        return _page(web, name)

    @bp.get("/code/<code>")
    def enter(code: str) -> ResponseReturnValue:
        """Give the owner access from another machine, with the code that the installation printed."""
        if is_of_another_site(request):
            raise Refused(403, "foreign_origin")
        if not (web.owner.code and web.entered(lambda: web.owner.code_matches(code))):
            # Where nobody chose a PIN, none can be entered.
            entry = url_for("host.unlock", back=url_for("first_start.begin"))
            raise Refused(403, "first_start_code", back=entry if web.owner.has_pin else None)
        response = redirect(url_for("first_start.begin"))
        web.keys.open_first_start(response)
        return response

    @bp.post("/language")
    def language() -> ResponseReturnValue:
        chosen = request.form.get("language", "")
        if chosen not in LANGUAGES:
            raise Refused(422, "unknown_language")
        with must_save():
            web.host.amend(lambda choices: replace(choices, language=chosen))
        web.live.refresh()
        response = _next("language")
        choose_language(response, chosen)
        return response

    @bp.post("/pin")
    def pin() -> ResponseReturnValue:
        with must_save():
            problem = web.owner.set_pin(request.form.get("pin", ""))
        if problem:
            raise Refused(422, problem, back=url_for("first_start.step", name="pin"))
        response = _next("pin")
        web.keys.open_kiosk(response)
        return response

    @bp.post("/touchscreen")
    def touchscreen() -> ResponseReturnValue:
        return _done(web, "touchscreen", Touchscreen(request.form.get("on") == "yes"))

    @bp.post("/network/join")
    def join() -> ResponseReturnValue:
        return _done(web, "network", Join(request.form.get("ssid", ""), request.form.get("password", "")))

    @bp.post("/network/own")
    def own() -> ResponseReturnValue:
        password = "".join(secrets.choice(_SIGNS) for _ in range(10))
        return _done(web, "network", OpenAccessPoint(OWN_WIFI, password))

    @bp.post("/network/no_own")
    def no_own() -> ResponseReturnValue:
        return _done(web, "network", CloseAccessPoint())

    @bp.post("/ready")
    def finish() -> ResponseReturnValue:
        with must_save():
            web.owner.finish()
        return redirect("/kiosk" if web.access().is_kiosk else "/")

    return bp


def _next(name: str) -> Response:
    return redirect(url_for("first_start.step", name=STEPS[STEPS.index(name) + 1]))


def _ask(web: Web, ask: Ask) -> Done:
    return Done("not_from_package") if web.site.machine is None else web.site.machine.ask(ask)


def _done(web: Web, name: str, ask: Ask) -> ResponseReturnValue:
    done = _ask(web, ask)
    if done.problem:
        return _page(web, name, done), 422
    return redirect(url_for("first_start.step", name=name, done=1))


def _page(web: Web, name: str, done: Done | None = None) -> str:
    if done is None:
        done = _ask(web, Look()) if name in ("touchscreen", "network") else Done()
    own = done.state.own if done.state else None
    address = web.site.phone_base()
    return render_template(
        f"first/{name}.html",
        step=name,
        steps=STEPS,
        languages=language_names(),
        owner=web.owner,
        snapshot=web.table.snapshot(),
        problem=done.problem,
        state=done.state,
        typed=request.form,
        saved="done" in request.args,
        own_wifi=OWN_WIFI,
        wifi_code=_wifi_svg(own),
        address=address,
        reached=not is_this_machine_alone(address),
        seats_code=code_svg(f"{address}/seats"),
        own_screen=web.access().is_own_screen,
    )


def _wifi_svg(own: AccessPoint | None) -> str:
    return code_svg(join_code(own)) if own else ""

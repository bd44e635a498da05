"""The host's settings and the kiosk's PIN."""

from __future__ import annotations

import logging

import msgspec
from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from appliance.words.catalogues import language_names
from web.context import Web
from web.doors.seats import KIOSK_COOKIE
from web.doors.security import own_path
from web.errors import Refused, must_save
from web.site import AUTO, NEVER, HostChoices

_log = logging.getLogger(__name__)


def blueprint(web: Web) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("host", __name__, url_prefix="/host")

    @bp.get("/unlock")
    def unlock() -> str:
        return render_template("unlock.html", wrong=False, back=_back())

    @bp.post("/unlock")
    def enter_pin() -> ResponseReturnValue:
        here = url_for("host.unlock", back=_back())
        if not web.entered(lambda: web.owner.pin_matches(request.form.get("pin", "")), here):
            return render_template("unlock.html", wrong=True, back=_back()), 403
        response = redirect(_back())
        web.keys.open_kiosk(response)
        return response

    @bp.get("")
    def settings() -> ResponseReturnValue:
        if (locked := web.need_host(url_for("host.settings"))) is not None:
            return locked
        choices, snapshot = web.host.choices, web.table.snapshot()
        return render_template(
            "host.html",
            choices=choices,
            shown=msgspec.json.encode(choices).decode(),
            languages={AUTO: "", **language_names()},
            saved="saved" in request.args,
            never=NEVER,
            time_zone=web.site.time_zone(),
            has_hub=web.site.tells_hub,
            hub_may_update=web.site.machine is not None,
            has_files=web.site.files_folder is not None,
            faults=web.renderer.faults(snapshot, web.viewer("wall")),
            unwritten=snapshot.remarks.get("journal"),
        )

    @bp.post("")
    def change() -> ResponseReturnValue:
        web.need_host(url_for("host.settings"))
        choices = HostChoices(
            language=request.form.get("language", ""),
            dim_after_s=request.form.get("dim_after_s", 0, type=int),
            live_picture="live_picture" in request.form,
            join_codes_on_wall="join_codes_on_wall" in request.form,
            hub_updates="hub_updates" in request.form,
            hub_settings="hub_settings" in request.form,
            **_hours("quiet"),
            **_hours("dark"),
        )
        if (problem := choices.problem()) is not None:
            raise Refused(422, problem)
        if choices.hub_updates and not web.keys.has_pin:
            raise Refused(403, "update_needs_pin", back=url_for("host.settings"))
        # Back to the plain page: the one that sent this may still say that something was saved before.
        with must_save(url_for("host.settings")):
            web.host.change(choices, _shown())
        web.live.refresh()
        _log.info("the host changed the settings")
        return redirect(url_for("host.settings", saved=1))

    @bp.post("/lock")
    def lock() -> ResponseReturnValue:
        response = redirect("/")
        response.delete_cookie(KIOSK_COOKIE)
        return response

    return bp


def _shown() -> HostChoices | None:
    """Return the choices that the form was made with; None: it does not say.

    :raises Refused: it says something else.
    """
    text = request.form.get("shown")
    try:
        return None if text is None else msgspec.json.decode(text, type=HostChoices)
    except msgspec.MsgspecError:
        raise Refused(400, "malformed_request") from None


def _hours(what: str) -> dict[str, int]:
    """Return the form's hours for `what`; equal hours for "never"."""
    begin, end = f"{what}_from_h", f"{what}_until_h"
    hours = {name: request.form.get(name, 0, type=int) for name in (begin, end)}
    return {begin: 0, end: 0} if hours[begin] == NEVER else hours


def _back() -> str:
    """Return the path to go to after the PIN was entered."""
    return own_path(request.values.get("back", ""), "/kiosk")

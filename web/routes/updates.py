"""The host's page of updates: the available releases, and their installation, which needs the PIN."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from appliance.service.machine.asks import Done, Install, Updates
from appliance.service.machine.machine import Machine
from web.context import Web
from web.errors import Refused
from web.pages.game_pages import is_played

_log = logging.getLogger(__name__)
_LONGEST_WISH = 200


def blueprint(web: Web, machine: Machine) -> Blueprint:
    """Return the routes. All need the host's rights."""
    bp = Blueprint("updates", __name__, url_prefix="/host/updates")

    @bp.before_request
    def host_only() -> ResponseReturnValue | None:
        return web.need_host(url_for("updates.page"))

    def shown(done: Done) -> str:
        return render_template(
            "updates.html",
            problem=done.problem,
            state=done.updates,
            last=done.updates.last if done.updates else machine.last_update(),
            playing=is_played(web.table.snapshot()),
        )

    @bp.get("")
    def page() -> str:
        last = machine.last_update()
        # During an installation the machine is not asked: it may just be replacing the helper that answers.
        return shown(Done() if last is not None and last.may_run(datetime.now(UTC)) else machine.ask(Updates()))

    @bp.post("/look")
    def look() -> ResponseReturnValue:
        done = machine.ask(Updates(refresh=True))
        return (shown(done), 422) if done.problem else redirect(url_for("updates.page"))

    @bp.post("/install")
    def install() -> ResponseReturnValue:
        back = url_for("updates.page")
        if not web.keys.has_pin:
            raise Refused(403, "update_needs_pin", back=back)
        if is_played(web.table.snapshot()):
            raise Refused(409, "update_in_game", back=back)
        if not web.entered(lambda: web.owner.pin_matches(request.form.get("pin", ""))):
            raise Refused(403, "pin_wrong", back=back)
        wish = _wish(request.form.get("what", ""))
        if wish is None:
            raise Refused(400, "malformed_request", back=back)
        done = machine.ask(wish)
        _log.info("the host installs %s from %s: %s", wish.version, wish.source, done.problem or "begun")
        return (shown(done), 422) if done.problem else redirect(back)

    return bp


def _wish(what: str) -> Install | None:
    """Return the form's choice: source, version and, for a file, its SHA-256; None if the form is malformed."""
    source, _, rest = what.partition(" ")
    version, _, sha256 = rest.partition(" ")
    if len(what) > _LONGEST_WISH or not version:
        return None
    if source == "apt":
        return Install("apt", version)
    return Install("stick", version, sha256) if source == "stick" else None

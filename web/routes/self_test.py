"""The host's page of the self-test: every finding with its remedy, and a button that tests again."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from appliance.service.standing_self_test import StandingSelfTest
from web.context import Web

_ORDER = {"bad": 0, "look": 1, "good": 2}


def blueprint(web: Web, test: StandingSelfTest) -> Blueprint:
    """Return the routes. All need the host's rights."""
    bp = Blueprint("self_test", __name__, url_prefix="/host/check")

    @bp.before_request
    def host_only() -> ResponseReturnValue | None:
        return web.need_host(url_for("self_test.page"))

    @bp.get("")
    def page() -> str:
        findings = sorted(test.findings(web.speech().words), key=lambda found: _ORDER[found.verdict])
        game_open = web.table.snapshot().game is not None
        return render_template("check.html", findings=findings, listening=test.listening, game_open=game_open)

    @bp.post("")
    def again() -> ResponseReturnValue:
        test.start()
        return redirect(url_for("self_test.page"))

    return bp

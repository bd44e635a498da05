"""Upkeep: the figures for monitoring, and the support file for people who help with problems."""

from __future__ import annotations

import secrets
import time

from flask import Blueprint, Response, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from appliance.service.standing_self_test import StandingSelfTest
from appliance.service.upkeep.figures import MIME
from appliance.service.upkeep.upkeep import Upkeep
from web.context import Web
from web.errors import Refused, or_refuse

_TAPS = frozenset({"POST", "PUT"})


def blueprint(web: Web, upkeep: Upkeep, test: StandingSelfTest) -> Blueprint:
    """Return the routes. The blueprint also counts all answers of the application."""
    bp = Blueprint("upkeep", __name__)

    @bp.before_app_request
    def begin() -> None:
        g.asked_s = time.perf_counter()

    @bp.after_app_request
    def count(response: Response) -> Response:
        is_tap = request.method in _TAPS and request.path.startswith("/api/")
        took_s = time.perf_counter() - g.asked_s if is_tap and "asked_s" in g else None
        upkeep.figures.taps.answered(response.status_code, took_s)
        return response

    def may_monitor() -> bool:
        access, token = web.access(), web.site.metrics_token
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        by_token = bool(token) and secrets.compare_digest(given.encode(), token.encode())
        return by_token or access.is_own_screen or access.is_host

    @bp.get("/metrics")
    def metrics() -> Response:
        if not may_monitor():
            raise Refused(403, "monitoring_refused")
        return Response(upkeep.figures.text(web.table.snapshot(), web.live.streams()), content_type=MIME)

    def made() -> tuple[str, bytes]:
        return upkeep.support_file(test.findings(web.speech().words))

    @bp.get("/host/support")
    def support() -> ResponseReturnValue:
        if (locked := web.need_host(url_for("upkeep.support"))) is not None:
            return locked
        by_browser = not web.access().is_own_screen
        problem = None if by_browser else web.site.sticks.problem()
        saved = request.args.get("saved")
        return render_template("support.html", saved=saved, by_browser=by_browser, stick_problem=problem)

    @bp.get("/host/support/file")
    def file() -> ResponseReturnValue:
        if (locked := web.need_host(url_for("upkeep.support"))) is not None:
            return locked
        name, content = made()
        response = Response(content, mimetype="application/zip")
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return response

    @bp.post("/host/support/stick")
    def save_to_stick() -> ResponseReturnValue:
        web.need_host(url_for("upkeep.support"))
        saved = or_refuse(web.site.sticks.save(*made()), back=url_for("upkeep.support"))
        return redirect(url_for("upkeep.support", saved=saved))

    return bp

"""Figures for monitoring, in Prometheus format."""

from __future__ import annotations

import hmac

from flask import Blueprint, Response, request

from appliance.hub.chain.figures import figures
from appliance.service.upkeep.figures import MIME, exposition
from web.doors.security import from_this_machine
from web.errors import Refused
from web.hub.context import HubWeb


def blueprint(web: HubWeb) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("monitoring", __name__)

    @bp.get("/metrics")
    def metrics() -> Response:
        wanted = web.site.metrics_token
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        may = bool(wanted) and hmac.compare_digest(given.encode(), wanted.encode())
        if not may and (web.site.is_proxied or not from_this_machine(request)):
            raise Refused(403, "monitoring_refused")
        return Response(exposition(figures(web.database, web.tables(), web.now_s())), content_type=MIME)

    return bp

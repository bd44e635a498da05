"""The league over all tables, for everybody."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from appliance.games.catalogue import GAMES
from appliance.hub.folds.standings import kinds_and_seasons, standings_of
from web.errors import Refused
from web.hub.context import HubWeb

SHOWN_MOST = 100
_PAGES_MOST = 10_000


def blueprint(web: HubWeb) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("league", __name__)

    @bp.get("/league")
    def page() -> ResponseReturnValue:
        seasons = kinds_and_seasons(web.database)
        kind = request.args.get("game") or next(iter(seasons), next(iter(GAMES)))
        if kind not in seasons and kind not in GAMES:
            raise Refused(404, "not_found")
        played = seasons.get(kind, ())
        season = request.args.get("season", played[0] if played else "")
        number = min(max(0, request.args.get("page", 0, type=int)), _PAGES_MOST)
        rows = standings_of(web.database, kind, season, most=SHOWN_MOST + 1, after=number * SHOWN_MOST)
        return render_template(
            "hub/league.html",
            kinds=tuple(seasons),
            shown=kind,
            seasons=played,
            season=season,
            rows=rows[:SHOWN_MOST],
            page=number,
            goes_on=len(rows) > SHOWN_MOST,
        )

    return bp

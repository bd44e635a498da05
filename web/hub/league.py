"""The league over all tables, for everybody."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from appliance.games.catalogue import GAMES
from appliance.games.league.seasons import season_of
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
        # A wrong clock gives future seasons, and a stolen key unknown games. Neither is shown by default.
        known = next((kind for kind in seasons if kind in GAMES), next(iter(GAMES)))
        kind = request.args.get("game") or known
        if kind not in seasons and kind not in GAMES:
            raise Refused(404, "not_found")
        played = seasons.get(kind, ())
        this = season_of(web.now_s())
        season = request.args.get("season", next((one for one in played if one <= this), ""))
        missing = "season" if season and season not in played else ""
        number = min(max(0, request.args.get("page", 0, type=int)), _PAGES_MOST)
        rows = standings_of(web.database, kind, season, most=SHOWN_MOST + 1, after=number * SHOWN_MOST)
        missing = missing or ("page" if number and not rows else "")
        shown = render_template(
            "hub/league.html",
            kinds=tuple(seasons),
            shown=kind,
            seasons=played,
            season=season,
            rows=rows[:SHOWN_MOST],
            page=number,
            goes_on=len(rows) > SHOWN_MOST,
            missing=missing,
        )
        return shown, 404 if missing else 200

    return bp

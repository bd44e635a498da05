"""The league's public page."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from appliance.games.catalogue import GAMES
from appliance.games.league.evenings import newest_evening
from appliance.games.league.result import Result, name_key
from appliance.games.league.seasons import season_of, seasons_of
from web.context import Web
from web.doors.security import came_from, own_path
from web.errors import Refused
from web.evening.counted import Counted, tallies
from web.words.speech import Speech


def blueprint(web: Web) -> Blueprint:
    """Return the routes."""
    bp = Blueprint("league", __name__)
    counted = Counted(web.table)

    @bp.get("/league")
    def page() -> ResponseReturnValue:
        from appliance.games.league.standings import standings  # imported here, because many tables never need it

        here = came_from(request)
        if "back" not in request.args and here is not None:
            return redirect(url_for("league.page", back=here))
        played = web.results()
        games, game = _asked_for(played)
        of_game = [one for one in played if one.game == game]
        seasons = seasons_of(of_game)
        season = request.args.get("season", seasons[0] if seasons else "")
        told = [one for one in of_game if season in ("", season_of(one.played_s))]
        return render_template(
            "league.html",
            played_games=games,
            shown=game,
            seasons=seasons,
            season=season,
            table=standings(told),
            robots=frozenset(map(name_key, web.seat_control.robots)) if web.seat_control else frozenset(),
            name_key=name_key,
            back=own_path(request.args.get("back", "/"), "/"),
        )

    @bp.get("/league/figures")
    def figures() -> str:
        """Show the guests' statistics in one kind of game: of this evening, a season or all time."""
        played = web.results()
        games, game = _asked_for(played)
        of_game = [one for one in played if one.game == game]
        evening = [one for one in newest_evening(played[::-1], lambda one: one.played_s)[::-1] if one.game == game]
        season = request.args.get("season", "evening" if evening else "")
        told = evening if season == "evening" else [one for one in of_game if season in ("", season_of(one.played_s))]
        counts, missing = counted.of(told)
        return render_template(
            "league_figures.html",
            played_games=games,
            shown=game,
            seasons=(*(("evening",) if evening else ()), *seasons_of(of_game)),
            season=season,
            tallies=tallies(told, counts),
            counted=len(counts),
            missing=missing,
            say=Speech(web.language(), game),
            back=own_path(request.args.get("back", "/"), "/"),
        )

    return bp


def _asked_for(played: Sequence[Result]) -> tuple[list[str], str]:
    """Return the games of which there are results, and the one that the request names, else that of the newest result.

    :raises Refused: the request names no game.
    """
    game = request.args.get("game") or (played[-1].game if played else next(iter(GAMES)))
    if game not in GAMES:
        raise Refused(404, "not_found")
    return [name for name in GAMES if any(one.game == name for one in played)], game

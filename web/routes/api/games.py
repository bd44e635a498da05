"""Opens, pauses and closes games, and saves house rules."""

from __future__ import annotations

from typing import Any

import msgspec

from appliance.games.base.rules.names import LONGEST_NAME, is_name
from appliance.games.protocol import Setup
from web.context import Web
from web.errors import Refused
from web.evening.guests import refused_options
from web.evening.kept import RULES_MOST
from web.routes.answers import Route
from web.routes.api.sent import answered
from web.routes.bodies import AcceptedBody, DoneBody, GameBody, HouseRulesBody, IdBody, PracticeBody


def add(route: Route, web: Web) -> None:
    """Add these routes to the API."""
    table = web.table

    @route("PUT /practice", PracticeBody, DoneBody)
    def practice(body: dict[str, Any]) -> Any:
        """Switch practice rolls on or off. They show passed or stuck, and nothing is stored."""
        web.access().need_kiosk()
        if (refused := table.practise(body["on"])) is not None:
            raise Refused.because(refused)
        return {}

    @route("POST /games", GameBody, AcceptedBody)
    def open_game(body: dict[str, Any]) -> Any:
        """Open a game."""
        web.access().need_kiosk()
        client_id = body.pop("id")
        try:
            setup = msgspec.convert({"format": 1, **body}, Setup)
        except msgspec.ValidationError as error:
            raise Refused(422, "malformed_request") from error
        return answered(table.open_game(setup, client_id), setup.game)

    @route("POST /games/pause", IdBody, AcceptedBody)
    def pause(body: dict[str, Any]) -> Any:
        """Let all clocks stand; nothing is sensed or asked until the game goes on."""
        web.access().need_kiosk()
        return answered(table.pause(True, body["id"]))

    @route("POST /games/resume", IdBody, AcceptedBody)
    def resume(body: dict[str, Any]) -> Any:
        """Let the paused game go on where it was."""
        web.access().need_kiosk()
        return answered(table.pause(False, body["id"]))

    @route("POST /games/close", IdBody, AcceptedBody)
    def close_game(body: dict[str, Any]) -> Any:
        """Put the open game away."""
        web.access().need_kiosk()
        return answered(table.close_game(body["id"]))

    @route("PUT /house_rules", HouseRulesBody, DoneBody)
    def house_rules(body: dict[str, Any]) -> Any:
        """Save the options of a game by a name, or forget that name."""
        web.access().need_kiosk()
        game, name, options = body["game"], body["name"], body["options"]
        if options is not None and not is_name(name):
            raise Refused(422, "not_a_name", values={"longest": LONGEST_NAME})
        if options is not None and (refused := refused_options(game, options)) is not None:
            raise Refused.because(refused, 422, game=game)
        try:
            if not web.evening.save_rules(game, name, options):
                raise Refused(409, "rules_full", values={"most": RULES_MOST})
        except OSError as error:
            raise Refused(507, "not_saved") from error
        return {}

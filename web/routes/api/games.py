"""Opens, pauses and closes games, and saves house rules."""

from __future__ import annotations

from appliance.games.base.rules.names import LONGEST_NAME, is_name
from appliance.games.protocol import Setup
from web.context import Web
from web.errors import Refused, must_save, or_refuse
from web.evening.guests import refused_options
from web.evening.kept import RULES_MOST
from web.routes.api.sent import answered
from web.routes.bodies import AcceptedBody, DoneBody, GameBody, HouseRulesBody, IdBody, PracticeBody
from web.routes.operations import ApiBlueprint


def add(api: ApiBlueprint, web: Web) -> None:
    """Add these routes to the API."""
    table = web.table

    @api.operation("PUT /practice")
    def practice(body: PracticeBody) -> DoneBody:
        """Switch practice rolls on or off. They show passed or stuck, and nothing is stored."""
        web.access().need_kiosk()
        or_refuse(table.practise(body.on))
        return DoneBody()

    @api.operation("POST /games")
    def open_game(body: GameBody) -> AcceptedBody:
        """Open a game."""
        web.access().need_kiosk()
        setup = Setup(format=1, game=body.game, players=body.players, oldest=body.oldest, options=body.options)
        return answered(table.open_game(setup, body.id), setup.game)

    @api.operation("POST /games/pause")
    def pause(body: IdBody) -> AcceptedBody:
        """Let all clocks stand; nothing is sensed or asked until the game goes on."""
        web.access().need_kiosk()
        return answered(table.pause(True, body.id))

    @api.operation("POST /games/resume")
    def resume(body: IdBody) -> AcceptedBody:
        """Let the paused game go on where it was."""
        web.access().need_kiosk()
        return answered(table.pause(False, body.id))

    @api.operation("POST /games/close")
    def close_game(body: IdBody) -> AcceptedBody:
        """Put the open game away."""
        web.access().need_kiosk()
        return answered(table.close_game(body.id))

    @api.operation("PUT /house_rules")
    def house_rules(body: HouseRulesBody) -> DoneBody:
        """Save the options of a game by a name, or forget that name."""
        web.access().need_kiosk()
        game, name, options = body.game, body.name, body.options
        if options is not None and not is_name(name):
            raise Refused(422, "not_a_name", values={"longest": LONGEST_NAME})
        if options is not None:
            or_refuse(refused_options(game, options), 422, game=game)
        with must_save():
            saved = web.evening.save_rules(game, name, options)
        if not saved:
            raise Refused(409, "rules_full", values={"most": RULES_MOST})
        return DoneBody()

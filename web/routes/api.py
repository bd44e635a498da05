"""The API under /api/v1. The pages use it themselves. /api/v1/openapi.json describes it."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec
from flask import Flask, request
from flask_smorest import Api, Blueprint

from appliance.games.base.rules.names import LONGEST_NAME, is_name
from appliance.games.catalogue import the_game
from appliance.games.protocol import Action, Rejection, Setup, tag_of
from appliance.snapshot import Accepted, Submission
from web.answers import LobbyAnswer, PreviewAnswer, ViewAnswer, describe, given, routed, schema_of
from web.context import Web
from web.errors import Refused
from web.evening.kept import RULES_MOST
from web.game_pages import rules_of
from web.guests import refused_options
from web.routes import public
from web.routes.bodies import (
    AcceptedBody,
    ActionBody,
    AdmitBody,
    AmendBody,
    AskBody,
    ChanceBody,
    CommandBody,
    ControlBody,
    DoneBody,
    ErrorBody,
    GameBody,
    HouseRulesBody,
    IdBody,
    LessonsBody,
    PendingBody,
    PracticeBody,
    PreviewBody,
    RefuseBody,
    SeatQuery,
    WatchBody,
)
from web.routes.evening import kept_rolls


class _Api(Api):  # type: ignore[misc]  # smorest has no types
    ERROR_SCHEMA = ErrorBody


def register(app: Flask, web: Web) -> None:
    """Add the API and its document to `app`."""
    app.config.update(
        API_TITLE="Smugglers' Table",
        API_VERSION="v1",
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX="/api/v1",
        OPENAPI_JSON_PATH="openapi.json",
    )
    api = _Api(app)
    describe(api.spec)
    for routes in (_blueprint(web), public.blueprint(web), kept_rolls.api_blueprint(web)):
        routes.before_request(_read_json)
        api.register_blueprint(routes, url_prefix="/api/v1")


def _read_json() -> None:
    """Refuse JSON that Python's parser, which the framework uses, accepts or fails on: NaN, 5,000 digits."""
    if request.is_json:
        try:
            msgspec.json.decode(request.get_data(cache=True))
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            raise Refused(400, "malformed_request") from None


def _blueprint(web: Web) -> Blueprint:
    bp = Blueprint("api", __name__, description="What the pages themselves use.")
    table = web.table
    route = partial(routed, bp)

    @route("GET /view", SeatQuery, schema_of(ViewAnswer, LobbyAnswer), location="query")
    def view(query: dict[str, Any]) -> Any:
        """Return what one viewer may know of the open game, and its open prompts."""
        snapshot, seat = table.snapshot(), query["seat"]
        web.access().need_view_of(seat)
        if snapshot.game is None:
            return given(LobbyAnswer(version=snapshot.version))
        rules = rules_of(snapshot.game)
        return given(
            ViewAnswer(
                version=snapshot.version,
                game=snapshot.game,
                hardware=snapshot.hardware,
                view=rules.view(snapshot.state, seat),
                prompts=rules.expects(snapshot.state, seat),
                pending=snapshot.pending,
                question=snapshot.question,
                log=tuple(line for line in snapshot.log if line.happening.to in (None, seat)),
            )
        )

    @route("POST /actions", ActionBody, AcceptedBody)
    def act(body: dict[str, Any]) -> Any:
        """Submit an action. The rules check it again, so a request can do no more than a tap."""
        action = _action(web, body["action"])
        seat = web.access().acting_for(getattr(action, "seat", None))
        if seat is not None:
            web.sit_down(seat)
        else:
            _need_choices(web, action)
        return _answered(table.submit(Submission(id=body["id"], action=action, prompt=body["prompt"], seat=seat)))

    @route("POST /chance", ChanceBody, AcceptedBody)
    def chance(body: dict[str, Any]) -> Any:
        """Answer a prompt with a fair draw of the appliance."""
        seat = web.access().acting_for(body["seat"])
        if seat is not None:
            web.sit_down(seat)
        return _answered(table.draw(body["prompt"], body["id"], seat))

    @route("POST /pending/object", PendingBody, AcceptedBody)
    def object_to(body: dict[str, Any]) -> Any:
        """Reject a proposal of the sensors during its grace. The people at the table then answer the prompt."""
        web.access().need_player()
        return _answered(table.object_to(body["pending"], body["id"]))

    @route("POST /pending/confirm", PendingBody, AcceptedBody)
    def confirm(body: dict[str, Any]) -> Any:
        """Accept a proposal of the sensors before its grace ends."""
        web.access().need_kiosk()
        return _answered(table.confirm(body["pending"], body["id"]))

    @route("POST /replays/watch", WatchBody, AcceptedBody)
    def watch(body: dict[str, Any]) -> Any:
        """Say that the touchscreen shows a roll again: no grace ends meanwhile, and the wall shows it too."""
        web.access().need_kiosk()
        return _answered(table.watch(body["number"], body["id"]))

    @route("POST /amendments/preview", PreviewBody, schema_of(PreviewAnswer))
    def preview(body: dict[str, Any]) -> Any:
        """Return what an amendment would change, and the first later action that it would make impossible."""
        web.access().need_kiosk()
        preview = table.preview_amendment(body["seq"], _meant(web, body["action"]))
        if isinstance(preview, Rejection):
            raise Refused.because(preview)
        problem = preview.first_problem
        message = web.speech().rejected(problem) if problem else None
        return given(PreviewAnswer(**msgspec.structs.asdict(preview), message=message))

    @route("POST /amendments", AmendBody, AcceptedBody)
    def amend(body: dict[str, Any]) -> Any:
        """Replace an action of the history and fold all later actions again."""
        web.access().need_kiosk()
        return _answered(table.amend(body["seq"], _meant(web, body["action"]), body["id"]))

    @route("POST /corrections/ask", AskBody, AcceptedBody)
    def ask(body: dict[str, Any]) -> Any:
        """Ask for a correction, as a player. The touchscreen grants it by an amendment, or refuses it."""
        web.access().acting_for(body["seat"])
        return _answered(table.ask_for(body["seat"], body["seq"], body["action"], body["id"]))

    @route("POST /corrections/refuse", RefuseBody, AcceptedBody)
    def refuse(body: dict[str, Any]) -> Any:
        """Take down what a player asks for."""
        web.access().acting_for(body["seat"])
        return _answered(table.refuse(body["seat"], body["id"]))

    @route("POST /undo", IdBody, AcceptedBody)
    def undo(body: dict[str, Any]) -> Any:
        """Undo the newest action."""
        web.access().need_kiosk()
        return _answered(table.undo(body["id"]))

    @route("POST /commands", CommandBody, AcceptedBody)
    def command(body: dict[str, Any]) -> Any:
        """Press a button of the table that is no action of the game, such as `turn_hourglass`.

        Players may press on their phones what the game lets any of them wish for, unless a question is open.
        """
        now = table.snapshot()
        if now.game is not None and body["name"] in the_game(now.game).wishes:
            access = web.access()
            access.need_player()
            if now.question is not None and not access.is_kiosk:
                raise Refused(409, "question_open")
        else:
            web.access().need_kiosk()
        return _answered(table.command(body["name"], body["id"]))

    @route("PUT /practice", PracticeBody, DoneBody)
    def practice(body: dict[str, Any]) -> Any:
        """Switch practice rolls on or off. They show passed or stuck, and nothing is stored."""
        web.access().need_kiosk()
        if body["on"] and table.snapshot().correctable:
            raise Refused(409, "practice_over", "SM-13")
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
        return _answered(table.open_game(setup, client_id), setup.game)

    @route("POST /games/pause", IdBody, AcceptedBody)
    def pause(body: dict[str, Any]) -> Any:
        """Let all clocks stand; nothing is sensed or asked until the game goes on."""
        web.access().need_kiosk()
        return _answered(table.pause(True, body["id"]))

    @route("POST /games/resume", IdBody, AcceptedBody)
    def resume(body: dict[str, Any]) -> Any:
        """Let the paused game go on where it was."""
        web.access().need_kiosk()
        return _answered(table.pause(False, body["id"]))

    @route("POST /games/close", IdBody, AcceptedBody)
    def close_game(body: dict[str, Any]) -> Any:
        """Put the open game away."""
        web.access().need_kiosk()
        return _answered(table.close_game(body["id"]))

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

    @route("PUT /seats/<int:seat>/control", ControlBody, DoneBody)
    def control(body: dict[str, Any], seat: int) -> Any:
        """Let a person or a robot play a seat. Only the simulated table has robots."""
        access = web.access()
        if web.seat_control is None:
            raise Refused(404, "no_robots")
        if seat not in access.seats:
            raise Refused(404, "not_found")
        access.acting_for(seat)
        web.seat_control.change(seat, body["by"])
        web.live.refresh()
        return {}

    @route("PUT /seats/<int:seat>/lessons", LessonsBody, DoneBody)
    def lessons(body: dict[str, Any], seat: int) -> Any:
        """Explain the first round to a seat, or stop that. Its phone and the touchscreen may."""
        access = web.access()
        if seat not in access.seats:
            raise Refused(404, "not_found")
        access.acting_for(seat)
        snapshot = web.table.snapshot()
        try:
            web.evening.say_new(web.seat_here(seat).seating, seat, body["on"], snapshot.game_id, snapshot.deeds)
        except OSError as error:
            raise Refused(507, "not_saved") from error
        web.live.refresh()
        return {}

    @route("POST /seats/<int:seat>/hands", IdBody, DoneBody)
    def hands(body: dict[str, Any], seat: int) -> Any:
        """Let the simulated hands do what a person's seat has to do on the table. The simulated sensors then see it."""
        access = web.access()
        if web.seat_control is None:
            raise Refused(404, "no_robots")
        if seat not in access.seats:
            raise Refused(404, "not_found")
        if access.acting_for(seat) is not None:
            web.sit_down(seat)
        web.seat_control.lend_hands(seat)
        return {}

    @route("POST /seats/<int:seat>/let_go", IdBody, DoneBody)
    def let_go(body: dict[str, Any], seat: int) -> Any:
        """Take a seat back from a phone to the touchscreen. The phone is told and may join again."""
        access = web.access()
        if seat not in access.seats:
            raise Refused(404, "not_found")
        access.acting_for(seat)
        web.stand_up(seat)
        return {}

    @route("POST /seats/<int:seat>/admit", AdmitBody, DoneBody)
    def admit(body: dict[str, Any], seat: int) -> Any:
        """Answer a second phone that asks for a seat. The seat's first phone and the touchscreen may."""
        access = web.access()
        if seat not in access.seats:
            raise Refused(404, "not_found")
        access.acting_for(seat)
        if not web.phones.answer(web.seat_here(seat), body["asker"], body["yes"]):
            raise Refused(409, "nobody_asks")
        web.live.refresh()
        return {}

    return bp


def _action(web: Web, given: dict[str, Any]) -> Action:
    name = web.table.snapshot().game
    if name is None:
        raise Refused(409, "no_game_open")
    try:
        action: Action = msgspec.convert(given, rules_of(name).action_type)
    except msgspec.ValidationError as error:
        raise Refused(422, "malformed_action") from error
    return action


def _need_choices(web: Web, action: Action) -> None:
    """Refuse the touchscreen an action whose choices are a hand that it may not show: a refusal would tell the hand.

    :raises Refused: `foreign_seat` or `hand_on_phone`.
    """
    snapshot = web.table.snapshot()
    seat: int | None = getattr(action, "seat", None)
    if snapshot.game is None or seat is None or seat not in web.access().seats:
        return
    asked = rules_of(snapshot.game).expects(snapshot.state, None)
    if any(prompt.veiled and prompt.do == tag_of(action) for prompt in asked):
        web.need_hand(snapshot, seat)


def _answered(answer: Any, game: str | None = None) -> dict[str, int]:
    if isinstance(answer, Accepted):
        return {"seq": answer.seq}
    raise Refused.because(answer, game=game)


def _meant(web: Web, given: dict[str, Any] | None) -> Action | None:
    return None if given is None else _action(web, given)

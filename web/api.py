"""The API under /api/v1: what the pages themselves use, described by an OpenAPI document at /api/v1/openapi.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from flask import Flask
from flask_smorest import Api, Blueprint
from marshmallow import Schema, fields, validate

from appliance.games.catalogue import GAMES
from appliance.games.game import Action, Rejection, Setup
from appliance.snapshot import Accepted, Submission
from web.errors import Refused
from web.render import rules_of

if TYPE_CHECKING:
    from web.app import Web

_id = validate.Length(min=1, max=64)
_SEAT = validate.Range(min=0, max=15)


class ErrorBody(Schema):
    """Why a request was refused: a stable code, a sentence in the caller's language, the rule behind it or null."""

    code = fields.String(required=True)
    message = fields.String(required=True)
    rule = fields.String(required=True, allow_none=True)


class SeatQuery(Schema):
    """Whose view: a seat that the caller holds, or nobody's for the public one."""

    seat = fields.Integer(strict=False, validate=_SEAT, load_default=None)


class ActionBody(Schema):
    """An action, the prompt it answers, and a client-made id: the same id again gets the first answer again."""

    id = fields.String(required=True, validate=_id)
    prompt = fields.String(load_default=None, allow_none=True, validate=validate.Length(max=200))
    action = fields.Dict(required=True)


class ChanceBody(Schema):
    """A prompt that the appliance shall answer by a fair draw (the electronic die)."""

    id = fields.String(required=True, validate=_id)
    prompt = fields.String(required=True, validate=validate.Length(max=200))
    seat = fields.Integer(load_default=None, allow_none=True, validate=_SEAT)


class PendingBody(Schema):
    """A proposal in its grace."""

    id = fields.String(required=True, validate=_id)
    pending = fields.String(required=True, validate=validate.Length(max=200))


class PreviewBody(Schema):
    """A journal entry, and the action that it should have been; null: as if it had not been done."""

    seq = fields.Integer(required=True, strict=True, validate=validate.Range(min=0, max=2**53))
    action = fields.Dict(load_default=None, allow_none=True)


class AmendBody(PreviewBody):
    """ "The table says": a preview's amendment, confirmed."""

    id = fields.String(required=True, validate=_id)


class IdBody(Schema):
    """Only a client-made id, which makes a repeat harmless."""

    id = fields.String(required=True, validate=_id)


class CommandBody(IdBody):
    """A button of the table that is no action, such as turn_hourglass; "dismiss" for a question."""

    name = fields.String(required=True, validate=validate.Length(min=1, max=40))


class PracticeBody(Schema):
    """Practice spheres (SM-13), on or off."""

    on = fields.Boolean(required=True)


class GameBody(Schema):
    """A set-up, as in the first line of a transcript."""

    id = fields.String(required=True, validate=_id)
    game = fields.String(required=True, validate=validate.OneOf(sorted(GAMES)))
    players = fields.List(fields.Dict(), required=True, validate=validate.Length(min=1, max=16))
    oldest = fields.Integer(load_default=0, strict=True)
    options = fields.Dict(load_default=dict)


class ControlBody(Schema):
    """Who plays a seat."""

    by = fields.String(required=True, validate=validate.OneOf(("person", "robot")))


class AcceptedBody(Schema):
    """Committed to disk as journal entry `seq`."""

    seq = fields.Integer(required=True)


def register(app: Flask, web: Web) -> None:
    """Add the API and its document to `app`."""
    app.config.update(
        API_TITLE="Smugglers' Table", API_VERSION="v1", OPENAPI_VERSION="3.0.3",
        OPENAPI_URL_PREFIX="/api/v1", OPENAPI_JSON_PATH="openapi.json",
    )
    api = Api(app)
    api.ERROR_SCHEMA = ErrorBody
    api.register_blueprint(_blueprint(web), url_prefix="/api/v1")


def _blueprint(web: Web) -> Blueprint:
    bp = Blueprint("api", __name__, description="What the pages themselves use.")
    table = web.table

    @bp.get("/view")
    @bp.arguments(SeatQuery, location="query")
    @bp.response(200)
    def view(query: dict[str, Any]) -> Any:
        """What one viewer may know of the open game, and what it waits for."""
        snapshot, seat = table.snapshot(), query["seat"]
        web.access().need_view_of(seat)
        if snapshot.game is None:
            return {"version": snapshot.version, "game": None}
        rules = rules_of(snapshot.game)
        return msgspec.to_builtins({
            "version": snapshot.version,
            "game": snapshot.game,
            "hardware": snapshot.hardware,
            "view": rules.view(snapshot.state, seat),
            "prompts": rules.expects(snapshot.state, seat),
            "pending": snapshot.pending,
            "question": snapshot.question,
            "log": [line for line in snapshot.log if line.happening.to in (None, seat)],
        })

    @bp.post("/actions")
    @bp.arguments(ActionBody)
    @bp.response(200, AcceptedBody)
    def act(body: dict[str, Any]) -> Any:
        """Do something in the game. The rules check it again: this can do no more than a tap."""
        action = _action(web, body["action"])
        seat = web.access().acting_for(getattr(action, "seat", None))
        return _answered(table.submit(Submission(id=body["id"], action=action, prompt=body["prompt"], seat=seat)))

    @bp.post("/chance")
    @bp.arguments(ChanceBody)
    @bp.response(200, AcceptedBody)
    def chance(body: dict[str, Any]) -> Any:
        """Answer a prompt by the electronic die."""
        seat = web.access().acting_for(body["seat"])
        return _answered(table.draw(body["prompt"], body["id"], seat))

    @bp.post("/pending/object")
    @bp.arguments(PendingBody)
    @bp.response(200, AcceptedBody)
    def object_to(body: dict[str, Any]) -> Any:
        """Object to what the sensors say, while its grace lasts: then the table decides."""
        web.access().need_player()
        return _answered(table.object_to(body["pending"], body["id"]))

    @bp.post("/pending/confirm")
    @bp.arguments(PendingBody)
    @bp.response(200, AcceptedBody)
    def confirm(body: dict[str, Any]) -> Any:
        """Agree with what the sensors say without waiting for the end of the grace."""
        web.access().need_kiosk()
        return _answered(table.confirm(body["pending"], body["id"]))

    @bp.post("/amendments/preview")
    @bp.arguments(PreviewBody)
    @bp.response(200)
    def preview(body: dict[str, Any]) -> Any:
        """Show what an amendment would change, and the first action that would become impossible."""
        web.access().need_kiosk()
        preview = table.preview_amendment(body["seq"], _meant(web, body["action"]))
        if isinstance(preview, Rejection):
            raise Refused.because(preview)
        speech = web.speech()
        problem = preview.first_problem
        return msgspec.to_builtins(preview) | {"message": speech.rejected(problem) if problem else None}

    @bp.post("/amendments")
    @bp.arguments(AmendBody)
    @bp.response(200, AcceptedBody)
    def amend(body: dict[str, Any]) -> Any:
        """ "The table says": replace what an entry means and fold everything after it again."""
        web.access().need_kiosk()
        return _answered(table.amend(body["seq"], _meant(web, body["action"]), body["id"]))

    @bp.post("/undo")
    @bp.arguments(IdBody)
    @bp.response(200, AcceptedBody)
    def undo(body: dict[str, Any]) -> Any:
        """Take the newest action back."""
        web.access().need_kiosk()
        return _answered(table.undo(body["id"]))

    @bp.post("/commands")
    @bp.arguments(CommandBody)
    @bp.response(200, AcceptedBody)
    def command(body: dict[str, Any]) -> Any:
        """Press a button of the table, such as turn_hourglass."""
        web.access().need_kiosk()
        return _answered(table.command(body["name"], body["id"]))

    @bp.put("/practice")
    @bp.arguments(PracticeBody)
    @bp.response(200)
    def practice(body: dict[str, Any]) -> Any:
        """Roll practice spheres: only passed or stuck is shown."""
        web.access().need_kiosk()
        table.practise(body["on"])
        return {}

    @bp.post("/games")
    @bp.arguments(GameBody)
    @bp.response(200, AcceptedBody)
    def open_game(body: dict[str, Any]) -> Any:
        """Open a game."""
        web.access().need_kiosk()
        client_id = body.pop("id")
        try:
            setup = msgspec.convert({"format": 1, **body}, Setup)
        except msgspec.ValidationError as error:
            raise Refused(422, "malformed_request") from error
        return _answered(table.open_game(setup, client_id))

    @bp.post("/games/close")
    @bp.arguments(IdBody)
    @bp.response(200, AcceptedBody)
    def close_game(body: dict[str, Any]) -> Any:
        """Put the open game away."""
        web.access().need_kiosk()
        return _answered(table.close_game(body["id"]))

    @bp.put("/seats/<int:seat>/control")
    @bp.arguments(ControlBody)
    @bp.response(200)
    def control(body: dict[str, Any], seat: int) -> Any:
        """Hand a seat to a person or to a robot (simulated table only)."""
        access = web.access()
        if web.seat_control is None:
            raise Refused(404, "no_robots")
        if seat not in access.seats:
            raise Refused(404, "not_found")
        access.acting_for(seat)
        web.seat_control.change(seat, body["by"])
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


def _answered(answer: Any) -> dict[str, int]:
    if isinstance(answer, Accepted):
        return {"seq": answer.seq}
    raise Refused.because(answer)


def _meant(web: Web, given: dict[str, Any] | None) -> Action | None:
    return None if given is None else _action(web, given)

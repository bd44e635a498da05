"""Requests and answers of the API as marshmallow schemas. They validate requests and appear in the OpenAPI document."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from appliance.games.catalogue import GAMES

_ID = validate.Length(min=1, max=64)
_SEAT = validate.Range(min=0, max=15)


class ErrorBody(Schema):
    """Why a request was refused: a stable code, a sentence in the caller's language, the rule behind it or null."""

    code = fields.String(required=True)
    message = fields.String(required=True)
    rule = fields.String(required=True, allow_none=True)


class SeatQuery(Schema):
    """The seat whose view is requested, which the caller must hold; null: the public view."""

    seat = fields.Integer(strict=False, validate=_SEAT, load_default=None)


class ActionBody(Schema):
    """An action, the prompt it answers, and an id made by the client. A repeated id gets the first answer again."""

    id = fields.String(required=True, validate=_ID)
    prompt = fields.String(load_default=None, allow_none=True, validate=validate.Length(max=200))
    action = fields.Dict(required=True)


class ChanceBody(Schema):
    """A prompt that the appliance has to answer by a fair draw (the electronic die)."""

    id = fields.String(required=True, validate=_ID)
    prompt = fields.String(required=True, validate=validate.Length(max=200))
    seat = fields.Integer(load_default=None, allow_none=True, validate=_SEAT)


class PendingBody(Schema):
    """A sensor proposal during its grace period."""

    id = fields.String(required=True, validate=_ID)
    pending = fields.String(required=True, validate=validate.Length(max=200))


class PreviewBody(Schema):
    """A journal entry, and the action that it should have been; null: as if it had not been done."""

    seq = fields.Integer(required=True, strict=True, validate=validate.Range(min=0, max=2**53))
    action = fields.Dict(load_default=None, allow_none=True)


class IdBody(Schema):
    """Only an id made by the client, which makes a repeated request harmless."""

    id = fields.String(required=True, validate=_ID)


class UndoBody(IdBody):
    """`newest_entry`: the newest entry of the game that the client saw. If the game has changed since, the answer is
    `game_went_on`. Null: whatever changed."""

    newest_entry = fields.Integer(
        load_default=None, allow_none=True, strict=True, validate=validate.Range(min=0, max=2**53)
    )


class AmendBody(PreviewBody, UndoBody):
    """An amendment as in its preview, confirmed by the table, with an id made by the client.

    `newest_entry`: that of the preview. If the game has changed since, the answer is `game_went_on`. Null: whatever
    changed.
    """


class LessonsBody(Schema):
    """Whether a seat gets lessons in its first round."""

    on = fields.Boolean(required=True)


class CommandBody(IdBody):
    """A button of the table that is not an action, such as turn_hourglass; "dismiss" for a question."""

    name = fields.String(required=True, validate=validate.Length(min=1, max=40))


class WatchBody(IdBody):
    """The number of the replay that the touchscreen shows; null: it shows none now."""

    number = fields.Integer(load_default=None, allow_none=True, strict=True, validate=validate.Range(min=1, max=2**53))


class AskBody(PreviewBody, IdBody):
    """A correction that a player asks for, one of those that their page offers."""

    seat = fields.Integer(required=True, validate=_SEAT)


class RefuseBody(IdBody):
    """The touchscreen refuses the correction that a seat asks for, or the seat withdraws its request."""

    seat = fields.Integer(required=True, validate=_SEAT)


class PracticeBody(Schema):
    """Practice passages (SM-13), on or off."""

    on = fields.Boolean(required=True)


class GameBody(Schema):
    """A set-up, as in the first line of a transcript."""

    id = fields.String(required=True, validate=_ID)
    game = fields.String(required=True, validate=validate.OneOf(GAMES))
    players = fields.List(fields.Dict(), required=True, validate=validate.Length(min=1, max=16))
    oldest = fields.Integer(load_default=0, strict=True)
    options = fields.Dict(load_default=dict)


class HouseRulesBody(Schema):
    """The options of a game to save under a name; null: remove that name."""

    game = fields.String(required=True, validate=validate.OneOf(GAMES))
    name = fields.String(required=True, validate=_ID)
    options = fields.Dict(load_default=None, allow_none=True)


class AfterQuery(Schema):
    """The id of the last seen event, such as 17.0. The header Last-Event-ID of a reconnecting stream has precedence."""

    after = fields.String(load_default=None, validate=validate.Length(max=32))


class NothingQuery(Schema):
    """No parameters."""


class ControlBody(Schema):
    """Who plays a seat."""

    by = fields.String(required=True, validate=validate.OneOf(("person", "robot")))


class AdmitBody(IdBody):
    """The answer to a second phone's request: the asker id from the page, and yes or no."""

    asker = fields.String(required=True, validate=_ID)
    yes = fields.Boolean(required=True)


class KeepBody(Schema):
    """Whether a seat agrees to keep a roll. A seat of null is the touchscreen itself: it asks for it, or says no."""

    seat = fields.Integer(required=True, allow_none=True, strict=True, validate=_SEAT)
    yes = fields.Boolean(required=True)


class AcceptedBody(Schema):
    """Committed to disk as journal entry `seq`."""

    seq = fields.Integer(required=True)


class DoneBody(Schema):
    """The request succeeded. The answer has no content."""

"""Requests and answers of the API as structs. They validate requests and are described in the OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from appliance.games.catalogue import GAMES
from appliance.games.protocol import Json, Player, Prompt, Question
from appliance.snapshot import AmendmentPreview, Announcement, Pending

_Id = Annotated[str, Meta(min_length=1, max_length=64)]
_PromptId = Annotated[str, Meta(max_length=200)]
_Seat = Annotated[int, Meta(ge=0, le=15)]
_Entry = Annotated[int, Meta(ge=0, le=2**53)]
_Game = Annotated[str, Meta(extra_json_schema={"enum": list(GAMES)})]


class SeatQuery(msgspec.Struct, frozen=True):
    """The seat whose view is requested, which the caller must hold; null: the public view."""

    seat: _Seat | None = None


class AfterQuery(msgspec.Struct, frozen=True):
    """The id of the last seen event, such as 17.0. The header Last-Event-ID of a reconnecting stream has precedence."""

    after: Annotated[str, Meta(max_length=32)] | None = None


class _Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class IdBody(_Body, frozen=True, kw_only=True):
    """Only an id made by the client, which makes a repeated request harmless."""

    id: _Id


class ActionBody(IdBody, frozen=True, kw_only=True):
    """An action, the prompt it answers, and an id made by the client. A repeated id gets the first answer again."""

    prompt: _PromptId | None = None
    action: dict[str, Json]


class ChanceBody(IdBody, frozen=True, kw_only=True):
    """A prompt that the appliance has to answer by a fair draw (the electronic die)."""

    prompt: _PromptId
    seat: _Seat | None = None


class PendingBody(IdBody, frozen=True, kw_only=True):
    """A sensor proposal during its grace period."""

    pending: _PromptId


class PreviewBody(_Body, frozen=True, kw_only=True):
    """A journal entry, and the action that it should have been; null: as if it had not been done."""

    seq: _Entry
    action: dict[str, Json] | None = None


class UndoBody(IdBody, frozen=True, kw_only=True):
    """`newest_entry`: the newest entry of the game that the client saw. If the game has changed since, the answer is
    `game_went_on`. Null: whatever changed."""

    newest_entry: _Entry | None = None


class AmendBody(PreviewBody, frozen=True, kw_only=True):
    """An amendment as in its preview, confirmed by the table, with an id made by the client.

    `newest_entry`: that of the preview. If the game has changed since, the answer is `game_went_on`. Null: whatever
    changed.
    """

    id: _Id
    newest_entry: _Entry | None = None


class LessonsBody(_Body, frozen=True, kw_only=True):
    """Whether a seat gets lessons in its first round."""

    on: bool


class CommandBody(IdBody, frozen=True, kw_only=True):
    """A button of the table that is not an action, such as turn_hourglass; "dismiss" for a question."""

    name: Annotated[str, Meta(min_length=1, max_length=40)]


class WatchBody(IdBody, frozen=True, kw_only=True):
    """The number of the replay that the touchscreen shows; null: it shows none now."""

    number: Annotated[int, Meta(ge=1, le=2**53)] | None = None


class AskBody(PreviewBody, frozen=True, kw_only=True):
    """A correction that a player asks for, one of those that their page offers."""

    id: _Id
    seat: _Seat


class RefuseBody(IdBody, frozen=True, kw_only=True):
    """The touchscreen refuses the correction that a seat asks for, or the seat withdraws its request."""

    seat: _Seat


class PracticeBody(_Body, frozen=True, kw_only=True):
    """Practice passages (SM-13), on or off."""

    on: bool


class _GameBody(_Body, frozen=True, kw_only=True):
    game: _Game

    def __post_init__(self) -> None:
        if self.game not in GAMES:
            raise ValueError("no such game")


class GameBody(_GameBody, frozen=True, kw_only=True):
    """A set-up, as in the first line of a transcript."""

    id: _Id
    players: Annotated[tuple[Player, ...], Meta(min_length=1, max_length=16)]
    oldest: int = 0
    options: dict[str, Json] = {}


class HouseRulesBody(_GameBody, frozen=True, kw_only=True):
    """The options of a game to save under a name; null: remove that name."""

    name: _Id
    options: dict[str, Json] | None = None


class ControlBody(_Body, frozen=True, kw_only=True):
    """Who plays a seat."""

    by: Literal["person", "robot"]


class AdmitBody(IdBody, frozen=True, kw_only=True):
    """The answer to a second phone's request: the asker id from the page, and yes or no."""

    asker: _Id
    yes: bool


class KeepBody(_Body, frozen=True, kw_only=True):
    """Whether a seat agrees to keep a roll. A seat of null is the touchscreen itself: it asks for it, or says no."""

    seat: _Seat | None
    yes: bool


class ErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """Why a request was refused: a stable code, a sentence in the caller's language, the rule behind it or null."""

    code: str
    message: str
    rule: str | None


class AcceptedBody(msgspec.Struct, frozen=True):
    """Committed to disk as journal entry `seq`."""

    seq: int


class DoneBody(msgspec.Struct, frozen=True):
    """The request succeeded. The answer has no content."""


class LobbyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """No game is open."""

    version: int
    game: None = None


class ViewAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What one viewer may know of the open game: `view` is the game's own, `prompts` what it asks now."""

    version: int
    game: str
    hardware: str
    view: Any
    prompts: tuple[Prompt, ...]
    pending: Pending | None
    question: Question | None
    log: tuple[Announcement, ...]


class PreviewAnswer(AmendmentPreview, frozen=True, kw_only=True):
    """What an amendment would change. `message` says why later actions would become impossible, or is null."""

    message: str | None

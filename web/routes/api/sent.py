"""Converts what a request sends to an action, and what the table answers to a response."""

from __future__ import annotations

from typing import Any

import msgspec

from appliance.games.catalogue import the_game
from appliance.games.protocol import Action
from appliance.games.read_action import read_action
from appliance.snapshot import Answer
from web.context import Web
from web.errors import Refused, or_refuse
from web.routes.bodies import AcceptedBody


def action_of(web: Web, given: dict[str, Any]) -> Action:
    """Return the action of the open game that `given` describes.

    :raises Refused: `no_game_open` or `malformed_action`.
    """
    name = web.table.snapshot().game
    if name is None:
        raise Refused(409, "no_game_open")
    try:
        return read_action(given, the_game(name).rules)
    except msgspec.ValidationError as error:
        raise Refused(422, "malformed_action") from error


def answered(answer: Answer, game: str | None = None) -> AcceptedBody:
    """Return the entry that the table accepted.

    :raises Refused: the table refused it; `game` has the words for the reason, if it is not the open one.
    """
    return AcceptedBody(or_refuse(answer, game=game).seq)


def meant_by(web: Web, given: dict[str, Any] | None) -> Action | None:
    """Return the action of an amendment; None: as if it had not been done."""
    return None if given is None else action_of(web, given)

"""Reads actions of a game from mappings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

from appliance.games.protocol import Action, Rules


def read_action(fields: Mapping[str, Any], rules: Rules) -> Action:
    """Return the action that `fields` describe, its tag under "do".

    :raises msgspec.ValidationError: the game has no such action.
    """
    read: Action = msgspec.convert({"action": fields}, _holder(rules.action_type)).action
    return read


@cache
def _holder(kinds: Any) -> Any:
    # msgspec compiles a union with each conversion, which takes longer than most rules; the fields of a struct, once.
    return msgspec.defstruct("Holder", [("action", kinds)])

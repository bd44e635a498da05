"""Every code by which the table refuses. The sentences are in `appliance/words/`."""

from __future__ import annotations

from typing import Literal

from appliance.games.base.rules.codes import Reject

TableRejection = Literal[
    "bad_id",
    "chance_stands",
    "game_open",
    "no_game_open",
    "not_offered",
    "not_your_seat",
    "nothing_to_undo",
    "prompt_closed",
    "said_by_the_table",
    "table_busy",
    "table_stopped",
    "too_late",
    "unknown_action",
]

reject = Reject[TableRejection]()

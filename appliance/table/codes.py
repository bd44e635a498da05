"""Every code of the table's rejections, remarks and questions. The sentences are in `appliance/words/`."""

from __future__ import annotations

from typing import Literal

from appliance.games.base.advice import Questions, Remarks
from appliance.games.base.rules.codes import Reject

TableRejection = Literal[
    "bad_id",
    "chance_stands",
    "game_open",
    "game_paused",
    "game_went_on",
    "no_game_open",
    "not_offered",
    "not_your_seat",
    "nothing_to_pause",
    "nothing_to_undo",
    "practice_no_track",
    "practice_over",
    "prompt_closed",
    "replay_gone",
    "said_by_the_table",
    "table_busy",
    "table_stopped",
    "too_late",
    "unknown_action",
]

TableRemark = Literal["chance_stands", "practice_passed", "practice_stuck", "practice_unsure"]
"""The table also passes on the codes of failures of the journal and of resuming a game."""
TableQuestion = Literal["overruled"]

reject = Reject[TableRejection]()
remark = Remarks[TableRemark]()
question = Questions[TableQuestion]()

"""Every code of Porters. The sentences are in `words/`."""

from __future__ import annotations

from typing import Literal

from appliance.games.base.rules.codes import CommonRejection, Reject

RejectionCode = CommonRejection | Literal["bad_load", "no_flip_now", "not_to_cross", "not_to_hide", "porter_left"]
HappeningCode = Literal[
    "load_hidden",
    "load_passed",
    "load_stuck",
    "own_load",
    "player_left",
    "porters_met",
    "round_lost",
    "round_won",
]

reject = Reject[RejectionCode]()

"""Every code by which the journal and its files refuse. The sentences are in `appliance/words/`."""

from __future__ import annotations

from typing import Literal

from appliance.games.base.rules.codes import Reject

JournalRejection = Literal[
    "chance_stands",
    "no_stand_ins",
    "no_stick",
    "no_such_file",
    "no_such_game",
    "not_correctable",
    "not_finished",
    "nothing_changes",
    "rules_changed",
    "rules_newer",
    "stick_full",
    "stick_gone",
    "stick_read_only",
    "too_large",
    "unknown_game",
]

reject = Reject[JournalRejection]()

"""Every code of the journal's rejections, errors and remarks. The sentences are in `appliance/words/`."""

from __future__ import annotations

from typing import Literal

from appliance.games.base.advice import Remarks
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
    "stick_silent",
    "too_large",
    "unknown_game",
]

SealProblem = Literal["key_missing", "seal_broken"]
"""Every code of a seal that does not open."""

JournalProblem = Literal[
    SealProblem,
    "copy_exists",
    "copy_unwritable",
    "disk_failing",
    "disk_full",
    "journal_damaged",
    "journal_foreign",
    "journal_in_use",
    "journal_missing",
    "journal_newer",
    "journal_read_only",
    "restore_interrupted",
]
"""Every code of a journal, or of a copy of it, that cannot be used."""

RecordsRemark = Literal[
    "choices_restored",
    "copy_failing",
    "evening_lost",
    "evening_restored",
    "host_lost",
    "journal_lost",
    "journal_restored",
    "journal_restored_in_part",
    "key_renewed",
    "key_restored",
    "key_was_readable",
    "owner_lost",
    "past_games_damaged",
    "web_key_renewed",
]
"""Every code of a remark about disk damage and its repair."""

reject = Reject[JournalRejection]()
remark = Remarks[RecordsRemark | JournalProblem]()

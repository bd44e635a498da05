"""Every code of Prohis. The sentences are in `words/`."""

from __future__ import annotations

from typing import Literal

from appliance.games.base.rules.codes import CommonRejection, Reject

OwnRejection = Literal[
    "answer_due",
    "bad_shuffle",
    "bribe_due",
    "bribe_repeated",
    "convoy_size",
    "count_due",
    "counted_already",
    "decision_due",
    "declarations_due",
    "declared_already",
    "empty_bribe",
    "hand_full",
    "inspection_due",
    "must_inspect",
    "no_card_there",
    "no_card_to_turn",
    "not_in_hand",
    "other_count_due",
    "pile_empty",
    "real_cards_in_play",
    "real_cards_stay",
    "seat_passed",
    "second_card_due",
    "shuffle_due",
    "start_due",
    "too_many_cards",
    "turn_due",
]
HappeningCode = Literal[
    "bribe_accepted",
    "bribe_offered",
    "bribe_rejected",
    "bribe_shown",
    "bribing_stopped",
    "card_turned",
    "cards_counted",
    "cards_dealt",
    "choice_made",
    "convoy_arrived",
    "convoy_called_off",
    "convoy_clean",
    "convoy_laid",
    "convoy_seized",
    "draw_stopped",
    "game_ended",
    "game_won",
    "inspection_begun",
    "inspection_waived",
    "inspection_waived_to_hand",
    "inspector_came",
    "last_turns_began",
    "let_pass",
    "no_bribe_offered",
    "pile_card_drawn",
    "pile_card_seen",
    "play_ended",
    "player_left",
    "player_passed",
    "players_sat_down",
    "prohi_found",
    "prohi_played",
    "prohi_won",
    "real_cards_used",
    "row_card_taken",
    "start_drawn",
    "win_shared",
]
RejectionCode = CommonRejection | OwnRejection

reject = Reject[RejectionCode]()

"""The frame of a round: a new Officer, the shuffled pack, the draw that cannot be made, the end (RULES §4.6)."""

from __future__ import annotations

from appliance.games.customs.rules.actions import Appoint, Shuffle
from appliance.games.customs.rules.cards import HAND, PACK
from appliance.games.customs.rules.codes import reject
from appliance.games.customs.rules.phases.loans import settle_loans
from appliance.games.customs.rules.refusals import due
from appliance.games.customs.rules.state import Appointing, Cards, Declaring, Over, Reason, Shuffling
from appliance.games.customs.rules.step_builder import Draft
from appliance.games.protocol import Rejection

LEAST_PLAYERS = 3
"""With fewer the game ends at once (CU-63)."""


def appoint(draft: Draft, action: Appoint) -> Rejection | None:
    """Take the first Officer from chance (CU-3)."""
    if not isinstance(draft.state.stage, Appointing):
        return due(draft.state)
    if action.officer not in draft.state.here():
        return reject("no_such_officer", "CU-3", {"most": len(draft.state.players) - 1})
    begin_round(draft, action.officer)
    return None


def begin_round(draft: Draft, officer: int) -> None:
    """Give the cap to `officer`; all 56 cards are shuffled anew, money stays (CU-51)."""
    draft.change_player(officer, served=True)
    draft.change(
        round=draft.state.round + 1,
        turn=0,
        officer=officer,
        pack=(),
        hand=(),
        discards=(),
        put_away=(),
        declaration=None,
        opened=None,
        dues=(),
        passes_on=False,
        drawer=None,
        stage=Shuffling(),
    )
    draft.tell("round_started", "CU-3", seat=officer, round=draft.state.round)
    if draft.state.options.physical:
        _lay_out(draft, (None,) * len(PACK))


def shuffle(draft: Draft, action: Shuffle) -> Rejection | None:
    """Take the order of the pack from chance (CU-2)."""
    if not isinstance(draft.state.stage, Shuffling):
        return due(draft.state)
    if sorted(action.order) != list(range(len(PACK))):
        return reject("not_an_order", "CU-2", {"count": len(PACK)})
    draft.tell("pack_shuffled", "CU-2")
    _lay_out(draft, tuple(PACK[number] for number in action.order))
    return None


def _lay_out(draft: Draft, pack: Cards) -> None:
    draft.change(pack=pack)
    officer = draft.state.officer
    assert officer is not None
    draw_hand(draft, draft.state.next_traveller(officer))


def draw_hand(draft: Draft, seat: int) -> None:
    """Let `seat` draw four cards and look at them (CU-10); a draw that cannot be made ends the round (CU-50)."""
    if len(draft.state.pack) < HAND:
        draft.tell("pack_ran_out", "CU-50")
        end_round(draft)
        return
    draft.change(hand=draft.state.pack[:HAND], pack=draft.state.pack[HAND:])
    draft.tell("hand_drawn", "CU-10", seat=seat)
    let_declare(draft, seat)


def let_declare(draft: Draft, seat: int) -> None:
    """Ask `seat` for the declaration of the hand."""
    draft.change(stage=Declaring(seat), turn=draft.state.turn + 1, declaration=None)


def discard_hand(draft: Draft) -> None:
    """Lay the hand on the open suitcase (CU-23)."""
    draft.change(discards=(*draft.state.discards, *draft.state.hand), hand=())


def put_hand_away(draft: Draft) -> None:
    """Take a hand that nobody was shown out of the round, face down (CU-62)."""
    draft.change(put_away=(*draft.state.put_away, *draft.state.hand), hand=())


def end_round(draft: Draft) -> None:
    """Hand the cap on to the next player who has not worn it, or end the game (CU-51, CU-52)."""
    state = draft.state
    assert state.officer is not None
    count = len(state.players)
    for step in range(1, count):
        seat = (state.officer + step) % count
        player = state.players[seat]
        if player.status == "in" and not player.served:
            begin_round(draft, seat)
            return
    end_game(draft, "all_were_officer")


def end_if_too_few(draft: Draft) -> bool:
    """End the game when fewer than three are left (CU-63); say whether it has ended."""
    if len(draft.state.here()) < LEAST_PLAYERS:
        end_game(draft, "too_few_players")
    return draft.over


def end_game(draft: Draft, reason: Reason) -> None:
    """Settle the loans, count, and name the richest (CU-52, CU-61); equal money shares the win."""
    draft.change(dues=(), declaration=None)
    settle_loans(draft)
    state = draft.state
    most = max(state.players[seat].money for seat in state.here())
    winners = tuple(seat for seat in state.here() if state.players[seat].money == most)
    draft.change(stage=Over(winners, reason))
    draft.tell("game_won" if len(winners) == 1 else "game_shared", "CU-52", winners=list(winners), amount=most)

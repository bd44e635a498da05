"""A player leaves: debts are paid as far as the money goes, the rest of it is out of the game; all others play on."""

from __future__ import annotations

from appliance.games.customs.rules.actions import Leave
from appliance.games.customs.rules.phases.loans import forget_loans, repay_all
from appliance.games.customs.rules.phases.paying import go_bankrupt, go_on_without, lenders, pay_all_due
from appliance.games.customs.rules.phases.rounds import draw_hand, end_if_too_few, end_round, put_hand_away
from appliance.games.customs.rules.state import Asking, Deciding, Declaring, Doubting, Exchanging, Opening, Owing
from appliance.games.customs.rules.step_builder import Draft
from appliance.games.protocol import Rejection


def leave(draft: Draft, action: Leave) -> Rejection | None:
    """Let a player go; allowed at any time while the game is open."""
    seat = action.seat
    draft.tell("player_left", "CU-62", seat=seat)
    pay_all_due(draft, seat)
    repay_all(draft, seat)
    state = draft.state
    draft.change(set_aside=state.set_aside + state.players[seat].money)
    draft.change_player(seat, money=0, status="left")
    forget_loans(draft, seat)
    if end_if_too_few(draft):
        return None
    if seat == state.officer:
        draft.tell("officer_out", "CU-62", seat=seat)
        end_round(draft)
        return None
    _lapse(draft, seat)
    return None


def _lapse(draft: Draft, seat: int) -> None:
    """Go on where the table waited for the player who left, or for something about him."""
    state = draft.state
    declarer = state.declaration.seat if state.declaration else None
    match state.stage:
        case Declaring(seat=waited) | Exchanging(seat=waited) if waited == seat:
            _hand_lapses(draft, state.next_traveller(seat))
        case Doubting(seat=waited) if seat in (waited, declarer):
            _hand_lapses(draft, state.next_traveller(seat) if seat == waited else waited)
        case Deciding() if seat == declarer:
            _hand_lapses(draft, state.next_traveller(seat))
        case Opening(by=by) if seat in (by, declarer):
            _hand_lapses(draft, by if seat == declarer and by != state.officer else state.next_traveller(seat))
        case Owing() | Asking() if seat in (state.dues[0].payer, state.dues[0].payee):
            go_on_without(draft, seat)
        case Asking(lender=lender, refused=refused) if lender == seat:
            draft.change(stage=Owing(refused=refused))
            if not lenders(draft.state):
                go_bankrupt(draft)
        case Owing() if not lenders(state):
            go_bankrupt(draft)
        case _:
            pass


def _hand_lapses(draft: Draft, drawer: int) -> None:
    draft.tell("hand_put_away", "CU-62")
    put_hand_away(draft)
    draft.change(declaration=None)
    draw_hand(draft, drawer)

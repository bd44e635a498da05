"""A player leaves: debts are paid as far as the money goes, the rest of it is out of the game; all others play on."""

from __future__ import annotations

from appliance.games.customs.rules.actions import Leave
from appliance.games.customs.rules.phases.loans import forget_loans, repay_all
from appliance.games.customs.rules.phases.paying import go_bankrupt, go_on_without, lenders, pay_all_due
from appliance.games.customs.rules.phases.rounds import draw_hand, end_if_too_few, end_round, put_hand_away
from appliance.games.customs.rules.state import Asking, Deciding, Declaring, Doubting, Exchanging, Opening, Owing
from appliance.games.customs.rules.step_builder import StepBuilder
from appliance.games.protocol import Rejection


def leave(builder: StepBuilder, action: Leave) -> Rejection | None:
    """Let a player go; allowed at any time while the game is open."""
    seat = action.seat
    builder.tell("player_left", "CU-62", seat=seat)
    pay_all_due(builder, seat)
    repay_all(builder, seat)
    state = builder.state
    builder.change(set_aside=state.set_aside + state.players[seat].money)
    builder.change_player(seat, money=0, status="left")
    forget_loans(builder, seat)
    if end_if_too_few(builder):
        return None
    if seat == state.officer:
        builder.tell("officer_out", "CU-62", seat=seat)
        end_round(builder)
        return None
    _lapse(builder, seat)
    return None


def _lapse(builder: StepBuilder, seat: int) -> None:
    """Go on where the table waited for the player who left, or for a choice about them."""
    state = builder.state
    declarer = state.declaration.seat if state.declaration else None
    match state.stage:
        case Declaring(seat=waited) | Exchanging(seat=waited) if waited == seat:
            _hand_lapses(builder, state.next_traveller(seat))
        case Doubting(seat=waited) if seat in (waited, declarer):
            _hand_lapses(builder, state.next_traveller(seat) if seat == waited else waited)
        case Deciding() if seat == declarer:
            _hand_lapses(builder, state.next_traveller(seat))
        case Opening(by=by) if seat in (by, declarer):
            _hand_lapses(builder, by if seat == declarer and by != state.officer else state.next_traveller(seat))
        case Owing() | Asking() if seat in (state.dues[0].payer, state.dues[0].payee):
            go_on_without(builder, seat)
        case Asking(lender=lender, refused=refused) if lender == seat:
            builder.change(stage=Owing(refused=refused))
            if not lenders(builder.state):
                go_bankrupt(builder)
        case Owing() if not lenders(state):
            go_bankrupt(builder)
        case _:
            pass


def _hand_lapses(builder: StepBuilder, drawer: int) -> None:
    builder.tell("hand_put_away", "CU-62")
    put_hand_away(builder)
    builder.change(declaration=None)
    draw_hand(builder, drawer)

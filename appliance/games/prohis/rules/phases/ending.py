"""The end of turns and of the game, and the score (PR-40 … PR-52)."""

from __future__ import annotations

from appliance.games.prohis.rules.actions import Pass
from appliance.games.prohis.rules.cards import worth
from appliance.games.prohis.rules.codes import reject
from appliance.games.prohis.rules.state import Reason, State, Trader
from appliance.games.prohis.rules.step_builder import ProhisStage, StepBuilder
from appliance.games.protocol import Rejection


def points(player: Trader) -> int:
    """Return the points of a player's warehouse and hand (PR-50, PR-51)."""
    if player.counted:
        return sum(entry.number * worth((entry.card,), entry.place) for entry in player.counted)
    return worth(player.warehouse, "warehouse") + worth(player.hand, "hand")


def see_whether_triggered(builder: StepBuilder) -> None:
    """Announce the last turns when the pile is empty and the row is not full (PR-43, PR-44)."""
    state = builder.state
    if state.last_turns is None and not state.pile and None in state.row:
        builder.change(last_turns=state.active(state.turn))
        builder.tell("last_turns_began", "PR-43", seat=state.turn)


def end_turn(builder: StepBuilder) -> None:
    """Start the next player's turn, or end the game."""
    builder.change(convoy=None)
    state = builder.state
    active = state.active(state.turn)
    if not active:
        finish(builder, "all_passed", "PR-42")
    elif state.last_turns is None:
        builder.change(phase="turn", turn=active[0], turns=state.turns + 1)
    elif left := tuple(seat for seat in state.last_turns if seat in active):
        builder.change(phase="turn", turn=left[0], turns=state.turns + 1, last_turns=left[1:])
    else:
        finish(builder, "pile_ran_out", "PR-43")


def pass_out(builder: StepBuilder, action: Pass) -> Rejection | None:
    """Mark a player as passed for the rest of the game (PR-40)."""
    builder.change_player(action.seat, passed=True)
    builder.tell("player_passed", "PR-40", seat=action.seat)
    end_turn(builder)
    return None


def out_of_game(state: State, seat: int) -> Rejection | None:
    """Return why this seat does nothing more: `seat_left` or `seat_passed` (PR-40); None while it plays."""
    player = state.players[seat]
    if not player.passed:
        return None
    return reject("seat_left" if player.left else "seat_passed", "PR-40", {"seat": seat})


def finish(builder: StepBuilder, reason: Reason, rule: str) -> None:
    """End the game. The highest total wins; equal totals share the win (PR-52)."""
    totals = [points(player) for player in builder.state.players]
    winners = tuple(seat for seat, total in enumerate(totals) if total == max(totals))
    builder.change(phase="over", winners=winners, reason=reason)
    builder.tell("game_ended", rule, reason=reason)
    builder.tell("game_won" if len(winners) == 1 else "win_shared", "PR-52", winners=list(winners), points=max(totals))


def left_in_turn(builder: StepBuilder, seat: int) -> None:
    """End the turn of a player who left. The turn of another player continues."""
    if seat == builder.state.turn:
        end_turn(builder)


OVER = ProhisStage(due=lambda state: reject("game_over", "PR-43"))

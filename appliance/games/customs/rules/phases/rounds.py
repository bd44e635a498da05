"""Rounds: a new Officer, shuffling the pack, the end when the pack runs out, the end of the game (RULES §4.6)."""

from __future__ import annotations

from appliance.games.customs.rules.actions import Appoint, Shuffle
from appliance.games.customs.rules.cards import HAND, PACK
from appliance.games.customs.rules.codes import reject
from appliance.games.customs.rules.phases.loans import settle_loans
from appliance.games.customs.rules.state import Cards, Declaring, Over, Reason, Shuffling, State
from appliance.games.customs.rules.step_builder import CustomsStage, StepBuilder
from appliance.games.protocol import AnyOrder, Choice, OneOf, Prompt, Rejection

LEAST_PLAYERS = 3
"""With fewer players the game ends at once (CU-63)."""
ORDER: dict[str, Choice] = {"order": AnyOrder(len(PACK))}


def appoint(builder: StepBuilder, action: Appoint) -> Rejection | None:
    """Take the first Officer from chance (CU-3)."""
    if action.officer not in builder.state.here():
        return reject("no_such_officer", "CU-3", {"most": len(builder.state.players) - 1})
    begin_round(builder, action.officer)
    return None


def begin_round(builder: StepBuilder, officer: int) -> None:
    """Start a round with `officer` as Officer. All 56 cards are shuffled again; players keep their money (CU-51)."""
    builder.change_player(officer, served=True)
    builder.change(
        round=builder.state.round + 1,
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
    builder.tell("round_started", "CU-3", seat=officer, round=builder.state.round)
    if builder.state.options.physical:
        _lay_out(builder, (None,) * len(PACK))


def shuffle(builder: StepBuilder, action: Shuffle) -> Rejection | None:
    """Take the order of the pack from chance (CU-2)."""
    if sorted(action.order) != list(range(len(PACK))):
        return reject("not_an_order", "CU-2", {"count": len(PACK)})
    builder.tell("pack_shuffled", "CU-2")
    _lay_out(builder, tuple(PACK[number] for number in action.order))
    return None


def _lay_out(builder: StepBuilder, pack: Cards) -> None:
    builder.change(pack=pack)
    officer = builder.state.officer
    assert officer is not None
    draw_hand(builder, builder.state.next_traveller(officer))


def draw_hand(builder: StepBuilder, seat: int) -> None:
    """Let `seat` draw four cards and look at them (CU-10). If fewer than four are left, the round ends (CU-50)."""
    if len(builder.state.pack) < HAND:
        builder.tell("pack_ran_out", "CU-50")
        end_round(builder)
        return
    builder.change(hand=builder.state.pack[:HAND], pack=builder.state.pack[HAND:])
    builder.tell("hand_drawn", "CU-10", seat=seat)
    let_declare(builder, seat)


def let_declare(builder: StepBuilder, seat: int) -> None:
    """Ask `seat` to declare the hand."""
    builder.change(stage=Declaring(seat), turn=builder.state.turn + 1, declaration=None)


def discard_hand(builder: StepBuilder) -> None:
    """Lay the hand on the open suitcase (CU-23)."""
    builder.change(discards=(*builder.state.discards, *builder.state.hand), hand=())


def put_hand_away(builder: StepBuilder) -> None:
    """Remove a hand from the round, face down and unseen (CU-62)."""
    builder.change(put_away=(*builder.state.put_away, *builder.state.hand), hand=())


def hand_lapses(builder: StepBuilder, drawer: int) -> None:
    """Remove the hand from the round because somebody left, and let `drawer` draw a new one (CU-62)."""
    builder.tell("hand_put_away", "CU-62")
    put_hand_away(builder)
    builder.change(declaration=None)
    draw_hand(builder, drawer)


def end_round(builder: StepBuilder) -> None:
    """Start a round with the next player who was not yet Officer, or end the game (CU-51, CU-52)."""
    state = builder.state
    assert state.officer is not None
    count = len(state.players)
    for step in range(1, count):
        seat = (state.officer + step) % count
        player = state.players[seat]
        if player.status == "in" and not player.served:
            begin_round(builder, seat)
            return
    end_game(builder, "all_were_officer")


def end_if_too_few(builder: StepBuilder) -> bool:
    """End the game when fewer than three are left (CU-63); return whether it has ended."""
    if len(builder.state.here()) < LEAST_PLAYERS:
        end_game(builder, "too_few_players")
    return builder.over


def end_game(builder: StepBuilder, reason: Reason) -> None:
    """Settle the loans. The richest player wins; players with equal money share the win (CU-52, CU-61)."""
    builder.change(dues=(), declaration=None)
    settle_loans(builder)
    state = builder.state
    most = max(state.players[seat].money for seat in state.here())
    winners = tuple(seat for seat in state.here() if state.players[seat].money == most)
    builder.change(stage=Over(winners, reason))
    builder.tell("game_won" if len(winners) == 1 else "game_shared", "CU-52", winners=list(winners), amount=most)


# -- the stages


def _appointing(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    seats: dict[str, Choice] = {"officer": OneOf(state.here())}
    return (Prompt(prompt="appoint", seat=None, do="appoint", choices=seats, chance="must", by="table"),)


def _shuffling(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    name = f"r{state.round}.shuffle"
    return (Prompt(prompt=name, seat=None, do="shuffle", choices=ORDER, chance="must", by="table"),)


APPOINTING = CustomsStage(due=lambda state: reject("officer_due", "CU-3"), prompts=_appointing, does={Appoint: appoint})
SHUFFLING = CustomsStage(due=lambda state: reject("shuffle_due", "CU-2"), prompts=_shuffling, does={Shuffle: shuffle})
OVER = CustomsStage(due=lambda state: reject("game_over", "CU-52"))

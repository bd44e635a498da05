"""Turns: whose turn it is, what they may still do, last turns, turns for sale (TR-10, TR-50, TR-67)."""

from __future__ import annotations

from collections.abc import Iterator

from appliance.games.base.rules.codes import composed
from appliance.games.haulers.rules.actions import BuyTurn, Decline, EndTurn
from appliance.games.haulers.rules.codes import HappeningCode, reject
from appliance.games.haulers.rules.phases.scoring import score
from appliance.games.haulers.rules.prompts import prompt_of, situation
from appliance.games.haulers.rules.stages import Drawing, Reason, Selling, Turn
from appliance.games.haulers.rules.state import Hauler, State
from appliance.games.haulers.rules.step_builder import HaulersStage, StepBuilder
from appliance.games.protocol import Prompt, Rejection

PAID_TURNS = (500, 1000, 2000)
"""Price in dollars of the first, second and third bought turn (TR-67)."""
MOST_BLACK, MOST_RED = 10, 2
"""Chips that win at once in games without money (TR-65)."""


def turn_of(builder: StepBuilder, seat: int, rule: str) -> Turn | Rejection:
    """Return the turn of `seat` if it is the open stage, else the rejection."""
    turn = builder.open(Turn)
    if turn is None:
        return reject("not_now", rule)
    if turn.seat != seat:
        return reject("not_your_turn", "TR-10", {"seat": turn.seat})
    return turn


def action_free(builder: StepBuilder, seat: int, rule: str) -> Rejection | None:
    """Return why `seat` may not start, complete or check now, else None (TR-10)."""
    turn = turn_of(builder, seat, rule)
    if isinstance(turn, Rejection):
        return turn
    if turn.acted:
        return reject("one_action_a_turn", "TR-10")
    if turn.shopping:
        return reject("only_purchases_now", "TR-10v")
    return None


def move_free(builder: StepBuilder, seat: int, rule: str) -> Rejection | None:
    """Return why `seat` may not move now, else None (TR-10)."""
    turn = turn_of(builder, seat, rule)
    if isinstance(turn, Rejection):
        return turn
    if turn.moved:
        return reject("one_move_a_turn", "TR-12")
    if turn.acted:
        return reject("no_move_after_action", "TR-10")
    if turn.shopping:
        return reject("only_purchases_now", "TR-10v")
    return None


def begin_turn(builder: StepBuilder, turn: Turn) -> None:
    """Start a turn of a seat that is still in the game. A player without any delivery draws one.

    The rule book does not cover this. Without it a game whose players decline every draw (TR-24) could never end.
    """
    below = tuple(stage for stage in builder.state.agenda if isinstance(stage, Selling)) if turn.kind == "paid" else ()
    builder.change(turn=builder.state.turn + 1, agenda=(*below, turn))
    builder.tell(
        "turn_began" if turn.kind == "usual" else composed(HappeningCode, f"{turn.kind}_turn_began"),
        "TR-10",
        seat=turn.seat,
    )
    player = builder.player(turn.seat)
    if not player.hand and not player.loads:
        builder.push(Drawing(seat=turn.seat, left=1))


def end_turn(builder: StepBuilder, action: EndTurn) -> Rejection | None:
    """End the turn (TR-10)."""
    turn = turn_of(builder, action.seat, "TR-10")
    if isinstance(turn, Rejection):
        return turn
    next_turn(builder, turn)
    return None


def next_turn(builder: StepBuilder, turn: Turn) -> None:
    """Start what follows after `turn`, whose player may have left."""
    state = builder.state
    if turn.kind == "paid":
        _ask_next(builder)
    elif turn.kind == "last" and turn.again and not state.players[turn.seat].left:
        builder.tell("another_turn", "TR-67", seat=turn.seat)
        begin_turn(builder, Turn(seat=turn.seat, kind="last"))
    elif state.ender is None:
        begin_turn(builder, Turn(seat=state.after(turn.seat)))
    else:
        _last_turn(builder)


def _last_turn(builder: StepBuilder) -> None:
    waiting = tuple(seat for seat in builder.state.last_turns if not builder.player(seat).left)
    if waiting:
        builder.change(last_turns=waiting[1:])
        begin_turn(builder, Turn(seat=waiting[0], kind="last"))
    elif builder.state.options.extra_turns:
        builder.change(agenda=(Selling(queue=()),))
        _open_sale(builder)
    else:
        score(builder)


def delivered(state: State, seat: int) -> int:
    """Return the number of completed deliveries of a player, by their chips (TR-50)."""
    chips = state.players[seat].chips
    return chips.white + chips.black


def see_whether_ended(builder: StepBuilder, seat: int) -> None:
    """Check, after `seat` gained chips, for the start of the last turns (TR-50) or a win at once (TR-65)."""
    state = builder.state
    chips = state.players[seat].chips
    if not state.options.money:
        if chips.black >= MOST_BLACK or chips.red >= MOST_RED:
            reason: Reason = "ten_black" if chips.black >= MOST_BLACK else "two_red"
            builder.tell(composed(HappeningCode, f"won_by_{reason}"), "TR-65", winner=seat)
            builder.end((seat,), reason)
    elif state.ender is None and delivered(state, seat) >= state.options.deliveries:
        others = tuple(other for other in _around(state, seat) if other != seat)
        builder.change(ender=seat, last_turns=others)
        builder.tell("last_turns_began", "TR-50", seat=seat, count=state.options.deliveries)


def _around(state: State, seat: int) -> tuple[int, ...]:
    """Return the seats still in the game, clockwise from the left of `seat`, ending with it."""
    count = len(state.players)
    around = ((seat + step) % count for step in range(1, count + 1))
    return tuple(other for other in around if not state.players[other].left)


# -- turns for sale (TR-67)


def turn_price(player: Hauler) -> int | None:
    """Return the price of a player's next turn, None when they may buy no more."""
    return PAID_TURNS[player.turns_bought] if player.turns_bought < len(PAID_TURNS) else None


def _open_sale(builder: StepBuilder) -> None:
    """Start a round of the sale, clockwise from the ender's left. If nobody can buy, end the game."""
    ender = builder.state.ender
    assert ender is not None
    can = tuple(seat for seat in _around(builder.state, ender) if _can_buy(builder.player(seat)))
    if can:
        builder.change(agenda=(Selling(queue=can),))
    else:
        score(builder)


def _can_buy(player: Hauler) -> bool:
    price = turn_price(player)
    return not player.left and price is not None and player.cash >= price


def ask_next_buyer(builder: StepBuilder, selling: Selling) -> None:
    """Continue the sale after an answer: the next seat in the round, the next round, or the end."""
    rest = tuple(seat for seat in selling.queue if _can_buy(builder.player(seat)))
    if rest:
        builder.change(agenda=(Selling(queue=rest, bought=selling.bought),))
    elif selling.bought:
        _open_sale(builder)
    else:
        score(builder)


def _ask_next(builder: StepBuilder) -> None:
    """Continue the sale after a paid turn."""
    ask_next_buyer(builder, next(stage for stage in builder.state.agenda if isinstance(stage, Selling)))


def buy_turn(builder: StepBuilder, action: BuyTurn) -> Rejection | None:
    """Buy one more turn (TR-67)."""
    selling = builder.open(Selling)
    if selling is None:
        return reject("no_turns_for_sale", "TR-67")
    player = builder.player(action.seat)
    price = turn_price(player)
    if price is None:
        return reject("three_turns_bought", "TR-67")
    if selling.queue[0] != action.seat:
        return reject("not_your_turn", "TR-67", {"seat": selling.queue[0]})
    builder.earn(action.seat, -price)
    builder.change_player(action.seat, turns_bought=player.turns_bought + 1)
    builder.alter(queue=selling.queue[1:], bought=True)
    builder.tell("turn_bought", "TR-67", seat=action.seat, dollars=price)
    begin_turn(builder, Turn(seat=action.seat, kind="paid"))
    return None


def decline(builder: StepBuilder, action: Decline) -> Rejection | None:
    """Buy no turn in this round."""
    selling = builder.open(Selling)
    if selling is None:
        return reject("no_turns_for_sale", "TR-67")
    if selling.queue[0] != action.seat:
        return reject("not_your_turn", "TR-67", {"seat": selling.queue[0]})
    builder.tell("turn_declined", "TR-67", seat=action.seat)
    ask_next_buyer(builder, Selling(queue=selling.queue[1:], bought=selling.bought))
    return None


def _selling(state: State, selling: Selling, viewer: int | None) -> Iterator[Prompt]:
    for do in ("buy_turn", "decline"):
        yield prompt_of(situation(state, "sale"), selling.queue[0], do)


SELLING = HaulersStage(prompts=_selling)

"""The frame of the turns: whose it is, what may still be done, last turns and the end (TR-10, TR-50, TR-67)."""

from __future__ import annotations

from appliance.games.base.rules.codes import composed
from appliance.games.haulers.rules.actions import BuyTurn, Decline, EndTurn
from appliance.games.haulers.rules.codes import HappeningCode, reject
from appliance.games.haulers.rules.phases.scoring import score
from appliance.games.haulers.rules.stages import Drawing, Selling, Turn
from appliance.games.haulers.rules.state import Hauler, State
from appliance.games.haulers.rules.step_builder import Draft
from appliance.games.protocol import Rejection

PAID_TURNS = (500, 1000, 2000)
"""What the first, second and third bought turn cost (TR-67)."""
MOST_BLACK, MOST_RED = 10, 2
"""Chips that win at once where no money is played for (TR-65)."""


def turn_of(draft: Draft, seat: int, rule: str) -> Turn | Rejection:
    """Return the turn of `seat` while it may choose freely in it, else why not."""
    turn = draft.open(Turn)
    if turn is None:
        return reject("not_now", rule)
    if turn.seat != seat:
        return reject("not_your_turn", "TR-10", {"seat": turn.seat})
    return turn


def action_free(draft: Draft, seat: int, rule: str) -> Rejection | None:
    """Say why `seat` may not start, complete or check now (TR-10)."""
    turn = turn_of(draft, seat, rule)
    if isinstance(turn, Rejection):
        return turn
    if turn.acted:
        return reject("one_action_a_turn", "TR-10")
    if turn.shopping:
        return reject("only_purchases_now", "TR-10v")
    return None


def move_free(draft: Draft, seat: int, rule: str) -> Rejection | None:
    """Say why `seat` may not move now (TR-10)."""
    turn = turn_of(draft, seat, rule)
    if isinstance(turn, Rejection):
        return turn
    if turn.moved:
        return reject("one_move_a_turn", "TR-12")
    if turn.acted:
        return reject("no_move_after_action", "TR-10")
    if turn.shopping:
        return reject("only_purchases_now", "TR-10v")
    return None


def begin_turn(draft: Draft, turn: Turn) -> None:
    """Begin a turn of a seat that is still in the game; who has no delivery left at all draws one.

    The book is silent about that; without it a table that declined every draw (TR-24) could never end.
    """
    below = tuple(stage for stage in draft.state.agenda if isinstance(stage, Selling)) if turn.kind == "paid" else ()
    draft.change(turn=draft.state.turn + 1, agenda=(*below, turn))
    draft.tell(
        "turn_began" if turn.kind == "usual" else composed(HappeningCode, f"{turn.kind}_turn_began"),
        "TR-10",
        seat=turn.seat,
    )
    player = draft.player(turn.seat)
    if not player.hand and not player.loads:
        draft.push(Drawing(seat=turn.seat, left=1))


def end_turn(draft: Draft, action: EndTurn) -> Rejection | None:
    """End the turn (TR-10)."""
    turn = turn_of(draft, action.seat, "TR-10")
    if isinstance(turn, Rejection):
        return turn
    next_turn(draft, turn)
    return None


def next_turn(draft: Draft, turn: Turn) -> None:
    """Go on after `turn`, whose seat may have left."""
    state = draft.state
    if turn.kind == "paid":
        _ask_next(draft)
    elif turn.kind == "last" and turn.again and not state.players[turn.seat].left:
        draft.tell("another_turn", "TR-67", seat=turn.seat)
        begin_turn(draft, Turn(seat=turn.seat, kind="last"))
    elif state.ender is None:
        begin_turn(draft, Turn(seat=state.after(turn.seat)))
    else:
        _last_turn(draft)


def _last_turn(draft: Draft) -> None:
    waiting = tuple(seat for seat in draft.state.last_turns if not draft.player(seat).left)
    if waiting:
        draft.change(last_turns=waiting[1:])
        begin_turn(draft, Turn(seat=waiting[0], kind="last"))
    elif draft.state.options.extra_turns:
        draft.change(agenda=(Selling(queue=()),))
        _open_sale(draft)
    else:
        score(draft)


def delivered(state: State, seat: int) -> int:
    """Return how many deliveries a player has completed, as his chips tell (TR-50)."""
    chips = state.players[seat].chips
    return chips.white + chips.black


def see_whether_ended(draft: Draft, seat: int) -> None:
    """After chips were taken: the last turns begin (TR-50), or the game is won at once (TR-65)."""
    state = draft.state
    chips = state.players[seat].chips
    if not state.options.money:
        if chips.black >= MOST_BLACK or chips.red >= MOST_RED:
            reason = "ten_black" if chips.black >= MOST_BLACK else "two_red"
            draft.tell("won_by_ten_black" if reason == "ten_black" else "won_by_two_red", "TR-65", winner=seat)
            draft.end((seat,), "ten_black" if chips.black >= MOST_BLACK else "two_red")
    elif state.ender is None and delivered(state, seat) >= state.options.deliveries:
        others = tuple(other for other in _around(state, seat) if other != seat)
        draft.change(ender=seat, last_turns=others)
        draft.tell("last_turns_began", "TR-50", seat=seat, count=state.options.deliveries)


def _around(state: State, seat: int) -> tuple[int, ...]:
    """The seats still in the game, clockwise from the left of `seat`, himself last."""
    count = len(state.players)
    around = ((seat + step) % count for step in range(1, count + 1))
    return tuple(other for other in around if not state.players[other].left)


# -- turns for sale (TR-67)


def turn_price(player: Hauler) -> int | None:
    """Return what a player's next turn costs, None when he may buy no more."""
    return PAID_TURNS[player.turns_bought] if player.turns_bought < len(PAID_TURNS) else None


def _open_sale(draft: Draft) -> None:
    """Ask round by round, clockwise from the ender's left, until all decline."""
    ender = draft.state.ender
    assert ender is not None
    can = tuple(seat for seat in _around(draft.state, ender) if _can_buy(draft.player(seat)))
    if can:
        draft.change(agenda=(Selling(queue=can),))
    else:
        score(draft)


def _can_buy(player: Hauler) -> bool:
    price = turn_price(player)
    return not player.left and price is not None and player.cash >= price


def ask_next_buyer(draft: Draft, selling: Selling) -> None:
    """Go on with the sale after an answer: the next in the round, the next round, or the end."""
    rest = tuple(seat for seat in selling.queue if _can_buy(draft.player(seat)))
    if rest:
        draft.change(agenda=(Selling(queue=rest, bought=selling.bought),))
    elif selling.bought:
        _open_sale(draft)
    else:
        score(draft)


def _ask_next(draft: Draft) -> None:
    """A paid turn is over: the sale below it goes on."""
    ask_next_buyer(draft, next(stage for stage in draft.state.agenda if isinstance(stage, Selling)))


def buy_turn(draft: Draft, action: BuyTurn) -> Rejection | None:
    """Buy one more turn (TR-67)."""
    selling = draft.open(Selling)
    if selling is None:
        return reject("no_turns_for_sale", "TR-67")
    player = draft.player(action.seat)
    price = turn_price(player)
    if price is None:
        return reject("three_turns_bought", "TR-67")
    if selling.queue[0] != action.seat:
        return reject("not_your_turn", "TR-67", {"seat": selling.queue[0]})
    draft.earn(action.seat, -price)
    draft.change_player(action.seat, turns_bought=player.turns_bought + 1)
    draft.alter(queue=selling.queue[1:], bought=True)
    draft.tell("turn_bought", "TR-67", seat=action.seat, dollars=price)
    begin_turn(draft, Turn(seat=action.seat, kind="paid"))
    return None


def decline(draft: Draft, action: Decline) -> Rejection | None:
    """Buy no turn in this round."""
    selling = draft.open(Selling)
    if selling is None:
        return reject("no_turns_for_sale", "TR-67")
    if selling.queue[0] != action.seat:
        return reject("not_your_turn", "TR-67", {"seat": selling.queue[0]})
    draft.tell("turn_declined", "TR-67", seat=action.seat)
    ask_next_buyer(draft, Selling(queue=selling.queue[1:], bought=selling.bought))
    return None

"""Delivery cards: shuffling, dealing, drawing, discarding, redrawing (TR-1, TR-4, TR-5, TR-24, TR-34)."""

from __future__ import annotations

from collections.abc import Iterator

from appliance.games.base.rules.codes import composed
from appliance.games.haulers.rules.actions import Discard, Draw, Redraw, Shuffle, Skip
from appliance.games.haulers.rules.codes import HappeningCode, reject
from appliance.games.haulers.rules.map.edition import START_HAND
from appliance.games.haulers.rules.phases.turns import begin_turn, turn_of
from appliance.games.haulers.rules.prompts import places, prompt_of, situation
from appliance.games.haulers.rules.stages import Dealing, Discarding, Drawing, Keeping, Refilling, Shuffling, Turn
from appliance.games.haulers.rules.state import State
from appliance.games.haulers.rules.step_builder import HaulersStage, StepBuilder
from appliance.games.protocol import AnyOrder, Choice, OneOf, Prompt, Rejection

KEPT = 3
"""Deliveries that a player keeps at the start (TR-4)."""


def shuffle(builder: StepBuilder, action: Shuffle) -> Rejection | None:
    """Put a pile in the given order."""
    shuffling = builder.open(Shuffling)
    if shuffling is None or shuffling.pile != action.pile:
        return reject("nothing_to_shuffle", "TR-2")
    if sorted(action.order) != list(range(shuffling.count)):
        return reject("no_such_order", "TR-2", {"count": shuffling.count})
    builder.pop()
    state = builder.state
    if action.pile == "deliveries":
        old = state.discards
        builder.change(pile=tuple(old[index] for index in action.order), discards=())
    elif action.pile == "transit":
        old = state.transit_discards
        builder.change(transit_pile=tuple(old[index] for index in action.order), transit_discards=())
    else:
        old = state.mission_pile
        builder.change(mission_pile=tuple(old[index] for index in action.order))
    builder.tell(composed(HappeningCode, f"{action.pile}_shuffled"), "TR-25" if state.turn else "TR-2")
    return None


def deal(builder: StepBuilder, _: Dealing) -> None:
    """Deal five deliveries to every player, and a mission in games with missions (TR-1, TR-62)."""
    builder.pop()
    state = builder.state
    count = len(state.players)
    for seat in range(count):
        start = seat * START_HAND
        builder.change_player(seat, hand=state.pile[start : start + START_HAND])
        if state.options.missions != "none":
            builder.change_player(seat, mission=state.mission_pile[seat])
    builder.change(pile=state.pile[count * START_HAND :])
    if state.options.missions != "none":
        builder.change(mission_pile=state.mission_pile[count:])
    builder.tell("deliveries_dealt", "TR-1", count=START_HAND)


def keep(builder: StepBuilder, _: Keeping) -> bool:
    """Start the first turn once all players have three deliveries. Return whether it started."""
    if any(len(player.hand) > KEPT for player in builder.state.players if not player.left):
        return False
    assert builder.state.first is not None
    first = builder.state.here()[0]
    begin_turn(builder, Turn(seat=first))
    return True


def draw_on(builder: StepBuilder, drawing: Drawing) -> None:
    """Draw the next card. An empty pile is first refilled from the discards (TR-25)."""
    state = builder.state
    if drawing.left and not state.pile and state.discards:
        builder.push(Shuffling("deliveries", len(state.discards)))
    elif drawing.left and state.pile:
        builder.alter(left=drawing.left - 1, drawn=drawing.drawn + 1)
        builder.change_player(drawing.seat, hand=(*builder.player(drawing.seat).hand, state.pile[0]))
        builder.change(pile=state.pile[1:])
        builder.tell("delivery_drawn", "TR-24", seat=drawing.seat)
    else:
        builder.pop()
        if drawing.discards and drawing.drawn:
            builder.push(Discarding(drawing.seat))


def draw(builder: StepBuilder, action: Draw) -> Rejection | None:
    """Start drawing the cards that the player may draw (TR-24, TR-34)."""
    refilling = builder.open(Refilling)
    if refilling is None or refilling.seat != action.seat:
        return reject("nothing_to_draw", "TR-24")
    builder.pop()
    builder.push(Drawing(seat=action.seat, left=refilling.count, discards=refilling.count > 1))
    return None


def skip(builder: StepBuilder, action: Skip) -> Rejection | None:
    """Draw no cards."""
    refilling = builder.open(Refilling)
    if refilling is None or refilling.seat != action.seat:
        return reject("nothing_to_draw", "TR-24")
    builder.pop()
    builder.tell("drawing_skipped", "TR-24", seat=action.seat)
    return None


def discard(builder: StepBuilder, action: Discard) -> Rejection | None:
    """Discard one delivery that is not in transit: at the start two of five (TR-4), later after drawing (TR-24)."""
    keeping, discarding = builder.open(Keeping), builder.open(Discarding)
    hand = builder.player(action.seat).hand
    if keeping is None and (discarding is None or discarding.seat != action.seat):
        return reject("nothing_to_discard", "TR-24")
    if keeping is not None and len(hand) <= KEPT:
        return reject("three_kept", "TR-4")
    if not 1 <= action.card <= len(hand):
        return reject("no_such_card", "TR-24", {"most": len(hand)})
    card = hand[action.card - 1]
    builder.change_player(action.seat, hand=tuple(held for held in hand if held != card))
    builder.change(discards=(*builder.state.discards, card))
    if discarding is not None:
        builder.pop()
    builder.tell("delivery_discarded", "TR-24" if discarding else "TR-4", seat=action.seat)
    return None


def may_redraw(state: State, seat: int) -> bool:
    """Return whether all of a player's deliveries need a boat and none is in transit (TR-5). Secret."""
    player = state.players[seat]
    return bool(player.hand) and not player.loads and all(state.is_overseas(card) for card in player.hand)


def redraw(builder: StepBuilder, action: Redraw) -> Rejection | None:
    """Show and discard all deliveries, then draw the same number (TR-5)."""
    turn = turn_of(builder, action.seat, "TR-5")
    if isinstance(turn, Rejection):
        return turn
    player = builder.player(action.seat)
    if player.loads:
        return reject("load_in_transit", "TR-5")
    if not may_redraw(builder.state, action.seat):
        return reject("not_all_overseas", "TR-5")
    builder.change_player(action.seat, hand=())
    builder.change(discards=(*builder.state.discards, *player.hand))
    builder.tell("deliveries_redrawn", "TR-5", seat=action.seat, count=len(player.hand))
    builder.push(Drawing(seat=action.seat, left=len(player.hand)))
    return None


# -- the stages


def _shuffling(state: State, shuffling: Shuffling, viewer: int | None) -> Iterator[Prompt]:
    order: dict[str, Choice] = {"pile": OneOf((shuffling.pile,)), "order": AnyOrder(shuffling.count)}
    yield prompt_of(situation(state, "shuffle"), None, "shuffle", order, chance="must", by="table")


def _keeping(state: State, keeping: Keeping, viewer: int | None) -> Iterator[Prompt]:
    for seat, player in enumerate(state.players):
        held = len(player.hand)
        if held > KEPT:
            yield prompt_of(f"start.discard.seat{seat}.of{held}", seat, "discard", {"card": places(held)})


def _refilling(state: State, refilling: Refilling, viewer: int | None) -> Iterator[Prompt]:
    for do in ("draw", "skip"):
        yield prompt_of(situation(state, "refill"), refilling.seat, do)


def _discarding(state: State, discarding: Discarding, viewer: int | None) -> Iterator[Prompt]:
    held = len(state.players[discarding.seat].hand)
    yield prompt_of(situation(state, "discard"), discarding.seat, "discard", {"card": places(held)})


SHUFFLING = HaulersStage(prompts=_shuffling)
DEALING = HaulersStage(goes_on=deal)
KEEPING = HaulersStage(prompts=_keeping, goes_on=keep)
DRAWING = HaulersStage(goes_on=draw_on)
REFILLING = HaulersStage(prompts=_refilling)
DISCARDING = HaulersStage(prompts=_discarding)

"""Cards that the table carries out by hand: texts without an effect in the rules (TR-60, TR-62)."""

from __future__ import annotations

from collections.abc import Iterator

from appliance.games.base.rules.codes import composed
from appliance.games.haulers.rules.actions import COLOURS, Currency, Done, HandOver
from appliance.games.haulers.rules.codes import HappeningCode, reject
from appliance.games.haulers.rules.phases.turns import see_whether_ended
from appliance.games.haulers.rules.prompts import prompt_of
from appliance.games.haulers.rules.stages import ByHand
from appliance.games.haulers.rules.state import State
from appliance.games.haulers.rules.step_builder import HaulersStage, StepBuilder
from appliance.games.protocol import Choice, Number, OneOf, Prompt, Rejection

BANK_DOLLARS, BANK_CHIPS = 10_000, 10
"""Most dollars and chips that the bank hands over at once."""


def purse_of(state: State, source: int | None) -> dict[Currency, int]:
    """Return how much of each currency a player, or the bank (None), could hand over."""
    player = None if source is None else state.players[source]
    have: dict[Currency, int] = {"money": BANK_DOLLARS if player is None else player.cash}
    for colour in COLOURS:
        have[colour] = BANK_CHIPS if player is None else player.chips.of(colour)
    return {what: most for what, most in have.items() if most > 0 and (what != "money" or state.options.money)}


def hand_over(builder: StepBuilder, action: HandOver) -> Rejection | None:
    """Move money or chips for the card, between two players or a player and the bank."""
    if builder.open(ByHand) is None:
        return reject("no_card_by_hand", "TR-60")
    if action.source == action.target:
        return reject("to_somebody_else", "TR-60")
    most = purse_of(builder.state, action.source).get(action.what, 0)
    if not 1 <= action.amount <= most:
        return reject("hand_over_out_of_range", "TR-60", {"most": most})
    for seat, amount in ((action.source, -action.amount), (action.target, action.amount)):
        if seat is None:
            continue
        if action.what != "money":
            builder.gain(seat, action.what, amount)
        elif None in (action.source, action.target):
            builder.earn(seat, amount)
        else:
            builder.change_player(seat, cash=builder.player(seat).cash + amount)
    _tell(builder, action)
    if action.target is not None and action.what != "money":
        see_whether_ended(builder, action.target)
    return None


def _tell(builder: StepBuilder, action: HandOver) -> None:
    what = "money" if action.what == "money" else "chips"
    amount = {"dollars": action.amount} if what == "money" else {"count": action.amount, "colour": action.what}
    if action.source is None:
        builder.tell(composed(HappeningCode, f"{what}_from_the_bank"), "TR-60", target=action.target, **amount)
    elif action.target is None:
        builder.tell(composed(HappeningCode, f"{what}_to_the_bank"), "TR-60", source=action.source, **amount)
    else:
        builder.tell(
            composed(HappeningCode, f"{what}_handed_over"),
            "TR-60",
            source=action.source,
            target=action.target,
            **amount,
        )


def done(builder: StepBuilder, action: Done) -> Rejection | None:
    """End the card after its text has been carried out."""
    card = builder.open(ByHand)
    if card is None or card.seat != action.seat:
        return reject("no_card_by_hand", "TR-60")
    builder.pop()
    builder.tell("card_done", "TR-60", seat=action.seat)
    return None


# -- the stage


def _prompts(state: State, card: ByHand, viewer: int | None) -> Iterator[Prompt]:
    """Yield the prompts to move money and chips for the card, and to end it."""
    name = f"{card.deed}.by_hand"
    yield prompt_of(name, card.seat, "done")
    for source in (None, *state.here()):
        others = OneOf(tuple(target for target in (None, *state.here()) if target != source))
        for what, most in purse_of(state, source).items():
            amount = Number(1, most, unit="$" if what == "money" else "", whole=True)
            moved: dict[str, Choice] = {"source": OneOf((source,)), "target": others, "what": OneOf((what,))}
            yield prompt_of(name, None, "hand_over", {**moved, "amount": amount}, optional=True)


BY_HAND = HaulersStage(prompts=_prompts)

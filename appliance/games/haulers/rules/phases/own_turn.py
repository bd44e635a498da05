"""The turn of a player, with everything that they may do in it (TR-10)."""

from __future__ import annotations

from collections.abc import Iterator

from appliance.games.haulers.rules.actions import KINDS, Upgrade
from appliance.games.haulers.rules.phases.buying import (
    Ware,
    building_ground,
    enlargeable,
    moorings,
    not_for_sale,
    payments,
)
from appliance.games.haulers.rules.phases.cards import may_redraw
from appliance.games.haulers.rules.phases.checking import checkable
from appliance.games.haulers.rules.phases.hauling import arrived, startable, transferable
from appliance.games.haulers.rules.phases.moving import dice_of
from appliance.games.haulers.rules.phases.renting import rentable, returnable
from appliance.games.haulers.rules.phases.turns import next_turn
from appliance.games.haulers.rules.prompts import prompt_of, situation
from appliance.games.haulers.rules.stages import Turn
from appliance.games.haulers.rules.state import State
from appliance.games.haulers.rules.step_builder import HaulersStage, StepBuilder
from appliance.games.protocol import Choice, Number, OneOf, Prompt

UPGRADES: tuple[Upgrade, ...] = ("radar", "double", "turbo")


def _prompts(state: State, turn: Turn, viewer: int | None) -> Iterator[Prompt]:
    """Yield the prompts of a turn. Those that depend on a hand (start, redraw) are shown only to its owner."""
    name, seat = situation(state, "turn"), turn.seat
    if not turn.acted and not turn.shopping:
        if not turn.moved:
            yield prompt_of(name, seat, "drive", {"dice": OneOf(dice_of(state, seat))})
            if boats := state.steered_by(seat):
                yield prompt_of(name, seat, "sail", {"boat": OneOf(boats)})
        if ready := arrived(state, seat):
            yield prompt_of(name, seat, "complete", {"load": OneOf(ready)})
        if viewer == seat:
            yield from _start(state, name, seat)
        for target, boat in checkable(state, seat):
            whom: dict[str, Choice] = {"target": OneOf((target,)), "vehicle": OneOf((state.vehicle(boat),))}
            yield prompt_of(name, seat, "check", whom)
    yield from transferable(state, name, seat)
    yield from _purchases(state, name, turn)
    if owners := rentable(state, seat):
        terms: dict[str, Choice] = {
            "owner": OneOf(owners),
            "steers": OneOf(("renter", "owner")),
            "pact": OneOf((False, True)),
            "amount": Number(0, state.players[seat].cash, unit="$", whole=True),
        }
        yield prompt_of(name, seat, "ask_boat", terms)
    if owners := returnable(state, seat):
        yield prompt_of(name, seat, "return_boat", {"owner": OneOf(owners)})
    if viewer == seat and may_redraw(state, seat):
        yield prompt_of(name, seat, "redraw")
    yield prompt_of(name, seat, "end_turn")


def _start(state: State, name: str, seat: int) -> Iterator[Prompt]:
    kinds = tuple(kind for kind in KINDS if state.players[seat].unused(kind))
    if kinds and (places := startable(state, seat)):
        yield prompt_of(name, seat, "start", {"card": OneOf(places), "kind": OneOf(kinds)})


def _purchases(state: State, name: str, turn: Turn) -> Iterator[Prompt]:
    seat = turn.seat

    def ways(ware: Ware) -> dict[str, Choice] | None:
        found = () if not_for_sale(state, turn, ware) else payments(state, seat, ware)
        if not found:
            return None
        return {"pay": OneOf(found)} if found != ("money",) else {}

    for upgrade in UPGRADES:
        if (pay := ways(upgrade)) is not None:
            yield prompt_of(name, seat, "buy", {"what": OneOf((upgrade,)), **pay})
    if (pay := ways("station")) is not None and (ground := building_ground(state)):
        yield prompt_of(name, seat, "build", {"at": OneOf(ground), **pay})
    if (pay := ways("boat")) is not None and (berths := moorings(state)):
        yield prompt_of(name, seat, "launch", {"at": OneOf(berths), **pay})
    if ways("enlargement") is not None and (own := enlargeable(state, seat)):
        yield prompt_of(name, seat, "enlarge", {"at": OneOf(own)})
    if ways("papers") is not None:
        yield prompt_of(name, seat, "buy_papers")


def _goes_on(builder: StepBuilder, turn: Turn) -> bool:
    """End the turn of a player who left."""
    if not builder.player(turn.seat).left:
        return False
    next_turn(builder, turn)
    return True


TURN = HaulersStage(prompts=_prompts, goes_on=_goes_on)

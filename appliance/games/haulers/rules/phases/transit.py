"""Transit and mission cards (TR-60 … TR-62)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from appliance.games.haulers.rules.actions import KeepMission, Sabotage, SwapMission
from appliance.games.haulers.rules.codes import HappeningCode, reject
from appliance.games.haulers.rules.map.edition import Transit
from appliance.games.haulers.rules.prompts import prompt_of, situation
from appliance.games.haulers.rules.stages import (
    Briefing,
    ByHand,
    Drawing,
    Moving,
    Raid,
    Reassigning,
    Sabotaging,
    Shuffling,
    TransitDrawing,
)
from appliance.games.haulers.rules.state import State
from appliance.games.haulers.rules.step_builder import HaulersStage, StepBuilder
from appliance.games.protocol import OneOf, Prompt, Rejection


def transit_cards(state: State) -> tuple[Transit, ...]:
    """Return every transit card of the edition, one entry for each copy."""
    return tuple(card for card in state.edition.transit for _ in range(card.copies))


def draw_transit(builder: StepBuilder, drawing: TransitDrawing) -> None:
    """Draw the top card and apply it. An empty pile is first refilled from the discards."""
    state = builder.state
    if not state.transit_pile and state.transit_discards:
        builder.push(Shuffling("transit", len(state.transit_discards)))
        return
    builder.pop()
    if not state.transit_pile:
        builder.tell("no_transit_card", "TR-60", seat=drawing.seat)
        return
    number = state.transit_pile[0]
    card = transit_cards(state)[number]
    builder.change(transit_pile=state.transit_pile[1:])
    builder.tell("transit_drawn", "TR-60", seat=drawing.seat, card=number, title=structs.asdict(card.title))
    if card.effect == "papers":
        builder.change_player(drawing.seat, papers=(*builder.player(drawing.seat).papers, number))
        return
    builder.change(transit_discards=(*builder.state.transit_discards, number))
    if card.effect == "by_hand":
        builder.push(ByHand(drawing.seat, number, builder.state.deed))
        return
    before = builder.state
    _apply_card(builder, drawing.seat, card)
    if builder.state == before:
        _tell_in_vain(builder)


def _tell_in_vain(builder: StepBuilder) -> None:
    """Tell that the card just drawn changes nothing."""
    builder.tell("transit_in_vain", "TR-60")


def _apply_card(builder: StepBuilder, seat: int, card: Transit) -> None:
    match card.effect:
        case "money":
            _money(builder, seat, card.dollars)
        case "police" | "coast_guard":
            _raid(builder, seat, afloat=card.effect == "coast_guard")
        case "sabotage":
            builder.push(Sabotaging(seat))
        case "breakdown":
            for place, stage in enumerate(builder.state.agenda):
                if isinstance(stage, Moving) and stage.seat == seat and stage.left:
                    # Stages above the move (such as a weigh station's roll-off) still take place.
                    moving = Moving(seat=seat, boat=stage.boat, left=0)
                    agenda = builder.state.agenda
                    builder.change(agenda=(*agenda[:place], moving, *agenda[place + 1 :]))
                    builder.tell("move_ended", "TR-60", seat=seat)
        case "delivery":
            builder.push(Drawing(seat=seat, left=1, discards=True))
        case "orders" if builder.player(seat).mission is not None:
            builder.push(Reassigning(seat))
        case _:
            pass


def _money(builder: StepBuilder, seat: int, dollars: int) -> None:
    """Pay dollars from the bank; below 0: to the bank, at most what the player has."""
    moved = max(dollars, -builder.player(seat).cash) if builder.state.options.money else 0
    if not moved:
        return
    builder.earn(seat, moved)
    code: HappeningCode = "transit_paid" if moved > 0 else "transit_charged"
    builder.tell(code, "TR-60", seat=seat, dollars=abs(moved))


def _raid(builder: StepBuilder, seat: int, *, afloat: bool) -> None:
    """Let police or coast guard check the drawer, or all players with loads, each separately (TR-61)."""
    state = builder.state
    everybody = state.options.police == "everybody"
    count = len(state.players)
    seats = [(seat + step) % count for step in range(count)] if everybody else [seat]
    raids: list[Raid] = []
    for carrier in seats:
        loads = [load for load in state.players[carrier].loads if (load.boat is not None) == afloat]
        vehicles = dict.fromkeys(load.boat for load in loads)
        raids += [Raid(carrier=carrier, boat=boat) for boat in vehicles]
    builder.push(*reversed(raids))


def victims(state: State, seat: int) -> tuple[int, ...]:
    """Return the players whose turbo could be hit."""
    return tuple(
        other
        for other, player in enumerate(state.players)
        if other != seat and player.turbo and not player.throttled and not player.left
    )


def spare(builder: StepBuilder, sabotaging: Sabotaging) -> bool:
    """Drop a sabotage that can hit nobody. Return whether it was dropped."""
    if victims(builder.state, sabotaging.seat):
        return False
    builder.pop()
    _tell_in_vain(builder)
    return True


def sabotage(builder: StepBuilder, action: Sabotage) -> Rejection | None:
    """Remove another player's turbo, or with the limited card limit them to 8 steps per turn (TR-61)."""
    sabotaging = builder.open(Sabotaging)
    if sabotaging is None or sabotaging.seat != action.seat:
        return reject("no_sabotage", "TR-61")
    if action.target not in victims(builder.state, action.seat):
        return reject("no_turbo_there", "TR-61")
    builder.pop()
    if builder.state.options.sabotage == "limited":
        builder.change_player(action.target, throttled=True)
        builder.tell("turbo_throttled", "TR-61", seat=action.seat, target=action.target)
    else:
        stock = builder.state.stock
        builder.change_player(action.target, turbo=False)
        builder.change(stock={**stock, "turbo": stock["turbo"] + 1})
        builder.tell("turbo_ruined", "TR-60", seat=action.seat, target=action.target)
    return None


# -- missions (TR-62)


def _may_swap(builder: StepBuilder, seat: int) -> bool:
    briefing, reassigning = builder.open(Briefing), builder.open(Reassigning)
    return (briefing is not None and seat in briefing.seats) or (reassigning is not None and reassigning.seat == seat)


def swap_mission(builder: StepBuilder, action: SwapMission) -> Rejection | None:
    """Take the next mission of the pile; the old one goes under the pile (TR-62)."""
    if not _may_swap(builder, action.seat):
        return reject("no_swap_now", "TR-62")
    pile = builder.state.mission_pile
    if not pile:
        return reject("no_missions_left", "TR-62")
    old = builder.player(action.seat).mission
    assert old is not None
    builder.change_player(action.seat, mission=pile[0])
    builder.change(mission_pile=(*pile[1:], old))
    builder.tell("mission_swapped", "TR-62", seat=action.seat)
    _briefed(builder, action.seat)
    return None


def keep_mission(builder: StepBuilder, action: KeepMission) -> Rejection | None:
    """Keep the mission."""
    if not _may_swap(builder, action.seat):
        return reject("no_swap_now", "TR-62")
    builder.tell("mission_kept", "TR-62", seat=action.seat)
    _briefed(builder, action.seat)
    return None


def _briefed(builder: StepBuilder, seat: int) -> None:
    briefing = builder.open(Briefing)
    if briefing is None:
        builder.pop()
    else:
        builder.alter(seats=tuple(other for other in briefing.seats if other != seat))


def brief(builder: StepBuilder, briefing: Briefing) -> bool:
    """End the stage once all players have decided. Return whether it ended."""
    if any(not builder.player(seat).left for seat in briefing.seats):
        return False
    builder.pop()
    return True


# -- the stages


def _briefing(state: State, briefing: Briefing, viewer: int | None) -> Iterator[Prompt]:
    for seat in briefing.seats:
        if not state.players[seat].left:
            yield from _mission(state, f"start.mission.seat{seat}", seat)


def _reassigning(state: State, reassigning: Reassigning, viewer: int | None) -> Iterator[Prompt]:
    yield from _mission(state, situation(state, "mission"), reassigning.seat)


def _mission(state: State, name: str, seat: int) -> Iterator[Prompt]:
    if state.mission_pile:
        yield prompt_of(name, seat, "swap_mission")
    yield prompt_of(name, seat, "keep_mission")


def _sabotaging(state: State, sabotaging: Sabotaging, viewer: int | None) -> Iterator[Prompt]:
    seat, name = sabotaging.seat, situation(state, "sabotage")
    yield prompt_of(name, seat, "sabotage", {"target": OneOf(victims(state, seat))})


BRIEFING = HaulersStage(prompts=_briefing, goes_on=brief)
REASSIGNING = HaulersStage(prompts=_reassigning)
SABOTAGING = HaulersStage(prompts=_sabotaging, goes_on=spare)
TRANSIT_DRAWING = HaulersStage(goes_on=draw_transit)

"""Transit and mission cards (TR-60 … TR-62)."""

from __future__ import annotations

from appliance.games.haulers.rules.actions import KeepMission, Sabotage, SwapMission
from appliance.games.haulers.rules.codes import HappeningCode, reject
from appliance.games.haulers.rules.map.edition import Transit
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
from appliance.games.haulers.rules.step_builder import Draft
from appliance.games.protocol import Rejection


def transit_cards(state: State) -> tuple[Transit, ...]:
    """Return every transit card of the edition, each copy by itself."""
    return tuple(card for card in state.edition.transit for _ in range(card.copies))


def draw_transit(draft: Draft, drawing: TransitDrawing) -> None:
    """Draw the top card and obey it; an empty pile is made of the discards first."""
    state = draft.state
    if not state.transit_pile and state.transit_discards:
        draft.push(Shuffling("transit", len(state.transit_discards)))
        return
    draft.pop()
    if not state.transit_pile:
        draft.tell("no_transit_card", "TR-60", seat=drawing.seat)
        return
    number = state.transit_pile[0]
    card = transit_cards(state)[number]
    draft.change(transit_pile=state.transit_pile[1:])
    draft.tell("transit_drawn", "TR-60", seat=drawing.seat, card=number, title=[card.title.en, card.title.de])
    if card.effect == "papers":
        draft.change_player(drawing.seat, papers=(*draft.player(drawing.seat).papers, number))
        return
    draft.change(transit_discards=(*draft.state.transit_discards, number))
    if card.effect == "by_hand":
        draft.push(ByHand(drawing.seat, number, draft.state.deed))
    else:
        _obey(draft, drawing.seat, card)


def _obey(draft: Draft, seat: int, card: Transit) -> None:
    match card.effect:
        case "money":
            _money(draft, seat, card.dollars)
        case "police" | "coast_guard":
            _raid(draft, seat, afloat=card.effect == "coast_guard")
        case "sabotage":
            if victims(draft.state, seat):
                draft.push(Sabotaging(seat))
        case "breakdown":
            for place, stage in enumerate(draft.state.agenda):
                if isinstance(stage, Moving) and stage.seat == seat:
                    # What lies above the move (a weigh station's roll-off) still takes place.
                    moving = Moving(seat=seat, boat=stage.boat, left=0)
                    agenda = draft.state.agenda
                    draft.change(agenda=(*agenda[:place], moving, *agenda[place + 1 :]))
        case "delivery":
            draft.push(Drawing(seat=seat, left=1, discards=True))
        case "orders" if draft.player(seat).mission is not None:
            draft.push(Reassigning(seat))
        case _:
            pass


def _money(draft: Draft, seat: int, dollars: int) -> None:
    """The bank pays, or is paid as much as there is."""
    if not draft.state.options.money:
        return
    moved = max(dollars, -draft.player(seat).cash)
    draft.earn(seat, moved)
    code: HappeningCode = "transit_paid" if moved >= 0 else "transit_charged"
    draft.tell(code, "TR-60", seat=seat, dollars=abs(moved))


def _raid(draft: Draft, seat: int, *, afloat: bool) -> None:
    """Police or coast guard check the drawer, or everybody in transit, each by itself (TR-61)."""
    state = draft.state
    everybody = state.options.police == "everybody"
    count = len(state.players)
    seats = [(seat + step) % count for step in range(count)] if everybody else [seat]
    raids: list[Raid] = []
    for carrier in seats:
        loads = [load for load in state.players[carrier].loads if (load.boat is not None) == afloat]
        vehicles = dict.fromkeys(load.boat for load in loads)
        raids += [Raid(carrier=carrier, boat=boat) for boat in vehicles]
    draft.push(*reversed(raids))


def victims(state: State, seat: int) -> tuple[int, ...]:
    """Return whose turbo could suffer."""
    return tuple(
        other
        for other, player in enumerate(state.players)
        if other != seat and player.turbo and not player.throttled and not player.left
    )


def sabotage(draft: Draft, action: Sabotage) -> Rejection | None:
    """Take another's turbo, or with the limited card let him keep it for at most 8 a turn (TR-61)."""
    sabotaging = draft.open(Sabotaging)
    if sabotaging is None or sabotaging.seat != action.seat:
        return reject("no_sabotage", "TR-61")
    if action.target not in victims(draft.state, action.seat):
        return reject("no_turbo_there", "TR-61")
    draft.pop()
    if draft.state.options.sabotage == "limited":
        draft.change_player(action.target, throttled=True)
        draft.tell("turbo_throttled", "TR-61", seat=action.seat, target=action.target)
    else:
        stock = draft.state.stock
        draft.change_player(action.target, turbo=False)
        draft.change(stock={**stock, "turbo": stock["turbo"] + 1})
        draft.tell("turbo_ruined", "TR-60", seat=action.seat, target=action.target)
    return None


# -- missions (TR-62)


def _may_swap(draft: Draft, seat: int) -> bool:
    briefing, reassigning = draft.open(Briefing), draft.open(Reassigning)
    return (briefing is not None and seat in briefing.seats) or (reassigning is not None and reassigning.seat == seat)


def swap_mission(draft: Draft, action: SwapMission) -> Rejection | None:
    """Take another random mission; the old one goes under the pile (TR-62)."""
    if not _may_swap(draft, action.seat):
        return reject("no_swap_now", "TR-62")
    pile = draft.state.mission_pile
    if not pile:
        return reject("no_missions_left", "TR-62")
    old = draft.player(action.seat).mission
    assert old is not None
    draft.change_player(action.seat, mission=pile[0])
    draft.change(mission_pile=(*pile[1:], old))
    draft.tell("mission_swapped", "TR-62", seat=action.seat)
    _briefed(draft, action.seat)
    return None


def keep_mission(draft: Draft, action: KeepMission) -> Rejection | None:
    """Stay with the mission."""
    if not _may_swap(draft, action.seat):
        return reject("no_swap_now", "TR-62")
    draft.tell("mission_kept", "TR-62", seat=action.seat)
    _briefed(draft, action.seat)
    return None


def _briefed(draft: Draft, seat: int) -> None:
    briefing = draft.open(Briefing)
    if briefing is None:
        draft.pop()
    else:
        draft.alter(seats=tuple(other for other in briefing.seats if other != seat))


def brief(draft: Draft, briefing: Briefing) -> bool:
    """Go on once everybody has decided; say whether that was so."""
    if any(not draft.player(seat).left for seat in briefing.seats):
        return False
    draft.pop()
    return True

"""The open prompts, from which pages, robots and the fuzzer play (DESIGN §4). `leave` is always legal, never listed.

What depends on a hand (start, redraw) is shown to its owner alone; cards are named by their place in the hand, so that
every other prompt is the same for everybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from appliance.games.haulers.rules.actions import KINDS, Upgrade
from appliance.games.haulers.rules.phases.buying import (
    Ware,
    building_ground,
    enlargeable,
    moorings,
    not_for_sale,
    payments,
)
from appliance.games.haulers.rules.phases.cards import KEPT, may_redraw
from appliance.games.haulers.rules.phases.cards_by_hand import purse_of
from appliance.games.haulers.rules.phases.checking import checkable, purse
from appliance.games.haulers.rules.phases.hauling import arrived, startable, transfers
from appliance.games.haulers.rules.phases.moving import dice_of, reach
from appliance.games.haulers.rules.phases.renting import rentable, returnable
from appliance.games.haulers.rules.phases.scoring import judge_of
from appliance.games.haulers.rules.phases.transit import victims
from appliance.games.haulers.rules.stages import (
    Briefing,
    ByHand,
    Discarding,
    Judging,
    Keeping,
    Looking,
    Moving,
    Parley,
    Raid,
    Reassigning,
    Refilling,
    Renting,
    Rolling,
    Sabotaging,
    Selling,
    Shuffling,
    StationCall,
    Turn,
)
from appliance.games.haulers.rules.state import State
from appliance.games.protocol import Choice, Number, OneOf, Prompt, Shuffle

DIE = OneOf((1, 2, 3, 4, 5, 6))
UPGRADES: tuple[Upgrade, ...] = ("radar", "double", "turbo")


def expects(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    """Return the open prompts as the viewer at a seat (None: everybody) may see them."""
    return tuple(_expects(state, viewer))


def _expects(state: State, viewer: int | None) -> Iterator[Prompt]:
    at = f"{state.deed}"
    match state.stage:
        case Shuffling(pile=pile, count=count):
            order: dict[str, Choice] = {"pile": OneOf((pile,)), "order": Shuffle(count)}
            yield _prompt(f"{at}.shuffle", None, "shuffle", order, chance="must", by="table")
        case Rolling(seat=seat, dice=dice):
            chance: Literal["must", "may"] = "must" if state.options.dice == "electronic" or seat is None else "may"
            faces: dict[str, Choice] = {f"die_{number}": DIE for number in range(1, dice + 1)}
            yield _prompt(f"{at}.roll", seat, "roll", faces, chance=chance, by="table")
        case Briefing(seats=seats):
            for seat in seats:
                if not state.players[seat].left:
                    yield from _mission(state, f"start.mission.seat{seat}", seat)
        case Reassigning(seat=seat):
            yield from _mission(state, f"{at}.mission", seat)
        case Keeping():
            for seat, player in enumerate(state.players):
                if len(player.hand) > KEPT:
                    held = len(player.hand)
                    yield _prompt(f"start.discard.seat{seat}.of{held}", seat, "discard", {"card": _places(held)})
        case Discarding(seat=seat):
            held = len(state.players[seat].hand)
            yield _prompt(f"{at}.discard", seat, "discard", {"card": _places(held)})
        case Refilling(seat=seat):
            yield _prompt(f"{at}.refill", seat, "draw")
            yield _prompt(f"{at}.refill", seat, "skip")
        case Moving() as moving:
            yield from _on_the_way(state, f"{at}.move", moving)
        case StationCall(owner=owner):
            yield _prompt(f"{at}.station", owner, "call_in")
            yield _prompt(f"{at}.station", owner, "wave_on")
        case Parley() as parley:
            yield from _parley(state, f"{at}.parley", parley)
        case Raid(carrier=carrier):
            yield _prompt(f"{at}.raid", carrier, "show_papers")
            yield _prompt(f"{at}.raid", carrier, "roll_off")
        case Looking(checker=checker, carrier=carrier, boat=boat):
            loads = OneOf(tuple(load.card for load in state.loads_on(carrier, boat)))
            yield _prompt(f"{at}.inspect", checker, "inspect", {"load": loads})
        case ByHand(seat=seat, deed=deed):
            yield _prompt(f"{deed}.by_hand", seat, "done")
            yield from _handing_over(state, f"{deed}.by_hand")
        case Judging(seats=seats) as judging:
            verdicts: dict[str, Choice] = {"target": OneOf(seats[:1]), "fulfilled": OneOf((True, False))}
            yield _prompt(f"{at}.judge", judge_of(state, judging), "judge", verdicts)
        case Sabotaging(seat=seat):
            yield _prompt(f"{at}.sabotage", seat, "sabotage", {"target": OneOf(victims(state, seat))})
        case Renting(owner=owner):
            yield _prompt(f"{at}.rent", owner, "lend")
            yield _prompt(f"{at}.rent", owner, "refuse")
        case Selling(queue=queue):
            yield _prompt(f"{at}.sale", queue[0], "buy_turn")
            yield _prompt(f"{at}.sale", queue[0], "decline")
        case Turn() as turn:
            yield from _turn(state, f"{at}.turn", turn, viewer)
        case _:
            return


def _prompt(
    name: str,
    seat: int | None,
    do: str,
    choices: dict[str, Choice] | None = None,
    *,
    optional: bool = False,
    chance: Literal["no", "may", "must"] = "no",
    by: Literal["seat", "table"] = "seat",
) -> Prompt:
    return Prompt(prompt=name, seat=seat, do=do, choices=choices or {}, optional=optional, chance=chance, by=by)


def _places(count: int) -> OneOf:
    return OneOf(tuple(range(1, count + 1)))


def _mission(state: State, name: str, seat: int) -> Iterator[Prompt]:
    if state.mission_pile:
        yield _prompt(name, seat, "swap_mission")
    yield _prompt(name, seat, "keep_mission")


def _on_the_way(state: State, name: str, moving: Moving) -> Iterator[Prompt]:
    if squares := tuple(reach(state, moving)):
        yield _prompt(name, moving.seat, "go", {"to": OneOf(squares)})
    yield _prompt(name, moving.seat, "stop")
    yield from _transfers(state, name, moving.seat)


def _parley(state: State, name: str, parley: Parley) -> Iterator[Prompt]:
    """The checker has to act; the carrier may."""
    for seat, optional in ((parley.checker, False), (parley.carrier, True)):
        if parley.offer is not None and parley.offer.by != seat:
            yield _prompt(name, seat, "accept", optional=optional)
        for of, most in purse(state, parley).items():
            amount: dict[str, Choice] = {"amount": Number(1, most, unit="$" if of == "money" else "", whole=True)}
            paid_in: dict[str, Choice] = {} if of == "money" else {"of": OneOf((of,))}
            yield _prompt(name, seat, "offer", {**paid_in, **amount}, optional=optional)
    yield _prompt(name, parley.checker, "roll_off")
    if state.players[parley.carrier].papers:
        yield _prompt(name, parley.carrier, "show_papers", optional=True)


def _handing_over(state: State, name: str) -> Iterator[Prompt]:
    """Offer the moves of money and chips that a card's text may ask for."""
    for source in (None, *state.here()):
        others = OneOf(tuple(target for target in (None, *state.here()) if target != source))
        for what, most in purse_of(state, source).items():
            amount = Number(1, most, unit="$" if what == "money" else "", whole=True)
            moved: dict[str, Choice] = {"source": OneOf((source,)), "target": others, "what": OneOf((what,))}
            yield _prompt(name, None, "hand_over", {**moved, "amount": amount}, optional=True)


def _turn(state: State, name: str, turn: Turn, viewer: int | None) -> Iterator[Prompt]:
    seat = turn.seat
    if not turn.acted and not turn.shopping:
        if not turn.moved:
            yield _prompt(name, seat, "drive", {"dice": OneOf(dice_of(state, seat))})
            if boats := state.steered_by(seat):
                yield _prompt(name, seat, "sail", {"boat": OneOf(boats)})
        if ready := arrived(state, seat):
            yield _prompt(name, seat, "complete", {"load": OneOf(ready)})
        if viewer == seat:
            yield from _start(state, name, seat)
        for target, boat in checkable(state, seat):
            whom: dict[str, Choice] = {"target": OneOf((target,)), "vehicle": OneOf((state.vehicle(boat),))}
            yield _prompt(name, seat, "check", whom)
    yield from _transfers(state, name, seat)
    yield from _purchases(state, name, turn)
    if owners := rentable(state, seat):
        terms: dict[str, Choice] = {
            "owner": OneOf(owners),
            "steers": OneOf(("renter", "owner")),
            "pact": OneOf((False, True)),
            "amount": Number(0, state.players[seat].cash, unit="$", whole=True),
        }
        yield _prompt(name, seat, "ask_boat", terms)
    if owners := returnable(state, seat):
        yield _prompt(name, seat, "return_boat", {"owner": OneOf(owners)})
    if viewer == seat and may_redraw(state, seat):
        yield _prompt(name, seat, "redraw")
    yield _prompt(name, seat, "end_turn")


def _start(state: State, name: str, seat: int) -> Iterator[Prompt]:
    kinds = tuple(kind for kind in KINDS if state.players[seat].unused(kind))
    if kinds and (places := startable(state, seat)):
        yield _prompt(name, seat, "start", {"card": OneOf(places), "kind": OneOf(kinds)})


def _transfers(state: State, name: str, seat: int) -> Iterator[Prompt]:
    for load, boat in transfers(state, seat):
        yield _prompt(name, seat, "transfer", {"load": OneOf((load,)), "boat": OneOf((boat,))})


def _purchases(state: State, name: str, turn: Turn) -> Iterator[Prompt]:
    seat = turn.seat

    def ways(ware: Ware) -> dict[str, Choice] | None:
        found = () if not_for_sale(state, turn, ware) else payments(state, seat, ware)
        if not found:
            return None
        return {"pay": OneOf(found)} if found != ("money",) else {}

    for upgrade in UPGRADES:
        if (pay := ways(upgrade)) is not None:
            yield _prompt(name, seat, "buy", {"what": OneOf((upgrade,)), **pay})
    if (pay := ways("station")) is not None and (ground := building_ground(state)):
        yield _prompt(name, seat, "build", {"at": OneOf(ground), **pay})
    if (pay := ways("boat")) is not None and (berths := moorings(state)):
        yield _prompt(name, seat, "launch", {"at": OneOf(berths), **pay})
    if ways("enlargement") is not None and (own := enlargeable(state, seat)):
        yield _prompt(name, seat, "enlarge", {"at": OneOf(own)})
    if ways("papers") is not None:
        yield _prompt(name, seat, "buy_papers")

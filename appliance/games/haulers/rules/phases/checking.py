"""Checks: bribe or roll-off, then the inspection of one load (TR-30 … TR-36)."""

from __future__ import annotations

from collections.abc import Iterator

from appliance.games.base.rules.codes import composed
from appliance.games.haulers.rules.actions import Accept, Check, Colour, Inspect, Offer, RollOff, ShowPapers
from appliance.games.haulers.rules.codes import HappeningCode, reject
from appliance.games.haulers.rules.phases.renting import give_back, have_pact
from appliance.games.haulers.rules.phases.turns import action_free, see_whether_ended
from appliance.games.haulers.rules.prompts import prompt_of, situation
from appliance.games.haulers.rules.stages import BribeProposal, Contest, Looking, Parley, Raid, Refilling, Rolling
from appliance.games.haulers.rules.state import State
from appliance.games.haulers.rules.step_builder import HaulersStage, StepBuilder
from appliance.games.protocol import Choice, Number, OneOf, Prompt, Rejection

REWARD = 1000
"""Dollars that the bank pays for smuggled goods found (TR-34)."""


def checkable(state: State, seat: int) -> tuple[tuple[int, int | None], ...]:
    """Return the pairs (carrier, owner of the boat or None for the truck) that `seat` could check now."""
    me = state.players[seat]
    berths = {boat.at for boat in (state.players[owner].boat for owner in state.steered_by(seat)) if boat is not None}
    found: list[tuple[int, int | None]] = []
    for other, player in enumerate(state.players):
        if other == seat or have_pact(state, seat, other):
            continue
        if player.on_truck() and player.truck == me.truck:
            found.append((other, None))
        afloat = {load.boat for load in player.loads if load.boat is not None and load.boat != seat}
        found += [(other, boat) for boat in sorted(afloat) if _berth(state, boat) in berths]
    return tuple(found)


def _berth(state: State, owner: int) -> str:
    boat = state.players[owner].boat
    assert boat is not None
    return boat.at


def check(builder: StepBuilder, action: Check) -> Rejection | None:
    """Start a check as the turn's action (TR-30)."""
    if problem := action_free(builder, action.seat, "TR-30"):
        return problem
    boats = [
        boat
        for target, boat in checkable(builder.state, action.seat)
        if target == action.target and builder.state.vehicle(boat) == action.vehicle
    ]
    if not boats:
        return reject("nobody_to_check", "TR-30")
    builder.alter_turn(acted=True)
    builder.push(Parley(checker=action.seat, carrier=action.target, boat=boats[0]))
    builder.tell("check_announced", "TR-30", seat=action.seat, target=action.target)
    return None


def purse(state: State, parley: Parley) -> dict[str, int]:
    """Return the currencies of a bribe and how much of each the carrier has (TR-31, TR-65)."""
    carrier = state.players[parley.carrier]
    have = (
        {"money": carrier.cash} if state.options.money else {"white": carrier.chips.white, "blue": carrier.chips.blue}
    )
    return {of: most for of, most in have.items() if most > 0}


def offer(builder: StepBuilder, action: Offer) -> Rejection | None:
    """Propose a bribe. It replaces the previous proposal."""
    parley = builder.open(Parley)
    if parley is None or action.seat not in (parley.checker, parley.carrier):
        return reject("no_check_now", "TR-31")
    most = purse(builder.state, parley).get(action.of, 0)
    if not 1 <= action.amount <= most:
        return reject("bribe_out_of_range", "TR-31", {"most": most})
    builder.alter(offer=BribeProposal(action.amount, action.of, action.seat))
    code: HappeningCode = "bribe_offered" if action.seat == parley.carrier else "bribe_demanded"
    other = parley.checker if action.seat == parley.carrier else parley.carrier
    if action.of == "money":
        builder.tell(code, "TR-31", seat=action.seat, target=other, dollars=action.amount)
    else:
        builder.tell(
            composed(HappeningCode, f"{code}_in_{action.of}"),
            "TR-65",
            seat=action.seat,
            target=other,
            count=action.amount,
        )
    return None


def accept(builder: StepBuilder, action: Accept) -> Rejection | None:
    """Accept the proposal. The bribe is paid at once, and this check does not take place."""
    parley = builder.open(Parley)
    if parley is None or action.seat not in (parley.checker, parley.carrier):
        return reject("no_check_now", "TR-31")
    if parley.offer is None or parley.offer.by == action.seat:
        return reject("nothing_to_accept", "TR-31")
    builder.pop()
    bribe, payer, taker = parley.offer, parley.carrier, parley.checker
    if bribe.of == "money":
        builder.change_player(payer, cash=builder.player(payer).cash - bribe.amount)
        builder.change_player(taker, cash=builder.player(taker).cash + bribe.amount)
        builder.tell("bribe_paid", "TR-31", seat=payer, target=taker, dollars=bribe.amount)
    else:
        colour: Colour = bribe.of
        builder.gain(payer, colour, -bribe.amount)
        builder.gain(taker, colour, bribe.amount)
        builder.tell(
            composed(HappeningCode, f"bribe_paid_in_{colour}"), "TR-65", seat=payer, target=taker, count=bribe.amount
        )
    return None


def roll_off(builder: StepBuilder, action: RollOff) -> Rejection | None:
    """Let the dice decide, after no agreement or when no papers are shown to police or coast guard."""
    raided, parley = builder.open(Raid), builder.open(Parley)
    if raided is not None and raided.carrier == action.seat:
        _roll_for_police(builder, raided)
        return None
    if parley is None or parley.checker != action.seat:
        return reject("no_check_now", "TR-31")
    builder.pop()
    builder.push(Contest(checker=parley.checker, carrier=parley.carrier, boat=parley.boat, station=parley.station))
    return None


def show_papers(builder: StepBuilder, action: ShowPapers) -> Rejection | None:
    """Play a kept card, which cancels the check (TR-60)."""
    checked = builder.open(Parley) or builder.open(Raid)
    if checked is None or checked.carrier != action.seat:
        return reject("no_check_now", "TR-60")
    papers = builder.player(action.seat).papers
    if not papers:
        return reject("no_papers", "TR-60")
    builder.pop()
    builder.change_player(action.seat, papers=papers[1:])
    builder.give_back_papers(papers[:1])
    if isinstance(checked, Parley):
        builder.tell("papers_shown", "TR-60", seat=action.seat, target=checked.checker)
    else:
        builder.tell("papers_shown_to_police", "TR-60", seat=action.seat)
    return None


def raid(builder: StepBuilder, raided: Raid) -> bool:
    """Start the roll-off of police or coast guard, unless the carrier has papers to show. Return whether it started."""
    if builder.player(raided.carrier).papers and builder.state.loads_on(raided.carrier, raided.boat):
        return False
    _roll_for_police(builder, raided)
    return True


def _roll_for_police(builder: StepBuilder, raided: Raid) -> None:
    builder.pop()
    builder.push(Contest(checker=None, carrier=raided.carrier, boat=raided.boat))


def compare(builder: StepBuilder, contest: Contest) -> None:
    """Continue a roll-off: the checker's dice, the carrier's dice, then the comparison (TR-32)."""
    state = builder.state
    loads = state.loads_on(contest.carrier, contest.boat)
    if not loads:
        builder.pop()
        builder.tell("check_lapsed", "TR-60", target=contest.carrier)
    elif contest.checker_total is None:
        station = state.stations.get(contest.station or "")
        dice = 3 if station is not None and station.heavy else 2
        builder.push(Rolling(seat=contest.checker, dice=dice, why="checker"))
    elif contest.carrier_total is None:
        builder.push(Rolling(seat=contest.carrier, dice=2, why="carrier"))
    elif contest.checker_total <= contest.carrier_total:
        builder.pop()
        totals = {"total": contest.checker_total, "other": contest.carrier_total}
        builder.tell("carrier_got_away", "TR-32", target=contest.carrier, **totals)
    elif contest.checker is None:
        builder.pop()
        _look(builder, None, contest.carrier, loads[0].card)
    else:
        builder.pop()
        builder.push(Looking(checker=contest.checker, carrier=contest.carrier, boat=contest.boat))


def look_by_itself(builder: StepBuilder, looking: Looking) -> bool:
    """Inspect the load without asking if there is only one. Return whether this was done."""
    loads = builder.state.loads_on(looking.carrier, looking.boat)
    if len(loads) > 1:
        return False
    builder.pop()
    _look(builder, looking.checker, looking.carrier, loads[0].card)
    return True


def inspect(builder: StepBuilder, action: Inspect) -> Rejection | None:
    """Inspect the chosen load (TR-36)."""
    looking = builder.open(Looking)
    if looking is None or looking.checker != action.seat:
        return reject("nothing_to_inspect", "TR-36")
    if all(load.card != action.load for load in builder.state.loads_on(looking.carrier, looking.boat)):
        return reject("no_such_load", "TR-36")
    builder.pop()
    _look(builder, looking.checker, looking.carrier, action.load)
    return None


def _look(builder: StepBuilder, checker: int | None, carrier: int, card: int) -> None:
    load = next(load for load in builder.player(carrier).loads if load.card == card)
    city = builder.state.card(card).bottom
    if load.kind == "legal":
        builder.change_load(carrier, card, open=True)
        builder.tell("legal_found", "TR-35", target=carrier, city=city)
        return
    builder.take_load(carrier, card)
    builder.tell("smuggling_found", "TR-34", target=carrier, city=city)
    if load.boat is not None:
        give_back(builder, load.boat, carrier)
    builder.push(Refilling(seat=carrier, count=1))
    if checker is None:
        return
    if builder.state.options.money:
        builder.earn(checker, REWARD)
        builder.tell("reward_paid", "TR-34", seat=checker, dollars=REWARD)
    builder.gain(checker, "red")
    builder.tell("red_chip", "TR-34", seat=checker)
    see_whether_ended(builder, checker)


# -- the stages


def _parley(state: State, parley: Parley, viewer: int | None) -> Iterator[Prompt]:
    """Yield the prompts of the negotiation. The checker has to act; the carrier may."""
    name = situation(state, "parley")
    for seat, optional in ((parley.checker, False), (parley.carrier, True)):
        if parley.offer is not None and parley.offer.by != seat:
            yield prompt_of(name, seat, "accept", optional=optional)
        for of, most in purse(state, parley).items():
            amount: dict[str, Choice] = {"amount": Number(1, most, unit="$" if of == "money" else "", whole=True)}
            paid_in: dict[str, Choice] = {} if of == "money" else {"of": OneOf((of,))}
            yield prompt_of(name, seat, "offer", {**paid_in, **amount}, optional=optional)
    yield prompt_of(name, parley.checker, "roll_off")
    if state.players[parley.carrier].papers:
        yield prompt_of(name, parley.carrier, "show_papers", optional=True)


def _raided(state: State, raided: Raid, viewer: int | None) -> Iterator[Prompt]:
    for do in ("show_papers", "roll_off"):
        yield prompt_of(situation(state, "raid"), raided.carrier, do)


def _looking(state: State, looking: Looking, viewer: int | None) -> Iterator[Prompt]:
    loads = OneOf(tuple(load.card for load in state.loads_on(looking.carrier, looking.boat)))
    yield prompt_of(situation(state, "inspect"), looking.checker, "inspect", {"load": loads})


PARLEY = HaulersStage(prompts=_parley)
CONTEST = HaulersStage(goes_on=compare)
RAID = HaulersStage(prompts=_raided, goes_on=raid)
LOOKING = HaulersStage(prompts=_looking, goes_on=look_by_itself)

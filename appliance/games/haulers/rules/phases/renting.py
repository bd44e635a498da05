"""Boats for rent (TR-64): who may load which boat, agreements, and returning boats."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from appliance.games.haulers.rules.actions import AskBoat, Lend, Refuse, ReturnBoat
from appliance.games.haulers.rules.codes import reject
from appliance.games.haulers.rules.phases.turns import turn_of
from appliance.games.haulers.rules.prompts import prompt_of, situation
from appliance.games.haulers.rules.stages import Renting
from appliance.games.haulers.rules.state import Boat, State
from appliance.games.haulers.rules.step_builder import HaulersStage, StepBuilder
from appliance.games.protocol import Prompt, Rejection


def boat_of(state: State, owner: int) -> Boat | None:
    """Return the boat that a seat owns."""
    return state.players[owner].boat


def boats_for(state: State, seat: int, place: str | None) -> tuple[int, ...]:
    """Return the owners of the boats at `place` that `seat` may load: their own unless rented out, and rented ones."""
    found = []
    for owner, player in enumerate(state.players):
        boat = player.boat
        if boat is not None and boat.at == place and seat == (owner if boat.renter is None else boat.renter):
            found.append(owner)
    return tuple(found)


def rentable(state: State, seat: int) -> tuple[int, ...]:
    """Return the owners of boats that `seat` may ask for: empty ones that nobody has rented."""
    if not state.options.boats_for_rent:
        return ()
    return tuple(
        owner
        for owner, player in enumerate(state.players)
        if owner != seat and player.boat is not None and player.boat.renter is None and not state.aboard(owner)
    )


def have_pact(state: State, one: int, other: int) -> bool:
    """Return whether two players agreed not to check each other while a boat is rented out."""
    return any(
        boat is not None and boat.pact and boat.renter == renter
        for owner, renter in ((one, other), (other, one))
        for boat in (boat_of(state, owner),)
    )


def ask_boat(builder: StepBuilder, action: AskBoat) -> Rejection | None:
    """Propose terms of rent to the owner of a boat, in one's own turn."""
    turn = turn_of(builder, action.seat, "TR-64")
    if isinstance(turn, Rejection):
        return turn
    if action.owner not in rentable(builder.state, action.seat):
        return reject("no_boat_for_rent", "TR-64")
    if not 0 <= action.amount <= builder.player(action.seat).cash:
        return reject("too_little_money", "TR-46", {"dollars": action.amount})
    builder.push(
        Renting(renter=action.seat, owner=action.owner, amount=action.amount, steers=action.steers, pact=action.pact)
    )
    builder.tell("boat_asked_for", "TR-64", seat=action.seat, owner=action.owner, dollars=action.amount)
    return None


def lend(builder: StepBuilder, action: Lend) -> Rejection | None:
    """Accept the terms. The money is paid at once."""
    renting = builder.open(Renting)
    if renting is None or renting.owner != action.seat:
        return reject("nobody_asks", "TR-64")
    builder.pop()
    boat = boat_of(builder.state, renting.owner)
    assert boat is not None
    builder.change_player(renting.renter, cash=builder.player(renting.renter).cash - renting.amount)
    builder.change_player(
        renting.owner,
        cash=builder.player(renting.owner).cash + renting.amount,
        boat=replace(boat, renter=renting.renter, steers=renting.steers, pact=renting.pact),
    )
    builder.tell("boat_rented", "TR-64", seat=renting.renter, owner=renting.owner, dollars=renting.amount)
    return None


def refuse(builder: StepBuilder, action: Refuse) -> Rejection | None:
    """Refuse the terms."""
    renting = builder.open(Renting)
    if renting is None or renting.owner != action.seat:
        return reject("nobody_asks", "TR-64")
    builder.pop()
    builder.tell("boat_refused", "TR-64", seat=renting.renter, owner=renting.owner)
    return None


def returnable(state: State, seat: int) -> tuple[int, ...]:
    """Return the owners of the empty boats that `seat` has rented."""
    return tuple(
        owner
        for owner, player in enumerate(state.players)
        if player.boat is not None and player.boat.renter == seat and not state.aboard(owner)
    )


def return_boat(builder: StepBuilder, action: ReturnBoat) -> Rejection | None:
    """Return a rented boat before it has carried anything."""
    turn = turn_of(builder, action.seat, "TR-64")
    if isinstance(turn, Rejection):
        return turn
    if action.owner not in returnable(builder.state, action.seat):
        return reject("no_rented_boat", "TR-64")
    give_back(builder, action.owner, action.seat)
    return None


def give_back(builder: StepBuilder, owner: int, renter: int) -> None:
    """Return the boat to `owner` if `renter` has rented it and it is empty."""
    boat = boat_of(builder.state, owner)
    if boat is not None and boat.renter == renter and not builder.state.aboard(owner):
        builder.change_player(owner, boat=Boat(at=boat.at))
        builder.tell("boat_returned", "TR-64", seat=renter, owner=owner)


# -- the stage


def _renting(state: State, renting: Renting, viewer: int | None) -> Iterator[Prompt]:
    for do in ("lend", "refuse"):
        yield prompt_of(situation(state, "rent"), renting.owner, do)


RENTING = HaulersStage(prompts=_renting)

"""The state of a game of Haulers, frozen (RULES §3). Tuples over players are in the order of the seats."""

from __future__ import annotations

from typing import Literal

import msgspec

from appliance.games.haulers.rules.actions import Colour, Kind, Vehicle
from appliance.games.haulers.rules.map.board import Board
from appliance.games.haulers.rules.map.edition import Delivery, Edition
from appliance.games.haulers.rules.options import Options
from appliance.games.haulers.rules.stages import Judging, Over, Stage, Turn

OF_EACH_KIND = 2
"""Number of legal cards, and of smuggler cards, that a player has (TR-1)."""


class Chips(msgspec.Struct, frozen=True):
    """Chips in front of one player (TR-23, TR-34)."""

    white: int = 0
    black: int = 0
    red: int = 0
    blue: int = 0

    def plus(self, colour: Colour, count: int = 1) -> Chips:
        """Return the chips with `count` more (or fewer) of one colour."""
        return msgspec.structs.replace(self, **{colour: self.of(colour) + count})

    def of(self, colour: Colour) -> int:
        """Return the number of chips of one colour."""
        count: int = getattr(self, colour)
        return count


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery in transit. `boat` is the seat whose boat carries it, None for the own truck. `kind` is secret."""

    card: int
    kind: Kind
    boat: int | None = None
    open: bool = False
    """Found legal in a check, so its kind is public (TR-35)."""


class Boat(msgspec.Struct, frozen=True, kw_only=True):
    """A boat: its square, its renter if any, and the terms of the rent (TR-64)."""

    at: str
    renter: int | None = None
    steers: Literal["owner", "renter"] = "owner"
    pact: bool = False


class Hauler(msgspec.Struct, frozen=True, kw_only=True):
    """A player with their possessions and loads. `hand` and the kinds of `loads` are secret; `mission` may be."""

    name: str
    cash: int
    chips: Chips = Chips()
    hand: tuple[int, ...] = ()
    loads: tuple[Load, ...] = ()
    truck: str | None = None
    boat: Boat | None = None
    turbo: bool = False
    double: bool = False
    radars: int = 0
    papers: tuple[int, ...] = ()
    """Transit cards kept (TR-60)."""
    papers_bought: int = 0
    throttled: bool = False
    """Their truck moves at most 8 steps per turn (TR-61)."""
    mission: int | None = None
    served: tuple[str, ...] = ()
    """Bottom cities of completed deliveries, in order."""
    turns_bought: int = 0
    left: bool = False

    def unused(self, kind: Kind) -> int:
        """Return the number of cards of a kind that are not used for a delivery (TR-20)."""
        return OF_EACH_KIND - sum(load.kind == kind for load in self.loads)

    def on_truck(self) -> tuple[Load, ...]:
        """Return the loads on the player's truck."""
        return tuple(load for load in self.loads if load.boat is None)

    def room(self) -> int:
        """Return the number of further loads that the player's truck can take (TR-21)."""
        return (2 if self.double else 1) - len(self.on_truck())


class Station(msgspec.Struct, frozen=True):
    """A weigh station on the board (TR-40). `heavy`: its owner rolls three dice (TR-66)."""

    owner: int
    heavy: bool = False


def _steersman(owner: int, boat: Boat) -> int:
    return boat.renter if boat.renter is not None and boat.steers == "renter" else owner


class Bonus(msgspec.Struct, frozen=True):
    """The bonus of a seat at the end for most or second most chips of a colour (TR-51), or for a mission (TR-62)."""

    seat: int
    for_what: Literal["white", "black", "red", "blue", "mission"]
    dollars: int
    place: Literal[1, 2] = 1


class State(msgspec.Struct, frozen=True, kw_only=True):
    """One game of Haulers at one moment. It holds secrets; players get it only through `view.py`."""

    options: Options
    edition: Edition
    board: Board
    players: tuple[Hauler, ...]
    agenda: tuple[Stage, ...]
    bank: int = 0
    """Dollars that the bank has paid out since the start, minus those it took in."""
    pile: tuple[int, ...] = ()
    discards: tuple[int, ...] = ()
    transit_pile: tuple[int, ...] = ()
    transit_discards: tuple[int, ...] = ()
    papers_pile: tuple[int, ...] = ()
    """Keep-cards for sale (TR-61)."""
    mission_pile: tuple[int, ...] = ()
    stock: dict[str, int] = {}
    """Upgrades not yet sold (TR-2)."""
    stations: dict[str, Station] = {}
    rolls: dict[int, int] = {}
    """Totals of the start rolls (TR-3)."""
    first: int | None = None
    turn: int = 0
    deed: int = 0
    """Number of actions so far. It makes prompt names unique."""
    ender: int | None = None
    last_turns: tuple[int, ...] = ()
    """Seats that still have their last turn (TR-50)."""
    bonuses: tuple[Bonus, ...] = ()

    @property
    def stage(self) -> Stage:
        """The open stage."""
        return self.agenda[-1]

    def card(self, number: int) -> Delivery:
        """Return a delivery card."""
        return self.edition.deliveries[number]

    def here(self) -> tuple[int, ...]:
        """Return the seats still in the game, clockwise from the first player."""
        count = len(self.players)
        around = ((step + (self.first or 0)) % count for step in range(count))
        return tuple(seat for seat in around if not self.players[seat].left)

    def after(self, seat: int) -> int:
        """Return the next seat clockwise of `seat` that is still in the game."""
        count = len(self.players)
        around = ((seat + step) % count for step in range(1, count + 1))
        return next(other for other in around if not self.players[other].left)

    def turn_stage(self) -> Turn | None:
        """Return the current turn, None during set-up and the sale of turns."""
        return next((stage for stage in self.agenda if isinstance(stage, Turn)), None)

    def shows_mission(self, seat: int) -> bool:
        """Return whether the mission of a player is public (TR-62)."""
        judged = isinstance(self.stage, Judging) and self.stage.seats[0] == seat
        return judged or self.options.missions == "open" or isinstance(self.stage, Over)

    def is_overseas(self, card: int) -> bool:
        """Return whether a delivery needs a boat (TR-6)."""
        return self.board.is_overseas(self.card(card).top, self.card(card).bottom)

    def aboard(self, boat: int) -> tuple[tuple[int, Load], ...]:
        """Return the loads on the boat of seat `boat`, each with its owner."""
        return tuple(
            (seat, load) for seat, player in enumerate(self.players) for load in player.loads if load.boat == boat
        )

    def square_of(self, seat: int, load: Load) -> str | None:
        """Return the square of a load."""
        if load.boat is None:
            return self.players[seat].truck
        boat = self.players[load.boat].boat
        return None if boat is None else boat.at

    def loads_on(self, seat: int, boat: int | None) -> tuple[Load, ...]:
        """Return the loads of `seat` on one vehicle: the boat of seat `boat`, or (None) their own truck."""
        return tuple(load for load in self.players[seat].loads if load.boat == boat)

    def steered_by(self, seat: int) -> tuple[int, ...]:
        """Return the owners of the boats that `seat` steers. The terms of a rent say whether owner or renter steers."""
        return tuple(
            owner
            for owner, player in enumerate(self.players)
            if player.boat is not None and seat == _steersman(owner, player.boat)
        )

    def vehicle(self, boat: int | None) -> Vehicle:
        """Return the kind of vehicle that `boat` stands for."""
        return "truck" if boat is None else "boat"

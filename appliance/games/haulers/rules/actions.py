"""The actions of Haulers, one frozen struct each, as in transcripts (DESIGN §4)."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from appliance.games.protocol import Action

Kind = Literal["legal", "smuggled"]
Vehicle = Literal["truck", "boat"]
Colour = Literal["white", "black", "red", "blue"]
Pile = Literal["deliveries", "transit", "missions"]
Upgrade = Literal["radar", "double", "turbo"]
Bribe = Literal["money", "white", "blue"]
"""What a bribe is paid in; chips only where no money is played for (TR-65)."""
Currency = Literal["money", "white", "black", "red", "blue"]
"""What a card that is done by hand moves (TR-60)."""

KINDS: tuple[Kind, ...] = get_args(Kind)
COLOURS: tuple[Colour, ...] = get_args(Colour)


class Shuffle(Action, frozen=True, tag="shuffle"):
    """Put a pile in order: `order` gives the old places from the top. Secret."""

    pile: Pile
    order: tuple[int, ...]


class Roll(Action, frozen=True, tag="roll", omit_defaults=True, kw_only=True):
    """One to three dice, 1–6 each. No `seat`: the police or coast guard of a transit card roll."""

    seat: int | None = None
    die_1: int
    die_2: int | None = None
    die_3: int | None = None

    @property
    def dice(self) -> tuple[int, ...]:
        """The dice that were rolled."""
        return tuple(die for die in (self.die_1, self.die_2, self.die_3) if die is not None)


class Discard(Action, frozen=True, tag="discard"):
    """Put away the delivery card at place `card` of the hand, 1 being the first (TR-4, TR-24). Secret."""

    seat: int
    card: int


class SwapMission(Action, frozen=True, tag="swap_mission"):
    """Take another random mission (TR-62)."""

    seat: int


class KeepMission(Action, frozen=True, tag="keep_mission"):
    """Stay with the mission (TR-62)."""

    seat: int


class Redraw(Action, frozen=True, tag="redraw"):
    """Show that all deliveries need a boat, discard them and draw as many (TR-5)."""

    seat: int


class Drive(Action, frozen=True, tag="drive"):
    """Move the truck: choose to roll `dice` dice, 2, or 3 with turbo (TR-11)."""

    seat: int
    dice: int


class Sail(Action, frozen=True, tag="sail"):
    """Move a boat: one die (TR-12). `boat` is the seat that owns it."""

    seat: int
    boat: int


class Go(Action, frozen=True, tag="go"):
    """Go on to a square within the steps left, on the shortest path; a weigh station on it halts (TR-13, TR-41)."""

    seat: int
    to: str


class Stop(Action, frozen=True, tag="stop"):
    """Leave the remaining steps (TR-11)."""

    seat: int


class Start(Action, frozen=True, tag="start"):
    """Turn up the delivery at place `card` of the hand, with a legal or smuggler card face down (TR-20)."""

    seat: int
    card: int
    kind: Kind


class Complete(Action, frozen=True, tag="complete"):
    """Complete delivery number `load` in its bottom city (TR-22)."""

    seat: int
    load: int


class Check(Action, frozen=True, tag="check"):
    """Check the loads of `target` on the vehicle that shares the square with one's own of that type (TR-30)."""

    seat: int
    target: int
    vehicle: Vehicle


class CallIn(Action, frozen=True, tag="call_in"):
    """Check the truck that entered one's weigh station (TR-41)."""

    seat: int


class WaveOn(Action, frozen=True, tag="wave_on"):
    """Let the truck that entered one's weigh station go on (TR-41)."""

    seat: int


class Offer(Action, frozen=True, tag="offer", omit_defaults=True):
    """Propose a bribe, paid by the carrier to the checker (TR-31). Either side may."""

    seat: int
    amount: int
    of: Bribe = "money"


class Accept(Action, frozen=True, tag="accept"):
    """Agree to the other's last proposal: no roll, no check (TR-31)."""

    seat: int


class RollOff(Action, frozen=True, tag="roll_off"):
    """The checker ends the talk, or who is raided shows no papers: the dice decide (TR-32, TR-60)."""

    seat: int


class ShowPapers(Action, frozen=True, tag="show_papers"):
    """Play a kept card: this check, by a player, the police or the coast guard, does not take place (TR-60)."""

    seat: int


class Inspect(Action, frozen=True, tag="inspect"):
    """The checker picks the load to look at (TR-36)."""

    seat: int
    load: int


class Draw(Action, frozen=True, tag="draw"):
    """Draw the new delivery cards that one may draw (TR-24, TR-34)."""

    seat: int


class Skip(Action, frozen=True, tag="skip"):
    """Draw none (TR-24, TR-34)."""

    seat: int


class Buy(Action, frozen=True, tag="buy", omit_defaults=True):
    """Buy an upgrade (TR-42 … TR-44). `pay`: chips such as "black+white" where no money is played for (TR-65)."""

    seat: int
    what: Upgrade
    pay: str = "money"


class Build(Action, frozen=True, tag="build", omit_defaults=True):
    """Buy a weigh station and put it on a road square (TR-40)."""

    seat: int
    at: str
    pay: str = "money"


class Enlarge(Action, frozen=True, tag="enlarge"):
    """Upgrade one's weigh station: three dice at its checks (TR-66)."""

    seat: int
    at: str


class Launch(Action, frozen=True, tag="launch", omit_defaults=True):
    """Buy a boat and set it on a square of a sea line (TR-45)."""

    seat: int
    at: str
    pay: str = "money"


class BuyPapers(Action, frozen=True, tag="buy_papers"):
    """Buy a keep-card at random (TR-61)."""

    seat: int


class Transfer(Action, frozen=True, tag="transfer"):
    """Move a load between truck and boat in a port (TR-45). `boat`: whose boat it goes on; null: onto the own truck."""

    seat: int
    load: int
    boat: int | None


class AskBoat(Action, frozen=True, tag="ask_boat"):
    """Ask `owner` to rent their boat out: the price, who steers, whether both leave each other unchecked (TR-64)."""

    seat: int
    owner: int
    amount: int
    steers: Literal["owner", "renter"]
    pact: bool


class Lend(Action, frozen=True, tag="lend"):
    """Agree to rent the boat out (TR-64)."""

    seat: int


class Refuse(Action, frozen=True, tag="refuse"):
    """Do not rent the boat out (TR-64)."""

    seat: int


class ReturnBoat(Action, frozen=True, tag="return_boat"):
    """Give a rented boat back (TR-64)."""

    seat: int
    owner: int


class Sabotage(Action, frozen=True, tag="sabotage"):
    """Choose whose turbo suffers from a transit card (TR-61)."""

    seat: int
    target: int


class HandOver(Action, frozen=True, tag="hand_over"):
    """Move money or chips as a card that is done by hand says. `source` and `target`: a seat, or null for the bank."""

    source: int | None
    target: int | None
    what: Currency
    amount: int


class Done(Action, frozen=True, tag="done"):
    """Say that the drawn card has been carried out (TR-60)."""

    seat: int


class Judge(Action, frozen=True, tag="judge"):
    """Say for the table whether `target` fulfilled a mission that only people can judge (TR-62)."""

    seat: int
    target: int
    fulfilled: bool


class EndTurn(Action, frozen=True, tag="end_turn"):
    """Nothing more this turn (TR-10)."""

    seat: int


class BuyTurn(Action, frozen=True, tag="buy_turn"):
    """Buy one more turn at the end (TR-67)."""

    seat: int


class Decline(Action, frozen=True, tag="decline"):
    """Buy no turn (TR-67)."""

    seat: int


class Leave(Action, frozen=True, tag="leave"):
    """Leave the game for good."""

    seat: int


HaulersAction: TypeAlias = (
    Shuffle
    | Roll
    | Discard
    | SwapMission
    | KeepMission
    | Redraw
    | Drive
    | Sail
    | Go
    | Stop
    | Start
    | Complete
    | Check
    | CallIn
    | WaveOn
    | Offer
    | Accept
    | RollOff
    | ShowPapers
    | Inspect
    | Draw
    | Skip
    | Buy
    | Build
    | Enlarge
    | Launch
    | BuyPapers
    | Transfer
    | AskBoat
    | Lend
    | Refuse
    | ReturnBoat
    | Sabotage
    | HandOver
    | Done
    | Judge
    | EndTurn
    | BuyTurn
    | Decline
    | Leave
)
"""Every action of this game, for msgspec."""

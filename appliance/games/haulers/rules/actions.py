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
"""The currencies of a bribe. Chips are used only in games without money (TR-65)."""
Currency = Literal["money", "white", "black", "red", "blue"]
"""The currencies that a card carried out by hand may move (TR-60)."""

KINDS: tuple[Kind, ...] = get_args(Kind)
COLOURS: tuple[Colour, ...] = get_args(Colour)


class Shuffle(Action, frozen=True, tag="shuffle"):
    """Put a pile in order. `order` holds the old indices, from the top. Secret."""

    pile: Pile
    order: tuple[int, ...]


class Roll(Action, frozen=True, tag="roll", omit_defaults=True, kw_only=True):
    """Roll one to three dice, 1–6 each. `seat` None: the police or coast guard of a transit card."""

    seat: int | None = None
    die_1: int
    die_2: int | None = None
    die_3: int | None = None

    @property
    def dice(self) -> tuple[int, ...]:
        """The dice that were rolled."""
        return tuple(die for die in (self.die_1, self.die_2, self.die_3) if die is not None)


class Discard(Action, frozen=True, tag="discard"):
    """Discard the delivery card at position `card` of the hand, from 1 (TR-4, TR-24). Secret."""

    seat: int
    card: int


class SwapMission(Action, frozen=True, tag="swap_mission"):
    """Take another random mission (TR-62)."""

    seat: int


class KeepMission(Action, frozen=True, tag="keep_mission"):
    """Keep the mission (TR-62)."""

    seat: int


class Redraw(Action, frozen=True, tag="redraw"):
    """Show that all deliveries need a boat, discard them and draw the same number (TR-5)."""

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
    """Go to a square within the steps left, on the shortest path. A weigh station on it may stop it (TR-13, TR-41)."""

    seat: int
    to: str


class Stop(Action, frozen=True, tag="stop"):
    """Give up the remaining steps (TR-11)."""

    seat: int


class Start(Action, frozen=True, tag="start"):
    """Turn up the delivery at position `card` of the hand, with a legal or smuggler card face down (TR-20)."""

    seat: int
    card: int
    kind: Kind


class Complete(Action, frozen=True, tag="complete"):
    """Complete delivery number `load` in its bottom city (TR-22)."""

    seat: int
    load: int


class Check(Action, frozen=True, tag="check"):
    """Check the loads of `target` on a vehicle that shares the square with one's own of the same type (TR-30)."""

    seat: int
    target: int
    vehicle: Vehicle


class CallIn(Action, frozen=True, tag="call_in"):
    """Check the truck that entered one's weigh station (TR-41)."""

    seat: int


class WaveOn(Action, frozen=True, tag="wave_on"):
    """Let the truck that entered one's weigh station continue (TR-41)."""

    seat: int


class Offer(Action, frozen=True, tag="offer", omit_defaults=True):
    """Propose a bribe, paid by the carrier to the checker (TR-31). Either side may."""

    seat: int
    amount: int
    of: Bribe = "money"


class Accept(Action, frozen=True, tag="accept"):
    """Accept the other side's last proposal. Then there is no roll and no check (TR-31)."""

    seat: int


class RollOff(Action, frozen=True, tag="roll_off"):
    """Let the dice decide: the checker ends the negotiation, or a raided player shows no papers (TR-32, TR-60)."""

    seat: int


class ShowPapers(Action, frozen=True, tag="show_papers"):
    """Play a kept card, which cancels this check by a player, the police or the coast guard (TR-60)."""

    seat: int


class Inspect(Action, frozen=True, tag="inspect"):
    """The checker chooses the load to inspect (TR-36)."""

    seat: int
    load: int


class Draw(Action, frozen=True, tag="draw"):
    """Draw the new delivery cards that the player may draw (TR-24, TR-34)."""

    seat: int


class Skip(Action, frozen=True, tag="skip"):
    """Draw no delivery cards (TR-24, TR-34)."""

    seat: int


class Buy(Action, frozen=True, tag="buy", omit_defaults=True):
    """Buy an upgrade (TR-42 … TR-44). `pay`: chips such as "black+white" in games without money (TR-65)."""

    seat: int
    what: Upgrade
    pay: str = "money"


class Build(Action, frozen=True, tag="build", omit_defaults=True):
    """Buy a weigh station and put it on a road square (TR-40)."""

    seat: int
    at: str
    pay: str = "money"


class Enlarge(Action, frozen=True, tag="enlarge"):
    """Upgrade one's weigh station to three dice at its checks (TR-66)."""

    seat: int
    at: str


class Launch(Action, frozen=True, tag="launch", omit_defaults=True):
    """Buy a boat and put it on a square of a sea line (TR-45)."""

    seat: int
    at: str
    pay: str = "money"


class BuyPapers(Action, frozen=True, tag="buy_papers"):
    """Buy the next keep-card (TR-61)."""

    seat: int


class Transfer(Action, frozen=True, tag="transfer"):
    """Move a load between truck and boat in a port (TR-45). `boat`: the owner of the boat; null: the own truck."""

    seat: int
    load: int
    boat: int | None


class AskBoat(Action, frozen=True, tag="ask_boat"):
    """Ask `owner` to rent out their boat at a price. `pact`: neither checks the other meanwhile (TR-64)."""

    seat: int
    owner: int
    amount: int
    steers: Literal["owner", "renter"]
    pact: bool


class Lend(Action, frozen=True, tag="lend"):
    """Agree to rent the boat out (TR-64)."""

    seat: int


class Refuse(Action, frozen=True, tag="refuse"):
    """Refuse to rent the boat out (TR-64)."""

    seat: int


class ReturnBoat(Action, frozen=True, tag="return_boat"):
    """Give a rented boat back (TR-64)."""

    seat: int
    owner: int


class Sabotage(Action, frozen=True, tag="sabotage"):
    """Choose the player whose turbo is hit by a transit card (TR-61)."""

    seat: int
    target: int


class HandOver(Action, frozen=True, tag="hand_over"):
    """Move money or chips for a card carried out by hand. `source` and `target`: a seat, or null for the bank."""

    source: int | None
    target: int | None
    what: Currency
    amount: int


class Done(Action, frozen=True, tag="done"):
    """Confirm that the drawn card has been carried out (TR-60)."""

    seat: int


class Judge(Action, frozen=True, tag="judge"):
    """Decide for the table whether `target` fulfilled a mission that only people can judge (TR-62)."""

    seat: int
    target: int
    fulfilled: bool


class EndTurn(Action, frozen=True, tag="end_turn"):
    """End the turn (TR-10)."""

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

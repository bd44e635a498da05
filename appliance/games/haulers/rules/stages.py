"""The stages of the game. The agenda is a stack: its last stage is open, and those below continue when it is done."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from appliance.games.haulers.rules.actions import Bribe, Pile

Reason = Literal["most_money", "ten_black", "two_red", "nobody_can_deliver", "abandoned"]


class Shuffling(msgspec.Struct, frozen=True, tag="shuffling"):
    """A pile of `count` cards has to be put in order."""

    pile: Pile
    count: int


class Dealing(msgspec.Struct, frozen=True, tag="dealing"):
    """Every player gets five deliveries (TR-1)."""


class Rolling(msgspec.Struct, frozen=True, tag="rolling", kw_only=True):
    """`seat` (None: police or coast guard) rolls `dice` dice."""

    seat: int | None
    dice: int
    why: Literal["start", "order", "truck", "boat", "checker", "carrier"]

    @property
    def in_check(self) -> bool:
        """Whether the dice decide about a check (TR-32)."""
        return self.why in ("checker", "carrier")


class Ordering(msgspec.Struct, frozen=True, tag="ordering"):
    """The seat of `seats` with the highest roll goes first. A tie is rolled again (TR-3)."""

    seats: tuple[int, ...]


class Briefing(msgspec.Struct, frozen=True, tag="briefing"):
    """`seats` still have to keep or swap their mission, in any order (TR-62)."""

    seats: tuple[int, ...]


class Keeping(msgspec.Struct, frozen=True, tag="keeping"):
    """All players discard down to three deliveries, in any order (TR-4)."""


class Turn(msgspec.Struct, frozen=True, tag="turn", kw_only=True):
    """A turn (TR-10), and what the player has already used of it.

    `shopping`: only purchases are left. `again`: it earned another turn (TR-67).
    """

    seat: int
    moved: bool = False
    acted: bool = False
    shopping: bool = False
    built: bool = False
    radar: bool = False
    kind: Literal["usual", "last", "paid"] = "usual"
    again: bool = False


class Moving(msgspec.Struct, frozen=True, tag="moving", kw_only=True):
    """`seat` moves the boat of seat `boat`, or (None) the truck. `left` are the steps left, None before the roll."""

    seat: int
    boat: int | None = None
    left: int | None = None


class StationCall(msgspec.Struct, frozen=True, tag="station_call"):
    """`owner` may check the truck of `carrier`, which entered the weigh station at `at` (TR-41)."""

    owner: int
    carrier: int
    at: str


class BribeProposal(msgspec.Struct, frozen=True):
    """A proposed bribe: its amount, its currency, and the seat that proposed it."""

    amount: int
    of: Bribe
    by: int


class Parley(msgspec.Struct, frozen=True, tag="parley", kw_only=True):
    """The negotiation of a bribe before a check (TR-31). `boat`: the owner of the boat with the loads; None: truck."""

    checker: int
    carrier: int
    boat: int | None = None
    station: str | None = None
    offer: BribeProposal | None = None


class Contest(msgspec.Struct, frozen=True, tag="contest", kw_only=True):
    """A roll-off (TR-32). `checker` None is the police or coast guard. Totals are None until rolled."""

    checker: int | None
    carrier: int
    boat: int | None = None
    station: str | None = None
    checker_total: int | None = None
    carrier_total: int | None = None


class Raid(msgspec.Struct, frozen=True, tag="raid", kw_only=True):
    """Police or coast guard check the loads on one vehicle of `carrier`, who may show papers first (TR-60)."""

    carrier: int
    boat: int | None = None


class Looking(msgspec.Struct, frozen=True, tag="looking", kw_only=True):
    """The checker chooses one of the carrier's loads (TR-36)."""

    checker: int
    carrier: int
    boat: int | None = None


class Drawing(msgspec.Struct, frozen=True, tag="drawing", kw_only=True):
    """`seat` draws `left` delivery cards. With `discards` they then discard one if at least one was drawn (TR-24)."""

    seat: int
    left: int
    discards: bool = False
    drawn: int = 0


class Refilling(msgspec.Struct, frozen=True, tag="refilling", kw_only=True):
    """`seat` may draw `count` deliveries: 2 after a completed one (TR-24), 1 after a lost one (TR-34)."""

    seat: int
    count: int


class Discarding(msgspec.Struct, frozen=True, tag="discarding"):
    """`seat` has to discard one delivery that is not in transit (TR-24)."""

    seat: int


class TransitDrawing(msgspec.Struct, frozen=True, tag="transit_drawing"):
    """`seat` rolled a 7 and draws a transit card (TR-60)."""

    seat: int


class ByHand(msgspec.Struct, frozen=True, tag="by_hand"):
    """`seat` drew transit card number `card` with action number `deed`. The table carries out its text (TR-60)."""

    seat: int
    card: int
    deed: int


class Sabotaging(msgspec.Struct, frozen=True, tag="sabotaging"):
    """`seat` chooses the player whose turbo is hit."""

    seat: int


class Reassigning(msgspec.Struct, frozen=True, tag="reassigning"):
    """`seat` may swap their mission (TR-62)."""

    seat: int


class Renting(msgspec.Struct, frozen=True, tag="renting", kw_only=True):
    """`owner` has to decide whether to rent their boat out to `renter` (TR-64)."""

    renter: int
    owner: int
    amount: int
    steers: Literal["owner", "renter"]
    pact: bool


class Selling(msgspec.Struct, frozen=True, tag="selling", kw_only=True):
    """Turns are for sale (TR-67). `queue` are the seats still to ask in this round; `bought`: somebody bought one."""

    queue: tuple[int, ...]
    bought: bool = False


class Judging(msgspec.Struct, frozen=True, tag="judging", kw_only=True):
    """The table judges the missions of `seats`, the first one now. `fulfilled` are the successful seats (TR-62)."""

    reason: Reason
    seats: tuple[int, ...]
    fulfilled: tuple[int, ...] = ()


class Over(msgspec.Struct, frozen=True, tag="over"):
    """The game has ended."""

    winners: tuple[int, ...]
    reason: Reason


Stage: TypeAlias = (
    Shuffling
    | Dealing
    | Rolling
    | Ordering
    | Briefing
    | Keeping
    | Turn
    | Moving
    | StationCall
    | Parley
    | Contest
    | Raid
    | Looking
    | Drawing
    | Refilling
    | Discarding
    | TransitDrawing
    | ByHand
    | Sabotaging
    | Reassigning
    | Renting
    | Selling
    | Judging
    | Over
)
"""A stage that the table waits for. The agenda of a game is a stack of stages."""

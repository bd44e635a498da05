"""The stages of the game. The agenda is a stack: its last stage is open, those below continue when it is done."""

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
    """Everybody gets five deliveries (TR-1)."""


class Rolling(msgspec.Struct, frozen=True, tag="rolling", kw_only=True):
    """`seat` (None: police or coast guard) rolls `dice` dice."""

    seat: int | None
    dice: int
    why: Literal["start", "order", "truck", "boat", "checker", "carrier"]


class Ordering(msgspec.Struct, frozen=True, tag="ordering"):
    """Who of `seats` rolled highest goes first; a tie is rolled again (TR-3)."""

    seats: tuple[int, ...]


class Briefing(msgspec.Struct, frozen=True, tag="briefing"):
    """`seats` have still to keep or swap their mission, in any order (TR-62)."""

    seats: tuple[int, ...]


class Keeping(msgspec.Struct, frozen=True, tag="keeping"):
    """Everybody discards down to three deliveries, in any order (TR-4)."""


class Turn(msgspec.Struct, frozen=True, tag="turn", kw_only=True):
    """A turn (TR-10): what of it is used up. `last`: one of the last turns; `again`: it earned another (TR-67)."""

    seat: int
    moved: bool = False
    acted: bool = False
    shopping: bool = False
    built: bool = False
    radar: bool = False
    kind: Literal["usual", "last", "paid"] = "usual"
    again: bool = False


class Moving(msgspec.Struct, frozen=True, tag="moving", kw_only=True):
    """`seat` moves a vehicle. `left` is None until it rolled. `boat`: whose, None for the truck."""

    seat: int
    boat: int | None = None
    left: int | None = None


class StationCall(msgspec.Struct, frozen=True, tag="station_call"):
    """`owner` may check the truck of `carrier`, which entered the weigh station at `at` (TR-41)."""

    owner: int
    carrier: int
    at: str


class BribeProposal(msgspec.Struct, frozen=True):
    """A bribe on the table: how much, in what, and who proposed it."""

    amount: int
    of: Bribe
    by: int


class Parley(msgspec.Struct, frozen=True, tag="parley", kw_only=True):
    """Before a check a bribe may be agreed (TR-31). `boat`: whose boat carries the loads, None for the truck."""

    checker: int
    carrier: int
    boat: int | None = None
    station: str | None = None
    offer: BribeProposal | None = None


class Contest(msgspec.Struct, frozen=True, tag="contest", kw_only=True):
    """The roll-off (TR-32). `checker` None is the police or coast guard; totals are None until rolled."""

    checker: int | None
    carrier: int
    boat: int | None = None
    station: str | None = None
    checker_total: int | None = None
    carrier_total: int | None = None


class Raid(msgspec.Struct, frozen=True, tag="raid", kw_only=True):
    """Police or coast guard come for the loads of `carrier` on one vehicle, who may show papers first (TR-60)."""

    carrier: int
    boat: int | None = None


class Looking(msgspec.Struct, frozen=True, tag="looking", kw_only=True):
    """The checker picks one of the carrier's loads (TR-36)."""

    checker: int
    carrier: int
    boat: int | None = None


class Drawing(msgspec.Struct, frozen=True, tag="drawing", kw_only=True):
    """`seat` draws `left` delivery cards, then discards one when `discards` and at least one came (TR-24)."""

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
    """`seat` drew transit card number `card` with action `deed`; the table itself carries out its text (TR-60)."""

    seat: int
    card: int
    deed: int


class Sabotaging(msgspec.Struct, frozen=True, tag="sabotaging"):
    """`seat` chooses whose turbo suffers."""

    seat: int


class Reassigning(msgspec.Struct, frozen=True, tag="reassigning"):
    """`seat` may swap its mission (TR-62)."""

    seat: int


class Renting(msgspec.Struct, frozen=True, tag="renting", kw_only=True):
    """`owner` has to say whether they rent their boat out to `renter` (TR-64)."""

    renter: int
    owner: int
    amount: int
    steers: Literal["owner", "renter"]
    pact: bool


class Selling(msgspec.Struct, frozen=True, tag="selling", kw_only=True):
    """Turns are for sale (TR-67): `queue` are the seats still to be asked in this round, `bought` if anybody bought."""

    queue: tuple[int, ...]
    bought: bool = False


class Judging(msgspec.Struct, frozen=True, tag="judging", kw_only=True):
    """Before the end the table judges the missions of `seats`, the first now; `fulfilled`: who did theirs (TR-62)."""

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
"""What the table waits for: the agenda of a game is a stack of these."""

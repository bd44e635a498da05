"""The state of a game of Smugglers, frozen (RULES §1.12). Tuples over players are in the order of the seats."""

from __future__ import annotations

from typing import Literal, TypeAlias, TypeVar

import msgspec

from appliance.games.smugglers.rules.actions import Found, Piece, Token
from appliance.games.smugglers.rules.goals import Reached
from appliance.games.smugglers.rules.options import Options

StageT = TypeVar("StageT", bound=msgspec.Struct)
Phase = Literal["roll", "sculpt", "test", "rank", "inspect", "reveal", "over"]
Room = Literal["screen", "track", "bar", "office", "junk", "left"]
Cause = Literal["missed_bomb", "illegal_sack", "revealed_bomb"]
"""The reasons why a player chooses a token: SM-85/86, SM-87, SM-93/94."""
Reason: TypeAlias = Reached | Literal["abandoned"]


class Tokens(msgspec.Struct, frozen=True):
    """Scoring tokens in one place."""

    sweet: int = 0
    sour: int = 0

    def plus(self, token: Token, count: int = 1) -> Tokens:
        """Return the tokens with `count` more (or fewer) of one colour."""
        return msgspec.structs.replace(self, **{token: self.of(token) + count})

    def of(self, token: Token) -> int:
        """Return the number of tokens of one colour."""
        count: int = getattr(self, token)
        return count


class Pieces(msgspec.Struct, frozen=True):
    """Contraband pieces in the box (SM-3): those not dealt, and those of players who left."""

    sweet: int = 0
    sour: int = 0
    bomb: int = 0

    def plus(self, piece: Piece, count: int = 1) -> Pieces:
        """Return the pieces with `count` more (or fewer) of one colour."""
        return msgspec.structs.replace(self, **{piece: getattr(self, piece) + count})


class Sealed(msgspec.Struct, frozen=True):
    """A seal whose sphere has been opened. Its player may still prove it."""

    round: int
    seal: str
    found: tuple[Found, ...]


class Smuggler(msgspec.Struct, frozen=True, kw_only=True):
    """A player: their tokens and bombs, and the state of their sphere in this round."""

    name: str
    putty: str
    tokens: Tokens = Tokens()
    usable_bombs: int = 1
    spent_bombs: int = 0
    won_bombs: int = 0
    """Usable bombs that came to them in this round. They may be hidden from the next round on (SM-83)."""
    room: Room = "screen"
    place: int | None = None
    """The armchair, 1 or 2."""
    attempts: int = 0
    """Failed attempts this round."""
    opened: tuple[Found, ...] | None = None
    """The content of their sphere of this round, once opened."""
    seal: str | None = None
    """Their commit of this round."""
    opened_seal: Sealed | None = None

    @property
    def hideable_bombs(self) -> int:
        """Number of bombs that they could hide in this round (SM-23, SM-25)."""
        return self.usable_bombs - self.won_bombs


class Rolling(msgspec.Struct, frozen=True, tag="rolling"):
    """The starting player has to roll the die."""


class Sculpting(msgspec.Struct, frozen=True, tag="sculpting"):
    """The hourglass runs."""


class Trying(msgspec.Struct, frozen=True, tag="trying", kw_only=True):
    """`seat` is at the track."""

    seat: int
    rolls: int = 0
    """Free re-rolls so far in this attempt."""
    shorts: int = 0
    """Short rolls in a row (SM-40)."""
    strayed: bool = False
    """The free re-roll of this round is used up (SM-41)."""
    before_g: float | None = None
    """Mass before the first attempt, with the same-mass check (SM-46). Secret."""
    weighings: int = 0
    """Weighings so far for this attempt."""
    same: bool | None = None
    """Whether the last weighing agreed; None before the first."""


class RankedSphere(msgspec.Struct, frozen=True):
    """A sphere to be ranked: its mass once weighed (secret), and its tie rolls."""

    seat: int
    mass_g: float | None = None
    rolls: tuple[int, ...] = ()


class Weighing(msgspec.Struct, frozen=True, tag="weighing"):
    """Spheres are weighed and ties rolled: all in the bar (SM-55), or two stuck ones (SM-94a)."""

    spheres: tuple[RankedSphere, ...]


class Inspecting(msgspec.Struct, frozen=True, tag="inspecting"):
    """The player in armchair `place` has to choose a sphere and guess its content."""

    seat: int
    place: int


class Opening(msgspec.Struct, frozen=True, tag="opening"):
    """`seat` has to open their sphere."""

    seat: int


class Taking(msgspec.Struct, frozen=True, tag="taking"):
    """`seat` has to choose a token."""

    seat: int
    cause: Cause


class Ordering(msgspec.Struct, frozen=True, tag="ordering"):
    """`seat`, with the smaller of two spheres, has to choose whether they reveal before `other` (SM-94a)."""

    seat: int
    other: int


class Over(msgspec.Struct, frozen=True, tag="over"):
    """The game has ended."""

    winner: int | None
    reason: Reason


Stage: TypeAlias = Rolling | Sculpting | Trying | Weighing | Inspecting | Opening | Taking | Ordering | Over
"""The decision that the table waits for. Everything that needs no decision has already been done."""


class Inspection(msgspec.Struct, frozen=True):
    """An inspection from the guess until its last effect is settled."""

    inspector: int
    place: int
    target: int
    guess: Piece


class State(msgspec.Struct, frozen=True, kw_only=True):
    """One game of Smugglers at one moment. It holds secrets (masses); players get it only through `view.py`."""

    options: Options
    players: tuple[Smuggler, ...]
    start: int
    """Seat of the starting player."""
    boss_lane: int
    supply: Tokens
    box: Tokens = Tokens()
    """Tokens of players who left."""
    pieces: Pieces
    """Contraband pieces in the box."""
    round: int = 1
    count: int
    """Players at the start of the round. The rules for this number apply until its end (SM-101)."""
    phase: Phase = "roll"
    lane: int | None = None
    blind: bool = False
    stage: Stage = Rolling()
    inspection: Inspection | None = None
    first_of_two: int | None = None
    """Which of two uninspected stuck players reveals first, once chosen (SM-94a)."""
    lapsed: int = 0
    """Inspections of this round whose target left before opening. Each is due again with a new prompt name (SM-101)."""

    def at(self, kind: type[StageT]) -> StageT:
        """Return the open stage. Assert that it is of `kind`."""
        assert isinstance(self.stage, kind)
        return self.stage

    def here(self) -> tuple[int, ...]:
        """Return the seats still in the game, clockwise from the starting player."""
        count = len(self.players)
        around = ((self.start + step) % count for step in range(count))
        return tuple(seat for seat in around if self.players[seat].room != "left")

    def after(self, seat: int) -> int:
        """Return the next seat clockwise of `seat` that is still in the game."""
        count = len(self.players)
        around = ((seat + step) % count for step in range(1, count + 1))
        return next(seat for seat in around if self.players[seat].room != "left")

    def in_room(self, room: Room) -> tuple[int, ...]:
        """Return the seats whose sphere is in `room`, clockwise from the starting player."""
        return tuple(seat for seat in self.here() if self.players[seat].room == room)

    def in_chair(self, place: int) -> int | None:
        """Return the seat in armchair 1 or 2, or None."""
        return next((seat for seat, player in enumerate(self.players) if player.place == place), None)

    def unopened_junk(self) -> tuple[int, ...]:
        """Return the seats in the junk room whose sphere is still closed."""
        return tuple(seat for seat in self.in_room("junk") if self.players[seat].opened is None)

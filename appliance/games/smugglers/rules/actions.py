"""The actions of Smugglers, one frozen struct each, as in transcripts (DESIGN §4)."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from appliance.games.protocol import Action

Token = Literal["sweet", "sour"]
Piece = Literal["sweet", "sour", "bomb"]
Found = Literal["sweet", "sour", "bomb", "foreign"]
"""Possible contents of an opened sphere. "foreign" is a piece that is not the player's own legal piece (SM-89)."""
AttemptOutcome = Literal["passed", "stuck", "short", "astray", "touched", "disturbed"]

TOKENS: tuple[Token, ...] = get_args(Token)
PIECES: tuple[Piece, ...] = get_args(Piece)
FOUND: tuple[Found, ...] = get_args(Found)
ATTEMPT_OUTCOMES: tuple[AttemptOutcome, ...] = get_args(AttemptOutcome)


class Roll(Action, frozen=True, tag="roll"):
    """The starting player's die, also the second roll of a blind round (SM-17, SM-19). `value` 1–6."""

    seat: int
    value: int


class Commit(Action, frozen=True, tag="commit"):
    """Seal the hidden piece: SHA-256(salt bytes + ASCII piece) as 64 lower-case hex digits. Optional, replaceable."""

    seat: int
    seal: str


class TimeUp(Action, frozen=True, tag="time_up"):
    """The hourglass has run out (SM-27)."""


class Weigh(Action, frozen=True, tag="weigh"):
    """A settled mass in grams, whenever the rules ask for one (SM-46, SM-55, SM-94a). It is never shown."""

    seat: int
    mass_g: float


class Attempt(Action, frozen=True, tag="attempt"):
    """The outcome of one roll down the track (SM-33 … SM-42)."""

    seat: int
    outcome: AttemptOutcome


class Decline(Action, frozen=True, tag="decline"):
    """Make no (further) attempt (SM-36, SM-47)."""

    seat: int


class TieRoll(Action, frozen=True, tag="tie_roll"):
    """The die between equal spheres (SM-51 … SM-53, SM-94a). `value` 1–6."""

    seat: int
    value: int


class Inspect(Action, frozen=True, tag="inspect"):
    """Choose a player's sphere to open and guess its content (SM-60 … SM-67)."""

    seat: int
    target: int
    guess: Piece


class Open(Action, frozen=True, tag="open"):
    """Open the sphere for all to see. `found` is the real content, from nothing to several pieces (SM-68, SM-90)."""

    seat: int
    found: tuple[Found, ...]


class Unseal(Action, frozen=True, tag="unseal"):
    """Show the sealed piece and the salt as 32 lower-case hex digits. A mismatch is only logged."""

    seat: int
    piece: Piece
    salt: str


class Take(Action, frozen=True, tag="take"):
    """Take a freely chosen token from a seat or from "supply"; with SM-87 OPT a piece from "box"."""

    seat: int
    token: Piece
    source: int | Literal["supply", "box"]


class Forgo(Action, frozen=True, tag="forgo"):
    """Decline a theft. The bomb is spent anyway (SM-93)."""

    seat: int


class Order(Action, frozen=True, tag="order"):
    """The smaller of two uninspected spheres goes first or second (SM-94a)."""

    seat: int
    first: bool


class Leave(Action, frozen=True, tag="leave"):
    """Leave the game for good (SM-101)."""

    seat: int


SmugglersAction: TypeAlias = (
    Roll
    | Commit
    | TimeUp
    | Weigh
    | Attempt
    | Decline
    | TieRoll
    | Inspect
    | Open
    | Unseal
    | Take
    | Forgo
    | Order
    | Leave
)
"""Every action of this game, for msgspec."""

"""The actions of Prohis, one frozen struct each, as in transcripts (DESIGN §4)."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from appliance.games.prohis.rules.cards import Card, Prohi
from appliance.games.protocol import Action

Place = Literal["warehouse", "hand"]
PLACES: tuple[Place, ...] = get_args(Place)


class Shuffle(Action, frozen=True, tag="shuffle"):
    """Shuffle goods and Lieutenants (PR-4). `order` holds indices into the unshuffled deck, first card first. Secret.

    The unshuffled deck is all legal, then all illegal goods, then the Lieutenants. The first four cards go to seat 0,
    the next four to seat 1 and so on; then four become the row; the rest is the draw pile, its next card first.
    """

    order: tuple[int, ...]


class Start(Action, frozen=True, tag="start"):
    """Draw the first player (PR-5)."""

    first: int


class Take(Action, frozen=True, tag="take"):
    """Take the face-up card at `slot` 0–3 of the row (PR-11, PR-12)."""

    seat: int
    slot: int


class Draw(Action, frozen=True, tag="draw"):
    """Take the top card of the draw pile, which ends the draw (PR-11, PR-17)."""

    seat: int


class StopDrawing(Action, frozen=True, tag="stop_drawing"):
    """End the draw after one face-up card (PR-11 c)."""

    seat: int


class LayConvoy(Action, frozen=True, tag="convoy"):
    """Lay 2–4 cards face down as a convoy, in this order (PR-20). Secret."""

    seat: int
    cards: tuple[Card, ...]


class Declare(Action, frozen=True, tag="declare"):
    """Inspect with a Prohi, or let the convoy pass (null). The declaration is final (PR-23, PR-24)."""

    seat: int
    prohi: Prohi | None


class Offer(Action, frozen=True, tag="offer"):
    """Offer the Inspector a bribe of hand cards (PR-26). Secret."""

    seat: int
    cards: tuple[Card, ...]


class StopBribing(Action, frozen=True, tag="stop_bribing"):
    """Offer no (further) bribe (PR-28, PR-31)."""

    seat: int


class Answer(Action, frozen=True, tag="answer"):
    """Accept or reject the bribe on the table (PR-27, PR-28)."""

    seat: int
    accept: bool


class Decide(Action, frozen=True, tag="decide"):
    """If no bribe was offered: inspect, or waive the inspection (PR-31)."""

    seat: int
    inspect: bool


class Turn(Action, frozen=True, tag="turn"):
    """Turn up the card at `position` of the convoy, counted from 0 as it was laid (PR-32)."""

    seat: int
    position: int


class Pass(Action, frozen=True, tag="pass"):
    """Pass for the rest of the game. Hand and warehouse still score (PR-40)."""

    seat: int


class Leave(Action, frozen=True, tag="leave"):
    """Leave the table: like a pass, at any time. A convoy, declaration or bribe of this player is cancelled."""

    seat: int


class EndPlay(Action, frozen=True, tag="end_play"):
    """With real cards: the game on the table is over, and the count starts."""


class Count(Action, frozen=True, tag="count"):
    """With real cards: the number of cards of one kind in a player's warehouse or hand at the end."""

    seat: int
    place: Place
    card: Card
    number: int


ProhisAction: TypeAlias = (
    Shuffle
    | Start
    | Take
    | Draw
    | StopDrawing
    | LayConvoy
    | Declare
    | Offer
    | StopBribing
    | Answer
    | Decide
    | Turn
    | Pass
    | Leave
    | EndPlay
    | Count
)
"""Every action of this game, for msgspec."""

"""The actions of Customs, one frozen struct each, as in transcripts (DESIGN §4)."""

from __future__ import annotations

from typing import TypeAlias

from appliance.games.customs.rules.cards import Card, Good
from appliance.games.protocol import Action


class Appoint(Action, frozen=True, tag="appoint"):
    """Chance names the first Customs Officer (CU-3)."""

    officer: int


class Shuffle(Action, frozen=True, tag="shuffle"):
    """The order of the closed suitcase, top first, as numbers of `cards.PACK` (CU-2). Secret."""

    order: tuple[int, ...]


class Declare(Action, frozen=True, tag="declare"):
    """Declare dutiable goods, one entry for each card; empty for nothing (CU-10)."""

    seat: int
    goods: tuple[Good, ...]


class ClaimBag(Action, frozen=True, tag="claim_bag"):
    """Claim the Diplomatic Bag instead of declaring (CU-12)."""

    seat: int


class Accept(Action, frozen=True, tag="accept"):
    """The Officer lets the declaration or the claim pass (CU-20, CU-40)."""

    seat: int


class Search(Action, frozen=True, tag="search"):
    """The Officer looks into the suitcase (CU-21, CU-41)."""

    seat: int


class Believe(Action, frozen=True, tag="believe"):
    """The next traveller takes the hand unseen (CU-31)."""

    seat: int


class Disbelieve(Action, frozen=True, tag="disbelieve"):
    """The next traveller turns Informer: the hand is shown (CU-32, CU-43)."""

    seat: int


class Open(Action, frozen=True, tag="open"):
    """With real cards: enter the four cards of the opened hand of `seat`."""

    seat: int
    cards: tuple[Card, ...]


class Discard(Action, frozen=True, tag="discard"):
    """Lay one card of the accepted hand on the open suitcase and draw another (CU-31, CU-45)."""

    seat: int
    card: Card


class AskLoan(Action, frozen=True, tag="ask_loan"):
    """A player who cannot pay asks another player for `amount` pounds (CU-60)."""

    seat: int
    lender: int
    amount: int


class Lend(Action, frozen=True, tag="lend"):
    """Agree to the loan that was asked for (CU-61)."""

    seat: int


class Refuse(Action, frozen=True, tag="refuse"):
    """Refuse the loan (CU-61)."""

    seat: int


class GiveUp(Action, frozen=True, tag="give_up"):
    """Pay all the money one has, and go out of the game (CU-60)."""

    seat: int


class Repay(Action, frozen=True, tag="repay"):
    """Pay `amount` pounds of a loan back before the end (CU-61)."""

    seat: int
    creditor: int
    amount: int


class Leave(Action, frozen=True, tag="leave"):
    """Leave the game for good. Debts are paid as far as possible; the remaining money leaves the game (CU-61)."""

    seat: int


CustomsAction: TypeAlias = (
    Appoint
    | Shuffle
    | Declare
    | ClaimBag
    | Accept
    | Search
    | Believe
    | Disbelieve
    | Open
    | Discard
    | AskLoan
    | Lend
    | Refuse
    | GiveUp
    | Repay
    | Leave
)
"""Every action of this game, for msgspec."""

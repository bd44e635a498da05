"""The state of a game of Customs, frozen. Tuples over players are in the order of the seats."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias, TypeVar

import msgspec

from appliance.games.customs.rules.cards import Card, Good
from appliance.games.customs.rules.options import Options

Status = Literal["in", "bankrupt", "left"]
Phase = Literal["appoint", "shuffle", "declare", "decide", "doubt", "open", "exchange", "owe", "over"]
Reason = Literal["all_were_officer", "too_few_players"]
StageT = TypeVar("StageT", bound=msgspec.Struct)
Cards: TypeAlias = tuple[Card | None, ...]
"""Cards in order; None is a real card on the table that nobody has told of."""


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """A player: their name and money in pounds. `served`: their round as Officer has begun."""

    name: str
    money: int = 0
    status: Status = "in"
    served: bool = False


class Declaration(msgspec.Struct, frozen=True, kw_only=True):
    """What a traveller said: goods with their number, or a claim to the Diplomatic Bag."""

    seat: int
    goods: tuple[Good, ...] = ()
    bag: bool = False


class OpenedHand(msgspec.Struct, frozen=True, kw_only=True):
    """A hand shown to all: whose, at whose demand (`by`), its cards, and whether the declaration was true."""

    seat: int
    by: int
    cards: tuple[Card, ...]
    honest: bool


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """Pounds that one player has to pay another, by which rule."""

    payer: int
    payee: int
    amount: int
    rule: str


class Loan(msgspec.Struct, frozen=True, kw_only=True):
    """Pounds that `debtor` owes `creditor` until the end."""

    debtor: int
    creditor: int
    amount: int


class Appointing(msgspec.Struct, frozen=True, tag="appointing"):
    """Chance has to name the first Officer."""

    phase: ClassVar[Phase] = "appoint"


class Shuffling(msgspec.Struct, frozen=True, tag="shuffling"):
    """The pack has to be shuffled."""

    phase: ClassVar[Phase] = "shuffle"


class Declaring(msgspec.Struct, frozen=True, tag="declaring"):
    """`seat` looks at four cards and has to declare."""

    phase: ClassVar[Phase] = "declare"

    seat: int


class Deciding(msgspec.Struct, frozen=True, tag="deciding"):
    """The Officer has to accept or search."""

    phase: ClassVar[Phase] = "decide"


class Doubting(msgspec.Struct, frozen=True, tag="doubting"):
    """`seat` was handed four cards face down and has to believe or disbelieve."""

    phase: ClassVar[Phase] = "doubt"

    seat: int


class Opening(msgspec.Struct, frozen=True, tag="opening"):
    """Real cards were turned face up for `by` and have to be told."""

    phase: ClassVar[Phase] = "open"

    by: int


class Exchanging(msgspec.Struct, frozen=True, tag="exchanging"):
    """`seat` took the hand and has to discard one card."""

    phase: ClassVar[Phase] = "exchange"

    seat: int


class Owing(msgspec.Struct, frozen=True, tag="owing"):
    """The payer of the first due has too little money. `refused`: the seats that refused a loan for it."""

    phase: ClassVar[Phase] = "owe"

    refused: tuple[int, ...] = ()


class Asking(msgspec.Struct, frozen=True, tag="asking", kw_only=True):
    """The payer of the first due asked `lender` for `amount` pounds."""

    phase: ClassVar[Phase] = "owe"

    lender: int
    amount: int
    refused: tuple[int, ...]


class Over(msgspec.Struct, frozen=True, tag="over"):
    """The game has ended."""

    phase: ClassVar[Phase] = "over"

    winners: tuple[int, ...]
    reason: Reason


Stage: TypeAlias = (
    Appointing | Shuffling | Declaring | Deciding | Doubting | Opening | Exchanging | Owing | Asking | Over
)
"""What the table waits for; everything that nobody decides has already happened."""


class State(msgspec.Struct, frozen=True, kw_only=True):
    """One game of Customs at one moment. Holds secrets (cards, money): only `view.py` shows it to anybody.

    There is never more than one hand: it is at `holder`, or on its way.
    """

    options: Options
    players: tuple[Person, ...]
    stage: Stage
    round: int = 0
    """Rounds begun; 0 until there is an Officer."""
    turn: int = 0
    """Declarations begun in this round."""
    officer: int | None = None
    pack: Cards = ()
    """The closed suitcase, top first."""
    hand: Cards = ()
    discards: Cards = ()
    """The open suitcase, newest last."""
    put_away: Cards = ()
    """Hands that lapsed unseen."""
    declaration: Declaration | None = None
    opened: OpenedHand | None = None
    dues: tuple[Due, ...] = ()
    """What is still to be paid, in order (CU-64)."""
    passes_on: bool = False
    """After the dues the hand goes on to the next traveller; else `drawer` draws four."""
    drawer: int | None = None
    loans: tuple[Loan, ...] = ()
    set_aside: int = 0
    """Pounds out of the game: what could not be divided, and what players took with them."""
    moves: int = 0
    """Times that money has changed hands; names prompts."""

    def at(self, kind: type[StageT]) -> StageT:
        """Return the open stage, which is of `kind`."""
        assert isinstance(self.stage, kind)
        return self.stage

    def here(self) -> tuple[int, ...]:
        """Return the seats still in the game."""
        return tuple(seat for seat, player in enumerate(self.players) if player.status == "in")

    def next_traveller(self, seat: int) -> int:
        """Return the next seat clockwise of `seat` that travels in this round (CU-5)."""
        count = len(self.players)
        around = ((seat + step) % count for step in range(1, count + 1))
        return next(one for one in around if one != self.officer and self.players[one].status == "in")

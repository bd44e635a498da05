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
"""Cards in order; None is a real card whose kind the appliance does not know."""


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """A player: their name and money in pounds. `served`: their round as Officer has begun."""

    name: str
    money: int = 0
    status: Status = "in"
    served: bool = False


class Declaration(msgspec.Struct, frozen=True, kw_only=True):
    """A traveller's declaration: one entry in `goods` for each card, or a claim to the Diplomatic Bag."""

    seat: int
    goods: tuple[Good, ...] = ()
    bag: bool = False


class OpenedHand(msgspec.Struct, frozen=True, kw_only=True):
    """A hand shown to all: its seat, the seat that demanded it (`by`), its cards, whether the declaration was true."""

    seat: int
    by: int
    cards: tuple[Card, ...]
    honest: bool


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """Pounds that one player has to pay another, and the rule that requires it."""

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
    """Real cards were turned face up for `by` and have to be entered."""

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
"""The decision that the table waits for. Everything that needs no decision has already been done."""


class State(msgspec.Struct, frozen=True, kw_only=True):
    """One game of Customs at one moment. It holds secrets (cards, money); players get it only through `view.py`.

    There is never more than one hand. `view.holder_of` returns the seat that has it.
    """

    options: Options
    players: tuple[Person, ...]
    stage: Stage
    round: int = 0
    """Rounds started; 0 until there is an Officer."""
    turn: int = 0
    """Declarations asked for in this round."""
    officer: int | None = None
    pack: Cards = ()
    """The closed suitcase, top first."""
    hand: Cards = ()
    discards: Cards = ()
    """The open suitcase, newest last."""
    put_away: Cards = ()
    """Cards of hands that were removed from the round unseen."""
    declaration: Declaration | None = None
    opened: OpenedHand | None = None
    dues: tuple[Due, ...] = ()
    """Payments still to be made, in order (CU-64)."""
    passes_on: bool = False
    """Whether the hand passes to the next traveller after the dues. If not, `drawer` draws four cards."""
    drawer: int | None = None
    loans: tuple[Loan, ...] = ()
    set_aside: int = 0
    """Pounds out of the game: the remainder of the division, and the money of players who left."""
    moves: int = 0
    """Number of money transfers so far. Used in the names of prompts."""

    def at(self, kind: type[StageT]) -> StageT:
        """Return the open stage. Assert that it is of `kind`."""
        assert isinstance(self.stage, kind)
        return self.stage

    def here(self) -> tuple[int, ...]:
        """Return the seats still in the game."""
        return tuple(seat for seat, player in enumerate(self.players) if player.status == "in")

    def next_traveller(self, seat: int) -> int:
        """Return the next traveller clockwise of `seat` (CU-5)."""
        count = len(self.players)
        around = ((seat + step) % count for step in range(1, count + 1))
        return next(one for one in around if one != self.officer and self.players[one].status == "in")

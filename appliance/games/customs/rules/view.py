"""Views: the information that a viewer may have. None contains the pack, others' cards or hidden balances."""

from __future__ import annotations

import msgspec

from appliance.games.customs.rules.cards import CARDS, Card
from appliance.games.customs.rules.options import Options
from appliance.games.customs.rules.phases.receiving import discardable
from appliance.games.customs.rules.stages import expects
from appliance.games.customs.rules.state import (
    Asking,
    Cards,
    Declaration,
    Declaring,
    Doubting,
    Due,
    Exchanging,
    Loan,
    OpenedHand,
    Over,
    Owing,
    Person,
    Phase,
    Reason,
    State,
    Status,
)
from appliance.games.customs.rules.tariff import demo_values
from appliance.games.protocol import Prompt


class PlayerView(msgspec.Struct, frozen=True, kw_only=True):
    """The public view of a player. `cards` is the number of cards they have; `money` is None if hidden."""

    name: str
    status: Status
    served: bool
    cards: int
    money: int | None


class View(msgspec.Struct, frozen=True, kw_only=True):
    """The public view. `pack` is the number of cards in the closed suitcase; `discard` is the top card of the open one.

    `due` is a payment that a player cannot make, `asked` the loan they asked for. `demo` names all demo values (AP-9).
    """

    phase: Phase
    round: int
    rounds: int
    turn: int
    officer: int | None
    traveller: int | None
    expects: tuple[Prompt, ...]
    pack: int
    discard: Card | None
    declaration: Declaration | None
    opened: OpenedHand | None
    due: Due | None
    asked: Loan | None
    loans: tuple[Loan, ...]
    set_aside: int
    players: tuple[PlayerView, ...]
    winners: tuple[int, ...]
    reason: Reason | None
    demo: tuple[str, ...]
    options: Options


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """The private view of this player. `may_go` are the cards that they may discard now."""

    seat: int
    money: int
    hand: Cards
    may_go: Cards


class SeatView(View, frozen=True, kw_only=True):
    """The public view and the viewer's private view."""

    you: Own


def view(state: State, seat: int | None) -> View:
    """Return what the viewer at `seat` (None: everybody) may know: to a seat of the game a `SeatView`."""
    over = state.stage if isinstance(state.stage, Over) else None
    shown = state.options.show_balances or over is not None
    holder = holder_of(state)
    asking = state.stage if isinstance(state.stage, Asking) else None
    due = state.dues[0] if state.dues and isinstance(state.stage, Owing | Asking) else None
    public = View(
        phase=state.stage.phase,
        round=state.round,
        rounds=len(state.players),
        turn=state.turn,
        officer=state.officer,
        traveller=_traveller(state),
        expects=expects(state, seat),
        pack=len(state.pack),
        discard=state.discards[-1] if state.discards else None,
        declaration=state.declaration,
        opened=state.opened,
        due=due,
        asked=Loan(debtor=due.payer, creditor=asking.lender, amount=asking.amount) if asking and due else None,
        loans=state.loans,
        set_aside=state.set_aside if shown else 0,
        players=tuple(
            _player(player, len(state.hand) if holder == number else 0, shown)
            for number, player in enumerate(state.players)
        ),
        winners=over.winners if over else (),
        reason=over.reason if over else None,
        demo=_made_up(state.options),
        options=state.options,
    )
    if seat is None or not 0 <= seat < len(state.players):
        return public
    return SeatView(**msgspec.structs.asdict(public), you=_own(state, seat))


def holder_of(state: State) -> int | None:
    """Return the seat that has the hand now, face up or, until the player believes, face down; None for no hand."""
    match state.stage:
        case Declaring(seat=seat) | Exchanging(seat=seat) | Doubting(seat=seat):
            return seat
    return state.declaration.seat if state.declaration and state.hand else None


def _traveller(state: State) -> int | None:
    match state.stage:
        case Declaring(seat=seat) | Exchanging(seat=seat):
            return seat
    return state.declaration.seat if state.declaration else None


def _own(state: State, seat: int) -> Own:
    """Return the private view. A passed hand is hidden from its giver, and from its receiver until they believe."""
    looks = holder_of(state) == seat and not isinstance(state.stage, Doubting)
    hand = tuple(card for card in state.hand if card is not None) if looks else ()
    exchanging = looks and isinstance(state.stage, Exchanging)
    return Own(
        seat=seat,
        money=state.players[seat].money,
        hand=tuple(sorted(hand, key=CARDS.index)),
        may_go=discardable(state.hand) if exchanging else (),
    )


def _player(player: Person, cards: int, shown: bool) -> PlayerView:
    return PlayerView(
        name=player.name,
        status=player.status,
        served=player.served,
        cards=cards,
        money=player.money if shown else None,
    )


def _made_up(options: Options) -> tuple[str, ...]:
    return (*demo_values(options.tariff), *(("money",) if options.money is None else ()))

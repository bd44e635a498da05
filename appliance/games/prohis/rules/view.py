"""Views: the information that a viewer may have, without the pile or others' hidden cards (PR-5, PR-29, PR-37)."""

from __future__ import annotations

from collections import Counter

import msgspec

from appliance.games.prohis.rules.cards import CARDS, Card, Cards, Prohi
from appliance.games.prohis.rules.options import Options
from appliance.games.prohis.rules.phases.ending import points
from appliance.games.prohis.rules.stages import expects
from appliance.games.prohis.rules.state import Convoy, Phase, Reason, State, Trader
from appliance.games.protocol import Prompt


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """A player's score at the end: the number of cards of each kind in warehouse and hand, and the total."""

    warehouse: dict[Card, int]
    hand: dict[Card, int]
    points: int


class PlayerView(msgspec.Struct, frozen=True, kw_only=True):
    """The public view of a player. `hand` and `warehouse` are numbers of cards; `score` is None until the end."""

    name: str
    hand: int
    warehouse: int
    passed: bool
    left: bool
    score: Score | None


class DeclaredView(msgspec.Struct, frozen=True):
    """A declaration about the convoy. If `shown`, `prohi` is the declared Prohi, or None for letting it pass."""

    seat: int
    shown: bool
    prohi: Prohi | None


class OfferView(msgspec.Struct, frozen=True):
    """The bribe on the table: the number of cards, and the cards if the viewer may see them."""

    number: int
    cards: Cards | None


class ConvoyView(msgspec.Struct, frozen=True, kw_only=True):
    """The convoy on the table. `cards` has None for cards that this viewer may not see. `turned` are the positions that
    are face up for everybody."""

    smuggler: int
    cards: tuple[Card | None, ...]
    turned: tuple[int, ...]
    declared: tuple[DeclaredView, ...]
    inspector: int | None
    prohi: Prohi | None
    offer: OfferView | None
    rejected: int


class View(msgspec.Struct, frozen=True, kw_only=True):
    """The public view. `turn` is None before the first player is drawn and with real cards."""

    phase: Phase
    turn: int | None
    turns: int
    expects: tuple[Prompt, ...]
    pile: int
    row: tuple[Card | None, ...]
    last_turns: tuple[int, ...] | None
    convoy: ConvoyView | None
    players: tuple[PlayerView, ...]
    winners: tuple[int, ...]
    reason: Reason | None
    options: Options


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """The private view of this player: their hand, and the cards in their warehouse (PR-5)."""

    seat: int
    hand: Cards
    warehouse: Cards


class SeatView(View, frozen=True, kw_only=True):
    """The public view and the viewer's private view."""

    you: Own


def view(state: State, seat: int | None) -> View:
    """Return what the viewer at `seat` (None: everybody) may know: to a seat of the game a `SeatView`."""
    shown = View(
        phase=state.phase,
        turn=state.turn if state.turns else None,
        turns=state.turns,
        expects=expects(state, seat),
        pile=len(state.pile),
        row=state.row,
        last_turns=state.last_turns,
        convoy=None if state.convoy is None else _convoy(state, state.convoy, seat),
        players=tuple(_player(state, player) for player in state.players),
        winners=state.winners,
        reason=state.reason,
        options=state.options,
    )
    if seat is None or not 0 <= seat < len(state.players):
        return shown
    own = Own(seat=seat, hand=state.players[seat].hand, warehouse=state.players[seat].warehouse)
    return SeatView(**msgspec.structs.asdict(shown), you=own)


def _player(state: State, player: Trader) -> PlayerView:
    return PlayerView(
        name=player.name,
        hand=len(player.hand),
        warehouse=len(player.warehouse),
        passed=player.passed,
        left=player.left,
        score=_score(player) if state.phase == "over" else None,
    )


def _score(player: Trader) -> Score:
    warehouse, hand = Counter(player.warehouse), Counter(player.hand)
    for entry in player.counted:
        (warehouse if entry.place == "warehouse" else hand)[entry.card] += entry.number
    return Score(
        warehouse={card: warehouse[card] for card in CARDS},
        hand={card: hand[card] for card in CARDS},
        points=points(player),
    )


def _convoy(state: State, convoy: Convoy, seat: int | None) -> ConvoyView:
    own = seat == state.turn
    open_declarations = state.options.declarations == "open" or state.phase != "declare"
    offer = convoy.offer
    return ConvoyView(
        smuggler=state.turn,
        cards=tuple(card if own or position in convoy.turned else None for position, card in enumerate(convoy.cards)),
        turned=convoy.turned,
        declared=tuple(
            DeclaredView(one.seat, shown := open_declarations or one.seat == seat, one.prohi if shown else None)
            for one in convoy.declared
        ),
        inspector=convoy.inspector,
        prohi=convoy.prohi,
        offer=None if offer is None else OfferView(len(offer), offer if own or state.options.open_bribes else None),
        rejected=convoy.rejected,
    )

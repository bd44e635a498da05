"""Views: the information a viewer may have, without others' hands, pile orders or hidden kinds (TR-20, AP-3)."""

from __future__ import annotations

import msgspec

from appliance.games.haulers.rules.actions import Kind
from appliance.games.haulers.rules.map.board import Board
from appliance.games.haulers.rules.map.edition import LocalizedText, Mission, Transit
from appliance.games.haulers.rules.options import Options
from appliance.games.haulers.rules.phases.buying import PRICES, price
from appliance.games.haulers.rules.phases.transit import transit_cards
from appliance.games.haulers.rules.phases.turns import turn_price
from appliance.games.haulers.rules.stage_rules import expects
from appliance.games.haulers.rules.stages import (
    Briefing,
    ByHand,
    Contest,
    Judging,
    Keeping,
    Over,
    Parley,
    Reason,
    Stage,
)
from appliance.games.haulers.rules.state import Boat, Bonus, Chips, Hauler, Load, State, Station
from appliance.games.protocol import Prompt


class CardView(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery card that the viewer may see."""

    card: int
    top: str
    bottom: str
    pays: int
    overseas: bool
    goods: LocalizedText | None


class LoadView(CardView, frozen=True, kw_only=True):
    """A delivery in transit. `kind` is None while the viewer may not know it. `open`: shown to all in a check."""

    boat: int | None
    at: str | None
    open: bool
    kind: Kind | None


class PlayerView(msgspec.Struct, frozen=True, kw_only=True):
    """A player as a viewer sees them. `cards` is the size of the hand. `mission` is None if hidden or not dealt.

    `papers_price` is what the next "papers in order" costs them, None where they are not for sale (TR-61).
    """

    name: str
    cash: int
    chips: Chips
    cards: int
    loads: tuple[LoadView, ...]
    truck: str | None
    boat: Boat | None
    turbo: bool
    double: bool
    radars: int
    papers: int
    throttled: bool
    mission: Mission | None
    served: tuple[str, ...]
    turns_bought: int
    turn_price: int | None
    papers_price: int | None
    left: bool


class View(msgspec.Struct, frozen=True, kw_only=True):
    """The public view. `turn` counts turns, 0 before the first; `seat` is the seat whose turn it is.

    `stage` is the open stage; `check` the current negotiation or roll-off; `by_hand` the transit card that the table
    carries out. `options` have no edition: `board` is its map.
    """

    phase: str
    turn: int
    seat: int | None
    first: int | None
    stage: Stage
    check: Parley | Contest | None
    by_hand: Transit | None
    expects: tuple[Prompt, ...]
    players: tuple[PlayerView, ...]
    board: Board
    stations: dict[str, Station]
    stock: dict[str, int]
    prices: dict[str, int]
    bank: int
    pile: int
    discards: int
    transit_pile: int
    ender: int | None
    last_turns: tuple[int, ...]
    bonuses: tuple[Bonus, ...]
    winners: tuple[int, ...]
    reason: Reason | None
    options: Options


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """The private view of this player: their hand in order, unused legal and smuggler cards, their mission."""

    seat: int
    hand: tuple[CardView, ...]
    legal_cards: int
    smuggler_cards: int
    mission: Mission | None


class SeatView(View, frozen=True, kw_only=True):
    """The public view and the viewer's private view."""

    you: Own


def view(state: State, seat: int | None) -> View:
    """Return what the viewer at `seat` (None: everybody) may know: to a seat of the game a `SeatView`."""
    over = state.stage if isinstance(state.stage, Over) else None
    turn = state.turn_stage()
    public = View(
        phase=_phase(state),
        turn=state.turn,
        seat=turn.seat if turn else None,
        first=state.first,
        stage=state.stage,
        check=next((stage for stage in reversed(state.agenda) if isinstance(stage, Parley | Contest)), None),
        by_hand=transit_cards(state)[state.stage.card] if isinstance(state.stage, ByHand) else None,
        expects=expects(state, seat),
        players=tuple(_player(state, number, seat) for number in range(len(state.players))),
        board=state.board,
        stations=state.stations,
        stock=state.stock,
        prices=PRICES[state.options.deliveries],
        bank=state.bank,
        pile=len(state.pile),
        discards=len(state.discards),
        transit_pile=len(state.transit_pile),
        ender=state.ender,
        last_turns=state.last_turns,
        bonuses=state.bonuses,
        winners=over.winners if over else (),
        reason=over.reason if over else None,
        options=msgspec.structs.replace(state.options, edition=None),
    )
    if seat is None or not 0 <= seat < len(state.players):
        return public
    return SeatView(**{name: getattr(public, name) for name in View.__struct_fields__}, you=_own(state, seat))


def _phase(state: State) -> str:
    if isinstance(state.stage, Over):
        return "over"
    if isinstance(state.stage, Judging):
        return "judging"
    if state.turn == 0:
        return "start" if isinstance(state.stage, Keeping | Briefing) else "set_up"
    return "turn" if state.turn_stage() else "sale"


def _card(state: State, card: int) -> CardView:
    printed = state.card(card)
    return CardView(
        card=card,
        top=printed.top,
        bottom=printed.bottom,
        pays=printed.pays,
        overseas=state.is_overseas(card),
        goods=printed.goods,
    )


def _load(state: State, owner: int, load: Load, viewer: int | None) -> LoadView:
    printed = _card(state, load.card)
    return LoadView(
        **{name: getattr(printed, name) for name in CardView.__struct_fields__},
        boat=load.boat,
        at=state.square_of(owner, load),
        open=load.open,
        kind=load.kind if load.open or viewer == owner else None,
    )


def _player(state: State, seat: int, viewer: int | None) -> PlayerView:
    player: Hauler = state.players[seat]
    return PlayerView(
        name=player.name,
        cash=player.cash,
        chips=player.chips,
        cards=len(player.hand),
        loads=tuple(_load(state, seat, load, viewer) for load in player.loads),
        truck=player.truck,
        boat=player.boat,
        turbo=player.turbo,
        double=player.double,
        radars=player.radars,
        papers=len(player.papers),
        throttled=player.throttled,
        mission=_mission(state, player) if state.shows_mission(seat) else None,
        served=player.served,
        turns_bought=player.turns_bought,
        turn_price=turn_price(player) if state.options.extra_turns else None,
        papers_price=price(state, seat, "papers") if state.options.keep_cards == "sold" else None,
        left=player.left,
    )


def _mission(state: State, player: Hauler) -> Mission | None:
    return None if player.mission is None else state.edition.missions[player.mission]


def _own(state: State, seat: int) -> Own:
    player = state.players[seat]
    return Own(
        seat=seat,
        hand=tuple(_card(state, card) for card in player.hand),
        legal_cards=player.unused("legal"),
        smuggler_cards=player.unused("smuggled"),
        mission=_mission(state, player),
    )

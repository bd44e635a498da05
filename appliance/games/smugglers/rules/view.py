"""Views: the information a viewer may have, without masses, seals or contents of closed spheres (SM-54, AP-3, AP-4)."""

from __future__ import annotations

import msgspec

from appliance.games.protocol import Prompt
from appliance.games.smugglers.rules.actions import Found, Piece
from appliance.games.smugglers.rules.mass_ranking import standing
from appliance.games.smugglers.rules.options import Options
from appliance.games.smugglers.rules.stages import expects
from appliance.games.smugglers.rules.state import (
    Inspection,
    Over,
    Phase,
    Reason,
    Room,
    Smuggler,
    State,
    Tokens,
    Weighing,
)


class PlayerView(msgspec.Struct, frozen=True, kw_only=True):
    """The public view of a player. `attempts` counts failed attempts this round; `place` is their armchair (1, 2).

    `opened` is the content of their sphere, None while closed. `sealed`: they have committed a seal.
    """

    name: str
    putty: str
    sweet: int
    sour: int
    usable_bombs: int
    spent_bombs: int
    room: Room
    place: int | None
    attempts: int
    opened: tuple[Found, ...] | None
    sealed: bool


class View(msgspec.Struct, frozen=True, kw_only=True):
    """The public view (DESIGN §4). `box` holds the tokens of players who left: out + supply + box = 28 of each.

    In addition to DESIGN's list: `inspection` from its guess to its end, the seats `tied` between which the die decides
    now, and the complete `options`.
    """

    phase: Phase
    round: int
    start: int
    boss_lane: int
    lane: int | None
    blind: bool
    expects: tuple[Prompt, ...]
    supply: Tokens
    box: Tokens
    players: tuple[PlayerView, ...]
    winner: int | None
    reason: Reason | None
    inspection: Inspection | None
    tied: tuple[int, ...]
    options: Options


class Own(msgspec.Struct, frozen=True):
    """The private view of this player: the pieces that they may hide (SM-23)."""

    seat: int
    pieces: tuple[Piece, ...]


class SeatView(View, frozen=True, kw_only=True):
    """The public view and the viewer's private view."""

    you: Own


def view(state: State, seat: int | None) -> View:
    """Return what the viewer at `seat` (None: everybody) may know: to a seat of the game a `SeatView`."""
    over = state.stage if isinstance(state.stage, Over) else None
    public = View(
        phase=state.phase,
        round=state.round,
        start=state.start,
        boss_lane=state.boss_lane,
        lane=state.lane,
        blind=state.blind,
        expects=expects(state),
        supply=state.supply,
        box=state.box,
        players=tuple(_player(player) for player in state.players),
        winner=over.winner if over else None,
        reason=over.reason if over else None,
        inspection=state.inspection,
        tied=_tied(state),
        options=state.options,
    )
    if seat is None or not 0 <= seat < len(state.players):
        return public
    return SeatView(**msgspec.structs.asdict(public), you=Own(seat, _may_hide(state.players[seat])))


def _tied(state: State) -> tuple[int, ...]:
    stage = state.stage
    if not isinstance(stage, Weighing) or any(sphere.mass_g is None for sphere in stage.spheres):
        return ()
    return standing(state, stage.spheres).tied


def _player(player: Smuggler) -> PlayerView:
    return PlayerView(
        name=player.name,
        putty=player.putty,
        sweet=player.tokens.sweet,
        sour=player.tokens.sour,
        usable_bombs=player.usable_bombs,
        spent_bombs=player.spent_bombs,
        room=player.room,
        place=player.place,
        attempts=player.attempts,
        opened=player.opened,
        sealed=player.seal is not None,
    )


def _may_hide(player: Smuggler) -> tuple[Piece, ...]:
    if player.room == "left":
        return ()
    return ("sweet", "sour", "bomb") if player.usable_bombs else ("sweet", "sour")

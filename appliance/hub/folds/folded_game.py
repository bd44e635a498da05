"""One game, folded from its envelopes. Pure: the game before an envelope and the envelope give the game after it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from appliance.games.base.rules.names import is_name
from appliance.games.league.result import Result
from appliance.games.protocol import Outcome
from appliance.hub.envelopes import NUMBER_MOST, Corrected, Envelope, Happened, TheEnd, TheGame, Told

_TEXT_MOST = 64
_PLAYERS_MOST = 64
_TOLD_MOST = 3
"""Number of newest happenings that are kept for pages. The envelopes have all of them."""
_TOLD_MOST_BYTES = 2048
"""Largest happening that is kept for pages, as JSON: many times one of a real game. Pages read those of many games."""

Erased = Callable[[str, float], bool]
"""Returns whether the guest of a name was erased after the game that was opened at that time."""


class FoldedGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game after some of its envelopes. Times are the table's clock, seconds since 1970."""

    kind: str
    players: tuple[str | None, ...]
    imported: bool
    seating: int
    opened_seq: int
    opened_s: float
    last_s: float
    is_open: bool = True
    outcome: Outcome | None = None
    outcome_s: float | None = None
    """The time of the newest envelope that changed the outcome."""
    corrected: int = 0
    told: tuple[Told, ...] = ()


def fold(
    before: FoldedGame | None, envelope: Envelope, erased: Erased = lambda name, opened_s: False
) -> FoldedGame | None:
    """Return the game after `envelope`; None if the envelope is invalid after the earlier ones and is skipped."""
    body = envelope.body
    if isinstance(body, TheGame):
        return _opened(envelope, body, erased) if before is None else None
    if before is None:
        return None
    told, corrected, is_open = before.told, before.corrected, before.is_open
    match body:
        case Happened():
            told = (*told, *_kept(body.told))[-_TOLD_MOST:]
        case Corrected():
            told = _kept(tuple(one for _, some in body.told for one in some))
            corrected += 1
        case TheEnd():
            is_open = False
    decided = _sound(envelope.outcome, len(before.players))
    return msgspec.structs.replace(
        before,
        told=told,
        corrected=corrected,
        is_open=is_open,
        last_s=envelope.wall_s,
        outcome=decided,
        outcome_s=before.outcome_s if decided == before.outcome else envelope.wall_s,
    )


def _opened(envelope: Envelope, body: TheGame, erased: Erased) -> FoldedGame | None:
    if not _is_text(body.kind) or not 1 <= len(body.players) <= _PLAYERS_MOST:
        return None
    names = (name if name is not None and is_name(name) else None for name in body.players)
    return FoldedGame(
        kind=body.kind,
        players=tuple(None if name is None or erased(name, envelope.wall_s) else name for name in names),
        imported=body.imported,
        seating=body.seating if 0 <= body.seating < NUMBER_MOST else envelope.game,
        opened_seq=envelope.seq,
        opened_s=envelope.wall_s,
        last_s=envelope.wall_s,
        outcome=_sound(envelope.outcome, len(body.players)),
        told=_kept(body.told),
    )


def _kept(told: tuple[Told, ...]) -> tuple[Told, ...]:
    """Return the newest happenings, without values that no sentence uses: these can be nested arbitrarily deep.

    Happenings that are too large for a real game are left out.
    """
    said = (
        msgspec.structs.replace(one, values={key: value for key, value in one.values.items() if _is_said(value)})
        for one in told[-_TOLD_MOST:]
    )
    return tuple(one for one in said if len(msgspec.json.encode(one)) <= _TOLD_MOST_BYTES)


def _is_said(value: object) -> bool:
    parts = value if isinstance(value, list) else [value]
    return all(part is None or isinstance(part, str | int | float) for part in parts)


def _sound(outcome: Outcome | None, seats: int) -> Outcome | None:
    if outcome is None or not _is_text(outcome.reason) or len(outcome.winners) > seats:
        return None
    return outcome if all(0 <= seat < seats for seat in outcome.winners) else None


def _is_text(text: str) -> bool:
    """Return whether `text` is printable and of allowed length. A database may refuse other text."""
    return 1 <= len(text) <= _TEXT_MOST and text.isprintable()


def result_of(table: str, number: int, game: FoldedGame | None) -> Result | None:
    """Return the result for the league; None without a winner, and for games that were played elsewhere."""
    if game is None or game.imported or game.outcome is None or not game.outcome.winners:
        return None
    return Result(
        table=table,
        seq=number,
        played_s=game.opened_s,
        game=game.kind,
        guests=game.players,
        ranks=tuple(1 if seat in game.outcome.winners else 2 for seat in range(len(game.players))),
    )

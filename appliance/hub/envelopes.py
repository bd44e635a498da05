"""Envelopes: the messages that a table sends to its hub, one for each entry of its journal, in order.

An envelope contains only public information. The hub stores its bytes undecoded, under the table and the entry's
number. Games, results and ratings at a hub are folds of the envelopes.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from appliance.games.protocol import Outcome
from hardware.files.regular_file import UNDECODABLE


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """One public happening: its stable code, its values and the rule behind it."""

    code: str
    values: dict[str, Any] = {}
    rule: str | None = None


class TheGame(msgspec.Struct, frozen=True, tag="opened", kw_only=True):
    """A game was opened. A seat is an index into `players`. `seating`: the number of the first game of this seating."""

    kind: str
    players: tuple[str | None, ...]
    """None: a player who typed no name, or whose name was erased."""
    imported: bool = False
    """The game counts for no league: it was played elsewhere, or the hub has it under this table's former name."""
    seating: int
    told: tuple[Told, ...] = ()
    """The public happenings of the set-up."""


class Happened(msgspec.Struct, frozen=True, tag="happened", kw_only=True):
    """The public happenings of an action. `told` is empty if only one seat may know of them."""

    told: tuple[Told, ...]


class Corrected(msgspec.Struct, frozen=True, tag="corrected", kw_only=True):
    """Entry `target` was amended or undone. `told` are all public happenings of the game after that, by entry.

    `set_aside` are all entries of actions of this game that no longer count.
    """

    target: int
    undone: bool
    told: tuple[tuple[int, tuple[Told, ...]], ...]
    set_aside: tuple[int, ...] = ()


class TheEnd(msgspec.Struct, frozen=True, tag="closed", kw_only=True):
    """The game was closed."""


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """The public content of one journal entry. `outcome` is that of its game after the entry; null while undecided.

    `seq` counts a table's envelopes from 1 without a gap. `wall_s` is the table's clock: seconds since 1970.
    """

    format: Literal[1] = 1
    table: str
    seq: int
    game: int
    wall_s: float
    body: TheGame | Happened | Corrected | TheEnd
    outcome: Outcome | None = None


NUMBER_MOST = 2**53
"""Numbers of entries, games and nights are below this. Larger ones are not exact in every reader of JSON."""
MOST_BYTES = 2**19
"""Largest envelope. It is several times the size of a longest game's envelope with all its happenings."""
_encode = msgspec.json.Encoder(order="deterministic").encode
_decoder = msgspec.json.Decoder(Envelope)


class _Stamp(msgspec.Struct):
    wall_s: float


_stamp = msgspec.json.Decoder(_Stamp)


def encoded(envelope: Envelope) -> bytes:
    """Return the bytes of an envelope: JSON, the same for the same envelope everywhere."""
    return _encode(envelope)


def decoded(stored: bytes) -> Envelope:
    """Return the envelope of stored bytes.

    :raises Exception: one of `UNDECODABLE`: this release cannot read them.
    """
    return _decoder.decode(stored)


def written_s(stored: bytes) -> float | None:
    """Return the table's clock in an envelope of stored bytes; None if this release cannot read it."""
    try:
        return _stamp.decode(stored).wall_s
    except UNDECODABLE:
        return None

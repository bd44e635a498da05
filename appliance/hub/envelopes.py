"""What a table sends its hub: an envelope for each entry of its journal, in order, and how the table stands.

An envelope holds what everybody at the table may know. Its bytes are made once; the hub stores them unread, under the
table and the entry's number. Every other thing at a hub is a fold of the envelopes.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from appliance.games.protocol import Outcome


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """One public happening: its stable code, its values and the rule behind it."""

    code: str
    values: dict[str, Any] = {}
    rule: str | None = None


class TheGame(msgspec.Struct, frozen=True, tag="opened", kw_only=True):
    """A game was opened. Seats are the places of `players`. `seating`: the first of the games with these seats."""

    kind: str
    players: tuple[str | None, ...]
    """A player of None typed no name, or was erased."""
    imported: bool = False
    """It counts for no league: it was played elsewhere, or the hub has it under this table's former name."""
    seating: int
    told: tuple[Told, ...] = ()
    """What set-up made public."""


class Happened(msgspec.Struct, frozen=True, tag="happened", kw_only=True):
    """What an action brought about; nothing where only one seat may know of it."""

    told: tuple[Told, ...]


class Corrected(msgspec.Struct, frozen=True, tag="corrected", kw_only=True):
    """Entry `target` was amended or taken back. From it on the game's public happenings are `told`, by entry.

    `set_aside` are all entries of actions of this game that do not count any more.
    """

    target: int
    undone: bool
    told: tuple[tuple[int, tuple[Told, ...]], ...]
    set_aside: tuple[int, ...] = ()


class TheEnd(msgspec.Struct, frozen=True, tag="closed", kw_only=True):
    """The game was put away."""


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """What one journal entry made public. `outcome` is that of its game after the entry; null while undecided.

    `seq` counts a table's envelopes from 1 without a gap. `wall_s` is the table's clock: seconds since 1970.
    """

    format: Literal[1] = 1
    table: str
    seq: int
    game: int
    wall_s: float
    body: TheGame | Happened | Corrected | TheEnd
    outcome: Outcome | None = None


MOST_BYTES = 2**19
"""Largest envelope: several times that of the longest games with all that they told."""
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

    :raises msgspec.MsgspecError: this release does not read them.
    :raises UnicodeDecodeError: likewise.
    """
    return _decoder.decode(stored)


def written_s(stored: bytes) -> float | None:
    """Return the table's clock in an envelope of stored bytes; None where this release cannot read it."""
    try:
        return _stamp.decode(stored).wall_s
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None

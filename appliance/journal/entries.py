"""The kinds of journal entries, and the records of timers."""

from __future__ import annotations

from typing import Any

import msgspec

from appliance.games.protocol import Outcome, Setup


class Body(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True, kw_only=True):
    """Base of the bodies of entries."""


class Opened(Body, frozen=True, tag="opened", omit_defaults=True):
    """A game was opened; the entry's own seq names the game from now on. `imported`: it was played elsewhere.

    `seating`: the first of the games that the same players played in the same seats, each straight after the one
    before; None: this one.
    """

    setup: Setup
    imported: bool = False
    seating: int | None = None


class Acted(Body, frozen=True, tag="acted", omit_defaults=True):
    """An action was applied. `action` holds all its fields when read; the secret ones are sealed on disk.

    `drawn` is the prompt that the appliance answered by a draw; "" where people or sensors answered.
    """

    action: dict[str, Any]
    drawn: str = ""


class Amended(Body, frozen=True, tag="amended"):
    """Entry `target` means `action` from now on; None: it counts as if it had not been done."""

    target: int
    action: dict[str, Any] | None


class Undone(Body, frozen=True, tag="undone"):
    """Entry `target`, the last action or amendment that still counted, was taken back."""

    target: int


class KeptTimer(msgspec.Struct, frozen=True, kw_only=True):
    """A timer that was running: seconds left now, and its whole length in seconds."""

    name: str
    left_s: float
    lasts_s: float


class Paused(Body, frozen=True, tag="paused"):
    """The game was paused; `timers` ran, and go on with what they have left."""

    timers: tuple[KeptTimer, ...]


class Resumed(Body, frozen=True, tag="resumed"):
    """The paused game went on."""


class Closed(Body, frozen=True, tag="closed"):
    """The game was closed; `outcome` None: unfinished."""

    outcome: Outcome | None


AnyBody = Opened | Acted | Amended | Undone | Paused | Resumed | Closed


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry: its number in the file, its game, the client-made id, the wall-clock second, its body."""

    seq: int
    game: int
    client_id: str
    wall_s: float
    body: AnyBody

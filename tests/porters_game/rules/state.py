"""The whole truth of a game of Porters, and what one viewer may know of it."""

from __future__ import annotations

import msgspec

from appliance.games.protocol import Prompt


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a set-up may choose."""

    flip_first: bool = False


class State(msgspec.Struct, frozen=True):
    """A game. `crossed` grows by one porter after the other; who left has a load of 0 g and does not cross."""

    seats: int
    round: int = 1
    loads: tuple[float | None, ...] = ()
    crossed: tuple[bool, ...] = ()
    tries: int = 0
    won: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()
    flips: int = 0
    flipping: bool = False


class PorterView(msgspec.Struct, frozen=True):
    """What everybody may know of one porter. `crossed`: None before they have."""

    here: bool
    hidden: bool
    crossed: bool | None
    rounds: int


class View(msgspec.Struct, frozen=True):
    """What one viewer may know. `own_load_g` is their own, None for everybody; `expects` are the prompts they see."""

    round: int
    players: tuple[PorterView, ...]
    own_load_g: float | None
    expects: tuple[Prompt, ...]

"""What players of Porters do."""

from __future__ import annotations

from typing import Literal

from appliance.games.protocol import Action


class Hide(Action, frozen=True, tag="hide"):
    """Hide a load of 0 to 100 g, both excluded (PO-2). Its mass is secret."""

    seat: int
    mass_g: float


class Cross(Action, frozen=True, tag="cross"):
    """Carry the load across (PO-3)."""

    seat: int
    outcome: Literal["passed", "stuck"]


class Flip(Action, frozen=True, tag="flip"):
    """Flip a coin before the first round, where the option says so (PO-1)."""

    heads: bool


class Leave(Action, frozen=True, tag="leave"):
    """Leave the game for good (PO-6)."""

    seat: int


PortersAction = Hide | Cross | Flip | Leave

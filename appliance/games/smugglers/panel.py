"""Lights and tunes of Smugglers: the round's lane is lit, and some happenings play a tune."""

from __future__ import annotations

from collections.abc import Iterable

from appliance.games.protocol import Happening
from appliance.games.smugglers.rules.view import View
from hardware.panel import Melody

MELODIES: dict[str, Melody] = {
    "hourglass_ran_out": "time_up",
    "sphere_passed": "passed",
    "sphere_stuck": "stuck",
    "game_won": "won",
}


def lit_lane(view: View) -> int | None:
    """Return the lane to light: this round's lane, once it is public (SM-17, SM-19)."""
    return view.lane if view.phase in ("sculpt", "test") else None


def melody(happened: Iterable[Happening]) -> Melody | None:
    """Return the tune of the last happening that has one."""
    tunes = [MELODIES[happening.code] for happening in happened if happening.code in MELODIES]
    return tunes[-1] if tunes else None

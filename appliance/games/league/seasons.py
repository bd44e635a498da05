"""Seasons: the quarters of a calendar year, in UTC. In other time zones a season starts some hours off."""

from __future__ import annotations

import datetime
from collections.abc import Iterable

from appliance.games.league.result import Result

_MONTHS = 3


def season_of(played_s: float) -> str:
    """Return the season of a time, seconds since 1970, such as `2026-Q4`; "" for a time outside the calendar."""
    try:
        day = datetime.datetime.fromtimestamp(played_s, datetime.UTC)
    except (OverflowError, OSError, ValueError):
        return ""
    return f"{day.year:04}-Q{(day.month - 1) // _MONTHS + 1}"


def seasons_of(results: Iterable[Result]) -> tuple[str, ...]:
    """Return the seasons that have results, the newest first."""
    return tuple(sorted({season_of(one.played_s) for one in results} - {""}, reverse=True))

"""A release goes to one table, then to some, then to all; each ring waits until the one before is well. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from appliance.hub.link.wanted import Offered, OfferState

SOME = 10
"""The second ring is one table in so many, at least one."""
AWAY_MOST_S = 900.0
"""A table that took the release may be unheard for so long: an update takes some minutes."""
Why = Literal["failed", "went_back", "gone", "refused", "ill", "away", "by_hand"]
Step = Literal["later", "offered", "waits", "running", "watched", "well", "left"]
_WRONG: dict[str, Why] = {"failed": "failed", "went_back": "went_back", "gone": "gone", "refused": "refused"}


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What a table's newest report says. `faulty`: its devices that are. `heard_s` is the hub's clock."""

    release: str
    takes: bool
    offered: Offered | None
    faulty: tuple[str, ...]
    heard_s: float


class Stop(msgspec.Struct, frozen=True):
    """Where a rollout stopped, and why; `table` "": somebody stopped it."""

    table: str
    why: Why


class Rollout(msgspec.Struct, frozen=True, kw_only=True):
    """One release on its way. Times are the hub's clock, seconds since 1970.

    `rings` are tables' names; those up to `ring` are offered the release. `watch_s`: how long a ring has to be well
    before the next one. `faulty_before`: devices that were faulty when it began. `done_s`: when a table was first heard
    with the release. `ended_s` with no `stop`: every table has it.
    """

    number: int
    release: str
    watch_s: float
    rings: tuple[tuple[str, ...], ...]
    faulty_before: Mapping[str, tuple[str, ...]] = {}
    started_s: float
    ring: int = 0
    done_s: Mapping[str, float] = {}
    ended_s: float | None = None
    stop: Stop | None = None

    @property
    def open(self) -> tuple[str, ...]:
        """The tables that are offered the release now."""
        return () if self.ended_s is not None else tuple(one for ring in self.rings[: self.ring + 1] for one in ring)


def rings_of(tables: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the rings: the first table, the next tenth of all, the rest. None is empty."""
    some = max(1, len(tables) // SOME)
    rings = (tuple(tables[:1]), tuple(tables[1 : 1 + some]), tuple(tables[1 + some :]))
    return tuple(ring for ring in rings if ring)


def after(rollout: Rollout, seen: Mapping[str, Seen], now_s: float) -> Rollout:
    """Return the rollout after a look at its tables' newest reports."""
    if rollout.ended_s is not None:
        return rollout
    done_s = dict(rollout.done_s)
    for table in rollout.open:
        one = seen.get(table)
        if one is None or not one.takes:
            continue
        if _told(rollout, one) == "installed" or one.release == rollout.release:
            done_s.setdefault(table, now_s)
        if (why := _wrong(rollout, table, one, table in done_s, now_s)) is not None:
            return replace(rollout, done_s=done_s, ended_s=now_s, stop=Stop(table, why))
    rollout = replace(rollout, done_s=done_s)
    if not all(_is_well(rollout, table, seen.get(table), now_s) for table in rollout.rings[rollout.ring]):
        return rollout
    if rollout.ring + 1 < len(rollout.rings):
        return replace(rollout, ring=rollout.ring + 1)
    return replace(rollout, ended_s=now_s)


def step_of(rollout: Rollout, table: str, seen: Seen | None, now_s: float) -> Step:
    """Return how far a table of the rollout is."""
    if table not in {one for ring in rollout.rings[: rollout.ring + 1] for one in ring}:
        return "later"
    if seen is None or not seen.takes:
        return "left"
    if table in rollout.done_s:
        return "well" if now_s - rollout.done_s[table] >= rollout.watch_s else "watched"
    told = _told(rollout, seen)
    return "running" if told == "running" else "waits" if told == "waits" else "offered"


def _told(rollout: Rollout, one: Seen) -> OfferState | None:
    """Return what the table says of this release; its package may be called a little otherwise than what runs."""
    return one.offered.state if one.offered is not None and one.offered.release == rollout.release else None


def _wrong(rollout: Rollout, table: str, one: Seen, is_done: bool, now_s: float) -> Why | None:
    told = _told(rollout, one)
    if told in _WRONG:
        return _WRONG[told]
    if (is_done or told == "running") and now_s - one.heard_s > AWAY_MOST_S:
        return "away"
    if is_done and told != "installed" and one.release != rollout.release:
        return "went_back"
    if is_done and set(one.faulty) - set(rollout.faulty_before.get(table, ())):
        return "ill"
    return None


def _is_well(rollout: Rollout, table: str, one: Seen | None, now_s: float) -> bool:
    """Say whether nobody has to wait for a table: it is well for long enough, or its owner agrees no more."""
    if one is None or not one.takes:
        return True
    done_s = rollout.done_s.get(table)
    # What was not heard for the last part of its watch is not known to be well.
    return done_s is not None and now_s - done_s >= rollout.watch_s and one.heard_s >= done_s

"""A release goes to one table, then to some, then to all; each ring waits until the one before is well. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from appliance.hub.link.wanted import Offered, OfferState

SOME = 10
"""The second ring is one table in so many, at least one."""
AWAY_MOST_S = 900.0
"""A table that took the release may be unheard for so long: an update takes some minutes."""
FRESH_S = 180.0
"""Whoever is well was heard so lately: a table reports every minute."""
REACH_S = 86_400.0
"""So long a ring waits for a table that is not heard and did not begin."""
Why = Literal["failed", "went_back", "gone", "refused", "ill", "away", "nobody", "by_hand"]
Step = Literal["later", "offered", "waits", "running", "watched", "well", "left", "lost", "unreached"]
LeftOut = Literal["failed_before", "newer"]
_WRONG: dict[str, Why] = {"failed": "failed", "went_back": "went_back", "gone": "gone", "refused": "refused"}
_NUMBERS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})*")


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What a table's newest report says. `faulty`: its devices that are. `heard_s` is the hub's clock."""

    release: str
    takes: bool
    offered: Offered | None
    faulty: tuple[str, ...]
    heard_s: float

    def told(self, release: str) -> OfferState | None:
        """Return what the table says of `release`; its package may be called a little otherwise than what runs."""
        return self.offered.state if self.offered is not None and self.offered.release == release else None


class Stop(msgspec.Struct, frozen=True):
    """Where a rollout stopped, and why; `table` "": somebody stopped it. `nobody`: no table of its ring became well."""

    table: str
    why: Why


class Rollout(msgspec.Struct, frozen=True, kw_only=True):
    """One release on its way. Times are the hub's clock, seconds since 1970.

    `rings` are tables' names; those up to `ring`, which opened at `ring_s`, are offered the release. `left_out`: tables
    that agreed and are in no ring, and why. `watch_s`: how long a ring has to be well before the next one.
    `faulty_before`, `release_before`: devices that were faulty, and what ran, when it began; `refused_before`: tables
    that said `gone` or `refused` of this release then. `began_s`: when a table was first heard to install it, `done_s`:
    to run it. `lost_s`: since when a table has no report that this hub can read. `ended_s` with no `stop`: it is
    through.
    """

    number: int
    release: str
    watch_s: float
    rings: tuple[tuple[str, ...], ...]
    left_out: Mapping[str, LeftOut] = {}
    faulty_before: Mapping[str, tuple[str, ...]] = {}
    release_before: Mapping[str, str] = {}
    refused_before: tuple[str, ...] = ()
    started_s: float
    ring: int = 0
    ring_s: float = 0.0
    began_s: Mapping[str, float] = {}
    done_s: Mapping[str, float] = {}
    lost_s: Mapping[str, float] = {}
    ended_s: float | None = None
    stop: Stop | None = None

    @property
    def open(self) -> tuple[str, ...]:
        """The tables that are offered the release now."""
        return () if self.ended_s is not None else self.reached

    @property
    def reached(self) -> tuple[str, ...]:
        """The tables of the rings that were opened so far."""
        return tuple(one for ring in self.rings[: self.ring + 1] for one in ring)


def rings_of(tables: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the rings: the first table, the next tenth of all, the rest. None is empty."""
    some = max(1, len(tables) // SOME)
    rings = (tuple(tables[:1]), tuple(tables[1 : 1 + some]), tuple(tables[1 + some :]))
    return tuple(ring for ring in rings if ring)


def is_newer(running: str, release: str) -> bool:
    """Say whether `running` is newer than `release` by the numbers that both begin with; what follows tells nothing."""
    numbers = [_NUMBERS.match(text) for text in (running, release)]
    if None in numbers:
        return False
    ours, theirs = ([int(part) for part in found[0].split(".")] for found in numbers if found is not None)
    return ours > theirs


def after(rollout: Rollout, seen: Mapping[str, Seen], now_s: float) -> Rollout:
    """Return the rollout after a look at its tables' newest reports; a table without one that can be read is not in."""
    if rollout.ended_s is not None:
        return rollout
    rollout = _noted(rollout, seen, now_s)
    for table in rollout.open:
        if (why := _wrong(rollout, table, seen.get(table), now_s)) is not None:
            return replace(rollout, ended_s=now_s, stop=Stop(table, why))
    ring = rollout.rings[rollout.ring]
    steps = [step_of(rollout, table, seen.get(table), now_s) for table in ring]
    if not set(steps) <= {"well", "left", "unreached"}:
        return rollout
    if "well" not in steps:
        return replace(rollout, ended_s=now_s, stop=Stop(ring[0], "nobody"))
    if rollout.ring + 1 < len(rollout.rings):
        return replace(rollout, ring=rollout.ring + 1, ring_s=now_s)
    return replace(rollout, ended_s=now_s)


def step_of(rollout: Rollout, table: str, seen: Seen | None, now_s: float) -> Step:
    """Return how far a table of the rollout is, or was when that ended."""
    if table not in rollout.reached:
        return "later"
    if seen is None:
        return "lost"
    at_s = now_s if rollout.ended_s is None else rollout.ended_s
    if (done_s := rollout.done_s.get(table)) is not None:
        # What was not heard for the last part of its watch is not known to be well.
        is_well = at_s - done_s >= rollout.watch_s and seen.heard_s >= done_s and at_s - seen.heard_s <= FRESH_S
        return "well" if is_well else "watched"
    if table not in rollout.began_s:
        if not seen.takes:
            return "left"
        if at_s - max(seen.heard_s, rollout.started_s, rollout.ring_s) > REACH_S:
            return "unreached"
    told = seen.told(rollout.release)
    return "running" if told == "running" else "waits" if told == "waits" else "offered"


def _noted(rollout: Rollout, seen: Mapping[str, Seen], now_s: float) -> Rollout:
    """Note who began, who has the release and whose reports cannot be read."""
    began_s, done_s, lost_s = dict(rollout.began_s), dict(rollout.done_s), dict[str, float]()
    for table in rollout.open:
        one = seen.get(table)
        if one is None:
            lost_s[table] = rollout.lost_s.get(table, now_s)
        elif one.heard_s >= rollout.started_s:
            if _has(rollout, table, one):
                done_s.setdefault(table, now_s)
            if table in done_s or one.told(rollout.release) in ("running", "installed"):
                began_s.setdefault(table, now_s)
    return replace(rollout, began_s=began_s, done_s=done_s, lost_s=lost_s)


def _has(rollout: Rollout, table: str, one: Seen) -> bool:
    """Say whether the release runs at a table, or a newer one; `installed` counts only where what runs has changed."""
    if one.release == rollout.release or is_newer(one.release, rollout.release):
        return True
    return one.told(rollout.release) == "installed" and one.release != rollout.release_before.get(table)


def _wrong(rollout: Rollout, table: str, one: Seen | None, now_s: float) -> Why | None:
    if one is None:
        return "away" if now_s - rollout.lost_s[table] > AWAY_MOST_S else None
    if one.heard_s < rollout.started_s:
        return None
    told, has = one.told(rollout.release), _has(rollout, table, one)
    # The answer to an earlier offer of this release stands for some minutes.
    is_old = has or (table in rollout.refused_before and now_s - rollout.started_s <= AWAY_MOST_S)
    if told in _WRONG and not (told in ("gone", "refused") and is_old):
        return _WRONG[told]
    if (began_s := rollout.began_s.get(table)) is None:
        return None
    is_done = table in rollout.done_s
    if (is_done or told == "running") and now_s - one.heard_s > AWAY_MOST_S:
        return "away"
    # Whoever began and runs the former release for so long, and does not install, will not have it.
    is_over = told == "installed" or not one.takes
    if not has and (is_done or (is_over and now_s - began_s > AWAY_MOST_S)):
        return "went_back"
    if is_done and set(one.faulty) - set(rollout.faulty_before.get(table, ())):
        return "ill"
    return None

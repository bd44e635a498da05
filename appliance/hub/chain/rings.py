"""Staged rollout of a release: to one table, to some, to all. A ring opens when the previous one is healthy. Pure."""

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
"""Longest silence of a table that began to install the release. An update takes some minutes."""
FRESH_S = 180.0
"""Largest age of the last report of a healthy table. A table reports every minute."""
REACH_S = 86_400.0
"""How long a ring waits for a silent table that did not begin."""
Why = Literal["failed", "went_back", "gone", "refused", "ill", "away", "nobody", "by_hand"]
Step = Literal["later", "offered", "waits", "running", "watched", "well", "left", "lost", "unreached"]
LeftOut = Literal["failed_before", "newer"]
_WRONG: dict[str, Why] = {"failed": "failed", "went_back": "went_back", "gone": "gone", "refused": "refused"}
_NUMBERS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})*")


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a table's newest report. `faulty`: its faulty devices. `heard_s` is the hub's clock."""

    release: str
    takes: bool
    offered: Offered | None
    faulty: tuple[str, ...]
    heard_s: float

    def told(self, release: str) -> OfferState | None:
        """Return the reported state of the offer of `release`. The running version's name may differ a little."""
        return self.offered.state if self.offered is not None and self.offered.release == release else None


class Stop(msgspec.Struct, frozen=True):
    """The table where a rollout stopped, and why. "": a person stopped it. `nobody`: no table of its ring is well."""

    table: str
    why: Why


class Rollout(msgspec.Struct, frozen=True, kw_only=True):
    """The rollout of one release. Times are the hub's clock, seconds since 1970.

    `rings` are tables' names; those up to `ring`, which opened at `ring_s`, are offered the release. `left_out`: tables
    that agreed and are in no ring, and why. `watch_s`: how long a table has to be healthy before the next ring opens.
    `faulty_before`, `release_before`: the faulty devices, and the running releases, when the rollout began;
    `refused_before`: tables that had reported `gone` or `refused` for this release by then. `began_s`: when a table
    first reported that it installs the release, `done_s`: that it runs it. `lost_s`: since when a table has no report
    that this hub can read. `ended_s` with no `stop`: the rollout is complete.
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
    """Return the rings: the first table, the next tenth of all tables, the rest. Empty rings are left out."""
    some = max(1, len(tables) // SOME)
    rings = (tuple(tables[:1]), tuple(tables[1 : 1 + some]), tuple(tables[1 + some :]))
    return tuple(ring for ring in rings if ring)


def is_newer(running: str, release: str) -> bool:
    """Return whether `running` is newer than `release`, comparing only their leading dotted numbers."""
    numbers = [_NUMBERS.match(text) for text in (running, release)]
    if None in numbers:
        return False
    ours, theirs = ([int(part) for part in found[0].split(".")] for found in numbers if found is not None)
    return ours > theirs


def after(rollout: Rollout, seen: Mapping[str, Seen], now_s: float) -> Rollout:
    """Return the rollout after its tables' newest reports. `seen` lacks the tables without a readable report."""
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
    """Return the progress of a table in the rollout, now or at its end."""
    if table not in rollout.reached:
        return "later"
    if seen is None:
        return "lost"
    at_s = now_s if rollout.ended_s is None else rollout.ended_s
    if (done_s := rollout.done_s.get(table)) is not None:
        # A table that was silent at the end of its watch time is not known to be healthy.
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
    """Note which tables began, which have the release, and which have no readable report."""
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
    """Return whether a table runs the release or a newer one. `installed` counts only if its release has changed."""
    if one.release == rollout.release or is_newer(one.release, rollout.release):
        return True
    return one.told(rollout.release) == "installed" and one.release != rollout.release_before.get(table)


def _wrong(rollout: Rollout, table: str, one: Seen | None, now_s: float) -> Why | None:
    if one is None:
        return "away" if now_s - rollout.lost_s[table] > AWAY_MOST_S else None
    if one.heard_s < rollout.started_s:
        return None
    told, has = one.told(rollout.release), _has(rollout, table, one)
    # For some minutes the report may still be the answer to an earlier offer of this release.
    is_old = has or (table in rollout.refused_before and now_s - rollout.started_s <= AWAY_MOST_S)
    if told in _WRONG and not (told in ("gone", "refused") and is_old):
        return _WRONG[told]
    if (began_s := rollout.began_s.get(table)) is None:
        return None
    is_done = table in rollout.done_s
    if (is_done or told == "running") and now_s - one.heard_s > AWAY_MOST_S:
        return "away"
    # A table that began, is not installing, and still runs its former release after this time will not get the new one.
    is_over = told == "installed" or not one.takes
    if not has and (is_done or (is_over and now_s - began_s > AWAY_MOST_S)):
        return "went_back"
    if is_done and set(one.faulty) - set(rollout.faulty_before.get(table, ())):
        return "ill"
    return None

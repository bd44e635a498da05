"""Rolls that are kept after their round because everybody agreed: only pictures of the track, only in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from appliance.games.base.rules.codes import Reject
from appliance.games.protocol import Rejection
from appliance.sensing.roll_replays import RollReplay
from appliance.snapshot import Snapshot
from web.doors.seats import seating_of

reject = Reject[Literal["replay_gone", "replay_refused"]]()
KEPT_MOST = 4
"""Most kept rolls of one party. Each is about 1 MB; the oldest is dropped first."""


class Clip(msgspec.Struct, frozen=True, kw_only=True):
    """A kept roll: JPEGs of the track, their times in ms since the first, and the index of the one at the fence."""

    number: int
    jpegs: tuple[bytes, ...]
    offsets_ms: tuple[int, ...]
    still: int
    size_px: tuple[int, int]


class Keeping(msgspec.Struct, frozen=True, kw_only=True):
    """The rolls that are kept or asked for now.

    `asked`: by replay number, the seats that have agreed to keep it so far. `waiting`: by replay number, the seats that
    have yet to agree. `kept`: kept rolls, oldest first. `refused`: replays that somebody said no to.
    """

    asked: Mapping[int, frozenset[int]] = {}
    waiting: Mapping[int, frozenset[int]] = {}
    kept: tuple[int, ...] = ()
    refused: frozenset[int] = frozenset()

    @property
    def decided(self) -> tuple[int, ...]:
        """The replays that are asked for, kept or refused. They are no longer offered for keeping."""
        return (*self.asked, *self.kept, *sorted(self.refused))


class _Asked(msgspec.Struct, frozen=True, kw_only=True):
    """The seats that agreed to keep a replay, and those whose consent was needed when it was first asked for."""

    agreed: frozenset[int] = frozenset()
    needed: frozenset[int]


class KeptRolls:
    """Collects the party's consents to keep a roll, and keeps it once all have agreed. Thread-safe.

    Asking for a replay does not prolong it: it is dropped with its round. A kept roll lasts while the party plays in
    the same seats, including rematches. It is dropped as soon as one player withdraws their consent.

    :param now: returns the newest snapshot.
    :param replay_of: returns the replay of a number, or None if it is gone.
    :param needed: returns the seats that have to agree. Those needed when a replay was first asked for stay needed.
    :param may_show: returns whether the host allows pictures of the track. Otherwise nothing is kept.
    """

    def __init__(
        self,
        now: Callable[[], Snapshot],
        replay_of: Callable[[int], RollReplay | None],
        needed: Callable[[Snapshot], frozenset[int]],
        may_show: Callable[[], bool],
    ) -> None:
        self._now, self._replay_of, self._needed, self._may_show = now, replay_of, needed, may_show
        self._turn = threading.Lock()
        self._seating = ""
        self._asked: dict[int, _Asked] = {}
        self._kept: dict[int, Clip] = {}
        self._refused: frozenset[int] = frozenset()

    def now(self) -> Keeping:
        """Return the rolls that are kept or asked for now."""
        with self._turn:
            needed = self._fit()
            return Keeping(
                asked={number: asked.agreed for number, asked in self._asked.items()},
                waiting={number: (asked.needed | needed) - asked.agreed for number, asked in self._asked.items()},
                kept=tuple(self._kept),
                refused=self._refused,
            )

    def told(self) -> dict[str, Any]:
        """Return the values for `kept_rolls.html`: rolls kept and asked for, and rolls of this round to keep."""
        keeping = self.now()
        shown = [one.number for one in self._now().replays if one.number not in keeping.decided]
        rolls = [number for number in shown if self._may_show() and self._can_be_kept(number)]
        return {"keeping": keeping, "rolls": rolls, "has_rolls": bool(keeping.kept or keeping.asked or rolls)}

    def of(self, number: int) -> Clip | None:
        """Return a kept roll, or None if there is none of that number."""
        with self._turn:
            self._fit()
            return self._kept.get(number)

    def agree(self, number: int, seat: int | None) -> Rejection | None:
        """Note that `seat` agrees to keep a replay. None: the touchscreen asks for it, and nobody has agreed yet.

        Return `replay_gone` if there is no such replay with pictures, `replay_refused` if somebody said no to it.
        """
        with self._turn:
            needed = self._fit()
            if number in self._kept:
                return None
            if number in self._refused:
                return reject("replay_refused", "")
            if number not in self._asked and not self._can_be_kept(number):
                return reject("replay_gone", "")
            asked = self._asked.get(number, _Asked(needed=needed))
            agreed = asked.agreed if seat is None else asked.agreed | {seat}
            self._asked[number] = msgspec.structs.replace(asked, agreed=agreed)
            self._fit()
            return None

    def refuse(self, number: int) -> Rejection | None:
        """Drop a replay and stop asking for it. Return `replay_gone` if it is neither kept nor asked for."""
        with self._turn:
            self._fit()
            if number not in self._asked and number not in self._kept:
                return reject("replay_gone", "")
            self._asked.pop(number, None)
            self._kept.pop(number, None)
            self._refused |= {number}
            return None

    def _can_be_kept(self, number: int) -> bool:
        replay = self._replay_of(number)
        offered = any(one.number == number for one in self._now().replays)
        return offered and replay is not None and replay.still is not None

    def _fit(self) -> frozenset[int]:
        """Drop what belongs to another party or is gone, keep what all agreed to. Return the seats that must agree."""
        snapshot = self._now()
        seating = seating_of(snapshot)
        if seating != self._seating or not self._may_show():
            self._seating, self._asked, self._kept, self._refused = seating, {}, {}, frozenset()
        needed = self._needed(snapshot)
        if snapshot.paused:
            # During a pause no replay is offered; afterwards all replays of the round are offered again.
            return needed
        offered = {one.number for one in snapshot.replays}
        for number, asked in list(self._asked.items()):
            replay = self._replay_of(number) if number in offered else None
            if replay is None or replay.still is None:
                del self._asked[number]
            elif asked.agreed and asked.needed | needed <= asked.agreed:
                del self._asked[number]
                self._keep(number, replay, replay.still)
        return needed

    def _keep(self, number: int, replay: RollReplay, still: int) -> None:
        clip = Clip(
            number=number,
            jpegs=replay.jpegs(),
            offsets_ms=replay.offsets_ms,
            still=still,
            size_px=(int(replay.size_px[0]), int(replay.size_px[1])),
        )
        self._kept = dict([*self._kept.items(), (number, clip)][-KEPT_MOST:])

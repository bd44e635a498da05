"""Rolls that outlast their round because everybody at the table agreed: the track's pictures alone, in memory alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from appliance.games.base.rules.codes import Reject
from appliance.games.protocol import Rejection
from appliance.sensing.roll_replays import RollReplay
from appliance.snapshot import Snapshot
from web.seats import seating_of

reject = Reject[Literal["replay_gone", "replay_refused"]]()
KEPT_MOST = 4
"""Kept rolls of one party. Each is about 1 MB; the oldest goes first."""


class Clip(msgspec.Struct, frozen=True, kw_only=True):
    """A kept roll: JPEGs of the track, the milliseconds of each since the first, and which of them is at the fence."""

    number: int
    jpegs: tuple[bytes, ...]
    offsets_ms: tuple[int, ...]
    still: int
    size_px: tuple[int, int]


class Keeping(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked and kept now.

    `asked`: by the number of a replay, the seats that agreed to keep it so far. `kept`: kept rolls, the oldest first.
    `refused`: replays that somebody said no to. `waiting`: by the number of what is asked, who has yet to agree.
    """

    asked: Mapping[int, frozenset[int]] = {}
    waiting: Mapping[int, frozenset[int]] = {}
    kept: tuple[int, ...] = ()
    refused: frozenset[int] = frozenset()

    @property
    def decided(self) -> tuple[int, ...]:
        """The replays that nobody needs to ask for any more."""
        return (*self.asked, *self.kept, *sorted(self.refused))


class _Asked(msgspec.Struct, frozen=True, kw_only=True):
    """The seats that agreed to keep a replay, and those that had to when it was first asked for."""

    agreed: frozenset[int] = frozenset()
    needed: frozenset[int]


class KeptRolls:
    """Asks a party whether a roll may be kept, and keeps it once nobody is missing. Any thread.

    A replay that is asked for goes with its round like any other. What is kept lasts as long as the party plays in
    these seats, its rematches included, and goes at once with the first who takes their yes back.

    :param now: returns the newest snapshot.
    :param replay_of: returns the replay of a number, or None where it is gone.
    :param needed: returns the seats that have to agree; whoever had to when a replay was first asked for has to still.
    :param may_show: whether the host lets pictures of the track be shown; while not, nothing is kept.
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
        """Return what is asked and kept now."""
        with self._turn:
            needed = self._fit()
            return Keeping(
                asked={number: asked.agreed for number, asked in self._asked.items()},
                waiting={number: (asked.needed | needed) - asked.agreed for number, asked in self._asked.items()},
                kept=tuple(self._kept),
                refused=self._refused,
            )

    def told(self) -> dict[str, Any]:
        """Return what `kept_rolls.html` lists: what is kept and asked for, and what could be kept of this round."""
        keeping = self.now()
        shown = [one.number for one in self._now().replays if one.number not in keeping.decided]
        rolls = [number for number in shown if self._may_show() and self._can_be_kept(number)]
        return {"keeping": keeping, "rolls": rolls, "has_rolls": bool(keeping.kept or keeping.asked or rolls)}

    def of(self, number: int) -> Clip | None:
        """Return a kept roll, or None where there is none of that number."""
        with self._turn:
            self._fit()
            return self._kept.get(number)

    def agree(self, number: int, seat: int | None) -> Rejection | None:
        """Note that `seat` agrees to keep a replay; None: the touchscreen asks for it, and nobody has agreed by that.

        `replay_gone` where there is no such replay with pictures, `replay_refused` where somebody said no to it.
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
        """Keep a replay no longer, and ask for it no more. `replay_gone` where there is none of that number."""
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
        """Forget what belongs to another party or has gone; keep what all agreed to. Return who has to agree now."""
        snapshot = self._now()
        seating = seating_of(snapshot)
        if seating != self._seating or not self._may_show():
            self._seating, self._asked, self._kept, self._refused = seating, {}, {}, frozenset()
        needed = self._needed(snapshot)
        if snapshot.paused:
            # No replay is offered meanwhile, and all of the round come back.
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

"""Monitor of one beam: debounces raw edges and detects wiring faults. Pure: it does no I/O and owns no timer."""

from __future__ import annotations

import math
from collections import deque
from typing import Literal

import msgspec

from hardware.beams.transit_time import least_transit_s
from hardware.rig import Rig

Span = tuple[float, float]
BeamFault = Literal["dark_at_start", "inverted", "dead", "chattering", "covered"]


class BeamEdge(msgspec.Struct, frozen=True):
    """The beam named `beam` in the rig was broken, or became clear, at the monotonic second `t_s`."""

    t_s: float
    beam: str
    broken: bool


class BeamLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Durations, in seconds, and counts that distinguish breaks from noise and faults.

    The shortest true break is a 15 mm sphere at 2 m/s: about 7 ms. From the front beam to the back one (28 mm) a sphere
    at 0.3 m/s takes 0.1 s. A sphere that squeezes through its hole takes longest. A beam with inverted wiring shows a
    passing sphere as a gap in the dark: 7 to 150 ms of light.
    """

    shortest_s: float = 0.002
    """Debounce time: a shorter level is ignored."""
    late_s: float = 0.02
    """Longest delay from an edge to its delivery to this module."""
    blocked_s: float = 0.5
    """A sphere is stuck when the front break lasts at least this long."""
    transit_s: float = 0.8
    """Longest time from leaving one beam to breaking the other."""
    least_transit_s: float = least_transit_s(Rig())
    """Breaks of both beams that begin closer together than this are of no sphere. It depends on the rig."""
    squeezed_s: float = 0.25
    """A sphere hung in its hole when the front break lasts longer than this."""
    start_grace_s: float = 1.0
    """The state of a beam is known once its first level, dark or clear, has lasted this long."""
    restless_s: float = 10.0
    """A beam none of whose levels lasted for `start_grace_s` within this time chatters. Spheres come more seldom."""
    unexplained_s: float = 1.5
    """When no sphere can explain a level, it sets or clears a fault after this time."""
    covered_s: float = 90.0
    """A beam that is dark for this long is covered, even where a sphere may rest in it."""
    longest_gap_s: float = 0.2
    """Longest gap of light that a passing sphere makes in an inverted beam."""
    calm_s: float = 0.3
    """Shortest dark time before such a gap."""
    relearn_s: float = 20.0
    """An inverted beam that is clear for longer than this was rewired, even where a sphere may rest in it."""
    chatter_edges: int = 16
    chatter_window_s: float = 1.4
    """`chatter_edges` edges within this time are chatter and not spheres."""
    least_break_s: float = 0.004
    """A sphere breaks a beam for at least this long, with a margin below the 7 ms above."""
    coincidences: int = 3
    coincidence_window_s: float = 10.0
    """Both beams chatter when they broke together this often within this time: their supply or light is bad."""
    missed_breaks: int = 3
    """A beam is dead when it missed this many successive spheres that the other beam saw, or one the camera saw."""


class BeamMonitor:
    """Debounces and monitors one beam. `take` returns the debounced edges, each with the time of its onset."""

    def __init__(self, name: str, limits: BeamLimits) -> None:
        self.name = name
        self.fault: BeamFault | None = None
        self.sphere_may_rest = True
        """Whether a resting sphere may explain the beam's present level. The caller sets it."""
        self._limits = limits
        self._broken: bool | None = None
        self._since_s = 0.0
        self._now_s = -math.inf
        self._rested_s = 0.0
        """The latest second at which the level had lasted for `start_grace_s`, or the first one known."""
        self._pending: BeamEdge | None = None
        self._edge_times: deque[float] = deque(maxlen=limits.chatter_edges)
        self._coincidences: deque[float] = deque(maxlen=limits.coincidences)
        self._sphereless_s = math.nan
        """The second since which no sphere can explain the beam's level."""
        self._debounced: list[BeamEdge] = []
        self._breaks: deque[Span] = deque(maxlen=4)
        self._broken_lately: deque[Span] = deque(maxlen=8)
        self._gaps: deque[Span] = deque(maxlen=4)
        self._dark_before_gap = False
        self._dark_from_start = False
        self._proven = False

    @property
    def known(self) -> bool:
        """Whether the beam's state is known: it was clear for `start_grace_s`, or it has a fault."""
        return self._proven or self.fault is not None

    @property
    def trusted(self) -> bool:
        """Whether the breaks of this beam can be taken for spheres."""
        return self.fault in (None, "dead", "covered") and not self._dark_from_start

    @property
    def since_s(self) -> float:
        """The monotonic second at which the beam took its present level."""
        return self._since_s

    def was_broken(self, from_s: float, until_s: float) -> bool:
        """Return whether the beam was broken at any moment in the interval. Only the last 8 breaks are kept."""
        now = self._broken is True and self._since_s <= until_s
        return now or any(broken_s <= until_s and clear_s >= from_s for broken_s, clear_s in self._broken_lately)

    def edge(self, edge: BeamEdge) -> None:
        """Process a raw edge."""
        if self._broken is None:
            self._broken, self._since_s, self._dark_from_start = edge.broken, edge.t_s, edge.broken
            self._rested_s = edge.t_s
            return
        self._debounce(edge.t_s)
        self._edge_times.append(edge.t_s)
        if self._pending is not None and edge.broken == self._broken:
            self._pending = None
        elif self._pending is None and edge.broken != self._broken:
            self._pending = edge

    def coincided(self, t_s: float) -> None:
        """Note that both beams broke together at `t_s`, as no sphere breaks them."""
        self._coincidences.append(t_s)
        if self._broken:
            self._sphereless_s = self._since_s

    def tick(self, now_s: float) -> None:
        """Advance to `now_s`: debounce the pending edge and update the fault. Time never goes back."""
        self._now_s = now_s = max(now_s, self._now_s)
        self._debounce(now_s)
        if self._broken is None:
            return
        if now_s - self._since_s >= self._limits.start_grace_s:
            self._rested_s = now_s
        if self._chatters(now_s):
            self.fault = "chattering"
        elif self.fault == "chattering":
            self.fault = None
        elif self._broken:
            self._check_dark(now_s - self._since_s)
        else:
            self._check_clear(now_s - self._since_s)

    def take(self) -> list[BeamEdge]:
        """Return the debounced edges since the last call."""
        changes, self._debounced = self._debounced, []
        return changes

    def compare(self, other: BeamMonitor) -> None:
        """Detect inverted wiring: this beam was clear for a moment, just when a sphere passed the other beam."""
        near_s = self._limits.transit_s
        passages = [*other._breaks, *other._gaps]
        if self._broken and any(
            passage[0] - near_s < gap[1] and gap[0] - near_s < passage[1] for gap in self._gaps for passage in passages
        ):
            self.fault = "inverted"

    def _debounce(self, now_s: float) -> None:
        """Accept a pending edge once its level has lasted for the debounce time."""
        edge = self._pending
        if edge is None or now_s - edge.t_s < self._limits.shortest_s:
            return
        self._pending = None
        span = (self._since_s, edge.t_s)
        lasted_s = span[1] - span[0]
        if edge.broken:
            self._dark_from_start |= not self._proven
            if self._dark_before_gap and lasted_s <= self._limits.longest_gap_s:
                self._gaps.append(span)
        else:
            self._broken_lately.append(span)
            self._dark_before_gap = lasted_s >= self._limits.calm_s
            if lasted_s < self._limits.blocked_s:
                self._breaks.append(span)
        self._broken, self._since_s = edge.broken, edge.t_s
        self._debounced.append(edge)

    def _chatters(self, now_s: float) -> bool:
        limits = self._limits
        return now_s - self._rested_s >= limits.restless_s or any(
            len(times) == times.maxlen and times[-1] - times[0] <= window_s and now_s - times[-1] <= window_s
            for times, window_s in (
                (self._edge_times, limits.chatter_window_s),
                (self._coincidences, limits.coincidence_window_s),
            )
        )

    def _check_dark(self, lasted_s: float) -> None:
        if self.fault is None and self._dark_from_start and lasted_s >= self._limits.start_grace_s:
            self.fault = "dark_at_start"
        elif self.fault is None and lasted_s >= self._patience_s(self._limits.covered_s):
            self.fault = "covered"

    def _patience_s(self, longest_s: float) -> float:
        may_rest = self.sphere_may_rest and self._sphereless_s != self._since_s
        return longest_s if may_rest else min(self._limits.unexplained_s, longest_s)

    def _check_clear(self, lasted_s: float) -> None:
        self._proven |= lasted_s >= self._limits.start_grace_s
        relearn_s = self._patience_s(self._limits.relearn_s)
        if lasted_s <= (relearn_s if self.fault == "inverted" else self._limits.longest_gap_s):
            return
        self._dark_from_start = False
        self._gaps.clear()
        if self.fault in ("dark_at_start", "inverted", "covered"):
            self.fault = None

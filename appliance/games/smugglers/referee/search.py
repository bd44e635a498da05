"""The guided search for a sphere that cannot be found while its roll is awaited. It only says where to look.

People enter the outcome at the touchscreen, as after every doubt (AP-6, AP-7): the sphere touches the fence (SM-39), it
stopped before it (SM-40), it left the track (SM-41), somebody was in its way (SM-42), or it lies behind its hole
(SM-38). The search itself never sets an outcome.
"""

from __future__ import annotations

from appliance.games.protocol import Prompt, Remark
from appliance.games.smugglers.referee.codes import RemarkCode, remark

TOPIC = "search"
STEPS: tuple[RemarkCode, ...] = ("search_fence", "search_landing", "search_floor", "search_over")
"""Places to look, the likeliest first. The last step says that the sphere was not found."""


class Search:
    """One search at a time, for the sphere of one open attempt."""

    def __init__(self) -> None:
        self._prompt: str | None = None
        self._step = 0
        self._off: str | None = None

    def wished(self, attempt: Prompt) -> Remark | None:
        """Start the search for a player, or return the current step. None: the touchscreen ended the search."""
        if attempt.prompt == self._prompt:
            return self.said(attempt)
        return None if attempt.prompt == self._off else self.begin(attempt)

    def begin(self, attempt: Prompt) -> Remark:
        """Start at the first place."""
        self._prompt, self._step = attempt.prompt, 0
        return self.said(attempt)

    def go_on(self, attempt: Prompt) -> Remark:
        """Go to the next place. The last step stays."""
        self._step = min(self._step + 1, len(STEPS) - 1)
        return self.said(attempt)

    def switch_off(self, attempt: Prompt) -> Remark:
        """End the search. Players cannot start it again before the next sphere rolls."""
        self._off = attempt.prompt
        return self._end()

    def rolled(self) -> Remark:
        """End the search, because a sphere rolls. Players may start a new one."""
        self._off = None
        return self._end()

    def said(self, attempt: Prompt | None) -> Remark:
        """Return the remark about where to look. If no roll or another roll is awaited, end the search."""
        if attempt is None or attempt.prompt != self._prompt:
            return self._end()
        return remark(TOPIC, STEPS[self._step], {"seat": attempt.seat})

    def _end(self) -> Remark:
        self._prompt = None
        return remark(TOPIC, "")

"""The guided search for a sphere that is nowhere while its roll is awaited. It only says where to look.

What became of the roll is said by people at the touchscreen, as after every doubt (AP-6, AP-7): it touches the fence
(SM-39), it stopped before it (SM-40), it left the track (SM-41), somebody was in its way (SM-42), or it lies behind its
hole (SM-38). Nothing that is found here scores by itself.
"""

from __future__ import annotations

from appliance.games.protocol import Prompt, Remark
from appliance.games.smugglers.referee.codes import RemarkCode, remark

TOPIC = "search"
STEPS: tuple[RemarkCode, ...] = ("search_fence", "search_landing", "search_floor", "search_over")
"""Where to look, the likeliest place first; the last says that it stays lost."""


class Search:
    """One search at a time, for the sphere of one open attempt."""

    def __init__(self) -> None:
        self._prompt: str | None = None
        self._step = 0
        self._off: str | None = None

    def wished(self, attempt: Prompt) -> Remark | None:
        """Obey a player: look in the first place, or go on where a search is on. None: the touchscreen ended it."""
        if attempt.prompt == self._prompt:
            return self.said(attempt)
        return None if attempt.prompt == self._off else self.begin(attempt)

    def begin(self, attempt: Prompt) -> Remark:
        """Look in the first place."""
        self._prompt, self._step = attempt.prompt, 0
        return self.said(attempt)

    def go_on(self, attempt: Prompt) -> Remark:
        """It is not there: look in the next place. The last one stays."""
        self._step = min(self._step + 1, len(STEPS) - 1)
        return self.said(attempt)

    def switch_off(self, attempt: Prompt) -> Remark:
        """Nobody searches any more, and no player's wish begins again before the next sphere rolls."""
        self._off = attempt.prompt
        return self._end()

    def rolled(self) -> Remark:
        """A sphere rolls: it is not lost, and may be from now on."""
        self._off = None
        return self._end()

    def said(self, attempt: Prompt | None) -> Remark:
        """Return where to look now; nothing where another roll is awaited than that of the search, or none."""
        if attempt is None or attempt.prompt != self._prompt:
            return self._end()
        return remark(TOPIC, STEPS[self._step], {"seat": attempt.seat})

    def _end(self) -> Remark:
        self._prompt = None
        return remark(TOPIC, "")

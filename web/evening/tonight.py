"""The current state of the league night, and who plays next in it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import NamedTuple

from appliance.games.catalogue import the_game
from appliance.games.league.night import NightState, night_state
from appliance.games.protocol import Rejection
from appliance.journal.safekeeping.evening import Night
from web.evening.kept import EveningStore
from web.evening.played_here import PlayedHere


def stand(on: Night, played: PlayedHere, playing: int | None) -> NightState | Rejection:
    """Return the state of the night `on`, or why the journal cannot be read now.

    :param playing: the number of the game that is open at the table.
    """
    results = played.results()
    if isinstance(results, Rejection):
        return results
    return night_state(on.events, results, size=on.size, least=the_game(on.game).rules.seats.start, playing=playing)


class _State(NamedTuple):
    """What decides who plays next: the night, the erased names and the journal's newest entry."""

    night: Night
    erased: Mapping[str, int]
    newest: int


class CalledUp:
    """Keeps the guests who play next while no game is open, so that live updates need not read the journal.

    :param read_anew: called after `of` has had them read, from the thread that read them.
    """

    def __init__(self, kept: EveningStore, played: PlayedHere, read_anew: Callable[[], None]) -> None:
        self._kept = kept
        self._played = played
        self._read_anew = read_anew
        self._lock = threading.Lock()
        self._reading: set[int] = set()
        self._known: tuple[_State, tuple[str, ...]] | None = None

    def of(self, newest: int) -> tuple[str, ...]:
        """Return the guests, without waiting. While they are being read, and without a night, return ().

        :param newest: the journal's newest entry.
        """
        state, known = self._state(newest), self._known
        if state is None:
            return ()
        if known is not None and known[0] == state:
            return known[1]
        with self._lock:
            if newest in self._reading:
                return ()
            self._reading.add(newest)
        threading.Thread(target=self._read_beside, args=(newest,), name="called-up", daemon=True).start()
        return ()

    def read(self, newest: int) -> bool:
        """Read who plays next after a change of the night. Return False if there is none or the journal is unreadable.

        A later call of `of` tries an unreadable journal again.
        """
        state = self._state(newest)
        stands = None if state is None else stand(state.night, self._played, None)
        if state is None or not isinstance(stands, NightState):
            return False
        self._known = state, stands.next
        return True

    def _read_beside(self, newest: int) -> None:
        try:
            found = self.read(newest)
        finally:
            with self._lock:
                self._reading.discard(newest)
        if found:
            self._read_anew()

    def _state(self, newest: int) -> _State | None:
        kept = self._kept.kept
        return None if kept.night is None else _State(kept.night, kept.erased, newest)

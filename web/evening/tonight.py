"""The current state of the league night."""

from __future__ import annotations

from appliance.games.league.night import NightState, night_state
from appliance.games.protocol import Rejection
from appliance.journal.safekeeping.evening import Night
from web.evening.kept import EveningStore
from web.evening.played_here import PlayedHere
from web.game_pages import rules_of


def stand(on: Night, played: PlayedHere, playing: int | None) -> NightState | Rejection:
    """Return the state of the night `on`, or why the journal cannot be read now.

    :param playing: the number of the game that is open at the table.
    """
    results = played.results()
    if isinstance(results, Rejection):
        return results
    return night_state(on.events, results, size=on.size, least=rules_of(on.game).seats.start, playing=playing)


def called(kept: EveningStore, played: PlayedHere) -> tuple[str, ...]:
    """Return the guests who play next, while no game is open; () without a night or if the journal cannot be read."""
    on = kept.kept.night
    stands = None if on is None else stand(on, played, None)
    return stands.next if isinstance(stands, NightState) else ()

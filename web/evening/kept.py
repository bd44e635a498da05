"""The store of the data about guests: erased names, the league night, house rules, newcomers."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping
from pathlib import Path

import msgspec

from appliance.games.catalogue import GAMES, the_game
from appliance.games.league.night import NightEvent, Seated, without_guest
from appliance.games.league.result import name_key
from appliance.games.protocol import Json, Setup
from appliance.journal.safekeeping.evening import Kept, Night, read_kept, write_kept
from web.teaching.lessons import Deeds

RULES_MOST = 6
"""Most named house rules of one game. The set-up page has room for no more."""


class EveningStore:
    """One small file, written atomically, and its backup.

    :param file: where the data are stored; None: they are kept until the next start.
    :raises OSError: the file cannot be read.
    :raises DamagedError: the file is damaged and was not repaired before.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._kept = Kept() if file is None else _playable(read_kept(file))
        self._newcomers_stored = self._kept.newcomers

    @property
    def kept(self) -> Kept:
        """The current data."""
        return self._kept

    def erase(self, name: str, newest: int) -> None:
        """Erase `name` from the games up to the journal's entry `newest`. A league night goes on without that guest.

        :raises OSError: it cannot be stored; nothing has changed.
        """
        with self._lock:
            night, key = self._kept.night, name_key(name)
            if night is not None:
                # No event is dropped: the number of events names the night's next game.
                events = tuple(without_guest(event, key) for event in night.events)
                night = msgspec.structs.replace(night, events=events)
            erased = {**self._kept.erased, key: newest}
            self._store(msgspec.structs.replace(self._kept, erased=erased, night=night))

    def begin_night(self, night: Night) -> None:
        """Begin a league night, or nothing if one is on.

        :raises OSError: it cannot be stored; nothing has changed. The other methods of the night raise it too.
        """
        with self._lock:
            if self._kept.night is None:
                self._store(msgspec.structs.replace(self._kept, night=night))

    def end_night(self, started_s: float) -> None:
        """End the league night that began then, or nothing if another one is on. Its games stay in the league."""
        with self._lock:
            if self._kept.night is not None and self._kept.night.started_s == started_s:
                self._store(msgspec.structs.replace(self._kept, night=None))

    def seated(self, event: Seated) -> None:
        """Add the event of guests seated at an opened game, whatever the last event is. A repeat has no effect."""
        with self._lock:
            night = self._kept.night
            if night is not None and event not in night.events:
                night = msgspec.structs.replace(night, events=(*night.events, event))
                self._store(msgspec.structs.replace(self._kept, night=night))

    def happened(self, event: NightEvent, after: int) -> bool:
        """Add an event as the night's number `after`. Return False if another event came first or no night is on."""
        with self._lock:
            night = self._kept.night
            if night is None or len(night.events) != after:
                return False
            night = msgspec.structs.replace(night, events=(*night.events, event))
            self._store(msgspec.structs.replace(self._kept, night=night))
            return True

    def house_rules(self, game: str) -> Mapping[str, Mapping[str, Json]]:
        """Return the saved options of a game, by name."""
        return self._kept.house_rules.get(game, {})

    def save_rules(self, game: str, name: str, options: Mapping[str, Json] | None) -> bool:
        """Save the options of a game under a name; None removes it. Return False if there are `RULES_MOST` already.

        :raises OSError: it cannot be stored; nothing has changed.
        """
        with self._lock:
            saved = {key: one for key, one in self.house_rules(game).items() if name_key(key) != name_key(name)}
            if options is not None:
                saved[name] = options
            if len(saved) > RULES_MOST:
                return False
            self._store(msgspec.structs.replace(self._kept, house_rules={**self._kept.house_rules, game: saved}))
            return True

    def newcomers(self, seating: str) -> frozenset[int]:
        """Return the seats of that seating that said they are new."""
        known, seats = self._kept.newcomers
        return frozenset(seats) if known == seating else frozenset()

    def deeds_before(self, game: int | None) -> Mapping[int, Deeds]:
        """Return, by seat that said it is new during that game, what was done in the game until then."""
        known, before = self._kept.deeds_before
        if known != game:
            return {}
        return {seat: {(do, by): times for do, by, times in done} for seat, done in before.items()}

    def say_new(self, seating: str, seat: int, new: bool, game: int | None, done: Deeds) -> None:
        """Note whether `seat` is new and wants explanations, after what was `done` in the open game.

        A phone may send this any number of times, so "new" is written only once per seat and seating. "Not new" is
        written with the next change; a restart before that explains again.

        :raises OSError: it cannot be stored; nothing has changed.
        """
        with self._lock:
            seats = self.newcomers(seating) - {seat} | ({seat} if new else frozenset())
            begins = new and seat not in self.newcomers(seating)
            kept = msgspec.structs.replace(self._kept, newcomers=(seating, tuple(sorted(seats))))
            if begins and game is not None:
                known, before = self._kept.deeds_before
                told = tuple((do, by, times) for (do, by), times in done.items())
                kept = msgspec.structs.replace(
                    kept, deeds_before=(game, {**(before if known == game else {}), seat: told})
                )
            written, stored = self._newcomers_stored
            if new and (written != seating or seat not in stored):
                self._store(kept)
            else:
                self._kept = kept

    def is_erased(self, name: str, game: int) -> bool:
        """Return whether `name` was erased from the game of that number."""
        return game <= self._kept.erased.get(name_key(name), 0)

    def without_erased(self, setup: Setup, game: int, called: str) -> Setup:
        """Return the set-up of a past game with erased names replaced by `called`, numbered from the second on.

        A number that would make it the name of another player is left out, because the players' names differ.
        """
        erased = [self.is_erased(player.name, game) for player in setup.players]
        if not any(erased):
            return setup
        others = {name_key(player.name) for player, gone in zip(setup.players, erased, strict=True) if not gone}
        numbered = itertools.chain((called,), (f"{called} {number}" for number in itertools.count(2)))
        free = (name for name in numbered if name_key(name) not in others) if called else itertools.repeat("")
        players = (
            msgspec.structs.replace(player, name=next(free)) if gone else player
            for player, gone in zip(setup.players, erased, strict=True)
        )
        return msgspec.structs.replace(setup, players=tuple(players))

    def fit(self, newest: int) -> None:
        """Adapt the data to a journal that ends with entry `newest`, because an older one may have been restored."""
        with self._lock:
            night = self._kept.night
            if night is not None and any(isinstance(one, Seated) and one.game > newest for one in night.events):
                night = None
            erased = {key: min(game, newest) for key, game in self._kept.erased.items()}
            before = self._kept.deeds_before if self._kept.deeds_before[0] <= newest else Kept().deeds_before
            self._kept = msgspec.structs.replace(self._kept, erased=erased, night=night, deeds_before=before)

    def _store(self, kept: Kept) -> None:
        if self._file is not None:
            write_kept(self._file, kept)
        self._kept, self._newcomers_stored = kept, kept.newcomers


def _playable(kept: Kept) -> Kept:
    """Return the data without a night whose game or size this release does not have."""
    night = kept.night
    if night is not None and (night.game not in GAMES or night.size not in the_game(night.game).rules.seats):
        return msgspec.structs.replace(kept, night=None)
    return kept

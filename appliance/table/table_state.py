"""The state that the table's loop owns: the open game or the lobby, notices, the health of devices."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from appliance.games.game import Game
from appliance.games.protocol import Action, Area, Rejection, Remark, Setup, Timing
from appliance.journal.entries import AnyBody, Closed, KeptTimer, Opened
from appliance.journal.fold.history import History
from appliance.journal.fold.restore import begin, restore
from appliance.journal.journal import Journal
from appliance.journal.journal_file import JournalError
from appliance.snapshot import LOG_LINES, Accepted, Answer, Snapshot
from appliance.table.broadcast import Broadcast
from appliance.table.codes import reject
from appliance.table.device_watch import DeviceWatch
from appliance.table.draws.dealer import Dealer, fingerprint
from appliance.table.game.kept_timers import DISK_RETRY_S
from appliance.table.game.open_game import OpenGame
from appliance.table.lately_won import LatelyWon
from appliance.table.practice import TOPIC as PRACTICE
from appliance.table.practice import Practice, against_practice
from appliance.table.shown_again import WATCHED_S, ShownAgain
from appliance.words.errors import where_raised
from hardware.clock import Clock
from hardware.readings import SENSES, DeviceHealth, Reading, RollKept

CORRECTABLE = 30
OWN_ID = "table:"
"""Prefix of the ids of the table's own entries. Ids of clients must not have it."""

ABOUT_THE_START = ("resume", "journal_restored", "seal.key", "web.key")
"""Topics of notices about the start. They are removed when the next game is opened: people have read them by then."""

_log = logging.getLogger(__name__)
T = TypeVar("T")


class TableState:
    """At most one open game, resumed from the journal on creation. One thread at a time uses it.

    Any thread may read `newest`, `attention` and `broadcast`.
    """

    def __init__(
        self,
        journal: Journal,
        games: Callable[[str], Game],
        clock: Clock,
        hardware: str,
        timing: Timing,
        dealer: Dealer,
    ) -> None:
        self._journal = journal
        self._games = games
        self._clock = clock
        self._hardware = hardware
        self._timing = timing
        self._dealer = dealer
        self._open: OpenGame | None = None
        self._notices: dict[str, Remark] = {}
        self._devices = DeviceWatch()
        self._practice: Practice | None = None
        self._shown_again = ShownAgain()
        self._grace_s = timing.grace_s
        self._lately_won = LatelyWon(journal)
        self._changed = True
        self._version = 0
        self.attention: frozenset[Area] = frozenset()
        self.replay_scope: str | None = None
        self.broadcast: Broadcast[Snapshot] = Broadcast()
        self._resume()
        self.publish()

    # -- readings and time ---------------------------------------------------------------------------------------

    def sense(self, reading: Reading) -> None:
        """Pass a reading on: to the health that is shown, to practice, or to the game's referee."""
        if isinstance(reading, DeviceHealth):
            self._changed |= self._devices.take(reading)
        elif isinstance(reading, RollKept):
            asked = "" if self._open is None else self._open.asked_at(reading.at_s)
            self._changed |= self._shown_again.take(reading, asked)
            return
        elif self._practice is not None:
            remark = self._practice.sense(reading)
            if remark is not None:
                self.notice(remark)
            return
        if self._open is not None:
            self._open.sense(reading)

    def tick(self) -> None:
        """Submit proposals whose grace is over. When the journal cannot write, try again later."""
        if self._open is None:
            return
        until_s = self._shown_again.until_s
        if until_s is not None and self._clock.now_s() >= until_s:
            self.watch(None)
        self._open.tick()
        while (waiting := self._open.due()) is not None:
            self._open.advice.drop(waiting)
            self._open.changed = True
            try:
                self._open.submit_due(waiting, OWN_ID)
            except JournalError as error:
                self.notice(Remark(topic="journal", code=error.code))
                self._open.defer(waiting, DISK_RETRY_S)
            else:
                self.take_down("journal")

    def next_due_s(self) -> float | None:
        """Return when the next timed work is due; None in the lobby and while the game is paused."""
        return None if self._open is None or self._open.paused else self._open.next_due_s()

    def pause(self, on: bool, client_id: str) -> Answer:
        """Pause or resume the open game. A repeated request changes nothing."""
        if self._open is None:
            return reject("no_game_open", "")
        held = self._open
        if held.paused is on:
            return Accepted(self._journal.last_seq())
        if on:
            self.watch(None)
            self.practise(False)
            return held.pause(client_id)
        kept = held.history.paused or ()
        answer = held.resume(client_id)
        self._employ(held.history, kept).go_on_from(held)
        return answer

    def watch(self, number: int | None) -> Answer:
        """Record that the touchscreen shows replay `number`, or none. Every grace is extended meanwhile."""
        if self._open is None:
            return reject("no_game_open", "")
        if number is not None and self._open.paused:
            return reject("game_paused", "")
        if number is not None and not self._shown_again.knows(number):
            return reject("replay_gone", "")
        if number is not None or self._shown_again.watched is not None:
            self._shown_again.watch(number, self._clock.now_s())
            self._open.hold(self._grace_s if number is None else WATCHED_S + self._grace_s)
            self._changed = True
        return Accepted(self._journal.last_seq())

    # -- games ---------------------------------------------------------------------------------------------------

    def in_game(self, job: Callable[[OpenGame], T]) -> T | Rejection:
        """Call `job` with the open game; `no_game_open` in the lobby, `game_paused` while it is paused."""
        if self._open is not None and self._open.paused:
            return reject("game_paused", "")
        return reject("no_game_open", "") if self._open is None else job(self._open)

    def effective(self, game: int | None = None) -> tuple[Setup, tuple[Action, ...]] | None:
        """Return the set-up and the effective actions of the open game, if it is `game` (None: whichever it is)."""
        if self._open is None or game not in (None, self._open.history.opened):
            return None
        return self._open.history.setup, self._open.history.actions()

    def open_game(self, setup: Setup, client_id: str) -> Answer:
        """Start a game, and close a finished one in the same transaction."""
        put_away: list[tuple[str, AnyBody]] = []
        finished = seating = None
        if self._open is not None:
            old = self._open.history
            outcome = old.game.rules.outcome(old.state)
            if outcome is None:
                return reject("game_open", "")
            finished = old.opened
            if [player.name for player in old.setup.players] == [player.name for player in setup.players]:
                seating = old.seating
            put_away.append((f"{OWN_ID}closed-{finished}", Closed(outcome=outcome)))
        started = begin(setup, self._games)
        if isinstance(started, Rejection):
            return started
        game, start = started
        setup = msgspec.structs.replace(setup, rules=game.rules.revision)
        start_value = self._dealer.start_value()
        opened = Opened(setup=setup, seating=seating, start_value=start_value)
        seq = self._journal.append(finished, [*put_away, (client_id, opened)])[-1]
        _log.info(
            "the draws of game %d follow from a sealed start value; its fingerprint is %s",
            seq,
            fingerprint(start_value),
        )
        for topic in ABOUT_THE_START:
            self.take_down(topic)
        self._employ(History(game, setup, seq, start, seating, start_value))
        self.practise(False)
        return Accepted(seq)

    def close_game(self, client_id: str) -> Answer:
        """Close the open game."""
        if self._open is None:
            return reject("no_game_open", "")
        answer = self._open.close(client_id)
        self._open = None
        self.practise(False)
        return answer

    def import_game(self, game: Game, entries: Sequence[tuple[str, AnyBody]]) -> Answer:
        """Add the entries of a finished game that was played elsewhere."""
        return Accepted(self._journal.append(None, entries, game.rules.secret_fields)[0])

    def practise(self, on: bool) -> Rejection | None:
        """Switch the judging of trial passages on or off. Return why it may not begin (`against_practice`)."""
        if on and (refused := against_practice(self._open)) is not None:
            return refused
        self._practice = Practice() if on else None
        self.take_down(PRACTICE)
        self._changed = True
        return None

    def start_afresh(self) -> None:
        """Continue after a bug, with a new referee. The timers go on."""
        if (before := self._open) is not None:
            try:
                self._employ(before.history, before.timers_left()).corrections = before.corrections
            except Exception as again:
                _log.error("%s; taps go on without a referee", where_raised(again))
        self._changed = True
        self.publish()

    def _resume(self) -> None:
        """Resume the journal's open game, or show in the lobby why that is impossible."""
        try:
            game = self._journal.newest_game()
            if game is None:
                return
            history = restore(self._journal.read(game), self._games)
            kept = self._journal.kept_timers(game)
        except JournalError as error:
            self.notice(Remark(topic="resume", code=error.code))
            return
        if isinstance(history, Rejection):
            self.notice(Remark(topic="resume", code=history.code, values=history.values))
            return
        self._employ(history, () if history.paused is not None else kept)

    def _employ(self, history: History, kept: Sequence[KeptTimer] = ()) -> OpenGame:
        """Make `history` the open game, with a new referee that gets the devices' health and the kept timers."""
        health = tuple(self._devices.health.values())
        self._open = OpenGame(history, self._journal, self._clock, self._dealer, self._timing, health, kept)
        return self._open

    # -- publishing ----------------------------------------------------------------------------------------------

    def notice(self, remark: Remark) -> None:
        """Show a remark of the table itself, in addition to the referee's; an empty code removes its topic."""
        if not remark.code:
            self.take_down(remark.topic)
            return
        self._changed |= self._notices.get(remark.topic) != remark
        self._notices[remark.topic] = remark

    def take_down(self, topic: str) -> None:
        """Remove a notice."""
        self._changed |= self._notices.pop(topic, None) is not None

    def publish(self) -> None:
        """Publish a snapshot if anything changed since the last."""
        if self._open is not None:
            if self._practice is not None and self._open.history.begun:
                self.practise(False)
            try:
                if self._open.keep_timers():
                    self.take_down("journal")
            except JournalError as error:
                self.notice(Remark(topic="journal", code=error.code))
        self.replay_scope = self._scope()
        self._changed |= self._shown_again.within(self.replay_scope)
        if not self._changed and not (self._open is not None and self._open.changed):
            return
        self._changed = False
        self._version += 1
        self.newest = self._snapshot(self._open)
        self.attention = self.newest.attention if self._practice is None else frozenset({"track"})
        self.broadcast.publish(self._version, self.newest)

    def _scope(self) -> str | None:
        if self._open is None or self._practice is not None:
            return None
        history = self._open.history
        lasts = history.game.replay_scope(history.state)
        return None if lasts is None else f"{history.opened}.{lasts}"

    def _snapshot(self, open_game: OpenGame | None) -> Snapshot:
        table = Snapshot(
            version=self._version,
            game=None,
            setup=None,
            state=None,
            journal_seq=self._journal.last_seq(),
            now_s=self._clock.now_s(),
            remarks=dict(self._notices),
            health=dict(self._devices.health),
            faults=self._devices.faults(SENSES),
            practice=self._practice is not None,
            may_practise=against_practice(open_game) is None,
            hardware=self._hardware,
        )
        if open_game is None:
            return msgspec.structs.replace(table, lately=self._lately_won.games())
        open_game.changed = False
        history, advice = open_game.history, open_game.advice
        table = msgspec.structs.replace(
            table,
            game=history.game.name,
            game_id=history.opened,
            newest_entry=history.newest_entry,
            seating=history.seating,
            setup=history.setup,
            state=history.state,
            faults=self._devices.faults(history.game.devices(history.setup)),
            log=history.log(LOG_LINES),
            deeds=dict(open_game.deeds),
            correctable=history.correctable(CORRECTABLE),
            paused=open_game.paused,
        )
        if open_game.paused:
            return table
        return msgspec.structs.replace(
            table,
            pending=advice.pending,
            question=advice.question,
            remarks={**advice.remarks, **self._notices},
            timers=advice.timers,
            attention=open_game.attention,
            quiet=open_game.quiet,
            replays=self._shown_again.replays,
            asked=open_game.corrections.asked,
            watched=self._shown_again.watched,
        )

"""The table: the one loop that owns the state. It judges what people and sensors submit, journals it, publishes it.

One thread is the only writer; everyone else puts work into its inbox. What is answered or published is on disk first.
"""

from __future__ import annotations

import logging
import queue
import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeVar

import msgspec

from appliance.archive import Archive, import_entries
from appliance.broadcast import Broadcast
from appliance.dealer import Dealer
from appliance.entries import AnyBody, Closed, KeptTimer, Opened
from appliance.games.game import Action, Area, Game, Rejection, Remark, Setup, Timing
from appliance.history import History
from appliance.journal import Journal, JournalError
from appliance.open_game import TICK_S, OpenGame
from appliance.practice import TOPIC as PRACTICE
from appliance.practice import Practice
from appliance.recall import begin, recall
from appliance.snapshot import Accepted, AmendmentPreview, Answer, Snapshot, Submission
from hardware.clock import Clock
from hardware.readings import Device, DeviceHealth, Reading

ANSWERS_REMEMBERED = 4096
LOG_LINES = 500
CORRECTABLE = 30
LEAST_WAIT_S = 0.001
DISK_RETRY_S = 2.0
OWN_ID = "table:"
"""What the ids of the table's own entries begin with; nobody else's may."""

_log = logging.getLogger(__name__)
T = TypeVar("T")


class Table:
    """One table with at most one open game; resumes the journal's open game when it is made.

    All public methods may be called from any thread. Without a running loop they do the work in the caller's thread.

    :param games: the game of a name; KeyError when there is none.
    :param hardware: what the sensors are, for display ("none", "twin", "pi").
    :param timing: how patient referees are.
    :param dealer: draws what a game leaves to the appliance's chance.
    """

    def __init__(
        self,
        *,
        journal: Journal,
        games: Callable[[str], Game],
        clock: Clock,
        hardware: str = "none",
        timing: Timing | None = None,
        dealer: Dealer | None = None,
    ) -> None:
        self._journal = journal
        self._games = games
        self._clock = clock
        self._hardware = hardware
        self._timing = timing or Timing()
        self._dealer = dealer or Dealer()
        self._inbox: queue.SimpleQueue[Reading | Callable[[], None] | None] = queue.SimpleQueue()
        self._turn = threading.RLock()
        self._looping = False
        self._stopped = False
        self._thread: threading.Thread | None = None
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._open: OpenGame | None = None
        self._notices: dict[str, Remark] = {}
        self._health: dict[Device, DeviceHealth] = {}
        self._practice: Practice | None = None
        self._attention: frozenset[Area] = frozenset()
        self._version = 0
        self._changed = True
        self._broadcast: Broadcast[Snapshot] = Broadcast()
        self.archive = Archive(journal, games)
        """The games that were put away."""
        self._resume()
        self._publish()

    # -- what anybody may ask, from any thread -------------------------------------------------------------------

    def submit(self, submission: Submission, timeout_s: float = 5.0) -> Answer:
        """Return the answer once it is on disk and published; `table_busy` after `timeout_s` (ask again)."""
        try:
            return self.post(submission).result(timeout_s)
        except TimeoutError:
            return Rejection("table_busy", "")

    def post(self, submission: Submission) -> Future[Answer]:
        """Hand in a submission; the future gets the answer once it is on disk and published.

        Codes of refusal: `bad_id`, `no_game_open`, `not_your_seat`, `prompt_closed`, `unknown_action`, the game's own,
        `table_stopped`, and the journal's (`disk_full` …), after which the same id may be sent again.
        """
        return self._post(
            lambda: self._once(submission.id, lambda: self._in_game(lambda game: game.submit(submission)))
        )

    def sense(self, reading: Reading) -> None:
        """Hand in a reading. Only enqueues: any thread, any rate."""
        self._inbox.put(reading)

    def open_game(self, setup: Setup, id: str) -> Answer:  # noqa: A002  (the wire's name for it)
        """Start a game; a finished one is put away first. `game_open` while another is being played."""
        return self._post(lambda: self._once(id, lambda: self._open_game(setup, id))).result()

    def close_game(self, id: str) -> Answer:  # noqa: A002
        """Put the open game away, finished or not; the journal keeps it."""
        return self._post(lambda: self._once(id, lambda: self._close_game(id))).result()

    def object_to(self, pending_id: str, id: str) -> Answer:  # noqa: A002
        """Stop a proposal in its grace: it becomes the question `overruled`. `too_late` when it is no longer there."""
        return self._post(
            lambda: self._once(id, lambda: self._in_game(lambda game: game.object_to(pending_id)))
        ).result()

    def confirm(self, pending_id: str, id: str) -> Answer:  # noqa: A002
        """Submit a proposal now instead of after its grace. `too_late` when it is no longer there."""
        return self._post(
            lambda: self._once(id, lambda: self._in_game(lambda game: game.confirm(pending_id, id)))
        ).result()

    def draw(self, prompt: str, id: str, seat: int | None = None) -> Answer:  # noqa: A002
        """Let the appliance's chance answer an open prompt that allows it (the electronic die, SM-21)."""
        return self._post(
            lambda: self._once(id, lambda: self._in_game(lambda game: game.draw(prompt, id, seat)))
        ).result()

    def preview_amendment(self, seq: int, action: Action | None) -> AmendmentPreview | Rejection:
        """Show what `amend` would change, without changing it. None: as if entry `seq` had not been done."""
        return self._post(lambda: self._in_game(lambda game: game.preview(seq, action))).result()

    def amend(self, seq: int, action: Action | None, id: str) -> Answer:  # noqa: A002
        """Let entry `seq` mean `action` from now on and fold what follows again (AP-2)."""
        return self._post(
            lambda: self._once(id, lambda: self._in_game(lambda game: game.amend(seq, action, id)))
        ).result()

    def undo(self, id: str) -> Answer:  # noqa: A002
        """Take back the last action or amendment that still counts; again goes further. Else `nothing_to_undo`."""
        return self._post(lambda: self._once(id, lambda: self._in_game(lambda game: game.undo(id)))).result()

    def command(self, name: str, id: str) -> Answer:  # noqa: A002
        """Press a table button that is no action: the referee's ("turn_hourglass"), or "dismiss" for a question."""
        return self._post(lambda: self._once(id, lambda: self._in_game(lambda game: game.command(name)))).result()

    def practise(self, on: bool) -> None:
        """Judge trial spheres (SM-13): possible in the lobby and before a game's first deed, which ends it."""
        self._post(lambda: self._practise(on)).result()

    def snapshot(self) -> Snapshot:
        """Return the newest snapshot."""
        return self._newest

    def wait_newer(self, version: int, timeout_s: float) -> Snapshot | None:
        """Return the newest snapshot once its version is above `version`; None after `timeout_s` or when stopped."""
        return self._broadcast.wait_newer(version, timeout_s)

    def alive(self, timeout_s: float = 5.0) -> bool:
        """Say whether the loop gets to what is handed in within `timeout_s`."""
        try:
            self._post(lambda: None).result(timeout_s)
        except TimeoutError:
            return False
        return True

    def attention(self) -> frozenset[Area]:
        """Return which parts of the table the camera should watch now."""
        return self._attention

    def history(self) -> tuple[Setup, tuple[Action, ...]] | None:
        """Return the set-up and the effective actions of the open game; None in the lobby."""
        return self._post(self._effective).result()

    def import_game(self, setup: Setup, actions: Sequence[Action], id: str) -> Answer:  # noqa: A002
        """Keep a finished game that was played elsewhere among the past ones; the open game goes on."""
        return self._post(lambda: self._once(id, lambda: self._import(setup, actions, id))).result()

    # -- driving -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Run the loop in a thread of its own until `stop`."""
        self._looping = True
        self._thread = threading.Thread(target=self.run, name="table", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the loop, refuse what is not done yet, let everyone go who waits; the journal stays open."""
        self._stopped = True
        self._inbox.put(None)
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self.step()
        self._broadcast.close()

    def run(self) -> None:
        """Do what comes in and what is due until `stop` is called."""
        self._looping = True
        try:
            while not self._stopped:
                try:
                    item = self._inbox.get(timeout=self._patience_s())
                except queue.Empty:
                    item = None
                try:
                    self._work(item)
                except Exception as error:
                    self._recover(error)
        finally:
            self._looping = False

    def step(self) -> None:
        """Process everything that is queued and due, in the caller's thread."""
        self._work(None)

    def _patience_s(self) -> float:
        """How long to wait for work, in real seconds: until the next tick or the end of a grace."""
        if self._open is None:
            return TICK_S
        speed: float = getattr(self._clock, "speed", 1.0)  # only a warped clock runs at another pace than the wait
        return min(max((self._open.next_due_s() - self._clock.now_s()) / speed, LEAST_WAIT_S), TICK_S)

    def _work(self, item: Reading | Callable[[], None] | None) -> None:
        with self._turn:
            self._take_in(item)
            while not self._inbox.empty():
                self._take_in(self._inbox.get())
            if self._open is not None:
                self._open.tick()
                self._submit_due(self._open)
            self._publish()

    def _take_in(self, item: Reading | Callable[[], None] | None) -> None:
        if isinstance(item, Reading):
            self._sense(item)
        elif item is not None:
            item()

    def _recover(self, error: Exception) -> None:
        """A bug must not stop the game on the table: say where it is and go on with a fresh referee.

        The message is left out of the log, because it may quote a secret.
        """
        where = traceback.extract_tb(error.__traceback__)[-1]
        _log.error("%s at %s:%s; the referee starts afresh", type(error).__name__, where.filename, where.lineno)
        with self._turn:
            if self._open is not None:
                try:
                    self._employ(self._open.history)
                except Exception as again:
                    _log.error("a fresh referee fails too (%s); taps go on without one", type(again).__name__)
            self._changed = True
            self._publish()

    def _post(self, job: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()

        def work() -> None:
            try:
                result = job()
                self._publish()
            except Exception as error:
                future.set_exception(error)
                if self._looping:
                    self._recover(error)
            else:
                future.set_result(result)

        self._inbox.put(work)
        if not self._looping or self._stopped:
            self.step()
        return future

    # -- one at a time -------------------------------------------------------------------------------------------

    def _once(self, client_id: str, deed: Callable[[], Answer]) -> Answer:
        """Do it, unless this id was answered before: then give that answer again."""
        if not 1 <= len(client_id) <= 64 or not client_id.isprintable() or client_id.startswith(OWN_ID):
            return Rejection("bad_id", "")
        if client_id in self._answers:
            return self._answers[client_id]
        if self._stopped:
            return Rejection("table_stopped", "")
        try:
            seq = self._journal.seq_of(client_id)
            answer = Accepted(seq) if seq is not None else deed()
        except JournalError as error:
            self._notice(Remark(topic="journal", code=error.code))
            return Rejection(error.code, "")
        if isinstance(answer, Accepted):
            self._take_down("journal")
        self._answers[client_id] = answer
        if len(self._answers) > ANSWERS_REMEMBERED:
            self._answers.popitem(last=False)
        return answer

    def _in_game(self, deed: Callable[[OpenGame], T]) -> T | Rejection:
        return Rejection("no_game_open", "") if self._open is None else deed(self._open)

    def _effective(self) -> tuple[Setup, tuple[Action, ...]] | None:
        return None if self._open is None else (self._open.history.setup, self._open.history.actions())

    def _submit_due(self, game: OpenGame) -> None:
        """Submit proposals whose grace is over; while the disk refuses one, try again later."""
        while (waiting := game.due()) is not None:
            game.board.drop(waiting)
            game.changed = True
            try:
                game.submit_due(waiting, OWN_ID)
            except JournalError as error:
                self._notice(Remark(topic="journal", code=error.code))
                game.defer(waiting, DISK_RETRY_S)
            else:
                self._take_down("journal")

    def _sense(self, reading: Reading) -> None:
        if isinstance(reading, DeviceHealth):
            known = self._health.get(reading.device)
            if known is None or (known.status, known.code) != (reading.status, reading.code):
                self._health[reading.device] = reading
                self._changed = True
        elif self._practice is not None:
            remark = self._practice.sense(reading)
            if remark is not None:
                self._notice(remark)
            return
        if self._open is not None:
            self._open.sense(reading)

    # -- games ---------------------------------------------------------------------------------------------------

    def _open_game(self, setup: Setup, client_id: str) -> Answer:
        put_away: list[tuple[str, AnyBody]] = []
        finished = None
        if self._open is not None:
            old = self._open.history
            outcome = old.game.outcome(old.state)
            if outcome is None:
                return Rejection("game_open", "")
            finished = old.opened
            put_away.append((f"{OWN_ID}closed-{finished}", Closed(outcome=outcome)))
        started = begin(setup, self._games)
        if isinstance(started, Rejection):
            return started
        game, start = started
        setup = msgspec.structs.replace(setup, rules=game.rules)
        seq = self._journal.append(finished, [*put_away, (client_id, Opened(setup=setup))])[-1]
        self._take_down("resume")
        self._employ(History(game, setup, seq, start))
        return Accepted(seq)

    def _close_game(self, client_id: str) -> Answer:
        if self._open is None:
            return Rejection("no_game_open", "")
        answer = self._open.close(client_id)
        self._open = None
        self._practise(False)
        return answer

    def _import(self, setup: Setup, actions: Sequence[Action], client_id: str) -> Answer:
        found = import_entries(setup, actions, client_id, OWN_ID, self._games)
        if isinstance(found, Rejection):
            return found
        game, entries = found
        return Accepted(self._journal.append(None, entries, game.secret_fields)[0])

    def _resume(self) -> None:
        """Go on with the journal's open game, or say in the lobby why that cannot be."""
        try:
            game = self._journal.newest_game()
            if game is None:
                return
            history = recall(self._journal.read(game), self._games)
            kept = self._journal.kept_timers(game)
        except JournalError as error:
            self._notice(Remark(topic="resume", code=error.code))
            return
        if isinstance(history, Rejection):
            self._notice(Remark(topic="resume", code=history.code, values=history.values))
            return
        self._employ(history, kept)

    def _employ(self, history: History, kept: Sequence[KeptTimer] = ()) -> None:
        """Make `history` the open game with a fresh referee, which learns how the devices are and which timers ran."""
        health = tuple(self._health.values())
        self._open = OpenGame(history, self._journal, self._clock, self._dealer, self._timing, health, kept)

    def _practise(self, on: bool) -> None:
        allowed = self._open is None or not self._open.history.begun
        self._practice = Practice() if on and allowed else None
        self._take_down(PRACTICE)
        self._changed = True

    # -- publishing ----------------------------------------------------------------------------------------------

    def _notice(self, remark: Remark) -> None:
        """Show what the table itself has to say, beside the referee's remarks."""
        self._changed |= self._notices.get(remark.topic) != remark
        self._notices[remark.topic] = remark

    def _take_down(self, topic: str) -> None:
        self._changed |= self._notices.pop(topic, None) is not None

    def _publish(self) -> None:
        if self._open is not None:
            if self._practice is not None and self._open.history.begun:
                self._practise(False)
            try:
                self._open.keep_timers()
            except JournalError as error:
                self._notice(Remark(topic="journal", code=error.code))
        if not self._changed and not (self._open is not None and self._open.changed):
            return
        self._changed = False
        self._version += 1
        self._newest = self._snapshot(self._open)
        self._attention = frozenset() if self._open is None else self._open.attention
        if self._practice is not None:
            self._attention = frozenset({"track"})
        self._broadcast.publish(self._version, self._newest)

    def _snapshot(self, open_game: OpenGame | None) -> Snapshot:
        table = Snapshot(
            version=self._version,
            game=None,
            setup=None,
            state=None,
            journal_seq=self._journal.last_seq(),
            now_s=self._clock.now_s(),
            remarks=dict(self._notices),
            health=dict(self._health),
            practice=self._practice is not None,
            hardware=self._hardware,
        )
        if open_game is None:
            return table
        open_game.changed = False
        history, board = open_game.history, open_game.board
        return msgspec.structs.replace(
            table,
            game=history.game.name,
            game_id=history.opened,
            setup=history.setup,
            state=history.state,
            log=history.log(LOG_LINES),
            pending=board.pending,
            question=board.question,
            remarks={**board.remarks, **self._notices},
            timers=board.timers,
            correctable=history.correctable(CORRECTABLE),
        )

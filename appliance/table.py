"""The table: the one loop that owns the state. It judges what people and sensors submit, journals it, publishes it.

One thread is the only writer; everyone else puts work into its inbox. What is answered or published is on disk first.
"""

from __future__ import annotations

import logging
import queue
import re
import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

import msgspec

from appliance.advice_board import AdviceBoard, Waiting
from appliance.broadcast import Broadcast
from appliance.dealer import Dealer
from appliance.games.game import (
    Action,
    Advice,
    Area,
    Game,
    Prompt,
    Proposal,
    Referee,
    Rejection,
    Remark,
    Setup,
    Step,
    Timer,
    Timing,
)
from appliance.history import History
from appliance.journal import (
    Acted,
    Amended,
    AnyBody,
    Closed,
    Journal,
    JournalError,
    KeptTimer,
    Opened,
    PastGame,
    Undone,
)
from appliance.practice import Practice
from appliance.recall import begin, recall
from appliance.snapshot import Accepted, AmendmentPreview, Answer, Snapshot, Submission
from hardware.clock import Clock
from hardware.readings import Device, DeviceHealth, Reading

TICK_S = 0.1
ANSWERS_REMEMBERED = 4096
LOG_LINES = 500
CORRECTABLE = 30
LEAST_WAIT_S = 0.001
DISK_RETRY_S = 2.0

_CLIENT_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")
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
        self._history: History | None = None
        self._referee: Referee | None = None
        self._board = AdviceBoard()
        self._prompts: tuple[Prompt, ...] = ()
        self._notices: dict[str, Remark] = {}
        self._health: dict[Device, DeviceHealth] = {}
        self._practice: Practice | None = None
        self._attention: frozenset[Area] = frozenset()
        self._kept_timers: dict[str, Timer] = {}
        self._ticked_s = float("-inf")
        self._version = 0
        self._changed = True
        self._broadcast: Broadcast[Snapshot] = Broadcast()
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
        return self._post(lambda: self._once(submission.id, lambda: self._submit(submission)))

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
        return self._post(lambda: self._once(id, lambda: self._object_to(pending_id))).result()

    def confirm(self, pending_id: str, id: str) -> Answer:  # noqa: A002
        """Submit a proposal now instead of after its grace. `too_late` when it is no longer there."""
        return self._post(lambda: self._once(id, lambda: self._confirm(pending_id, id))).result()

    def draw(self, prompt: str, id: str, seat: int | None = None) -> Answer:  # noqa: A002
        """Let the appliance's chance answer an open prompt that allows it (the electronic die, SM-21)."""
        return self._post(lambda: self._once(id, lambda: self._draw(prompt, id, seat))).result()

    def preview_amendment(self, seq: int, action: Action | None) -> AmendmentPreview | Rejection:
        """Show what `amend` would change, without changing it. None: as if entry `seq` had not been done."""
        return self._post(lambda: self._preview(seq, action)).result()

    def amend(self, seq: int, action: Action | None, id: str) -> Answer:  # noqa: A002
        """Let entry `seq` mean `action` from now on and fold what follows again (AP-2)."""
        return self._post(lambda: self._once(id, lambda: self._amend(seq, action, id))).result()

    def undo(self, id: str) -> Answer:  # noqa: A002
        """Take back the last action or amendment that still counts; again goes further. Else `nothing_to_undo`."""
        return self._post(lambda: self._once(id, lambda: self._undo(id))).result()

    def command(self, name: str, id: str) -> Answer:  # noqa: A002
        """Press a table button that is no action: the referee's ("turn_hourglass"), or "dismiss" for a question."""
        return self._post(lambda: self._once(id, lambda: self._command(name))).result()

    def practise(self, on: bool) -> None:
        """Judge trial spheres (SM-13): possible in the lobby and before a game's first deed, which ends it."""
        self._post(lambda: self._practise(on)).result()

    def snapshot(self) -> Snapshot:
        """Return the newest snapshot."""
        return self._newest

    def wait_newer(self, version: int, timeout_s: float) -> Snapshot | None:
        """Return the newest snapshot once its version is above `version`; None after `timeout_s` or when stopped."""
        return self._broadcast.wait_newer(version, timeout_s)

    def attention(self) -> frozenset[Area]:
        """Return which parts of the table the camera should watch now."""
        return self._attention

    def history(self) -> tuple[Setup, tuple[Action, ...]] | None:
        """Return the set-up and the effective actions of the open game; None in the lobby."""
        return self._post(lambda: (self._history.setup, self._history.actions()) if self._history else None).result()

    def past_games(self) -> tuple[PastGame, ...]:
        """Return the games that are not open, newest first.

        :raises JournalError: the journal cannot be read.
        """
        return self._journal.past_games()

    def past_history(self, game: int) -> tuple[Setup, tuple[Action, ...]] | Rejection:
        """Return set-up and effective actions of a past game, or why this release or key cannot read it."""
        if all(past.game != game for past in self._journal.past_games()):
            return Rejection("no_such_game", "", {"game": game})
        try:
            history = recall(self._journal.read(game), self._games)
        except JournalError as error:
            return Rejection(error.code, "")
        return history if isinstance(history, Rejection) else (history.setup, history.actions())

    # -- driving -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Run the loop in a thread of its own until `stop`."""
        self._looping = True
        self._thread = threading.Thread(target=self.run, name="table", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Finish what was handed in, end the loop, let everyone go who waits; the journal stays open."""
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
        due_s = self._board.next_due_s()
        next_s = self._ticked_s + TICK_S if due_s is None else min(due_s, self._ticked_s + TICK_S)
        speed: float = getattr(self._clock, "speed", 1.0)  # only a warped clock runs at another pace than the wait
        return min(max((next_s - self._clock.now_s()) / speed, LEAST_WAIT_S), TICK_S)

    def _work(self, item: Reading | Callable[[], None] | None) -> None:
        with self._turn:
            self._take_in(item)
            while not self._inbox.empty():
                self._take_in(self._inbox.get())
            self._tick()
            while (waiting := self._board.due(self._clock.now_s())) is not None:
                self._submit_due(waiting)
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
            if self._history is not None:
                self._employ(self._history)
            self._publish()

    def _post(self, job: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()

        def work() -> None:
            try:
                result = job()
                self._publish()
            except Exception as error:
                future.set_exception(error)
            else:
                future.set_result(result)

        self._inbox.put(work)
        if not self._looping:
            self.step()
        return future

    # -- submissions ---------------------------------------------------------------------------------------------

    def _once(self, client_id: str, deed: Callable[[], Answer]) -> Answer:
        """Do it, unless this id was answered before: then give that answer again."""
        if not _CLIENT_ID.fullmatch(client_id):
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
        self._answers[client_id] = answer
        if len(self._answers) > ANSWERS_REMEMBERED:
            self._answers.popitem(last=False)
        return answer

    def _submit(self, submission: Submission) -> Answer:
        history, action = self._history, submission.action
        if history is None:
            return Rejection("no_game_open", "")
        if submission.seat is not None and getattr(action, "seat", None) != submission.seat:
            return Rejection("not_your_seat", "", {"seat": submission.seat})
        if submission.prompt is not None and submission.prompt not in self._open_prompts():
            return Rejection("prompt_closed", "", {"prompt": submission.prompt})
        return self._act(history, action, submission.id)

    def _act(self, history: History, action: Action, client_id: str) -> Answer:
        step = self._apply(history, action)
        if isinstance(step, Rejection):
            return step
        seq = self._write(history, client_id, Acted(action=msgspec.to_builtins(action)))
        history.act(seq, action, step)
        self._practice = None
        self._stepped(history, action)
        return Accepted(seq)

    def _apply(self, history: History, action: Action) -> Step[Any] | Rejection:
        try:
            msgspec.convert(action, history.game.action_type)
        except msgspec.ValidationError:
            return Rejection("unknown_action", "", {"do": str(type(action).__struct_config__.tag)})
        return history.game.apply(history.state, action)

    def _write(self, history: History, client_id: str, body: AnyBody) -> int:
        (seq,) = self._append(history.opened, [(client_id, body)], history.game)
        return seq

    def _append(self, game: int | None, bodies: Sequence[tuple[str, AnyBody]], rules: Game) -> tuple[int, ...]:
        seqs = self._journal.append(game, bodies, rules.secret_fields)
        self._changed = True
        self._notices.pop("journal", None)
        return seqs

    def _submit_due(self, waiting: Waiting) -> None:
        """Submit a proposal whose grace is over; while the disk refuses it, try again later."""
        assert self._history is not None, "proposals belong to an open game"
        history = self._history
        self._board.drop(waiting)
        self._changed = True
        try:
            self._act(history, waiting.action, f"referee.{waiting.shown.id}")
        except JournalError as error:
            self._notice(Remark(topic="journal", code=error.code))
            self._board.defer(waiting, self._clock.now_s(), DISK_RETRY_S)

    def _object_to(self, pending_id: str) -> Answer:
        waiting = self._board.waiting(pending_id)
        if waiting is None:
            return Rejection("too_late", "AP-2")
        self._board.overrule(waiting)
        self._changed = True
        return Accepted(self._journal.last_seq())

    def _confirm(self, pending_id: str, client_id: str) -> Answer:
        waiting = self._board.waiting(pending_id)
        if waiting is None or self._history is None:
            return Rejection("too_late", "AP-2")
        return self._act(self._history, waiting.action, client_id)

    def _command(self, name: str) -> Answer:
        if self._history is None or self._referee is None:
            return Rejection("no_game_open", "")
        if name == "dismiss":
            self._board.dismiss()
        else:
            advice = self._referee.command(self._history.state, name, self._clock.now_s())
            if isinstance(advice, Rejection):
                return advice
            self._take(self._history, advice)
            self._keep_timers(self._history)
        self._changed = True
        return Accepted(self._journal.last_seq())

    # -- chance --------------------------------------------------------------------------------------------------

    def _draw(self, name: str, client_id: str, seat: int | None) -> Answer:
        if self._history is None:
            return Rejection("no_game_open", "")
        prompt = next((p for p in self._prompts if p.prompt == name and p.chance != "no"), None)
        if prompt is None:
            return Rejection("prompt_closed", "AP-5", {"prompt": name})
        if seat is not None and prompt.seat != seat:
            return Rejection("not_your_seat", "", {"seat": seat})
        return self._act(self._history, self._drawn(self._history, prompt), client_id)

    def _drawn(self, history: History, prompt: Prompt) -> Action:
        whose = {} if prompt.seat is None else {"seat": prompt.seat}
        action: Action = msgspec.convert(
            {"do": prompt.do, **whose, **self._dealer.draw(prompt)}, history.game.action_type
        )
        return action

    def _propose_draws(self, history: History) -> None:
        """What the rules leave to the appliance becomes a proposal without a grace."""
        for prompt in self._prompts:
            if prompt.chance == "must":
                drawn = self._drawn(history, prompt)
                self._take(history, [Proposal(action=drawn, prompt=prompt.prompt, because=("chance",), grace_s=0.0)])

    # -- corrections ---------------------------------------------------------------------------------------------

    def _preview(self, seq: int, action: Action | None) -> AmendmentPreview | Rejection:
        if self._history is None:
            return Rejection("no_game_open", "")
        refold = self._history.refold(seq, action)
        return refold if isinstance(refold, Rejection) else self._history.preview(refold)

    def _amend(self, target: int, action: Action | None, client_id: str) -> Answer:
        history = self._history
        if history is None:
            return Rejection("no_game_open", "")
        refold = history.refold(target, action)
        if isinstance(refold, Rejection):
            return refold
        meant = None if action is None else msgspec.to_builtins(action)
        seq = self._write(history, client_id, Amended(target=target, action=meant))
        history.amend(seq, refold)
        self._corrected(history)
        return Accepted(seq)

    def _undo(self, client_id: str) -> Answer:
        history = self._history
        if history is None:
            return Rejection("no_game_open", "")
        target = history.undoable()
        if target is None:
            return Rejection("nothing_to_undo", "AP-2")
        seq = self._write(history, client_id, Undone(target=target))
        history.undo(seq)
        self._corrected(history)
        return Accepted(seq)

    def _corrected(self, history: History) -> None:
        self._board.forget_prompts()
        self._stepped(history, None)

    # -- games ---------------------------------------------------------------------------------------------------

    def _open_game(self, setup: Setup, client_id: str) -> Answer:
        bodies: list[tuple[str, AnyBody]] = [(client_id, Opened(setup=setup))]
        finished = None
        if self._history is not None:
            finished = self._history.opened
            outcome = self._history.game.outcome(self._history.state)
            if outcome is None:
                return Rejection("game_open", "")
            bodies.insert(0, (f"closed:{finished}", Closed(outcome=outcome)))
        started = begin(setup, self._games)
        if isinstance(started, Rejection):
            return started
        game, start = started
        setup = msgspec.structs.replace(setup, rules=game.rules)
        bodies[-1] = (client_id, Opened(setup=setup))
        seq = self._append(finished, bodies, game)[-1]
        self._notices.pop("resume", None)
        self._employ(History(game, setup, seq, start))
        return Accepted(seq)

    def _close_game(self, client_id: str) -> Answer:
        history = self._history
        if history is None:
            return Rejection("no_game_open", "")
        seq = self._write(history, client_id, Closed(outcome=history.game.outcome(history.state)))
        self._history, self._referee, self._board, self._practice = None, None, AdviceBoard(), None
        self._prompts, self._kept_timers = (), {}
        return Accepted(seq)

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
        now_s = self._clock.now_s()
        self._history, self._board = history, AdviceBoard()
        referee = history.game.referee(history.setup, self._timing)
        self._referee = referee
        self._stepped(history, None)
        for health in self._health.values():
            self._take(history, referee.sense(history.state, health))
        if kept:
            timers = [Timer(name=k.name, started_s=now_s + k.left_s - k.lasts_s, ends_s=now_s + k.left_s) for k in kept]
            for timer in timers:
                self._take(history, [timer])
            self._take(history, referee.resume(history.state, timers, now_s))

    # -- the referee ---------------------------------------------------------------------------------------------

    def _stepped(self, history: History, action: Action | None) -> None:
        state, seats = history.state, range(len(history.setup.players))
        views = [history.game.expects(state, viewer) for viewer in (None, *seats)]
        self._prompts = tuple(prompt for view in views for prompt in view)
        self._board.close_prompts(self._open_prompts(), lambda meant: self._possible(history, meant))
        assert self._referee is not None, "an open game has a referee"
        self._take(history, self._referee.stepped(state, action, self._clock.now_s()))
        self._propose_draws(history)
        self._attention = self._referee.attention(state)
        self._keep_timers(history)
        self._changed = True

    def _sense(self, reading: Reading) -> None:
        if isinstance(reading, DeviceHealth):
            self._changed |= self._health.get(reading.device) != reading
            self._health[reading.device] = reading
        if self._practice is not None and not isinstance(reading, DeviceHealth):
            remark = self._practice.sense(reading)
            if remark is not None:
                self._notice(remark)
        elif self._history is not None and self._referee is not None:
            self._take(self._history, self._referee.sense(self._history.state, reading))
            self._keep_timers(self._history)

    def _tick(self) -> None:
        now_s = self._clock.now_s()
        if self._history is None or self._referee is None or now_s - self._ticked_s < TICK_S:
            return
        self._ticked_s = now_s
        self._take(self._history, self._referee.tick(self._history.state, now_s))
        self._keep_timers(self._history)

    def _take(self, history: History, advice: Sequence[Advice]) -> None:
        for one in advice:
            if isinstance(one, Proposal) and not self._possible(history, one.action):
                continue
            self._board.put(one, self._open_prompts(), history.public, self._clock.now_s())
            self._changed = True

    def _open_prompts(self) -> frozenset[str]:
        return frozenset(prompt.prompt for prompt in self._prompts)

    def _possible(self, history: History, action: Action) -> bool:
        return not isinstance(history.game.apply(history.state, action), Rejection)

    def _keep_timers(self, history: History) -> None:
        """Remember running timers on disk when they changed, so that a pulled plug does not stop the hourglass."""
        timers = self._board.timers
        if timers == self._kept_timers:
            return
        now_s = self._clock.now_s()
        kept = [
            KeptTimer(name=t.name, left_s=t.ends_s - now_s, lasts_s=t.ends_s - t.started_s) for t in timers.values()
        ]
        try:
            self._journal.keep_timers(history.opened, kept)
        except JournalError as error:
            self._notice(Remark(topic="journal", code=error.code))
        self._kept_timers = timers

    def _practise(self, on: bool) -> None:
        self._notices.pop("practice", None)
        allowed = self._history is None or not self._history.begun
        self._practice = Practice() if on and allowed else None
        self._changed = True

    # -- publishing ----------------------------------------------------------------------------------------------

    def _notice(self, remark: Remark) -> None:
        self._notices[remark.topic] = remark
        self._changed = True

    def _publish(self) -> None:
        if not self._changed:
            return
        self._changed = False
        self._version += 1
        history = self._history
        self._newest = Snapshot(
            version=self._version,
            game=history.game.name if history else None,
            setup=history.setup if history else None,
            state=history.state if history else None,
            journal_seq=self._journal.last_seq(),
            now_s=self._clock.now_s(),
            log=history.log(LOG_LINES) if history else (),
            pending=self._board.pending,
            question=self._board.question,
            remarks={**self._board.remarks, **self._notices},
            timers=self._board.timers,
            health=dict(self._health),
            correctable=history.correctable(CORRECTABLE) if history else (),
            practice=self._practice is not None,
            hardware=self._hardware,
            game_id=history.opened if history else None,
        )
        self._broadcast.publish(self._version, self._newest)

"""The table's interface for people and sensors. Any thread may call it; one loop executes the calls.

Results are on disk before they are returned or published. A repeated request gets the first answer again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Any, TypeVar

from appliance.games.game import Game
from appliance.games.protocol import Action, Area, Rejection, Remark, Setup, Timing
from appliance.journal.archive import Archive, import_entries
from appliance.journal.journal import Journal
from appliance.journal.journal_file import JournalError
from appliance.journal.past_games import PastGames
from appliance.snapshot import (
    Accepted,
    Alternatives,
    AmendmentPreview,
    Announcement,
    Answer,
    Offer,
    PastGame,
    Snapshot,
    Submission,
)
from appliance.table.codes import reject
from appliance.table.draws.dealer import Dealer
from appliance.table.game.open_game import OpenGame
from appliance.table.table_loop import TableLoop
from appliance.table.table_state import OWN_ID, TableState
from hardware.clock import Clock
from hardware.readings import Reading

ANSWERS_REMEMBERED = 4096
ANSWER_WITHIN_S = 5.0
"""Shorter than the time-out of pages (`PATIENCE_MS` in web/static/send.js), so that people get a sentence to read."""
READ_WITHIN_S = 60.0
"""Longest real time to read a past game: a Pi folds hundreds of actions, and may search for replacement secrets."""
BUSY = reject("table_busy", "")

T = TypeVar("T")


class Table:
    """One table with at most one open game; resumes the journal's open game when it is made.

    All public methods may be called from any thread. Without a running loop they do the work in the caller's thread.
    A method that returns an answer returns `table_busy` when the loop does not process the request in time. The
    request is still processed later. `client_id` is chosen by the caller: 1 to 64 printable characters, else `bad_id`.
    The same id again gets the same answer, except where a method says otherwise.

    :param games: the game of a name; KeyError when there is none.
    :param hardware: what the sensors are, for display ("none", "twin", "pi").
    :param timing: the waiting times of referees.
    :param dealer: makes the random draws that a game leaves to the appliance.
    :param answer_within_s: how long any caller waits, in real seconds, before the answer is `table_busy`.
    :param read_within_s: likewise for reading a past game.
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
        answer_within_s: float = ANSWER_WITHIN_S,
        read_within_s: float = READ_WITHIN_S,
    ) -> None:
        self._journal = journal
        self._games = games
        self._state = TableState(journal, games, clock, hardware, timing or Timing(), dealer or Dealer())
        self._loop = TableLoop(self._state, clock, patience_s=answer_within_s)
        self._answer_within_s = answer_within_s
        self._read_within_s = read_within_s
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._past_games = PastGames(journal)
        self._archive = Archive(journal, games)

    # -- seats, and the sensors ----------------------------------------------------------------------------------

    def submit(self, submission: Submission) -> Answer:
        """Return the answer once it is on disk and published, or `table_busy`."""
        return self._waited_for(self.post(submission))

    def post(self, submission: Submission) -> Future[Answer]:
        """Queue a submission; the future gets the answer once it is on disk and published.

        Codes of refusal: `bad_id`, `no_game_open`, `not_your_seat`, `prompt_closed`, `unknown_action`, the game's own,
        `said_by_the_table` and `not_offered` (the page of that seat does not offer it), `chance_stands` (the appliance
        drew something else), `table_stopped`, and the journal's (`disk_full` …), after which the same id may be sent
        again.
        """
        return self._in_game(submission.id, lambda game: game.submit(submission))

    def sense(self, reading: Reading) -> None:
        """Queue a reading. Any thread may call this at any rate."""
        self._loop.sense(reading)

    def attention(self) -> frozenset[Area]:
        """Return which parts of the table the camera should watch now."""
        return self._state.attention

    def object_to(self, pending_id: str, client_id: str) -> Answer:
        """Stop a proposal in its grace: it becomes the question `overruled`. `too_late` when it is no longer there."""
        return self._waited_for(self._in_game(client_id, lambda game: game.object_to(pending_id)))

    def confirm(self, pending_id: str, client_id: str) -> Answer:
        """Submit a proposal now instead of after its grace. `too_late` when it is no longer there."""
        return self._waited_for(self._in_game(client_id, lambda game: game.confirm(pending_id, client_id)))

    def draw(self, prompt: str, client_id: str, seat: int | None = None) -> Answer:
        """Answer an open prompt by a random draw, where the prompt allows it (the electronic die, SM-21)."""
        return self._waited_for(self._in_game(client_id, lambda game: game.draw(prompt, client_id, seat)))

    def command(self, name: str, client_id: str) -> Answer:
        """Press a button that is not a game action: the referee's ("turn_hourglass"), or "dismiss" for a question."""
        return self._waited_for(self._in_game(client_id, lambda game: game.command(name)))

    def watch(self, number: int | None, client_id: str) -> Answer:
        """Record that the touchscreen shows replay `number`, which extends every grace; None: it shows none.

        `replay_gone` when there is no such replay. A screen that shows it longer than `WATCHED_S` calls this again.
        """
        return self._waited_for(self._once(client_id, lambda: self._state.watch(number)))

    # -- corrections ---------------------------------------------------------------------------------------------

    def preview_amendment(self, seq: int, action: Action | None) -> AmendmentPreview | Rejection:
        """Show what `amend` would change, without changing it. None: as if entry `seq` had not been done."""
        return self._ask(lambda: self._state.in_game(lambda game: game.preview(seq, action)))

    def alternatives(self, seq: int) -> Alternatives | Rejection:
        """Return the action of entry `seq`, and the prompts that were open for its seat just before it."""
        return self._ask(lambda: self._state.in_game(lambda game: game.history.alternatives(seq)))

    def offers(self) -> tuple[Offer, ...] | Rejection:
        """Return the most likely corrections, the likeliest first."""
        return self._ask(lambda: self._state.in_game(lambda game: game.offers()))

    def ask_for(self, seat: int, seq: int, action: dict[str, Any] | None, client_id: str) -> Answer:
        """Record that `seat` asks for one of `offers`, which the touchscreen can grant; else `not_offered`."""
        return self._waited_for(self._in_game(client_id, lambda game: game.ask(seat, seq, action)))

    def refuse(self, seat: int, client_id: str) -> Answer:
        """Remove the correction that `seat` asks for."""
        return self._waited_for(self._in_game(client_id, lambda game: game.refuse(seat)))

    def amend(self, seq: int, action: Action | None, client_id: str, newest_entry: int | None = None) -> Answer:
        """Replace the action of entry `seq` by `action`, and fold the later entries again (AP-2).

        :param newest_entry: that of the preview: `game_went_on` if the game has changed since. None: whatever changed.
        """
        return self._waited_for(self._in_game(client_id, lambda game: game.amend(seq, action, client_id, newest_entry)))

    def undo(self, client_id: str, newest_entry: int | None = None) -> Answer:
        """Undo the last action or amendment that still counts; repeat to go further back. Else `nothing_to_undo`.

        :param newest_entry: that of the snapshot in which somebody saw what to undo, as for `amend`.
        """
        return self._waited_for(self._in_game(client_id, lambda game: game.undo(client_id, OWN_ID, newest_entry)))

    # -- the host ------------------------------------------------------------------------------------------------

    def open_game(self, setup: Setup, client_id: str, *, again: bool = False) -> Answer:
        """Start a game; a finished open game is closed first. `game_open` while the open game is unfinished.

        :param again: a refused request may succeed under the same id later, because the id is the caller's name for
            this one game, such as the next game of a league night.
        """
        opens = self._once(client_id, lambda: self._state.open_game(setup, client_id), keeps_refusal=not again)
        return self._waited_for(opens)

    def close_game(self, client_id: str) -> Answer:
        """Close the open game, finished or not. The journal keeps it."""
        return self._waited_for(self._once(client_id, lambda: self._state.close_game(client_id)))

    def pause(self, on: bool, client_id: str) -> Answer:
        """Pause the open game, or resume it. While it is paused, its timers stand still and readings are ignored.

        `nothing_to_pause` after its end. Requests that would change a paused game are refused with `game_paused`.
        """
        return self._waited_for(self._once(client_id, lambda: self._state.pause(on, client_id)))

    def import_game(self, setup: Setup, actions: Sequence[Action], client_id: str) -> Answer:
        """Add a finished game that was played elsewhere to the past games. The open game goes on.

        The actions are folded in the caller's thread. The loop only writes them.
        """
        found = import_entries(setup, actions, client_id, OWN_ID, self._games)
        if isinstance(found, Rejection):
            return self._waited_for(self._once(client_id, lambda: found))
        game, entries = found
        return self._waited_for(self._once(client_id, lambda: self._state.import_game(game, entries)))

    def practise(self, on: bool) -> Rejection | None:
        """Switch the judging of trial passages (SM-13) on or off.

        The lobby and games that use a device at the track have it. It ends when a game opens, at a pause and with a
        game's first action, which excludes it.
        """
        return self._ask(lambda: self._state.practise(on))

    def tell(self, remark: Remark) -> None:
        """Show a remark of the appliance itself; an empty code removes its topic. Does not wait for the loop."""
        self._loop.post(lambda: self._state.notice(remark))

    def replay_scope(self) -> str | None:
        """Return the scope that a replay of the current roll belongs to; None: no replay may be kept."""
        return self._state.replay_scope

    # -- what there is to see ------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return the newest snapshot."""
        return self._state.newest

    def wait_newer(self, version: int, timeout_s: float) -> Snapshot | None:
        """Return the newest snapshot once its version is above `version`; None after `timeout_s` or when stopped."""
        return self._state.broadcast.wait_newer(version, timeout_s)

    def history(self, game: int | None = None) -> tuple[Setup, tuple[Action, ...]] | Rejection | None:
        """Return the set-up and the effective actions of the open game.

        :param game: the number of the game that is meant; None: whichever is open.
        :returns: None in the lobby, or where another game than `game` is open by now.
        """
        return self._ask(lambda: self._state.effective(game))

    # -- the past games: they are read outside the loop, so that the open game goes on ---------------------------

    def past_games(self, most: int | None = None, after: int = 0) -> tuple[PastGame, ...] | Rejection:
        """Return past games with a number above `after`, newest first, at most `most` (None: all)."""
        return self._read(lambda: self._past_games.newest(most, after))

    def past_game(self, game: int) -> PastGame | Rejection | None:
        """Return a past game; None where there is none of that number, or only a newer release can read its set-up."""
        return self._read(lambda: self._past_games.past_game(game))

    def opened_s(self, game: int) -> float | Rejection | None:
        """Return when a past or open game was opened, seconds since 1970; None where there is none of that number."""
        return self._read(lambda: self._past_games.opened_s(game))

    def past_history(self, game: int) -> tuple[Setup, tuple[Action, ...]] | Rejection:
        """Return the set-up and the effective actions of a past game."""
        return self._read(lambda: self._archive.history(game))

    def past_log(self, game: int) -> tuple[Announcement, ...] | Rejection:
        """Return what was announced to everybody in a past game, in order."""
        return self._read(lambda: self._archive.log(game))

    def past_transcript(self, game: int, *, consent: bool) -> str | Rejection:
        """Return a finished game for export; without everyone's consent its secrets are replaced."""
        return self._read(lambda: self._archive.transcript(game, consent=consent))

    # -- running -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Run the loop in a thread of its own until `stop`."""
        self._loop.start()

    def stop(self) -> None:
        """End the loop, refuse what is queued, and wake all waiting threads; the journal stays open."""
        self._loop.stop()
        self._state.broadcast.close()

    def step(self) -> None:
        """Process everything that is queued and due, in the caller's thread."""
        self._loop.step()

    def alive(self, timeout_s: float = ANSWER_WITHIN_S) -> bool:
        """Return whether the loop processes a new job within `timeout_s` real seconds."""
        return bool(wait([self._loop.post(lambda: None)], timeout_s).done)

    # -- repeated requests and time-outs -------------------------------------------------------------------------

    def _ask(self, job: Callable[[], T]) -> T | Rejection:
        return self._waited_for(self._loop.post(job))

    def _waited_for(self, answer: Future[T]) -> T | Rejection:
        return _result(answer, self._answer_within_s)

    def _read(self, read: Callable[[], T]) -> T | Rejection:
        """Read the journal in a thread of its own.

        :returns: what was read, `table_busy` when that takes longer than `read_within_s`, or the journal's code.
        """
        answer: Future[T | Rejection] = Future()

        def work() -> None:
            try:
                answer.set_result(read())
            except JournalError as error:
                answer.set_result(Rejection(error.code, ""))
            except Exception as error:
                answer.set_exception(error)

        threading.Thread(target=work, name="past-games", daemon=True).start()
        return _result(answer, self._read_within_s)

    def _in_game(self, client_id: str, job: Callable[[OpenGame], Answer]) -> Future[Answer]:
        return self._once(client_id, lambda: self._state.in_game(job))

    def _once(self, client_id: str, job: Callable[[], Answer], *, keeps_refusal: bool = True) -> Future[Answer]:
        return self._loop.post(lambda: self._answer(client_id, job, keeps_refusal))

    def _answer(self, client_id: str, job: Callable[[], Answer], keeps_refusal: bool) -> Answer:
        """Call `job`, unless this id was answered before: then return that answer again."""
        if not 1 <= len(client_id) <= 64 or not client_id.isprintable() or client_id.startswith(OWN_ID):
            return reject("bad_id", "")
        if client_id in self._answers:
            return self._answers[client_id]
        if self._loop.stopped:
            return reject("table_stopped", "")
        try:
            seq = self._journal.seq_of(client_id)
            answer = Accepted(seq) if seq is not None else job()
        except JournalError as error:
            self._state.notice(Remark(topic="journal", code=error.code))
            return Rejection(error.code, "")
        if isinstance(answer, Accepted):
            self._state.take_down("journal")
        elif not keeps_refusal:
            return answer
        self._answers[client_id] = answer
        if len(self._answers) > ANSWERS_REMEMBERED:
            self._answers.popitem(last=False)
        return answer


def _result(answer: Future[T], within_s: float) -> T | Rejection:
    """Return the result of `answer`; `table_busy` when there is none after `within_s`."""
    with suppress(TimeoutError):
        return answer.result(within_s)
    # A job may have raised a `TimeoutError` itself.
    return answer.result() if answer.done() else BUSY

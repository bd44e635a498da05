"""The open game: what people and sensors submit becomes entries, or is refused. Only one thread uses it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from appliance.games.protocol import Action, Area, Rejection, Step, Timing, tag_of
from appliance.journal.entries import Acted, Amended, AnyBody, Closed, KeptTimer, Paused, Resumed, Undone
from appliance.journal.fold.history import CHANCE_RULE, CORRECTION_RULE, History
from appliance.journal.journal import Journal
from appliance.snapshot import Accepted, AmendmentPreview, Answer, Offer, Submission
from appliance.table.codes import reject
from appliance.table.draws.dealer import Dealer
from appliance.table.game.adviser import CHANCE, Adviser
from appliance.table.game.corrections import Corrections, Grounds
from appliance.table.game.kept_timers import TimerStore
from appliance.table.game.open_prompts import OpenPrompts
from appliance.table.game.pending_advice import PendingAdvice, Waiting
from appliance.table.offered import offers, refused_in_public, refused_to
from hardware.clock import Clock
from hardware.readings import DeviceHealth, Reading


class OpenGame:
    """Checks each submitted action, writes it into the journal, and only then applies it.

    Every method that writes raises `JournalError` when the journal cannot be written. Then nothing has changed.
    `changed` is True when there is something to publish.

    :param health: the current health of the devices, for the new referee.
    :param kept: the timers that ran when this game was last open.
    """

    def __init__(
        self,
        history: History,
        journal: Journal,
        clock: Clock,
        dealer: Dealer,
        timing: Timing,
        health: Iterable[DeviceHealth] = (),
        kept: Sequence[KeptTimer] = (),
    ) -> None:
        self.history = history
        self.advice = PendingAdvice()
        self.changed = True
        self.corrections = Corrections()
        self.deeds: Counter[tuple[str, int | None]] = Counter()
        """Count of the effective actions, by tag and seat (None: the table)."""
        self._journal = journal
        self._clock = clock
        self._dealer = dealer
        self._rules = history.game.rules
        self._adviser = Adviser(history, self.advice, clock, dealer, timing)
        self._timers = TimerStore(journal, clock, history.opened, holds_some=bool(kept))
        self._stepped(None)
        for reading in health:
            self.sense(reading)
        if kept:
            self._adviser.resume(self._timers.running(kept))

    @property
    def attention(self) -> frozenset[Area]:
        """Which parts of the table the camera should watch now."""
        return frozenset() if self.paused else self._adviser.attention

    @property
    def quiet(self) -> bool:
        """Whether screens have shown nothing new for so long that they say what the game waits for."""
        return self._adviser.quiet

    @property
    def paused(self) -> bool:
        """Whether the game is paused: nothing is sensed, and no time passes for it."""
        return self.history.paused is not None

    def asked_at(self, t_s: float) -> str:
        """Return the only prompt that somebody must answer, if it has been open since before `t_s`, else ""."""
        return self._adviser.asked_at(t_s)

    # -- people --------------------------------------------------------------------------------------------------

    def submit(self, submission: Submission) -> Answer:
        """Apply an action that answers an open prompt and that the rules allow."""
        action = submission.action
        if submission.seat is not None and getattr(action, "seat", None) != submission.seat:
            return reject("not_your_seat", "", {"seat": submission.seat})
        if submission.in_public:
            refused = refused_in_public(action, submission.prompt, self._rules.expects(self.history.state, None))
            if refused is not None:
                return refused
        if submission.prompt is not None and submission.prompt not in self._adviser.prompts.names:
            return reject("prompt_closed", "", {"prompt": submission.prompt})
        step = self._apply(action)
        if isinstance(step, Rejection):
            return step
        if (seat := submission.seat) is not None:  # after the rules, whose reason says more than "not offered"
            offered = self._rules.expects(self.history.state, seat)
            if (refused := refused_to(seat, action, submission.prompt, offered)) is not None:
                return refused
        question = self.advice.question
        asked = question if question is not None and submission.prompt in (None, question.prompt) else None
        grounds = Grounds() if asked is None else Grounds((), asked.votes, contested=True)
        return self._write_down(action, step, submission.id, grounds=grounds)

    def object_to(self, pending_id: str) -> Answer:
        """Turn a proposal in its grace into a question."""
        waiting = self.advice.waiting(pending_id)
        if waiting is None or _drawn_for(waiting):
            return reject("too_late", CORRECTION_RULE)
        self.advice.overrule(waiting)
        self.changed = True
        return Accepted(self._journal.last_seq())

    def confirm(self, pending_id: str, client_id: str) -> Answer:
        """Apply a proposal before its grace is over."""
        waiting = self.advice.waiting(pending_id)
        if waiting is None:
            return reject("too_late", CORRECTION_RULE)
        return self._act(waiting.action, client_id, _drawn_for(waiting), _grounds_of(waiting))

    def hold(self, by_s: float) -> None:
        """Restart every running grace with a length of `by_s` seconds."""
        self.changed |= self.advice.hold(self._clock.now_s(), by_s)

    def command(self, name: str) -> Answer:
        """Handle a table button that is not a game action."""
        if name == "dismiss":
            self.advice.dismiss()
        elif (refused := self._adviser.command(name)) is not None:
            return refused
        self.changed = True
        return Accepted(self._journal.last_seq())

    def draw(self, name: str, client_id: str, seat: int | None) -> Answer:
        """Answer an open prompt by a random draw, where it allows one."""
        prompt = self._adviser.prompts.drawable(name)
        if prompt is None:
            return reject("prompt_closed", "AP-5", {"prompt": name})
        if seat is not None and prompt.seat != seat:
            return reject("not_your_seat", "", {"seat": seat})
        return self._act(self._dealer.answer(self.history, prompt), client_id, prompt.prompt)

    # -- corrections ---------------------------------------------------------------------------------------------

    def preview(self, target: int, action: Action | None) -> AmendmentPreview | Rejection:
        """Show what an amendment would change."""
        refold = self.history.refold(target, action, in_public=True)
        return refold if isinstance(refold, Rejection) else self.history.preview(refold)

    def offers(self) -> tuple[Offer, ...]:
        """Return the most likely corrections, the likeliest first."""
        return self.corrections.offers(self.history, self.advice.remarks)

    def ask(self, seat: int, seq: int, action: dict[str, Any] | None) -> Answer:
        """Record that `seat` asks for one of the offered corrections."""
        wanted = next((one for one in self.offers() if (one.seq, one.action) == (seq, action)), None)
        if wanted is None:
            return reject("not_offered", "")
        self.corrections.ask(seat, wanted)
        self.changed = True
        return Accepted(self._journal.last_seq())

    def refuse(self, seat: int) -> Answer:
        """Remove the correction that `seat` asks for."""
        self.corrections.refuse(seat)
        self.changed = True
        return Accepted(self._journal.last_seq())

    def amend(self, target: int, action: Action | None, client_id: str, newest_entry: int | None) -> Answer:
        """Replace the action of entry `target` by `action`; None: as if it had not been done."""
        if self._went_on(newest_entry):
            return reject("game_went_on", CORRECTION_RULE)
        asked = None if action is None else self.history.must_answer(target, action)
        if action is not None and asked is not None and not any(offers(prompt, action) for prompt in asked):
            return reject("not_offered", "")
        refold = self.history.refold(target, action)
        if isinstance(refold, Rejection):
            return refold
        meant = None if action is None else msgspec.to_builtins(action)
        (seq,) = self._write((client_id, Amended(target=target, action=meant)))
        self.history.amend(seq, refold)
        self._corrected()
        return Accepted(seq)

    def undo(self, client_id: str, own_id: str, newest_entry: int | None) -> Answer:
        """Take back the last action or amendment that still counts, and the draws that followed it automatically.

        :param own_id: prefix of the ids of further entries.
        """
        if self._went_on(newest_entry):
            return reject("game_went_on", CORRECTION_RULE)
        targets = self.history.undoable_together(self._draws_at_once)
        if not targets:
            return reject("nothing_to_undo", CORRECTION_RULE)
        ids = [*(f"{own_id}undo-{target}-{client_id}" for target in targets[:-1]), client_id]
        seqs = self._write(*((name, Undone(target=target)) for name, target in zip(ids, targets, strict=True)))
        for seq in seqs:
            self.history.undo(seq)
        self._corrected()
        return Accepted(seqs[-1])

    def _went_on(self, newest_entry: int | None) -> bool:
        """Return whether the game changed since `newest_entry`; None: whoever asks does not mind."""
        return newest_entry not in (None, self.history.newest_entry)

    def _draws_at_once(self, state: Any) -> bool:
        return bool(OpenPrompts(self._rules.expects(state, None)).drawn_at_once())

    def close(self, client_id: str) -> Answer:
        """Write to the journal that the game is closed."""
        return Accepted(self._write((client_id, Closed(outcome=self._rules.outcome(self.history.state))))[0])

    # -- time and sensors ----------------------------------------------------------------------------------------

    def pause(self, client_id: str) -> Answer:
        """Pause the game. The remaining time of its timers is stored in the same entry."""
        if self._rules.outcome(self.history.state) is not None:
            return reject("nothing_to_pause", "")
        timers = self._timers.lasting(self.advice.timers)
        (seq,) = self._write((client_id, Paused(timers=timers)))
        self.history.paused = timers
        return Accepted(seq)

    def resume(self, client_id: str) -> Answer:
        """Write to the journal that the game goes on, together with its timers. A new `OpenGame` continues it."""
        (seq,) = self._journal.append(self.history.opened, [(client_id, Resumed())], timers=self.history.paused)
        self.history.paused = None
        return Accepted(seq)

    def go_on_from(self, before: OpenGame) -> None:
        """Take over the corrections and pending advice of the paused game `before`. Each grace begins again."""
        self.corrections = before.corrections
        adviser = self._adviser
        self.advice.take_over(before.advice, adviser.prompts.names, adviser.possible, self._clock.now_s())

    def sense(self, reading: Reading) -> None:
        """Pass a reading to the referee."""
        if not self.paused:
            self.changed |= self._adviser.sense(reading)

    def tick(self) -> None:
        """Pass the time to the referee."""
        if not self.paused:
            self.changed |= self._adviser.tick()

    def next_due_s(self) -> float:
        """Return when the next timed work is due: the next tick or the end of a grace."""
        return self._adviser.next_due_s()

    def due(self) -> Waiting | None:
        """Return a proposal whose grace is over, or None."""
        return None if self.paused else self.advice.due(self._clock.now_s())

    def submit_due(self, waiting: Waiting, own_id: str) -> None:
        """Apply a proposal whose grace is over; its entry's id begins with `own_id`."""
        self._act(waiting.action, own_id + waiting.shown.id, _drawn_for(waiting), _grounds_of(waiting))

    def defer(self, waiting: Waiting, by_s: float) -> None:
        """Try a proposal again later."""
        self.advice.defer(waiting, self._clock.now_s(), by_s)
        self.changed = True

    def timers_left(self) -> tuple[KeptTimer, ...]:
        """Return the running timers with the time that is left; none while the game is paused."""
        return () if self.paused else self._timers.lasting(self.advice.timers)

    def keep_timers(self) -> bool:
        """Store the running timers when they changed, so that they survive a power cut. Return whether it did."""
        return self._timers.keep({} if self.paused else self.advice.timers)

    # -- how it goes on ------------------------------------------------------------------------------------------

    def _act(self, action: Action, client_id: str, drawn: str = "", grounds: Grounds | None = None) -> Answer:
        step = self._apply(action)
        return step if isinstance(step, Rejection) else self._write_down(action, step, client_id, drawn, grounds)

    def _write_down(
        self, action: Action, step: Step[Any], client_id: str, drawn: str = "", grounds: Grounds | None = None
    ) -> Answer:
        if not drawn and self._adviser.prompts.against_chance(action, self.history.draws):
            return reject("chance_stands", CHANCE_RULE)
        (seq,) = self._write((client_id, Acted(action=msgspec.to_builtins(action), drawn=drawn)))
        self.history.act(seq, action, step, drawn)
        self.corrections.note(seq, grounds or Grounds())
        self._stepped(action)
        return Accepted(seq)

    def _apply(self, action: Action) -> Step[Any] | Rejection:
        if not isinstance(action, self._rules.action_type):
            return reject("unknown_action", "", {"do": tag_of(action)})
        return self._rules.apply(self.history.state, action)

    def _write(self, *bodies: tuple[str, AnyBody]) -> tuple[int, ...]:
        seqs = self._journal.append(self.history.opened, bodies, self._rules.secret_fields)
        self.changed = True
        return seqs

    def _corrected(self) -> None:
        self.advice.forget_prompts()
        self.corrections.made()
        self._stepped(None)

    def _stepped(self, action: Action | None) -> None:
        if action is None:
            self.deeds.clear()
        done = self.history.actions() if action is None else (action,)
        self.deeds.update((tag_of(one), getattr(one, "seat", None)) for one in done)
        self.changed |= self._adviser.stepped(action)


def _grounds_of(waiting: Waiting) -> Grounds:
    return Grounds(waiting.shown.because, waiting.shown.votes)


def _drawn_for(waiting: Waiting) -> str:
    """Return the prompt that this proposal answers by a draw, "" where it came from sensors."""
    return waiting.shown.prompt if waiting.shown.because == CHANCE else ""

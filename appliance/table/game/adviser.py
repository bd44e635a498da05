"""What the referee and the dealer advise in the open position, and since when screens have shown nothing new."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from appliance.games.protocol import Action, Advice, Area, Prompt, Proposal, Rejection, Timer, Timing
from appliance.journal.fold.history import History
from appliance.table.codes import remark
from appliance.table.draws.dealer import Dealer
from appliance.table.game.open_prompts import OpenPrompts
from appliance.table.game.pending_advice import PendingAdvice
from hardware.clock import Clock
from hardware.readings import Reading

TICK_S = 0.1
QUIET_S = 25.0
"""Seconds without an action or new advice after which screens say what the game waits for."""
CHANCE = ("chance",)
"""Value of `because` in a proposal that the appliance drew at random."""
DRAWN = "drawn"
"""Topic of the remark that sensors saw something else than what the appliance drew. It lasts until the next step."""


class Adviser:
    """Asks the referee and the dealer of one game, and puts what they say into `advice`. It writes nothing.

    A method that returns a bool returns whether screens have something new to show.

    :param history: the game; its state is read at each call.
    """

    def __init__(self, history: History, advice: PendingAdvice, clock: Clock, dealer: Dealer, timing: Timing) -> None:
        self.prompts = OpenPrompts()
        self.quiet = False
        """Whether there was no action and no new advice for `QUIET_S`."""
        self._history = history
        self._advice = advice
        self._clock = clock
        self._dealer = dealer
        self._rules = history.game.rules
        self._referee = history.game.referee(history.setup, timing)
        self._ticked_s = self._stepped_s = self._heard_s = clock.now_s()

    @property
    def attention(self) -> frozenset[Area]:
        """Which parts of the table the camera should watch now."""
        return self._referee.attention(self._history.state)

    def asked_at(self, t_s: float) -> str:
        """Return the only prompt that somebody must answer, if it has been open since before `t_s`, else ""."""
        return self.prompts.asked if self._stepped_s < t_s else ""

    def possible(self, action: Action) -> bool:
        """Return whether the rules allow `action` now."""
        return not isinstance(self._rules.apply(self._history.state, action), Rejection)

    def stepped(self, action: Action | None) -> bool:
        """Advise in a new position: after `action`, or at the start and after a correction (None)."""
        self._stepped_s = self._clock.now_s()
        self._heard()
        self.prompts = OpenPrompts(self._history.prompts())
        self._advice.close_prompts(self.prompts.names, self.possible)
        advised = [remark(DRAWN, ""), *self._referee.stepped(self._history.state, action, self._clock.now_s())]
        return self._take([*advised, *map(self._drawn, self.prompts.drawn_at_once())])

    def resume(self, timers: Sequence[Timer]) -> bool:
        """Go on after a restart or a pause, with the timers that ran."""
        advised = self._referee.resume(self._history.state, timers, self._clock.now_s())
        return self._take([*timers, *advised])

    def sense(self, reading: Reading) -> bool:
        """Pass a reading to the referee."""
        return self._take(self._referee.sense(self._history.state, reading))

    def command(self, name: str) -> Rejection | None:
        """Pass a button that is no game action to the referee. Return why it cannot be pressed now."""
        advised = self._referee.command(self._history.state, name, self._clock.now_s())
        if isinstance(advised, Rejection):
            return advised
        self._take(advised)
        return None

    def tick(self) -> bool:
        """Pass the time to the referee, at most once per `TICK_S`."""
        now_s = self._clock.now_s()
        if now_s - self._ticked_s < TICK_S:
            return False
        self._ticked_s = now_s
        news = self._take(self._referee.tick(self._history.state, now_s))
        falls_quiet = not self.quiet and now_s - self._heard_s >= QUIET_S
        self.quiet |= falls_quiet
        return news or falls_quiet

    def next_due_s(self) -> float:
        """Return when the next timed work is due: the next tick or the end of a grace."""
        due_s = self._advice.next_due_s()
        tick_s = self._ticked_s + TICK_S
        return tick_s if due_s is None else min(due_s, tick_s)

    def _take(self, advised: Iterable[Advice]) -> bool:
        news = False
        for given in advised:
            if (one := self._admitted(given)) is None:
                continue
            # Optional prompts (such as showing a seal) stay open longer than the situation that a timer belongs to.
            prompts = self.prompts.must if isinstance(one, Timer) else self.prompts.names
            if self._advice.put(one, prompts, self._history.public, self._clock.now_s()):
                news = True
                self._heard()
        return news

    def _admitted(self, advice: Advice) -> Advice | None:
        """Return `advice`; None for an impossible proposal, a remark for one that differs from an undone draw."""
        if not isinstance(advice, Proposal):
            return advice
        if not self.possible(advice.action):
            return None
        differs = advice.because != CHANCE and self.prompts.against_chance(advice.action, self._history.draws)
        return remark(DRAWN, "chance_stands") if differs else advice

    def _drawn(self, prompt: Prompt) -> Proposal:
        answer = self._dealer.answer(self._history, prompt)
        return Proposal(action=answer, prompt=prompt.prompt, because=CHANCE, grace_s=0.0)

    def _heard(self) -> None:
        """Record the time of a visible change. Only changes on screens count, so that `quiet` reveals no secret."""
        self._heard_s, self.quiet = self._clock.now_s(), False

"""What the referee last advised and is still worth showing: proposals in their grace, questions, remarks, timers."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Set
from typing import Any

import msgspec

from appliance.games.game import Action, Advice, Proposal, Question, Remark, Timer
from appliance.snapshot import Pending


class Waiting(msgspec.Struct, frozen=True):
    """A proposal in its grace: what people see of it, and what will be submitted."""

    shown: Pending
    action: Action


class AdviceBoard:
    """Keeps the newest advice for each open prompt, topic and timer name; times are seconds of the table's clock."""

    def __init__(self) -> None:
        self._waiting: dict[str, Waiting] = {}
        self._questions: dict[str, Question] = {}
        self._overruled: dict[str, list[Action]] = {}
        self._remarks: dict[str, Remark] = {}
        self._timers: dict[str, tuple[Timer, frozenset[str]]] = {}

    def put(
        self, advice: Advice, open_prompts: Set[str], public: Callable[[Action], dict[str, Any]], now_s: float
    ) -> None:
        """Take one advice. A proposal or question for a closed prompt, or one that was overruled, is passed over."""
        match advice:
            case Proposal():
                overruled = advice.action in self._overruled.get(advice.prompt, ())
                if advice.prompt in open_prompts and not overruled:
                    self._propose(advice, public(advice.action), now_s)
            case Question():
                if advice.prompt in open_prompts:
                    self._waiting.pop(advice.prompt, None)
                    self._questions.pop(advice.prompt, None)
                    self._questions[advice.prompt] = advice
            case Remark(topic=topic, code=""):
                self._remarks.pop(topic, None)
            case Remark():
                self._remarks[advice.topic] = advice
            case Timer():
                self._timers[advice.name] = (advice, frozenset(open_prompts))

    def _propose(self, proposal: Proposal, action: dict[str, Any], now_s: float) -> None:
        known = self._waiting.get(proposal.prompt)
        if known is not None and known.action == proposal.action:
            return
        self._questions.pop(proposal.prompt, None)
        pending = Pending(
            id=secrets.token_hex(8),
            prompt=proposal.prompt,
            action=action,
            because=proposal.because,
            started_s=now_s,
            ends_s=now_s + proposal.grace_s,
        )
        self._waiting[proposal.prompt] = Waiting(pending, proposal.action)

    def close_prompts(self, open_prompts: Set[str], possible: Callable[[Action], bool]) -> None:
        """Drop what belonged to prompts that are closed now, and proposals that became impossible."""
        self._waiting = {p: w for p, w in self._waiting.items() if p in open_prompts and possible(w.action)}
        self._questions = {p: question for p, question in self._questions.items() if p in open_prompts}
        self._overruled = {p: actions for p, actions in self._overruled.items() if p in open_prompts}
        self._timers = {name: kept for name, kept in self._timers.items() if kept[1] & open_prompts}

    def forget_prompts(self) -> None:
        """Drop every proposal, question and objection: the game was corrected under them."""
        self._waiting, self._questions, self._overruled = {}, {}, {}

    def dismiss(self) -> None:
        """Take the newest question down; its prompts stay open."""
        if self._questions:
            self._questions.popitem()

    # -- proposals -----------------------------------------------------------------------------------------------

    def waiting(self, pending_id: str) -> Waiting | None:
        """Return the proposal of that id while it is in its grace."""
        return next((waiting for waiting in self._waiting.values() if waiting.shown.id == pending_id), None)

    def due(self, now_s: float) -> Waiting | None:
        """Return a proposal whose grace is over, the earliest first."""
        first = self._first()
        return first if first is not None and first.shown.ends_s <= now_s else None

    def next_due_s(self) -> float | None:
        """Return when the next grace is over."""
        first = self._first()
        return first.shown.ends_s if first is not None else None

    def _first(self) -> Waiting | None:
        return min(self._waiting.values(), key=lambda waiting: waiting.shown.ends_s, default=None)

    def drop(self, waiting: Waiting) -> None:
        """Take a proposal down."""
        self._waiting.pop(waiting.shown.prompt, None)

    def defer(self, waiting: Waiting, now_s: float, by_s: float) -> None:
        """Give a proposal another grace of `by_s`."""
        shown = msgspec.structs.replace(waiting.shown, started_s=now_s, ends_s=now_s + by_s)
        self._waiting[shown.prompt] = Waiting(shown, waiting.action)

    def overrule(self, waiting: Waiting) -> None:
        """Somebody objects: people decide, and the same proposal does not come back while the prompt is open."""
        prompt = waiting.shown.prompt
        self.drop(waiting)
        self._overruled.setdefault(prompt, []).append(waiting.action)
        self._questions[prompt] = Question(prompt=prompt, code="overruled")

    # -- what is shown -------------------------------------------------------------------------------------------

    @property
    def pending(self) -> Pending | None:
        """The proposal whose grace ends first."""
        first = self._first()
        return first.shown if first is not None else None

    @property
    def question(self) -> Question | None:
        """The newest question."""
        return next(reversed(self._questions.values()), None)

    @property
    def remarks(self) -> Mapping[str, Remark]:
        """The remarks by topic."""
        return self._remarks

    @property
    def timers(self) -> dict[str, Timer]:
        """The timers by name; one that has run out stays until the situation it belongs to is over."""
        return {name: timer for name, (timer, _) in self._timers.items()}

"""The referee's advice that is shown now: proposals in their grace, questions, remarks, timers."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Set
from typing import Any

import msgspec

from appliance.games.protocol import Action, Advice, Proposal, Question, Remark, Timer
from appliance.snapshot import Pending
from appliance.table.codes import question


class Waiting(msgspec.Struct, frozen=True):
    """A proposal in its grace: what people see of it, and what will be submitted."""

    shown: Pending
    action: Action


class PendingAdvice:
    """Keeps the newest advice for each open prompt, topic and timer name; times are seconds of the table's clock."""

    def __init__(self) -> None:
        self._waiting: dict[str, Waiting] = {}
        self._questions: dict[str, Question] = {}
        self._overruled: dict[str, list[Action]] = {}
        self._remarks: dict[str, Remark] = {}
        self._timers: dict[str, tuple[Timer, frozenset[str]]] = {}

    def put(
        self, advice: Advice, open_prompts: Set[str], public: Callable[[Action], dict[str, Any]], now_s: float
    ) -> bool:
        """Store one piece of advice. Return whether it changes anything.

        A proposal or question for a closed prompt is ignored, and so is a proposal that was overruled.
        """
        match advice:
            case Proposal():
                return advice.prompt in open_prompts and self._propose(advice, public, now_s)
            case Question():
                return advice.prompt in open_prompts and self._ask(advice)
            case Remark(topic=topic, code=""):
                return self._remarks.pop(topic, None) is not None
            case Remark():
                news = self._remarks.get(advice.topic) != advice
                self._remarks[advice.topic] = advice
                return news
            case Timer() if advice.ends_s <= advice.started_s:
                return self._timers.pop(advice.name, None) is not None
            case Timer():
                known = self._timers.get(advice.name)
                self._timers[advice.name] = (advice, frozenset(open_prompts))
                return known is None or known[0] != advice

    def _propose(self, proposal: Proposal, public: Callable[[Action], dict[str, Any]], now_s: float) -> bool:
        known = self._waiting.get(proposal.prompt)
        overruled = proposal.action in self._overruled.get(proposal.prompt, ())
        if overruled or (known is not None and known.action == proposal.action):
            return False
        self._questions.pop(proposal.prompt, None)
        pending = Pending(
            id=secrets.token_hex(8),
            prompt=proposal.prompt,
            action=public(proposal.action),
            because=proposal.because,
            started_s=now_s,
            ends_s=now_s + proposal.grace_s,
            votes=dict(proposal.votes),
        )
        self._waiting[proposal.prompt] = Waiting(pending, proposal.action)
        return True

    def _ask(self, question: Question) -> bool:
        news = self._questions.pop(question.prompt, None) != question
        news |= self._waiting.pop(question.prompt, None) is not None
        self._questions[question.prompt] = question
        return news

    def close_prompts(self, open_prompts: Set[str], possible: Callable[[Action], bool]) -> None:
        """Drop what belonged to prompts that are closed now, and proposals that became impossible."""
        self._waiting = {p: w for p, w in self._waiting.items() if p in open_prompts and possible(w.action)}
        self._questions = {p: question for p, question in self._questions.items() if p in open_prompts}
        self._overruled = {p: actions for p, actions in self._overruled.items() if p in open_prompts}
        self._timers = {name: kept for name, kept in self._timers.items() if kept[1] & open_prompts}

    def forget_prompts(self) -> None:
        """Drop every proposal, question and objection, because the game was corrected."""
        self._waiting, self._questions, self._overruled = {}, {}, {}

    def dismiss(self) -> None:
        """Remove the newest question; its prompts stay open."""
        if self._questions:
            self._questions.popitem()

    def take_over(
        self, before: PendingAdvice, open_prompts: Set[str], possible: Callable[[Action], bool], now_s: float
    ) -> None:
        """Take over proposals, questions and objections from `before`. Each grace begins again. Draws are made anew.

        A proposal of `before` is kept rather than what the new referee, which has seen nothing yet, says of its prompt.
        """
        self._overruled = {prompt: list(actions) for prompt, actions in before._overruled.items()}
        for waiting in before._waiting.values():
            if waiting.shown.ends_s > waiting.shown.started_s:
                self.defer(waiting, now_s, waiting.shown.ends_s - waiting.shown.started_s)
                self._questions.pop(waiting.shown.prompt, None)
        self._questions |= {p: question for p, question in before._questions.items() if p not in self._waiting}
        self.close_prompts(open_prompts, possible)

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
        """Remove a proposal."""
        self._waiting.pop(waiting.shown.prompt, None)

    def defer(self, waiting: Waiting, now_s: float, by_s: float) -> None:
        """Give a proposal another grace of `by_s`."""
        shown = msgspec.structs.replace(waiting.shown, started_s=now_s, ends_s=now_s + by_s)
        self._waiting[shown.prompt] = Waiting(shown, waiting.action)

    def hold(self, now_s: float, by_s: float) -> bool:
        """Give every proposal that waits for people another grace of `by_s`. Return whether there is one."""
        held = [waiting for waiting in self._waiting.values() if waiting.shown.ends_s > waiting.shown.started_s]
        for waiting in held:
            self.defer(waiting, now_s, by_s)
        return bool(held)

    def overrule(self, waiting: Waiting) -> None:
        """Turn a proposal into a question, because somebody objects. It does not come back while the prompt is open."""
        prompt = waiting.shown.prompt
        self.drop(waiting)
        self._overruled.setdefault(prompt, []).append(waiting.action)
        asked = question(prompt, "overruled")
        self._questions[prompt] = msgspec.structs.replace(asked, votes=waiting.shown.votes)

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

"""A game's history: the fold of its journal entries, with amendments and undo. Pure; the table owns one and feeds it.

A deed is an entry that counts. An amendment replaces what a deed means and folds everything after it again; the first
deed that has become impossible and those after it are set aside. Undo takes back the last action or amendment that
still counts, and so brings back exactly what it replaced.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from appliance.games.game import Action, Game, Happening, Rejection, Setup, Step
from appliance.snapshot import AmendmentPreview, Announcement, Deed

CORRECTION_RULE = "AP-2"


class Folded(msgspec.Struct, frozen=True):
    """One deed: its entry, what it means now (None: as if it had not been done), what happened, the state after it."""

    seq: int
    action: Action | None
    happened: tuple[Happening, ...]
    state: Any


class Refold(msgspec.Struct, frozen=True):
    """What an amendment would put in place of the deeds from index `start` on."""

    target: int
    start: int
    deeds: tuple[Folded, ...]
    set_aside: tuple[int, ...]
    first_problem: Rejection | None


class _Change(msgspec.Struct, frozen=True):
    """One entry that undo can take back: from index `start` on it put other deeds where `replaced` were."""

    seq: int
    start: int
    replaced: tuple[Folded, ...]


class History:
    """The deeds of one game and the state after each.

    :param opened: the seq of the entry that opened the game.
    :param start: the game's own set-up step.
    """

    def __init__(self, game: Game, setup: Setup, opened: int, start: Step[Any]) -> None:
        self.game = game
        self.setup = setup
        self.opened = opened
        self._start = start
        self._deeds: list[Folded] = []
        self._changes: list[_Change] = []
        self._corrections: list[Announcement] = []
        self._log: list[Announcement] = []
        self._write_log()

    # -- how it stands -------------------------------------------------------------------------------------------

    @property
    def state(self) -> Any:
        """The state now."""
        return self._deeds[-1].state if self._deeds else self._start.state

    @property
    def begun(self) -> bool:
        """Whether anything was done yet."""
        return bool(self._deeds)

    def actions(self) -> tuple[Action, ...]:
        """Return the effective actions in order: they alone fold to the state."""
        return tuple(deed.action for deed in self._deeds if deed.action is not None)

    def log(self, at_most: int) -> tuple[Announcement, ...]:
        """Return the newest announcements in order: what counts as having happened, and every correction once."""
        return tuple(self._log[-at_most:])

    def correctable(self, at_most: int) -> tuple[Deed, ...]:
        """Return the newest deeds first, public fields only, without what only one seat may hear."""
        newest: list[Deed] = []
        for deed in reversed(self._deeds):
            if len(newest) == at_most:
                break
            if deed.action is not None:
                heard = tuple(happening for happening in deed.happened if happening.to is None)
                newest.append(Deed(seq=deed.seq, action=self.public(deed.action), happened=heard))
        return tuple(newest)

    def public(self, action: Action) -> dict[str, Any]:
        """Return the action as a mapping, its tag under "do", without its secret fields."""
        return public_fields(action, self.game.secret_fields)

    # -- going on ------------------------------------------------------------------------------------------------

    def act(self, seq: int, action: Action, step: Step[Any]) -> None:
        """Add the deed `seq`, whose `step` came from applying `action` to the state now."""
        self._changes.append(_Change(seq, len(self._deeds), ()))
        self._deeds.append(Folded(seq, action, step.happened, step.state))
        self._log.extend(Announcement(seq, "happening", happening) for happening in step.happened)

    def refold(self, target: int, action: Action | None) -> Refold | Rejection:
        """Return what the amendment of entry `target` would change; nothing changes yet.

        Codes: `not_correctable` (no deed of that number counts), `nothing_changes`, or the game's own when the new
        action is impossible at that place.
        """
        start = next((index for index, deed in enumerate(self._deeds) if deed.seq == target), None)
        if start is None:
            return Rejection("not_correctable", CORRECTION_RULE, {"entry": target})
        if self._deeds[start].action == action:
            return Rejection("nothing_changes", CORRECTION_RULE, {"entry": target})
        state = self._deeds[start - 1].state if start else self._start.state
        new: list[Folded] = []
        tail = [(target, action), *((deed.seq, deed.action) for deed in self._deeds[start + 1 :])]
        for index, (seq, meant) in enumerate(tail):
            step = Step(state) if meant is None else self.game.apply(state, meant)
            if isinstance(step, Rejection):
                if seq == target:
                    return step
                return Refold(target, start, tuple(new), tuple(seq for seq, _ in tail[index:]), step)
            state = step.state
            new.append(Folded(seq, meant, step.happened, state))
        return Refold(target, start, tuple(new), (), None)

    def preview(self, refold: Refold) -> AmendmentPreview:
        """Return what people see before they confirm: public views only."""
        after = refold.deeds[-1].state
        return AmendmentPreview(
            seq=refold.target,
            before=self.game.view(self.state, None),
            after=self.game.view(after, None),
            set_aside=refold.set_aside,
            first_problem=refold.first_problem,
        )

    def amend(self, seq: int, refold: Refold) -> None:
        """Put `refold`, made from the history as it is now, into force as entry `seq`."""
        self._changes.append(_Change(seq, refold.start, tuple(self._deeds[refold.start :])))
        self._deeds[refold.start :] = refold.deeds
        replaced, meant = self._changes[-1].replaced[0], refold.deeds[0]
        self._announce(seq, replaced, meant)

    def undoable(self) -> int | None:
        """Return the entry that undo would take back next, or None."""
        return self._changes[-1].seq if self._changes else None

    def undo(self, seq: int) -> None:
        """Take back the last change as entry `seq`.

        :raises IndexError: there is none (ask `undoable` first).
        """
        change = self._changes.pop()
        taken_back = self._deeds[change.start]
        self._deeds[change.start :] = change.replaced
        self._announce(seq, taken_back, change.replaced[0] if change.replaced else None, undone=True)

    def _announce(self, seq: int, before: Folded, after: Folded | None, *, undone: bool = False) -> None:
        """Tell a correction once: what is taken back, or what the table says instead."""
        withdrawn = before.action is not None and (undone or after is None or after.action is None)
        told = before if withdrawn or after is None else after
        heard = next((happening for happening in told.happened if happening.to is None), None)
        happening = heard or Happening("corrected", {"entry": before.seq}, CORRECTION_RULE)
        self._corrections.append(Announcement(seq, "undone" if withdrawn else "amended", happening))
        self._write_log()

    def _write_log(self) -> None:
        lines = [Announcement(self.opened, "happening", happening) for happening in self._start.happened]
        for deed in self._deeds:
            lines.extend(Announcement(deed.seq, "happening", happening) for happening in deed.happened)
        self._log = sorted([*lines, *self._corrections], key=lambda line: line.seq)


def public_fields(action: Action, secret_fields: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    """Return `action` as a mapping without the fields that are secret for its tag."""
    fields: dict[str, Any] = msgspec.to_builtins(action)
    hidden = secret_fields.get(fields["do"], frozenset())
    return {name: value for name, value in fields.items() if name not in hidden}

"""A game's history: the fold of its journal entries, with amendments and undo. Pure; the table owns one.

A deed is an action that still counts. An amendment replaces the action of a deed and folds all later deeds again.
The first deed that has become impossible, and all after it, are set aside. Undo takes back the last action or
amendment that still counts, and restores exactly what it replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from appliance.games.game import Game
from appliance.games.protocol import Action, Happening, Prompt, Rejection, Setup, Step, tag_of
from appliance.journal.codes import reject
from appliance.journal.entries import KeptTimer
from appliance.journal.fold.announcements import Announcements
from appliance.snapshot import Alternatives, AmendmentPreview, Announcement, AnnouncementKind, Deed

CORRECTION_RULE = "AP-2"
CHANCE_RULE = "AP-5"


class Folded(msgspec.Struct, frozen=True):
    """One deed: its entry, its current action (None: as if it had not been done), its happenings, the state after it.

    `drawn`: the appliance drew it.
    """

    seq: int
    action: Action | None
    happened: tuple[Happening, ...]
    state: Any
    drawn: bool = False


class Refold(msgspec.Struct, frozen=True):
    """The result of an amendment: `deeds` would replace those from index `start` on.

    `meant` is the amended deed; it has no happenings if it is not folded. `covered`: the fold ends before the first
    deed whose result may tell everybody what is hidden.
    """

    target: int
    start: int
    meant: Folded
    deeds: tuple[Folded, ...] = ()
    set_aside: tuple[int, ...] = ()
    first_problem: Rejection | None = None
    covered: bool = False


class _Change(msgspec.Struct, frozen=True):
    """One entry that undo can take back: from index `start` on it replaced the deeds `replaced`."""

    seq: int
    start: int
    replaced: tuple[Folded, ...]


class History:
    """The deeds of one game and the state after each.

    :param opened: the seq of the entry that opened the game.
    :param start: the game's own set-up step.
    :param seating: for a rematch, the game whose seats are used; None: this one.
    :param start_value: the appliance's draws are derived from it; "": none is kept.
    """

    def __init__(
        self,
        game: Game,
        setup: Setup,
        opened: int,
        start: Step[Any],
        seating: int | None = None,
        start_value: str = "",
    ) -> None:
        self.game = game
        self.setup = setup
        self._is_public = game.is_public(setup)
        self.opened = opened
        self.newest_entry = opened
        """The newest entry that changed the game: an action, an amendment or an undo; at first the opening one."""
        self.seating = opened if seating is None else seating
        self.start_value = start_value
        self.drawn: Counter[str] = Counter()
        """How often each prompt was answered by a draw, undone ones included."""
        self.draws: dict[str, Action] = {}
        """What the appliance drew, by prompt. A draw stays after an undo, so that nobody can draw again."""
        self.paused: tuple[KeptTimer, ...] | None = None
        """While the game is paused: the timers that ran."""
        self._start = start
        self._deeds: list[Folded] = []
        self._changes: list[_Change] = []
        self._announcements = Announcements()
        self._listed: dict[int, Deed] = {}
        """What `correctable` returned last, by entry. A correction clears it."""
        self._announcements.tell_again(self._happened())

    # -- how it stands -------------------------------------------------------------------------------------------

    @property
    def state(self) -> Any:
        """The current state."""
        return self._deeds[-1].state if self._deeds else self._start.state

    @property
    def begun(self) -> bool:
        """Whether anything was done yet."""
        return bool(self._deeds)

    def prompts(self) -> tuple[Prompt, ...]:
        """Return all open prompts: those that the table sees, then those that each seat sees."""
        viewers = (None, *range(len(self.setup.players)))
        return tuple(prompt for viewer in viewers for prompt in self.game.rules.expects(self.state, viewer))

    def actions(self) -> tuple[Action, ...]:
        """Return the effective actions in order. Folding them gives the state."""
        return tuple(deed.action for deed in self._deeds if deed.action is not None)

    def told(self) -> tuple[tuple[int, tuple[Happening, ...]], ...]:
        """Return the public happenings of the set-up and of each effective action, by entry, in order."""
        deeds = [(deed.seq, deed.happened) for deed in self._deeds if deed.action is not None]
        return tuple((seq, for_all(happened)) for seq, happened in [(self.opened, self._start.happened), *deeds])

    def newest(self) -> tuple[Happening, ...]:
        """Return the happenings of the newest deed; before the first one, those of the set-up."""
        return self._deeds[-1].happened if self._deeds else self._start.happened

    def log(self, at_most: int) -> tuple[Announcement, ...]:
        """Return the newest announcements in order: happenings that count, and each correction once."""
        return self._announcements.newest(at_most)

    def correctable(self, at_most: int) -> tuple[Deed, ...]:
        """Return the newest deeds first, with public fields and public happenings only."""
        listed: dict[int, Deed] = {}
        for deed in reversed(self._deeds):
            if len(listed) == at_most:
                break
            if deed.action is not None:
                listed[deed.seq] = self._listed.get(deed.seq) or self._told(deed, deed.action)
        self._listed = listed
        return tuple(listed.values())

    def alternatives(self, seq: int) -> Alternatives | Rejection:
        """Return the deed `seq`, and the public prompts that were open for its seat just before it.

        Codes: `not_correctable`, `chance_stands` (the appliance drew it).
        """
        at = self._correctable(seq)
        if isinstance(at, Rejection):
            return at
        deed = self._deeds[at]
        if deed.action is None:
            return reject("not_correctable", CORRECTION_RULE, {"entry": seq})
        told = self._told(deed, deed.action)
        offered = self._offered_before(at)
        return Alternatives(told, tuple(prompt for prompt in offered if prompt.seat == told.action.get("seat")))

    def must_answer(self, seq: int, action: Action) -> tuple[Prompt, ...] | None:
        """Return the prompts of which an amendment of `seq` by `action` must answer one; None: it need not.

        The rules may refuse another action for what is hidden. A refusal leaves no entry, so nobody would notice it.
        """
        at = self._correctable(seq)
        if isinstance(at, Rejection) or self._tells_nothing(self._before(at), action):
            return None
        return self._offered_before(at)

    def view_before(self, seq: int) -> Any:
        """Return the public view before the deed `seq`, as a mapping; None where there is no such deed."""
        at = next((index for index, deed in enumerate(self._deeds) if deed.seq == seq), None)
        return None if at is None else msgspec.to_builtins(self.game.rules.view(self._before(at), None))

    def _told(self, deed: Folded, action: Action) -> Deed:
        return Deed(seq=deed.seq, action=self.public(action), happened=for_all(deed.happened), drawn=deed.drawn)

    def _offered_before(self, index: int) -> tuple[Prompt, ...]:
        return self.game.rules.expects(self._before(index), None)

    def _before(self, index: int) -> Any:
        return self._deeds[index - 1].state if index else self._start.state

    def _correctable(self, seq: int) -> int | Rejection:
        """Return the index of the deed `seq`, or why it cannot be corrected."""
        index = next((index for index, deed in enumerate(self._deeds) if deed.seq == seq), None)
        if index is None:
            return reject("not_correctable", CORRECTION_RULE, {"entry": seq})
        if self._deeds[index].drawn:
            return reject("chance_stands", CHANCE_RULE, {"entry": seq})
        return index

    def public(self, action: Action) -> dict[str, Any]:
        """Return the action as a mapping, its tag under "do", without its secret fields."""
        return public_fields(action, self.game.rules.secret_fields)

    # -- going on ------------------------------------------------------------------------------------------------

    def act(self, seq: int, action: Action, step: Step[Any], drawn: str = "") -> None:
        """Add the deed `seq`. `step` is the result of applying `action` to the current state.

        :param drawn: the prompt that the appliance answered by drawing it.
        """
        self.newest_entry = seq
        self._changes.append(_Change(seq, len(self._deeds), ()))
        self._deeds.append(Folded(seq, action, step.happened, step.state, bool(drawn)))
        if drawn:
            self.draws[drawn] = action
            self.drawn[drawn] += 1
        self._announcements.add(seq, step.happened)

    def refold(self, target: int, action: Action | None, *, in_public: bool = False) -> Refold | Rejection:
        """Return what the amendment of entry `target` would change; nothing changes yet.

        :param in_public: fold only deeds whose results follow from what everybody sees, and not to the end of the game,
            after which secrets may be shown. So neither the result nor a rejection depends on anything hidden.

        Codes: `not_correctable` (there is no deed of that number), `chance_stands` (the appliance drew it),
        `nothing_changes`, or the game's own when the new action is impossible at that place.
        """
        start = self._correctable(target)
        if isinstance(start, Rejection):
            return start
        was = self._deeds[start]
        meant = msgspec.structs.replace(was, action=action, happened=())
        state = self._before(start)
        if in_public and not self._tells_nothing(state, action):
            return Refold(target, start, meant, covered=True)
        if was.action == action:
            return reject("nothing_changes", CORRECTION_RULE, {"entry": target})
        new: list[Folded] = []
        for deed in [meant, *self._deeds[start + 1 :]]:
            if in_public and not self._tells_nothing(state, deed.action):
                return Refold(target, start, new[0], tuple(new), covered=True)
            step = Step(state) if deed.action is None else self.game.rules.apply(state, deed.action)
            if isinstance(step, Rejection):
                if not new:
                    return step
                lost = tuple(later.seq for later in self._deeds[start + len(new) :])
                return Refold(target, start, new[0], tuple(new), lost, step)
            state = step.state
            if in_public and self._ends(state):
                return Refold(target, start, new[0] if new else meant, tuple(new), covered=True)
            new.append(msgspec.structs.replace(deed, happened=step.happened, state=state))
        return Refold(target, start, new[0], tuple(new))

    def _tells_nothing(self, state: Any, action: Action | None) -> bool:
        """Return whether the result of `action` in `state` follows from what everybody sees."""
        return self._is_public is None or action is None or self._is_public(state, tag_of(action))

    def _ends(self, state: Any) -> bool:
        """Return whether a game with secrets has ended."""
        return self._is_public is not None and self.game.rules.outcome(state) is not None

    def preview(self, refold: Refold) -> AmendmentPreview:
        """Return what people see before they confirm. `refold` was made in public."""
        was, meant = self._deeds[refold.start], refold.meant
        action = was.action if was.action is not None else meant.action
        assert action is not None, "an amendment changes something"
        lost = self._deeds[len(self._deeds) - len(refold.set_aside) :]
        before = self.game.rules.view(self.state, None)
        return AmendmentPreview(
            seq=refold.target,
            deed=self._told(was, action),
            instead=None if meant.action is None else self._told(meant, meant.action),
            before=before,
            after=before if refold.covered else self.game.rules.view(refold.deeds[-1].state, None),
            set_aside=refold.set_aside,
            lost=tuple(self._told(deed, deed.action) for deed in lost if deed.action is not None),
            first_problem=refold.first_problem,
            covered=refold.covered,
            newest_entry=self.newest_entry,
        )

    def amend(self, seq: int, refold: Refold) -> None:
        """Apply `refold` as entry `seq`. It must come from the history as it is now."""
        self.newest_entry = seq
        self._changes.append(_Change(seq, refold.start, tuple(self._deeds[refold.start :])))
        self._deeds[refold.start :] = refold.deeds
        replaced, meant = self._changes[-1].replaced[0], refold.deeds[0]
        self._announce(seq, replaced, meant)

    def undoable(self) -> int | None:
        """Return the entry that undo would take back next, or None."""
        return self._changes[-1].seq if self._changes else None

    def undoable_together(self, goes_on_alone: Callable[[Any], bool]) -> tuple[int, ...]:
        """Return the entries that one undo takes back, newest first. The state before them needs a person to go on.

        :param goes_on_alone: returns whether the appliance would draw in a state and so repeat what was undone.
        :returns: empty when there is nothing to undo, or no such state.
        """
        deeds, together = list(self._deeds), []
        for change in reversed(self._changes):
            deeds[change.start :] = change.replaced
            together.append(change.seq)
            if not goes_on_alone(deeds[-1].state if deeds else self._start.state):
                return tuple(together)
        return ()

    def undo(self, seq: int) -> None:
        """Take back the last change as entry `seq`.

        :raises IndexError: there is none (ask `undoable` first).
        """
        change = self._changes.pop()
        self.newest_entry = seq
        taken_back = self._deeds[change.start]
        self._deeds[change.start :] = change.replaced
        self._announce(seq, taken_back, change.replaced[0] if change.replaced else None, undone=True)

    def _announce(self, seq: int, before: Folded, after: Folded | None, *, undone: bool = False) -> None:
        """Announce a correction once: what counts from now on; what counts no more where nothing replaces it."""
        counts = after is not None and after.action is not None
        told, other = (after, before) if after is not None and counts else (before, after)
        heard = for_all(told.happened)
        of_this_alone = [happening for happening in heard if other is None or happening not in other.happened]
        deed = None if told.action is None else self.public(told.action)
        told_by_deed = Happening("corrected", {"entry": before.seq, "deed": deed}, CORRECTION_RULE)
        happening = next(iter([*of_this_alone, *heard]), told_by_deed)
        kind: AnnouncementKind = "undone" if not counts else "restored" if undone else "amended"
        self._announcements.correct(Announcement(seq, kind, happening))
        self._listed = {}
        self._announcements.tell_again(self._happened())

    def _happened(self) -> Iterator[tuple[int, tuple[Happening, ...]]]:
        """Yield what happened in the set-up and in each deed, by entry, in order."""
        yield self.opened, self._start.happened
        for deed in self._deeds:
            yield deed.seq, deed.happened


def for_all(happened: Iterable[Happening]) -> tuple[Happening, ...]:
    """Return the happenings that all seats may know."""
    return tuple(happening for happening in happened if happening.to is None)


def public_fields(action: Action, secret_fields: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    """Return `action` as a mapping without the fields that are secret for its tag."""
    fields: dict[str, Any] = msgspec.to_builtins(action)
    hidden = secret_fields.get(fields["do"], frozenset())
    return {name: value for name, value in fields.items() if name not in hidden}

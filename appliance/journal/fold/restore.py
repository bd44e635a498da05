"""Restores a game from the journal: the fold of its entries under this release's rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from appliance.games.base.rules.names import without_blank_names
from appliance.games.game import Game
from appliance.games.protocol import Rejection, Setup
from appliance.games.read_action import read_action
from appliance.journal.codes import reject
from appliance.journal.entries import Acted, Amended, Closed, Entry, Opened, Paused, Resumed, Undone
from appliance.journal.fold.history import History


def restore(
    entries: Iterable[Entry],
    games: Callable[[str], Game],
    before: Callable[[History, Entry], None] = lambda history, entry: None,
) -> History | Rejection:
    """Fold the entries of one game, or return why this release cannot.

    Codes: `unknown_game`, `rules_newer` (recorded by a later rules revision) and `rules_changed` (a set-up or an entry
    that once counted is refused now; `entry` and `reason` say which and why). Nothing is lost: an older or newer
    release can fold them.

    :param games: the game of a name; KeyError when there is none.
    :param before: called with the history and each entry before the entry is applied.
    :raises JournalError: from `entries`, when the journal or a seal is damaged.
    """
    remaining = iter(entries)
    first = next(remaining)
    assert isinstance(first.body, Opened), "a game's first entry opens it"
    history = open_history(first.seq, first.body, games)
    if isinstance(history, Rejection):
        return history
    for entry in remaining:
        before(history, entry)
        problem = replay(history, entry)
        if problem is not None:
            return reject("rules_changed", "", {"entry": entry.seq, "reason": problem})
    return history


def open_history(seq: int, opened: Opened, games: Callable[[str], Game]) -> History | Rejection:
    """Return the history of a game before its first action, or why this release cannot fold it (codes as `restore`).

    :param seq: the entry that opened the game.
    """
    started = begin_again(opened.setup, games)
    if isinstance(started, Rejection):
        known = started.code in ("unknown_game", "rules_newer")
        return started if known else reject("rules_changed", "", {"entry": seq, "reason": started.code})
    return History(started[0], opened.setup, seq, started[1], opened.seating, opened.start_value)


def begin(setup: Setup, games: Callable[[str], Game]) -> tuple[Game, Any] | Rejection:
    """Return the game of a new `setup` and its first step, or why there is none."""
    return begin_again(without_blank_names(setup), games)


def begin_again(setup: Setup, games: Callable[[str], Game]) -> tuple[Game, Any] | Rejection:
    """Return the same for a `setup` that was recorded. A former release may have accepted names that show nothing."""
    try:
        game = games(setup.game)
    except KeyError:
        return reject("unknown_game", "", {"game": setup.game})
    if setup.rules > game.rules.revision:
        return reject("rules_newer", "", {"rules": setup.rules, "known": game.rules.revision})
    start = game.rules.set_up(setup)
    return start if isinstance(start, Rejection) else (game, start)


def replay(history: History, entry: Entry) -> str | None:
    """Apply the next entry of its game to the history. Return the code of what prevents it, or None."""
    rules = history.game.rules
    match entry.body:
        case Acted(action=fields, drawn=drawn):
            try:
                action = read_action(fields, rules)
            except msgspec.ValidationError:
                return "unknown_action"
            step = rules.apply(history.state, action)
            if isinstance(step, Rejection):
                return step.code
            history.act(entry.seq, action, step, drawn)
        case Amended(target=target, action=replacement):
            try:
                meant = None if replacement is None else read_action(replacement, rules)
            except msgspec.ValidationError:
                return "unknown_action"
            refold = history.refold(target, meant)
            if isinstance(refold, Rejection):
                return refold.code
            history.amend(entry.seq, refold)
        case Undone(target=target):
            if history.undoable() != target:
                return "nothing_to_undo"
            history.undo(entry.seq)
        case Paused(timers=timers):
            history.paused = timers
        case Resumed():
            history.paused = None
        case Closed() | Opened():
            pass
    return None

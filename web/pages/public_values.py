"""What the pages of all viewers take from one snapshot: everything that depends on no viewer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from appliance.games.catalogue import the_game
from appliance.games.protocol import Outcome, Prompt, Rules, Setup
from appliance.snapshot import Announcement, Snapshot
from web.pages.game_pages import pages_of
from web.words.asks import Ask, asks_of

ROWS_MOST = 4
"""Most rows of buttons that the general pages draw for a prompt. A larger prompt asks for one field after the other."""


class PublicValues(NamedTuple):
    """What everybody at the table may know of an open game, and what the shared screens ask.

    `picture` is None if the game has no pages of its own. `again` holds the fields of `POST /games` that open the same
    game for the same players. `replays` says whether rolls of this round can be shown again.
    """

    rules: Rules
    view: Any
    picture: Any
    prompts: tuple[Prompt, ...]
    asks: tuple[Ask, ...]
    log: list[Announcement]
    happened: list[Announcement]
    outcome: Outcome | None
    again: dict[str, Any]
    replays: bool


def public_values(snapshot: Snapshot, game: str, setup: Setup) -> PublicValues:
    """Return the public values of `snapshot`, in which `game` is open."""
    rules, pages = the_game(game).rules, pages_of(game)
    view, prompts = rules.view(snapshot.state, None), rules.expects(snapshot.state, None)
    log = log_of(snapshot, None)
    return PublicValues(
        rules=rules,
        view=view,
        picture=pages.picture(view, None) if pages else None,
        prompts=prompts,
        asks=asks_in(snapshot, prompts, prompts, by_phone=False),
        log=log,
        happened=happened_in(log),
        outcome=rules.outcome(snapshot.state),
        again=_again(setup),
        replays=the_game(game).replay_scope(snapshot.state) is not None,
    )


def asks_in(snapshot: Snapshot, prompts: Sequence[Prompt], public: Sequence[Prompt], by_phone: bool) -> tuple[Ask, ...]:
    """Return what is asked; during a pause nothing is. See `asks_of`."""
    rows_most = None if snapshot.game and pages_of(snapshot.game) else ROWS_MOST
    return asks_of(() if snapshot.paused else prompts, by_phone=by_phone, public=public, rows_most=rows_most)


def log_of(snapshot: Snapshot, seat: int | None) -> list[Announcement]:
    """Return the lines of the log for everybody, and those for the player at `seat` alone."""
    return [line for line in snapshot.log if line.happening.to is None or line.happening.to == seat]


def happened_in(log: Sequence[Announcement]) -> list[Announcement]:
    """Return the lines of a log without its corrections: what counts after a correction has a line of its own."""
    return [line for line in log if line.kind == "happening"]


def _again(setup: Setup) -> dict[str, Any]:
    given = msgspec.to_builtins(setup)
    return {field: given[field] for field in ("game", "players", "oldest", "options") if field in given}

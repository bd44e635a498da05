"""The current state of each table: its open game, when the hub last heard from it, and its problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Literal

import msgspec
from sqlalchemy import func, select

from appliance.hub.folds.folded_game import FoldedGame
from appliance.hub.link.wanted import is_release
from appliance.hub.report import Report, Trouble, report_of
from appliance.hub.store.database import Database
from appliance.hub.store.schema import FOLDED, GAMES, REFUSED, TABLES
from hardware.readings import SENSES

SILENT_S = 300.0
"""A table without messages for so long is silent. It should send its status every minute."""
HEARD_WITHIN_S = 75.0
"""Longest time since the last message of a table that is surely not lost."""
BEHIND_LEAST = 64
"""Fewest missing entries that are told: a table sends so many at once."""
BEHIND_MOST = 10**9
"""Most missing entries that are told. A table with a stolen key may report any number."""
SKEW_MOST_S = 120.0
"""Largest tolerated difference between a table's clock and the hub's."""
SKEW_TOLD_MOST_S = 100 * 365.25 * 86400
"""Largest difference that is told. A table with a stolen key may report any time."""
State = Literal["playing", "resting", "silent"]
ProblemCode = (
    Literal["silent", "revoked", "invited_again", "device", "clock", "clock_back", "conflict", "unread", "outdated"]
    | Trouble
)


SEEN: tuple[ProblemCode, ...] = ("clock_back", "conflict", "unread")
"""Problems of past messages. They are shown until somebody acknowledges them."""
RETIRED: tuple[ProblemCode, ...] = ("silent", "revoked", "invited_again")
"""Problems of tables that may have sent their last message."""


class Problem(msgspec.Struct, frozen=True):
    """A problem of a table: a stable code, and values for its sentence."""

    code: ProblemCode
    values: dict[str, Any] = {}


class TableNow(msgspec.Struct, frozen=True, kw_only=True):
    """One table. `game` is the open game, or None. Times are the hub's clock, seconds since 1970.

    `overdue_minutes`: how long ago it was heard, while its status is overdue and it is not silent yet; else 0.
    `missing`: entries of its journal at its last report that the hub has not got yet; 0 if few, or if it is not heard.
    `is_up_to_date`: the hub hears it, and has folded all that the table had at its last report. `told_s`: when that
    report came; None if there is none.
    """

    name: str
    label: str
    cafe: str
    state: State
    heard_s: float
    overdue_minutes: int
    missing: int
    contiguous: int
    newest: int
    is_up_to_date: bool
    told_s: float | None
    number: int | None
    game: FoldedGame | None
    release: str
    problems: tuple[Problem, ...]

    @property
    def called(self) -> str:
        """The name that is shown to people."""
        return self.label or self.name

    @property
    def to_see(self) -> bool:
        """Whether it has a problem that has to be acknowledged."""
        return any(problem.code in SEEN for problem in self.problems)

    @property
    def to_retire(self) -> bool:
        """Whether it may have sent its last message."""
        return any(problem.code in RETIRED for problem in self.problems)


def tables_now(
    database: Database, now_s: float, cafe: str | None = None, without_key: Mapping[str, str] = MappingProxyType({})
) -> tuple[TableNow, ...]:
    """Return every table that was not retired, or those of a café, by café and name.

    :param without_key: the names that no key has any more, with what became of them (`MembersFile.without_key`).
    """
    with database.read() as connection:
        wanted = select(TABLES, FOLDED.c.seq.label("folded"), FOLDED.c.unread, FOLDED.c.clock_back)
        wanted = wanted.outerjoin(FOLDED, FOLDED.c.table_name == TABLES.c.name)
        wanted = wanted.where(TABLES.c.retired_s.is_(None) | (TABLES.c.heard_s != TABLES.c.retired_s))
        rows = connection.execute(wanted.order_by(TABLES.c.cafe, TABLES.c.name)).all()
        # A table with a stolen key may open any number of games, so only the newest is read.
        newest = select(GAMES.c.table_name, func.max(GAMES.c.game).label("game")).where(GAMES.c.is_open)
        opened = newest.group_by(GAMES.c.table_name).subquery()
        is_newest = (GAMES.c.table_name == opened.c.table_name) & (GAMES.c.game == opened.c.game)
        open_games = select(GAMES.c.table_name, GAMES.c.game, GAMES.c.body).join(opened, is_newest)
        games = {row.table_name: row for row in connection.execute(open_games)}
        refused = connection.execute(select(REFUSED.c.table_name, REFUSED.c.times)).all()
    told = {row.name: report_of(row.status) for row in rows}
    usual = _newest_release(one.release for one in told.values() if one is not None)
    conflicts = {row.table_name: row.times for row in refused}
    shown = (row for row in rows if cafe is None or row.cafe == cafe)
    return tuple(
        _table(row, told[row.name], games.get(row.name), conflicts, usual, without_key.get(row.name), now_s)
        for row in shown
    )


def _table(
    row: Any,
    told: Report | None,
    opened: Any,
    conflicts: Mapping[str, int],
    usual: str,
    invited_as: str | None,
    now_s: float,
) -> TableNow:
    game = None if opened is None else msgspec.json.decode(opened.body, type=FoldedGame)
    # What was heard after now was heard before the hub's clock was set back: nobody knows how long ago.
    unheard_s = now_s - row.heard_s
    is_silent = not -SKEW_MOST_S <= unheard_s <= SILENT_S
    state: State = "silent" if is_silent else "playing" if game is not None and game.outcome is None else "resting"
    return TableNow(
        name=row.name,
        label=row.label,
        cafe=row.cafe,
        state=state,
        heard_s=row.heard_s,
        overdue_minutes=int(unheard_s // 60) if not is_silent and unheard_s > HEARD_WITHIN_S else 0,
        missing=0 if is_silent or told is None or invited_as is not None else _missing(told.newest - row.contiguous),
        contiguous=row.contiguous,
        newest=row.newest,
        is_up_to_date=not is_silent and told is not None and told.newest <= (row.folded or 0),
        told_s=row.status_s,
        number=None if opened is None else opened.game,
        game=game,
        release="" if told is None else told.release[:20],
        problems=(
            *_problems_now(row, told, usual, invited_as, is_silent, now_s),
            *_problems_to_see(row, conflicts),
        ),
    )


def _missing(entries: int) -> int:
    return min(entries, BEHIND_MOST) if entries >= BEHIND_LEAST else 0


def _problems_now(
    row: Any, told: Report | None, usual: str, invited_as: str | None, is_silent: bool, now_s: float
) -> Iterable[Problem]:
    if invited_as is not None:
        # Nothing that is wrong at a table can be told of one that the hub does not let in.
        yield Problem("invited_again", {"table": invited_as}) if invited_as else Problem("revoked")
        return
    if is_silent:
        minutes = int((now_s - row.heard_s) // 60)
        yield Problem("silent", {"minutes": minutes} if minutes > 0 else {})
    elif told is not None:
        # A silent table's last report about its devices may be outdated.
        for device, sensor in sorted(told.status.sensors.items() if told.status else ()):
            if device in SENSES and sensor.state in ("faulty", "doubtful"):
                yield Problem("device", {"device": device})
        apart_s = 0.0 if row.status_s is None else abs(told.wall_s - row.status_s)
        if apart_s > SKEW_MOST_S:
            yield Problem("clock", {"minutes": int(min(apart_s, SKEW_TOLD_MOST_S) // 60)})
        if told.trouble is not None:
            yield Problem(told.trouble)
    if told is not None and told.release != usual != "":
        yield Problem("outdated", {"release": told.release[:20], "usual": usual})


def _problems_to_see(row: Any, conflicts: Mapping[str, int]) -> Iterable[Problem]:
    if (times := (row.clock_back or 0) - row.seen_clock_back) > 0:
        yield Problem("clock_back", {"times": times})
    if row.name in conflicts:
        yield Problem("conflict", {"times": conflicts[row.name]})
    if (times := (row.unread or 0) - row.seen_unread) > 0:
        yield Problem("unread", {"times": times})


def _newest_release(releases: Iterable[str]) -> str:
    """Return the newest of some releases; "" if none of them is the version of a package."""
    return max(filter(is_release, releases), key=lambda text: (_numbers(text), text), default="")


def _numbers(release: str) -> list[int]:
    return [int(part) for part in release.split(".") if part.isascii() and part.isdecimal() and len(part) < 9]

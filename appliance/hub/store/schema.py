"""The tables of a hub's database. Those in `DERIVED` are folded from the others, which cannot be computed again.

Times are seconds since 1970. `table_name` is a table's id at the broker.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Double, Index, LargeBinary, MetaData, String, Table, Text

METADATA = MetaData()
KEY = String().with_variant(String(collation="C"), "postgresql")
"""Text that every database sorts by code points, like Python."""

TABLES = Table(
    "tables",
    METADATA,
    Column("name", KEY, primary_key=True),
    Column("contiguous", BigInteger, nullable=False),
    Column("newest", BigInteger, nullable=False),
    Column("heard_s", Double, nullable=False),
    Column("status", LargeBinary),
    Column("status_s", Double),
    Column("label", String, nullable=False, server_default=""),
    Column("cafe", String, nullable=False, server_default=""),
    Column("retired_s", Double),
    Column("seen_unread", BigInteger, nullable=False, server_default="0"),
    Column("seen_clock_back", BigInteger, nullable=False, server_default="0"),
)
"""One row per table. All its envelopes up to `contiguous` are stored, none above `newest`.

`heard_s` and `status_s` are the hub's clock. `label` and `cafe` are the chain's name for it and its café.
`retired_s`: it is hidden while `heard_s` is that very time; the hub's clock may be put back. `seen_…`: the number of
acknowledged problems.
"""

ENVELOPES = Table(
    "envelopes",
    METADATA,
    Column("table_name", KEY, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("digest", LargeBinary, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("arrived_s", Double),
)
"""`digest` is that of the received bytes: erasing a name changes `data`, but a repeated envelope is still recognised.

`arrived_s` is the hub's clock; null: the envelope was stored by a release that did not record it.
"""

REFUSED = Table(
    "refused",
    METADATA,
    Column("table_name", KEY, primary_key=True),
    Column("why", KEY, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("times", BigInteger, nullable=False),
    Column("last_s", Double, nullable=False),
)
"""Refused envelopes of a table: the newest of each kind, and how many there were."""

OWN = Table("own", METADATA, Column("name", KEY, primary_key=True), Column("value", LargeBinary, nullable=False))
"""Values that all processes of a hub share, such as the key that signs cookies."""
ACCOUNTS = Table(
    "accounts",
    METADATA,
    Column("name", KEY, primary_key=True),
    Column("role", String, nullable=False),
    Column("cafe", String, nullable=False),
    Column("password", String, nullable=False),
)
GUESTS = Table(
    "guests",
    METADATA,
    Column("guest", KEY, primary_key=True),
    Column("name", KEY, nullable=False),
    Column("code", String, nullable=False),
)
"""Guests who took a nickname: its key, its spelling and a hash of the code that proves ownership."""
ERASED = Table(
    "erased",
    METADATA,
    Column("guest", KEY, primary_key=True),
    Column("until_s", Double, nullable=False),
)
"""Marks of erased guests. They are anonymous in games that were opened before `until_s`."""
ERASED_AT = Table(
    "erased_at",
    METADATA,
    Column("table_name", KEY, primary_key=True),
    Column("guest", KEY, primary_key=True),
    Column("until_seq", BigInteger, nullable=False),
)
"""Marks of names that were erased at a table, in its games that were opened by envelope `until_seq` or earlier."""
NIGHTS = Table(
    "nights",
    METADATA,
    Column("night", BigInteger, primary_key=True, autoincrement=False),
    Column("cafe", String, nullable=False),
    Column("kind", KEY, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("started_s", Double, nullable=False),
    Column("ended_s", Double),
    Column("closed_s", Double),
)
"""`closed_s`: when every call of a night that has ended was played or cancelled. No call of it waits any more."""
NIGHT_EVENTS = Table(
    "night_events",
    METADATA,
    Column("night", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("event", Text, nullable=False),
)
ROLLOUTS = Table(
    "rollouts",
    METADATA,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
)
"""Running and past rollouts of releases. `body` is a `Rollout` as JSON."""
SETTINGS = Table("settings", METADATA, Column("cafe", KEY, primary_key=True), Column("body", Text, nullable=False))
"""The settings that a café's tables are offered. `body` is `HouseSettings` as JSON."""

FOLDED = Table(
    "folded",
    METADATA,
    Column("table_name", KEY, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("wall_s", Double, nullable=False),
    Column("unread", BigInteger, nullable=False),
    Column("clock_back", BigInteger, nullable=False),
)
"""The entry up to which a table is folded, its skipped envelopes, and how often its clock went back by an hour."""
GAMES = Table(
    "games",
    METADATA,
    Column("table_name", KEY, primary_key=True),
    Column("game", BigInteger, primary_key=True, autoincrement=False),
    Column("opened_seq", BigInteger, nullable=False),
    Column("opened_s", Double, nullable=False),
    Column("last_s", Double, nullable=False),
    Column("kind", KEY, nullable=False),
    Column("imported", Boolean, nullable=False),
    Column("is_open", Boolean, nullable=False),
    Column("body", Text, nullable=False),
    Index("games_opened", "opened_s"),
    Index("games_open", "is_open", "table_name"),
    Index("games_at", "table_name", "opened_seq"),
)
"""`body` is a `FoldedGame` as JSON."""
PLAYERS = Table(
    "players",
    METADATA,
    Column("guest", KEY, primary_key=True),
    Column("table_name", KEY, primary_key=True),
    Column("game", BigInteger, primary_key=True, autoincrement=False),
)
"""The known guests of each game, by the key of the name."""
RESULTS = Table(
    "results",
    METADATA,
    Column("table_name", KEY, primary_key=True),
    Column("game", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", KEY, nullable=False),
    Column("season", KEY, nullable=False),
    Column("played_s", Double, nullable=False),
    Column("body", Text, nullable=False),
    Index("results_in_order", "kind", "played_s", "table_name", "game"),
)
CHANGED = Table(
    "changed",
    METADATA,
    Column("kind", KEY, primary_key=True),
    Column("table_name", KEY, primary_key=True),
    Column("game", BigInteger, primary_key=True, autoincrement=False),
    Column("played_s", Double, nullable=False),
    Column("guests", Text, nullable=False),
)
"""Results that were added, changed or removed since the ratings were folded. `guests`: the keys of affected guests."""
RECOUNTS = Table(
    "recounts",
    METADATA,
    Column("kind", KEY, primary_key=True),
    Column("season", KEY, primary_key=True),
    Column("played_s", Double, nullable=False),
    Column("table_name", KEY, nullable=False),
    Column("game", BigInteger, nullable=False),
    Column("guests", Text, nullable=False),
)
"""Leagues whose ratings are being computed again: from which result on, and the keys of the affected guests."""
STEPS = Table(
    "steps",
    METADATA,
    Column("kind", KEY, primary_key=True),
    Column("season", KEY, primary_key=True),
    Column("guest", KEY, primary_key=True),
    Column("played_s", Double, primary_key=True),
    Column("table_name", KEY, primary_key=True),
    Column("game", BigInteger, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
)
"""Each guest's rating after each of their games. Season "" is all time."""
STANDINGS = Table(
    "standings",
    METADATA,
    Column("kind", KEY, primary_key=True),
    Column("season", KEY, primary_key=True),
    Column("guest", KEY, primary_key=True),
    Column("rating", Double, nullable=False),
    Column("body", Text, nullable=False),
    Index("standings_in_order", "kind", "season", "rating"),
)
DERIVED = (FOLDED, GAMES, PLAYERS, RESULTS, CHANGED, RECOUNTS, STEPS, STANDINGS)
"""The tables that `rebuild` empties and folds again."""

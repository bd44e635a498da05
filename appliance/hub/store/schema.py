"""The tables of a hub's database. What is kept cannot be made anew; everything else is folded from it.

Times are seconds since 1970. `table_name` is a table's id at the broker.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Double, Index, LargeBinary, MetaData, String, Table, Text

METADATA = MetaData()
KEY = String().with_variant(String(collation="C"), "postgresql")
"""Text that is ordered by its code points on every database, as Python orders it."""

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
"""One row a table. All its envelopes up to `contiguous` are kept, none above `newest`.

`heard_s` and `status_s` are the hub's clock. `label` and `cafe` are what the chain calls it and where it stands.
`retired_s`: nobody wants to see it any more, unless it is heard after that. `seen_…`: so many were looked at.
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
"""`digest` is that of the bytes as they came: an erased name changes `data`, and what comes again is still known.

`arrived_s` is the hub's clock; null: a release kept the envelope that did not note it.
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
"""What was refused of a table: the newest of each kind, and how often."""

OWN = Table("own", METADATA, Column("name", KEY, primary_key=True), Column("value", LargeBinary, nullable=False))
"""What all processes of a hub share, such as the key that signs cookies."""
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
"""Who took a nickname: its key, its spelling and a hash of the code that shows it is theirs."""
ERASED = Table(
    "erased",
    METADATA,
    Column("guest", KEY, primary_key=True),
    Column("until_s", Double, nullable=False),
)
"""Hashes of erased guests' keys. Their games that were opened before `until_s` are somebody's."""
ERASED_AT = Table(
    "erased_at",
    METADATA,
    Column("table_name", KEY, primary_key=True),
    Column("guest", KEY, primary_key=True),
    Column("until_seq", BigInteger, nullable=False),
)
"""Marks of names that were erased at a table: in its games that were opened by the envelope `until_seq` or before."""
NIGHTS = Table(
    "nights",
    METADATA,
    Column("night", BigInteger, primary_key=True, autoincrement=False),
    Column("cafe", String, nullable=False),
    Column("kind", KEY, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("started_s", Double, nullable=False),
    Column("ended_s", Double),
)
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
"""Releases that are or were on their way to tables. `body` is a `Rollout` as JSON."""
SETTINGS = Table("settings", METADATA, Column("cafe", KEY, primary_key=True), Column("body", Text, nullable=False))
"""What a café's tables are offered. `body` is `HouseSettings` as JSON."""

FOLDED = Table(
    "folded",
    METADATA,
    Column("table_name", KEY, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("wall_s", Double, nullable=False),
    Column("unread", BigInteger, nullable=False),
    Column("clock_back", BigInteger, nullable=False),
)
"""How far each table is folded; how many of its envelopes nobody could read, how often its clock went back an hour."""
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
"""Who of the known guests sat down to which game, by the key of the name."""
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
"""Results that came, changed or went since the ratings were folded; `guests` are the keys of all whom it concerns."""
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
"""Leagues that are being counted anew: from which result on, and the keys of all whom it concerns."""
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
"""Each guest's rating after each of their games; season "" is all time."""
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
"""What `rebuild` drops and folds anew."""

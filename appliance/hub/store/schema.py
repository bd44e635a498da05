"""The tables of a hub's database. What is kept cannot be made anew; everything else is folded from it.

Times are seconds since 1970. `table_name` is a table's id at the broker.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Double, Index, LargeBinary, MetaData, String, Table, Text

METADATA = MetaData()

TABLES = Table(
    "tables",
    METADATA,
    Column("name", String, primary_key=True),
    Column("contiguous", BigInteger, nullable=False),
    Column("newest", BigInteger, nullable=False),
    Column("heard_s", Double, nullable=False),
    Column("status", LargeBinary),
    Column("status_s", Double),
    Column("label", String, nullable=False, server_default=""),
    Column("cafe", String, nullable=False, server_default=""),
)
"""One row a table. All its envelopes up to `contiguous` are kept, none above `newest`.

`heard_s` and `status_s` are the hub's clock. `label` and `cafe` are what the chain calls it and where it stands.
"""

ENVELOPES = Table(
    "envelopes",
    METADATA,
    Column("table_name", String, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("digest", LargeBinary, nullable=False),
    Column("data", LargeBinary, nullable=False),
)
"""`digest` is that of the bytes as they came: an erased name changes `data`, and what comes again is still known."""

REFUSED = Table(
    "refused",
    METADATA,
    Column("table_name", String, primary_key=True),
    Column("why", String, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("times", BigInteger, nullable=False),
    Column("last_s", Double, nullable=False),
)
"""What was refused of a table: the newest of each kind, and how often."""

ACCOUNTS = Table(
    "accounts",
    METADATA,
    Column("name", String, primary_key=True),
    Column("role", String, nullable=False),
    Column("cafe", String, nullable=False),
    Column("password", String, nullable=False),
)
GUESTS = Table(
    "guests",
    METADATA,
    Column("guest", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("code", String, nullable=False),
)
"""Who took a nickname: its key, its spelling and a hash of the code that shows it is theirs."""
ERASED = Table(
    "erased",
    METADATA,
    Column("guest", String, primary_key=True),
    Column("until_s", Double, nullable=False),
)
"""Keyed hashes of erased guests' keys. Their games that were opened before `until_s` are somebody's."""
NIGHTS = Table(
    "nights",
    METADATA,
    Column("night", BigInteger, primary_key=True, autoincrement=False),
    Column("cafe", String, nullable=False),
    Column("kind", String, nullable=False),
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

FOLDED = Table(
    "folded",
    METADATA,
    Column("table_name", String, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("wall_s", Double, nullable=False),
    Column("unread", BigInteger, nullable=False),
    Column("clock_back", BigInteger, nullable=False),
)
"""How far each table is folded; how many of its envelopes nobody could read, how often its clock went back an hour."""
GAMES = Table(
    "games",
    METADATA,
    Column("table_name", String, primary_key=True),
    Column("game", BigInteger, primary_key=True, autoincrement=False),
    Column("opened_seq", BigInteger, nullable=False),
    Column("opened_s", Double, nullable=False),
    Column("last_s", Double, nullable=False),
    Column("kind", String, nullable=False),
    Column("imported", Boolean, nullable=False),
    Column("is_open", Boolean, nullable=False),
    Column("body", Text, nullable=False),
    Index("games_opened", "opened_s"),
    Index("games_open", "is_open", "table_name"),
)
"""`body` is a `FoldedGame` as JSON."""
RESULTS = Table(
    "results",
    METADATA,
    Column("table_name", String, primary_key=True),
    Column("game", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", String, nullable=False),
    Column("season", String, nullable=False),
    Column("played_s", Double, nullable=False),
    Column("body", Text, nullable=False),
    Index("results_in_order", "kind", "season", "played_s", "table_name", "game"),
)
CHANGED = Table(
    "changed",
    METADATA,
    Column("kind", String, primary_key=True),
    Column("table_name", String, primary_key=True),
    Column("game", BigInteger, primary_key=True, autoincrement=False),
    Column("played_s", Double, nullable=False),
    Column("guests", Text, nullable=False),
)
"""Results that came, changed or went since the ratings were folded; `guests` are the keys of all whom it concerns."""
STEPS = Table(
    "steps",
    METADATA,
    Column("kind", String, primary_key=True),
    Column("season", String, primary_key=True),
    Column("guest", String, primary_key=True),
    Column("played_s", Double, primary_key=True),
    Column("table_name", String, primary_key=True),
    Column("game", BigInteger, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
)
"""Each guest's rating after each of their games; season "" is all time."""
STANDINGS = Table(
    "standings",
    METADATA,
    Column("kind", String, primary_key=True),
    Column("season", String, primary_key=True),
    Column("guest", String, primary_key=True),
    Column("rating", Double, nullable=False),
    Column("body", Text, nullable=False),
    Index("standings_in_order", "kind", "season", "rating"),
)
DERIVED = (FOLDED, GAMES, RESULTS, CHANGED, STEPS, STANDINGS)
"""What `rebuild` drops and folds anew."""

"""The data folded from envelopes: games, results, ratings."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

KEY = sa.String().with_variant(sa.String(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the tables that `rebuild` fills again."""
    op.create_table(
        "folded",
        sa.Column("table_name", KEY, primary_key=True),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("wall_s", sa.Double, nullable=False),
        sa.Column("unread", sa.BigInteger, nullable=False),
        sa.Column("clock_back", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "games",
        sa.Column("table_name", KEY, primary_key=True),
        sa.Column("game", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("opened_seq", sa.BigInteger, nullable=False),
        sa.Column("opened_s", sa.Double, nullable=False),
        sa.Column("last_s", sa.Double, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("imported", sa.Boolean, nullable=False),
        sa.Column("is_open", sa.Boolean, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("games_opened", "games", ["opened_s"])
    op.create_index("games_open", "games", ["is_open", "table_name"])
    op.create_table(
        "players",
        sa.Column("guest", KEY, primary_key=True),
        sa.Column("table_name", KEY, primary_key=True),
        sa.Column("game", sa.BigInteger, primary_key=True, autoincrement=False),
    )
    op.create_table(
        "results",
        sa.Column("table_name", KEY, primary_key=True),
        sa.Column("game", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("season", KEY, nullable=False),
        sa.Column("played_s", sa.Double, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("results_in_order", "results", ["kind", "played_s", "table_name", "game"])
    op.create_table(
        "changed",
        sa.Column("kind", KEY, primary_key=True),
        sa.Column("table_name", KEY, primary_key=True),
        sa.Column("game", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("played_s", sa.Double, nullable=False),
        sa.Column("guests", sa.Text, nullable=False),
    )
    op.create_table(
        "steps",
        sa.Column("kind", KEY, primary_key=True),
        sa.Column("season", KEY, primary_key=True),
        sa.Column("guest", KEY, primary_key=True),
        sa.Column("played_s", sa.Double, primary_key=True),
        sa.Column("table_name", KEY, primary_key=True),
        sa.Column("game", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "standings",
        sa.Column("kind", KEY, primary_key=True),
        sa.Column("season", KEY, primary_key=True),
        sa.Column("guest", KEY, primary_key=True),
        sa.Column("rating", sa.Double, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("standings_in_order", "standings", ["kind", "season", "rating"])

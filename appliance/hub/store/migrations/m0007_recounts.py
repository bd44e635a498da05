"""Leagues whose ratings are being computed again, in parts."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

KEY = sa.String().with_variant(sa.String(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the table, empty."""
    op.create_table(
        "recounts",
        sa.Column("kind", KEY, primary_key=True),
        sa.Column("season", KEY, primary_key=True),
        sa.Column("played_s", sa.Double, nullable=False),
        sa.Column("table_name", KEY, nullable=False),
        sa.Column("game", sa.BigInteger, nullable=False),
        sa.Column("guests", sa.Text, nullable=False),
    )

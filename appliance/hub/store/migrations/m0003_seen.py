"""Retired tables, and acknowledged problems of a table."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns. Nothing is retired or acknowledged yet."""
    op.add_column("tables", sa.Column("retired_s", sa.Double))
    op.add_column("tables", sa.Column("seen_unread", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("tables", sa.Column("seen_clock_back", sa.BigInteger, nullable=False, server_default="0"))

"""The data that cannot be folded from others: envelopes, tables, people."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

KEY = sa.String().with_variant(sa.String(collation="C"), "postgresql")


def upgrade() -> None:
    """Create their tables."""
    op.create_table(
        "tables",
        sa.Column("name", KEY, primary_key=True),
        sa.Column("contiguous", sa.BigInteger, nullable=False),
        sa.Column("newest", sa.BigInteger, nullable=False),
        sa.Column("heard_s", sa.Double, nullable=False),
        sa.Column("status", sa.LargeBinary),
        sa.Column("status_s", sa.Double),
        sa.Column("label", sa.String, nullable=False, server_default=""),
        sa.Column("cafe", sa.String, nullable=False, server_default=""),
    )
    op.create_table(
        "envelopes",
        sa.Column("table_name", KEY, primary_key=True),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "refused",
        sa.Column("table_name", KEY, primary_key=True),
        sa.Column("why", KEY, primary_key=True),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("times", sa.BigInteger, nullable=False),
        sa.Column("last_s", sa.Double, nullable=False),
    )
    op.create_table("own", sa.Column("name", KEY, primary_key=True), sa.Column("value", sa.LargeBinary, nullable=False))
    op.create_table(
        "accounts",
        sa.Column("name", KEY, primary_key=True),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("cafe", sa.String, nullable=False),
        sa.Column("password", sa.String, nullable=False),
    )
    op.create_table(
        "guests",
        sa.Column("guest", KEY, primary_key=True),
        sa.Column("name", KEY, nullable=False),
        sa.Column("code", sa.String, nullable=False),
    )
    op.create_table(
        "erased",
        sa.Column("guest", KEY, primary_key=True),
        sa.Column("until_s", sa.Double, nullable=False),
    )
    op.create_table(
        "nights",
        sa.Column("night", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("cafe", sa.String, nullable=False),
        sa.Column("kind", KEY, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("started_s", sa.Double, nullable=False),
        sa.Column("ended_s", sa.Double),
    )
    op.create_table(
        "night_events",
        sa.Column("night", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("event", sa.Text, nullable=False),
    )

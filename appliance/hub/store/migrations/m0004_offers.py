"""A hub's offers to its tables: rollouts of releases, and house settings."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

KEY = sa.String().with_variant(sa.String(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the tables. Nothing is offered yet."""
    op.create_table(
        "rollouts",
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table("settings", sa.Column("cafe", KEY, primary_key=True), sa.Column("body", sa.Text, nullable=False))

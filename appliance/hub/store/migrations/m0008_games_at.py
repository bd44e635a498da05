"""The games of a table by when they were opened: a league night asks for the newest."""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make the index."""
    op.create_index("games_at", "games", ["table_name", "opened_seq"])

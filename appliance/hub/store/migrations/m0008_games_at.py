"""An index of a table's games by their opening, because a league night asks for the newest games."""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the index."""
    op.create_index("games_at", "games", ["table_name", "opened_seq"])

"""When the last call of an ended league night was played or cancelled."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the column. Nights that have ended keep what they have."""
    op.add_column("nights", sa.Column("closed_s", sa.Double))
    op.execute("UPDATE nights SET closed_s = ended_s")

"""When each envelope arrived, by the hub's clock."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column. The arrival of envelopes that are stored already is unknown (null)."""
    op.add_column("envelopes", sa.Column("arrived_s", sa.Double))

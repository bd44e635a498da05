"""When each envelope arrived, by the hub's clock."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Of what is kept already nobody knows when it arrived."""
    op.add_column("envelopes", sa.Column("arrived_s", sa.Double))

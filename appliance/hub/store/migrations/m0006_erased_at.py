"""Names that were erased at a table. Names are also removed from stored status reports."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

KEY = sa.String().with_variant(sa.String(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the table, empty, and remove the names from stored reports."""
    op.create_table(
        "erased_at",
        sa.Column("table_name", KEY, primary_key=True),
        sa.Column("guest", KEY, primary_key=True),
        sa.Column("until_seq", sa.BigInteger, nullable=False),
    )
    tables = sa.table("tables", sa.column("name"), sa.column("status", sa.LargeBinary))
    said = op.get_bind().execute(sa.select(tables.c.name, tables.c.status).where(tables.c.status.is_not(None))).all()
    for name, status in said:
        op.execute(tables.update().where(tables.c.name == name).values(status=_without_names(bytes(status))))


def _without_names(status: bytes) -> bytes:
    try:
        report = json.loads(status)
        for seat in report["status"]["game"]["seats"]:
            seat["name"] = ""
    except (ValueError, TypeError, LookupError, RecursionError):
        return status
    return json.dumps(report, separators=(",", ":")).encode()

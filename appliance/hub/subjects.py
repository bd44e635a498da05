"""Where the messages of tables and of the hub go at the broker."""

from __future__ import annotations

from typing import Literal


def subject(table: str, what: Literal["journal", "status", "stored"]) -> str:
    """Return where a table's messages go: `journal` and `status` to the hub, `stored` from the hub to the table.

    The payload of `stored` is the decimal number of the newest entry up to which the hub's database has committed
    all. A request to `stored` is not needed: a table that hears none sends again.
    """
    return f"smugglers.{table}.{what}"

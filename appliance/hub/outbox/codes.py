"""Every code of a remark about the hub for people at the table. The sentences are in `appliance/words/`."""

from __future__ import annotations

from typing import Literal

from appliance.games.base.advice import Remarks

HubRemark = Literal["hub_knows_more", "journal_unreadable"]

remark = Remarks[HubRemark]()
"""Makes a remark of one of these codes."""

"""Builds the parts that push events and states of the table to other programs, as the settings say."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from appliance.service.lifecycle import Part
from appliance.service.outside.feed import Feed
from appliance.service.outside.home_assistant import Topics, discovery
from appliance.service.outside.webhooks import Webhooks
from appliance.service.upkeep.support import version
from appliance.settings import Settings
from appliance.table.broadcast import Snapshots
from appliance.words.catalogues import negotiate


def tellers(settings: Settings, table: Snapshots, feed: Feed, key: bytes, address: Callable[[], str]) -> list[Part]:
    """Return the parts; none where the settings name no receiver.

    :param key: a key of this table only. Home Assistant identifies the table by a digest of it; the key is not sent.
    :param address: returns the current address of the table's pages.
    :raises TableError: the library for MQTT is not installed (`mqtt_missing`).
    """
    parts = []
    if settings.webhooks:
        webhooks = Webhooks(feed, settings.webhooks.split(), settings.webhook_secret)
        parts.append(Part(webhooks.start, webhooks.stop))
    if settings.mqtt:
        from appliance.service.outside.mqtt import HomeTeller

        topics = Topics(hashlib.sha256(b"mqtt" + key).hexdigest()[:12])
        language = negotiate([settings.language])
        release = version()
        teller = HomeTeller(
            table,
            settings.mqtt,
            topics,
            address,
            lambda now: discovery(topics, now, language, release),
            language,
        )
        parts.append(Part(teller.start, teller.stop))
    return parts

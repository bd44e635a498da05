"""What tells other programs of the table by itself, as the settings say."""

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
from appliance.words import negotiate


def tellers(settings: Settings, table: Snapshots, feed: Feed, key: bytes, address: Callable[[], str]) -> list[Part]:
    """Return the parts that tell; none where the settings name nobody to be told.

    :param key: of this table alone. Only a digest of it is told, by which homes know the table again.
    :param address: where the table's pages are now.
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

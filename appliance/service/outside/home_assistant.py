"""MQTT messages for Home Assistant: the discovery of the table's entities, and their states. Pure.

The formats are those of https://www.home-assistant.io/integrations/mqtt/ (discovery, one topic for each entity).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from appliance.games.game_words import words_of
from appliance.service.outside.table_status import TableStatus
from appliance.words.catalogues import words_for
from hardware.readings import SENSES

PREFIX = "homeassistant"
"""Home Assistant's default prefix of discovery topics."""
BIRTH = f"{PREFIX}/status"
"""The topic on which Home Assistant publishes `BORN` when it has started."""
BORN = b"online"
AVAILABLE, GONE = "online", "offline"
UNKNOWN = "None"
"""The value that Home Assistant reads as an unknown state."""
STATE_MOST = 255
"""Longest state of an entity, in characters."""
_encode = msgspec.json.Encoder(order="deterministic").encode


class Message(NamedTuple):
    """A topic and what is published on it. All messages are retained."""

    topic: str
    payload: bytes


class Topics(NamedTuple):
    """The topics of one table. `table` is its unique id (letters and digits)."""

    table: str

    @property
    def state(self) -> str:
        """The topic of the states of all entities, as one JSON object."""
        return f"smugglers/{self.table}/state"

    @property
    def available(self) -> str:
        """The topic that says whether the table is online. The broker publishes on it when the table has gone."""
        return f"smugglers/{self.table}/available"

    def discovery(self, component: str, entity: str) -> str:
        """Return the discovery topic of an entity."""
        return f"{PREFIX}/{component}/smugglers_{self.table}/{entity}/config"


def discovery(topics: Topics, address: str, language: str, version: str) -> Iterator[Message]:
    """Yield the discovery message of each entity.

    :param address: the address of the table's pages: `http://192.168.1.7:8080`.
    """
    say = words_for(language).say
    device = {
        "identifiers": [f"smugglers_{topics.table}"],
        "name": say("brand"),
        "model": "smugglers-table",
        "sw_version": version,
        "configuration_url": address,
    }
    yield _entity(topics, device, "binary_sensor", "playing", say("mqtt.playing"), device_class="running")
    for name, icon in (("game", "dice-multiple"), ("turn", "account-clock"), ("winner", "trophy")):
        yield _entity(topics, device, "sensor", name, say(f"mqtt.{name}"), icon=f"mdi:{icon}")
    for sense in SENSES:
        more = {"device_class": "problem", "entity_category": "diagnostic"}
        yield _entity(topics, device, "binary_sensor", sense, say(f"device.{sense}"), **more)


def _entity(topics: Topics, device: dict[str, Any], component: str, name: str, label: str, **more: str) -> Message:
    config = {
        "name": label,
        "unique_id": f"smugglers_{topics.table}_{name}",
        "default_entity_id": f"{component}.smugglers_table_{name}",
        "state_topic": topics.state,
        "value_template": f"{{{{ value_json.{name} }}}}",
        "availability_topic": topics.available,
        "device": device,
        **more,
    }
    return Message(topics.discovery(component, name), _encode(config))


def state(topics: Topics, status: TableStatus, language: str) -> Message:
    """Return the message with the states of all entities."""
    game = status.game
    asked, winners, played = [], [], UNKNOWN
    if game is not None:
        names = [seat.name for seat in game.seats]
        outcome = game.outcome
        asked = [] if outcome else [seat.name for seat in game.seats if seat.asked]
        winners = [names[seat] for seat in outcome.winners] if outcome else []
        played = words_of(language, game.name).say(f"game.{game.name}")
    told = {
        "playing": "ON" if game is not None and game.outcome is None else "OFF",
        "game": played[:STATE_MOST],
        "turn": _listed(asked),
        "winner": _listed(winners),
    }
    for sense in SENSES:
        health = status.sensors[sense].state
        told[sense] = {"faulty": "ON", "doubtful": "ON", "ok": "OFF"}.get(health, UNKNOWN)
    return Message(topics.state, _encode(told))


def _listed(names: list[str]) -> str:
    return ", ".join(names)[:STATE_MOST] or UNKNOWN

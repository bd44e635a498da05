"""Home Assistant finds the table by itself: against a real broker, and Home Assistant's own schemas where they are."""

from __future__ import annotations

import errno
import json
import os
import queue
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from appliance.service.outside.home_assistant import Message, Topics, discovery, state
from appliance.service.outside.mqtt import HomeTeller
from appliance.service.outside.table_status import status_of
from appliance.snapshot import Accepted, Submission
from appliance.words.catalogues import LANGUAGES
from appliance.words.errors import TableError
from tests.appliance.games.recordings import recorded
from tests.patience import GIVEN_UP_S
from tests.ports import free_port
from tests.web.rounds import INSPECTIONS, opening, ranking
from tests.web.stand import Stand

MOSQUITTO = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
needs_broker = pytest.mark.skipif(MOSQUITTO is None, reason="no mosquitto here: apt install mosquitto")
TOPICS = Topics("0a1b2c3d4e5f")
ADDRESS = "http://192.0.2.7:8080"
USER, WORD = "table", "p@ss:word"
BROKER = "mqtt://table:p%40ss%3Aword@127.0.0.1:{port}"
STATE, AVAILABLE = "smugglers/0a1b2c3d4e5f/state", "smugglers/0a1b2c3d4e5f/available"
BIRTH = "homeassistant/status"

# From Home Assistant's pages of the integrations binary_sensor.mqtt and sensor.mqtt: what is required, what may be.
SHARED = {"name", "unique_id", "default_entity_id", "state_topic", "value_template", "availability_topic", "device",
          "icon", "device_class", "entity_category", "payload_available", "payload_not_available", "qos"}  # fmt: skip
CLASSES = {"binary_sensor": {"running", "problem"}, "sensor": set[str]()}
DEVICE = {"identifiers", "name", "model", "manufacturer", "sw_version", "configuration_url"}


class Heard(NamedTuple):
    topic: str
    payload: bytes
    retained: bool


class Home:
    """What Home Assistant does at its end of the broker: it hears everything, and says that it has started."""

    def __init__(self, port: int) -> None:
        self.heard: queue.Queue[Heard] = queue.Queue()
        self.client = paho.Client(CallbackAPIVersion.VERSION2)
        self.client.username_pw_set(USER, WORD)
        self.client.on_message = lambda client, userdata, m: self.heard.put(Heard(m.topic, bytes(m.payload), m.retain))
        self.client.on_connect = lambda client, *rest: client.subscribe("#")
        listening = threading.Event()
        self.client.on_subscribe = lambda *rest: listening.set()
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        assert listening.wait(GIVEN_UP_S)

    def next(self, topic: str) -> Heard:
        """Return the next message of `topic` (a regular expression); others are passed over."""
        while True:
            heard = self.heard.get(timeout=GIVEN_UP_S)
            if re.fullmatch(topic, heard.topic):
                return heard

    def state(self, **expected: str) -> dict[str, Any]:
        """Return the next state in which everything expected is so."""
        while True:
            told: dict[str, Any] = json.loads(self.next(STATE).payload)
            if expected.items() <= told.items():
                return told

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


class Broker:
    """A real mosquitto on a port of its own, which wants the password."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        words = folder / "words"
        words.touch(mode=0o600)
        tool = shutil.which("mosquitto_passwd") or "/usr/bin/mosquitto_passwd"
        subprocess.run([tool, "-b", str(words), USER, WORD], check=True, capture_output=True)
        self._conf = folder / "mosquitto.conf"
        owner = words.owner()
        self._conf.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous false\npassword_file {words}\nuser {owner}\n"
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [str(MOSQUITTO), "-c", str(self._conf), "-v"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if b" running" in line:
                return
        raise AssertionError("mosquitto did not start")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    (tmp_path / "broker").mkdir()
    broker = Broker(tmp_path / "broker")
    broker.start()
    yield broker
    broker.kill()


def teller_of(
    stand: Stand, broker: Broker, language: str = "en", address: Callable[[], str] = lambda: ADDRESS
) -> HomeTeller:
    def known(address: str) -> Iterator[Message]:
        return discovery(TOPICS, address, language, "1.2")

    return HomeTeller(stand.table, BROKER.format(port=broker.port), TOPICS, address, known, language)


@needs_broker
def test_a_home_follows_a_game_from_the_lobby_to_its_winner(stand: Stand, broker: Broker) -> None:
    home = Home(broker.port)
    teller = teller_of(stand, broker)
    teller.start()
    configs = [home.next(r"homeassistant/.*/config") for _ in range(7)]
    assert home.next(AVAILABLE).payload == b"online"
    lobby = home.state(playing="OFF")
    assert lobby == {
        "playing": "OFF", "game": "None", "turn": "None", "winner": "None",
        "camera": "None", "beams": "None", "scale": "None",
    }  # fmt: skip
    for config in configs:
        entity = re.findall(r"value_json\.(\w+)", json.loads(config.payload)["value_template"])
        assert set(entity) <= lobby.keys()
    won = recorded("smugglers", "S-44-five-sweet")
    names = [player.name for player in won.setup.players]
    assert isinstance(stand.table.open_game(won.setup, "open"), Accepted)
    assert home.state(playing="ON", turn=names[won.setup.oldest])["game"] == "Smugglers"
    for number, action in enumerate(won.actions):
        assert isinstance(stand.table.submit(Submission(id=f"won-{number}", action=action)), Accepted)
    over = home.state(playing="OFF", winner=names[1])
    assert over["turn"] == "None"
    teller.stop()
    assert home.next(AVAILABLE).payload == b"offline"
    home.close()


@needs_broker
def test_where_the_table_is_found_follows_its_address(stand: Stand, broker: Broker) -> None:
    addresses = [ADDRESS]
    home = Home(broker.port)
    teller = teller_of(stand, broker, address=lambda: addresses[-1])
    teller.start()
    first = json.loads(home.next(r"homeassistant/.*/config").payload)
    assert first["device"]["configuration_url"] == ADDRESS
    home.state(playing="OFF")
    addresses.append("http://198.51.100.4:8080")
    stand.open(2)
    moved = json.loads(home.next(r"homeassistant/.*/config").payload)
    while moved["device"]["configuration_url"] == ADDRESS:
        moved = json.loads(home.next(r"homeassistant/.*/config").payload)
    assert moved["device"]["configuration_url"] == addresses[-1]
    teller.stop()
    home.close()


@needs_broker
def test_an_address_that_cannot_be_had_now_holds_back_nothing_else(stand: Stand, broker: Broker) -> None:
    """What `lan_address` raises while the process has no file descriptor left for its probe."""
    addresses: list[str] = []

    def address() -> str:
        if not addresses:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return addresses[-1]

    home = Home(broker.port)
    teller = teller_of(stand, broker, address=address)
    teller.start()
    assert home.next(AVAILABLE).payload == b"online"
    stand.open(2)
    home.state(playing="ON")
    addresses.append(ADDRESS)
    stand.do(do="roll", seat=0, value=3)
    assert json.loads(home.next(r"homeassistant/.*/config").payload)["device"]["configuration_url"] == ADDRESS
    home.client.publish(BIRTH, "online")
    assert home.next(AVAILABLE).payload == b"online", "the client's thread lives"
    teller.stop()
    home.close()


@needs_broker
def test_everything_is_sent_again_when_home_assistant_starts(stand: Stand, broker: Broker) -> None:
    stand.open(2)
    teller = teller_of(stand, broker)
    teller.start()
    home = Home(broker.port)
    home.state(playing="ON")
    home.client.publish(BIRTH, "offline")
    home.client.publish(BIRTH, "online")
    assert home.next(BIRTH).payload == b"offline"
    assert home.next(BIRTH).payload == b"online"
    again = [home.next(r"homeassistant/.*/config") for _ in range(7)]
    assert not [one for one in again if one.retained]
    assert home.next(AVAILABLE).payload == b"online"
    assert home.state()["playing"] == "ON"
    teller.stop()
    home.close()


@needs_broker
def test_the_broker_says_so_when_the_table_has_gone_without_a_word(stand: Stand, broker: Broker) -> None:
    home = Home(broker.port)
    teller = teller_of(stand, broker)
    teller.start()
    assert home.next(AVAILABLE).payload == b"online"
    teller._client.reconnect_delay_set(600, 600)
    teller._client.socket().shutdown(socket.SHUT_RDWR)
    assert home.next(AVAILABLE).payload == b"offline"
    teller.stop()
    home.close()


@needs_broker
def test_a_broker_that_comes_late_and_comes_back_is_told_what_is_so_now(
    stand: Stand, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "late").mkdir()
    broker = Broker(tmp_path / "late")
    teller = teller_of(stand, broker)
    teller._client.reconnect_delay_set(1, 1)
    teller.start()
    stand.open(2)
    for _ in range(2):
        broker.start()
        home = Home(broker.port)
        assert home.state(playing="ON")
        home.close()
        broker.kill()
    stand.do(do="roll", seat=0, value=3)
    teller.stop()
    assert "cannot be told of the table" in caplog.text
    assert WORD not in caplog.text


def test_games_that_differ_in_secrets_alone_tell_the_same_at_every_step(tmp_path: Path) -> None:
    told = []
    for name, masses, hidden in (
        ("a", {0: 71.83, 2: 83.94, 3: 61.27}, {1: "bomb", 3: "sour"}),
        ("b", {0: 12.05, 2: 12.61, 3: 5.49}, {1: "sweet", 3: "bomb"}),
    ):
        (tmp_path / name).mkdir()
        stand = Stand(tmp_path / name)
        stand.open(4)
        states = []
        for action in [*opening(hidden), *ranking(masses), *INSPECTIONS[:1]]:
            stand.do(**action)
            states.append(state(TOPICS, status_of(stand.table.snapshot()), "en"))
        told.append(states)
        stand.close()
    assert len(set(told[0])) > 5
    assert told[0] == told[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_entity_is_made_known_as_home_assistant_documents_it(language: str) -> None:
    known = list(discovery(TOPICS, ADDRESS, language, "1.2"))
    assert len({message.topic for message in known}) == len(known) == 7
    names = set()
    for message in known:
        prefix, component, node, entity, last = message.topic.split("/")
        assert (prefix, last) == ("homeassistant", "config")
        assert re.fullmatch(r"[A-Za-z0-9_-]+", node)
        assert re.fullmatch(r"[A-Za-z0-9_-]+", entity)
        config = json.loads(message.payload)
        assert {"state_topic", "unique_id", "device"} <= config.keys() <= SHARED
        assert config.get("device_class", "running") in {"running", *CLASSES[component]}
        assert config.get("entity_category", "diagnostic") == "diagnostic"
        assert config["state_topic"] == STATE
        assert config["availability_topic"] == AVAILABLE
        assert config["device"].keys() <= DEVICE
        assert config["device"]["identifiers"]
        assert config["device"]["configuration_url"] == ADDRESS
        names.add(config["name"])
    assert len(names) == 7


def test_home_assistants_own_schemas_take_it() -> None:
    pytest.importorskip("homeassistant", reason="Home Assistant is not installed here")
    from homeassistant.components.mqtt import binary_sensor, sensor

    schemas = {"binary_sensor": binary_sensor.DISCOVERY_SCHEMA, "sensor": sensor.DISCOVERY_SCHEMA}
    for language in LANGUAGES:
        for message in discovery(TOPICS, ADDRESS, language, "1.2"):
            schemas[message.topic.split("/")[1]](json.loads(message.payload))


def test_without_the_library_a_sentence_says_what_to_install(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "paho.mqtt.client", None)
    with pytest.raises(TableError) as refused:
        HomeTeller(stand.table, "mqtt://127.0.0.1", TOPICS, lambda: ADDRESS, lambda _: (), "en")
    assert refused.value.code == "mqtt_missing"

"""Publishes the table's state to Home Assistant through an MQTT broker, which may come and go. No game waits for it."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote, urlsplit

from appliance.service.outside.home_assistant import AVAILABLE, BIRTH, BORN, GONE, Message, Topics, state
from appliance.service.outside.table_status import status_of
from appliance.service.outside.untrusted import why_untrusted
from appliance.table.broadcast import Snapshots, followed
from appliance.words.errors import TableError, where_raised

PORT, TLS_PORT = 1883, 8883
KEEPALIVE_S = 30
"""The broker reports the table as gone after 1.5 times this time without a message (MQTT 3.1.1, 3.1.2.10)."""
AGAIN_S, AGAIN_MOST_S = 1, 60
"""First and longest pause before another try."""
BRIEF_S = 30.0
"""A broker that ends connections sooner is logged once, and tried at longer and longer pauses."""
_log = logging.getLogger(__name__)


class HomeTeller:
    """Publishes the discovery and every new state; the broker publishes that the table has gone.

    :param broker: `mqtt://user:password@host:port`, or `mqtts://…` for TLS.
    :param address: returns the current address of the table's pages.
    :param discovery: returns the discovery messages for that address. They are sent at each connection, when Home
        Assistant starts, and when the address has changed.
    :raises TableError: the library for MQTT is not installed (`mqtt_missing`).
    """

    def __init__(
        self,
        table: Snapshots,
        broker: str,
        topics: Topics,
        address: Callable[[], str],
        discovery: Callable[[str], Iterable[Message]],
        language: str,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        try:
            import paho.mqtt.client as paho
            from paho.mqtt.enums import CallbackAPIVersion
        except ImportError:
            raise TableError("mqtt_missing") from None
        self._table, self._topics, self._language, self._now_s = table, topics, language, now_s
        self._address, self._discovery = address, discovery
        self._known_at = ""
        self._told: Message | None = None
        self._turn = threading.Lock()
        self._stopping = threading.Event()
        parts = urlsplit(broker)
        secure = parts.scheme == "mqtts"
        self._host = str(parts.hostname)
        self._port = parts.port or (TLS_PORT if secure else PORT)
        self._client: Any = paho.Client(CallbackAPIVersion.VERSION2, client_id=f"smugglers-{topics.table}")
        if parts.username is not None:
            self._client.username_pw_set(unquote(parts.username), unquote(parts.password or ""))
        if secure:
            self._client.tls_set()
        self._client.will_set(topics.available, GONE, qos=1, retain=True)
        self._client.reconnect_delay_set(AGAIN_S, AGAIN_MOST_S)
        self._client.on_connect = self._connected
        self._client.on_disconnect = self._disconnected
        self._client.on_connect_fail = self._unreachable
        # By its topic: paho leaves out a message whose topic is no text, and its thread would end at reading one.
        self._client.message_callback_add(BIRTH, self._message)
        self._is_up: bool | None = None
        self._connected_s: float | None = None
        self._again_s = AGAIN_S
        self._thread = threading.Thread(target=self._follow, name="home", daemon=True)

    def start(self) -> None:
        """Connect as soon as the broker is reachable, and publish every change from now on."""
        self._client.connect_async(self._host, self._port, KEEPALIVE_S)
        self._client.loop_start()
        self._thread.start()

    def stop(self) -> None:
        """Publish that the table goes offline, and disconnect."""
        self._stopping.set()
        if self._client.is_connected():
            self._client.publish(self._topics.available, GONE, qos=0, retain=True)
        self._client.disconnect()

    def _follow(self) -> None:
        for snapshot in followed(self._table, self._stopping):
            try:
                self._tell(state(self._topics, status_of(snapshot), self._language))
            except Exception as bug:
                _log.error("%s; Home Assistant is told of the next change", where_raised(bug))

    def _tell(self, told: Message) -> None:
        with self._turn:
            news, self._told = told != self._told, told
            # A state that is not sent now is sent at the next connection: nothing waits here.
            if not self._client.is_connected():
                return
            if self._connected_s is not None and self._now_s() - self._connected_s >= BRIEF_S:
                self._note(True, "")
            self._make_known(anew=False)
            if news:
                self._publish(told)

    def _announce(self) -> None:
        with self._turn:
            self._make_known(anew=True)
            self._publish(Message(self._topics.available, AVAILABLE.encode()))
            if self._told is not None:
                self._publish(self._told)

    def _make_known(self, *, anew: bool) -> None:
        """Send the discovery messages, with `anew` also those of an address that is known. If the address cannot be had
        now, that is tried at the next change: it must not end the client's thread, which tells everything else."""
        try:
            address = self._address()
            if anew or address != self._known_at:
                self._known_at = ""
                for message in self._discovery(address):
                    self._publish(message)
                self._known_at = address
        except Exception as error:
            _log.error("%s; Home Assistant is told of the table's address with the next change", where_raised(error))

    def _publish(self, message: Message) -> None:
        self._client.publish(message.topic, message.payload, qos=0, retain=True)

    # -- called by the client's own thread -----------------------------------------------------------------------

    def _connected(self, client: Any, userdata: object, flags: object, reason: Any, properties: object) -> None:
        if reason.is_failure:
            self._note(False, str(reason))
            return
        self._connected_s = self._now_s()
        if self._again_s == AGAIN_S:
            self._note(True, "")
        client.subscribe(BIRTH)
        self._announce()

    def _disconnected(self, client: Any, userdata: object, flags: object, reason: Any, properties: object) -> None:
        began_s, self._connected_s = self._connected_s, None
        if self._stopping.is_set():
            return
        if began_s is not None:  # paho itself would try again after its shortest pause
            is_brief = self._now_s() - began_s < BRIEF_S
            self._again_s = min(2 * self._again_s, AGAIN_MOST_S) if is_brief else AGAIN_S
            self._client.reconnect_delay_set(self._again_s, AGAIN_MOST_S)
        self._note(False, str(reason))

    def _unreachable(self, client: Any, userdata: object) -> None:
        error = sys.exception()  # paho calls this while it handles what went wrong
        why = why_untrusted(error) or getattr(error, "strerror", None)
        self._note(False, why or "it does not answer")

    def _message(self, client: Any, userdata: object, message: Any) -> None:
        if message.payload == BORN:
            self._announce()

    def _note(self, is_up: bool, why: str) -> None:
        """Log each change once. Of the broker's settings only the host is named."""
        if is_up is self._is_up:
            return
        level = logging.INFO if self._is_up is None and is_up else logging.WARNING
        self._is_up = is_up
        if is_up:
            _log.log(level, "the MQTT broker at %s is told of the table", self._host)
        else:
            _log.warning("the MQTT broker at %s cannot be told of the table (%s); it is tried again", self._host, why)

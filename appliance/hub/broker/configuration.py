"""Writes the configuration of nats-server (docs.nats.io, "Configuration"). Pure.

Who may do what: the hub everything; a table sends its own journal and status, asks for the newest message of its own
that the broker holds, and hears what was stored of it. Its answers come to an inbox of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from appliance.hub.broker.members import Members
from appliance.hub.link import nkeys
from appliance.hub.subjects import inbox, last_of, subject

MOST_PAYLOAD_BYTES = 2**20
"""A longer message ends its sender's connection."""
MOST_CONNECTIONS = 4096
MEMORY_BYTES = 64 * 2**20
DISK_BYTES = 4 * 2**30
KEY, CERTIFICATE, STORE = "broker.key", "broker.pem", "broker"


def configuration(members: Members, folder: Path, listen: str) -> str:
    """Return the text of the configuration file.

    :param folder: holds the broker's certificate and key, and its store.
    :param listen: the address that it listens on.
    """
    return "\n".join(_lines(members, folder, listen)) + "\n"


def _lines(members: Members, folder: Path, listen: str) -> Iterator[str]:
    yield "# Written by `smugglers hub`; changes are lost."
    yield "server_name: smugglers_hub"
    yield f"host: {_text(listen)}"
    yield f"port: {members.port}"
    yield f"max_payload: {MOST_PAYLOAD_BYTES}"
    yield f"max_connections: {MOST_CONNECTIONS}"
    yield "write_deadline: 5s"
    yield "ping_interval: 30s"
    yield "tls {"
    yield f"  cert_file: {_text(folder / CERTIFICATE)}"
    yield f"  key_file: {_text(folder / KEY)}"
    yield "  handshake_first: true"
    yield "  timeout: 10"
    yield "}"
    yield "jetstream {"
    yield f"  store_dir: {_text(folder / STORE)}"
    yield f"  max_memory_store: {MEMORY_BYTES}"
    yield f"  max_file_store: {DISK_BYTES}"
    # By default what was acknowledged reaches the disk within two minutes.
    yield "  sync_interval: always"
    yield "}"
    yield "authorization {"
    yield "  timeout: 10"
    yield "  users = ["
    yield f"    {{ nkey: {nkeys.public_key(members.seed)} }}"
    for member in members.tables.values():
        if member.key is not None:
            yield from _table(member.table, member.key)
    yield "  ]"
    yield "}"


def _table(table: str, key: str) -> Iterator[str]:
    sends = [subject(table, "journal"), subject(table, "status"), last_of(table, "journal"), last_of(table, "stored")]
    hears = [subject(table, "stored"), f"{inbox(table)}.>"]
    yield f"    {{ nkey: {key}, permissions: {{"
    yield f"      publish: {_listed(sends)}"
    yield f"      subscribe: {_listed(hears)}"
    yield "    } }"


def _listed(subjects: Iterable[str]) -> str:
    return "[" + ", ".join(_text(one) for one in subjects) + "]"


def _text(value: object) -> str:
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'

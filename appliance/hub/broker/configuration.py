"""Writes the configuration of nats-server (docs.nats.io, "Configuration"). Pure.

Permissions: the hub may do everything. A table may publish its own journal and status, request its own newest messages
that the broker holds, and subscribe to its own `stored` and `wanted`. Replies come to its own inbox.

Each table has its own account and can reach nothing outside it. This is needed because a key's permissions do not apply
to the reply subject of a message: the broker replies to any subject, within the sender's account.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from appliance.hub.broker.members import Members
from appliance.hub.link import nkeys
from appliance.hub.subjects import inbox, last_of, subject

MOST_PAYLOAD_BYTES = 2**20
"""The broker closes the connection of a client that sends a longer message."""
MOST_CONNECTIONS = 4096
CONNECTIONS_OF_A_TABLE = 16
"""A table has one. After a lost network the broker may take the former ones for alive for a minute or two."""
SUBSCRIPTIONS_OF_A_TABLE = 16
"""Most subscriptions of one connection of a table, which has four."""
MEMORY_BYTES = 64 * 2**20
DISK_BYTES = 4 * 2**30
HUB = "HUB"
"""The hub's account, which owns the streams."""
KEY, CERTIFICATE, STORE, LOG = "broker.key", "broker.pem", "broker", "broker.log"
LOG_MOST_BYTES = 4 * 2**20
"""At this size the broker begins another log and keeps the former one. It logs every key that it refuses."""


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
    yield f"log_file: {_text(folder / LOG)}"
    yield f"logfile_size_limit: {LOG_MOST_BYTES}"
    yield "logfile_max_num: 2"
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
    # By default, acknowledged data may reach the disk only after two minutes.
    yield "  sync_interval: always"
    yield "}"
    yield "authorization { timeout: 10 }"
    tables = {member.table: member.key for member in members.tables.values() if member.key is not None}
    yield "accounts {"
    yield f"  {HUB} {{"
    yield "    jetstream: enabled"
    yield f"    users = [{{ nkey: {nkeys.public_key(members.seed)} }}]"
    yield "    exports = ["
    for table in tables:
        only = _listed([_account(table)])
        for sent in _sends(table):
            yield f"      {{ service: {_text(sent)}, accounts: {only} }}"
        for heard in _hears(table):
            yield f"      {{ stream: {_text(heard)}, accounts: {only} }}"
    yield "    ]"
    yield "  }"
    for table, key in tables.items():
        yield from _table(table, key)
    yield "}"


def _table(table: str, key: str) -> Iterator[str]:
    yield f"  {_text(_account(table))} {{"
    yield f"    users = [{{ nkey: {key}, permissions: {{"
    yield f"      publish: {_listed(_sends(table))}"
    yield f"      subscribe: {_listed([*_hears(table), f'{inbox(table)}.>'])}"
    yield "    } }]"
    most = f"max_connections: {CONNECTIONS_OF_A_TABLE}, max_subscriptions: {SUBSCRIPTIONS_OF_A_TABLE}"
    yield f"    limits {{ {most} }}"
    yield "    imports = ["
    for sent in _sends(table):
        yield f"      {{ service: {{ account: {HUB}, subject: {_text(sent)} }} }}"
    for heard in _hears(table):
        yield f"      {{ stream: {{ account: {HUB}, subject: {_text(heard)} }} }}"
    yield "    ]"
    yield "  }"


def _sends(table: str) -> tuple[str, ...]:
    return subject(table, "journal"), subject(table, "status"), last_of(table, "journal"), last_of(table, "stored")


def _hears(table: str) -> tuple[str, ...]:
    return subject(table, "stored"), subject(table, "wanted")


def _account(table: str) -> str:
    return f"table-{table}"


def _listed(subjects: Iterable[str]) -> str:
    return "[" + ", ".join(_text(one) for one in subjects) + "]"


def _text(value: object) -> str:
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'

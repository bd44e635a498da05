"""A hub beside the booted table: this machine's own `smugglers hub run`, in the booted system's network."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from appliance.hub.broker.configuration import LOG
from appliance.hub.broker.server import READY
from tests.installed.booted_debian import BootedDebian
from tests.patience import GIVEN_UP_S

COMMAND = [sys.executable, "-m", "appliance.commands.start", "hub"]


class NearbyHub:
    """A hub that runs; its data folder is on this machine, its ports are in the booted system's network."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._environ = {**os.environ, "SMUGGLERS_DATA_DIR": str(data)}

    def invite(self, table: str) -> str:
        """Invite a table by `smugglers hub invite`; return the line that it prints for the table."""
        said = subprocess.run(
            [*COMMAND, "invite", table], env=self._environ, capture_output=True, text=True, check=True
        ).stdout
        found = re.search(r"'(nats\+tls://[^']+)'", said)
        assert found is not None, said
        return found[1]

    def until_kept(self, table: str, count: int) -> list[int]:
        """Wait until the database keeps so many entries of a table; return the numbers of those that it keeps."""
        ends_s = time.monotonic() + GIVEN_UP_S
        while len(kept := self._kept_of(table)) < count and time.monotonic() < ends_s:
            time.sleep(0.2)
        return kept

    def _kept_of(self, table: str) -> list[int]:
        asked = "SELECT seq FROM envelopes WHERE table_name = ? ORDER BY seq"
        try:
            with closing(sqlite3.connect(f"file:{self._data}/hub/hub.db?mode=ro", uri=True)) as db:
                return [seq for (seq,) in db.execute(asked, (table,))]
        except sqlite3.OperationalError:  # it is being made
            return []

    def start(self, system: BootedDebian) -> subprocess.Popen[bytes]:
        """Start it, and wait until its broker serves."""
        asked = [*system.in_its_network(), *COMMAND, "run", "--host", "127.0.0.1", "--listen", "127.0.0.1"]
        said, log = self._data / "said", self._data / "hub" / LOG
        with said.open("wb") as file:
            hub = subprocess.Popen(asked, env=self._environ, stdout=file, stderr=subprocess.STDOUT)
        ends_s = time.monotonic() + GIVEN_UP_S
        while not (log.exists() and READY in log.read_bytes()):
            if hub.poll() is not None or time.monotonic() > ends_s:
                hub.kill()
                raise RuntimeError(f"the hub does not run: {said.read_text()[-300:]}")
            time.sleep(0.2)
        return hub


@contextmanager
def nearby_hub(system: BootedDebian) -> Iterator[NearbyHub]:
    """Run a hub until the `with` ends."""
    with tempfile.TemporaryDirectory(prefix="smugglers-hub-") as folder:
        hub = NearbyHub(Path(folder))
        process = hub.start(system)
        try:
            yield hub
        finally:
            process.terminate()
            process.wait()


def sends_its_journal(system: BootedDebian, data: str, count: int) -> str:
    """Give the table the setting `hub`, and compare what the hub's database has with the journal; take it away again.

    :param data: the table's data folder in the booted system.
    :param count: the entries of its journal.
    """
    settings, cursor = "/etc/default/smugglers-table", f"{data}/hub-cursor.json"
    with nearby_hub(system) as hub:
        system.run(f"echo \"SMUGGLERS_HUB='{hub.invite('cellar')}'\" > {settings}")
        system.run("systemctl restart smugglers-table")
        kept = hub.until_kept("cellar", count)
        system.run("systemctl stop smugglers-table")
        told = system.says(f'python3 -c \'import json; print(json.load(open("{cursor}"))["seq"])\'')
    system.run(f"rm {settings} {data}/hub.json {cursor}; systemctl start smugglers-table")
    assert kept == list(range(1, count + 1)), kept
    assert told == str(count), told
    return f"{len(kept)} of {count} entries are in the hub's database, and the table knows it"

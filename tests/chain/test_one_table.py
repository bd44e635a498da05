"""A table and a hub as people start them: the table joins by what the hub prints, and its games are in the league."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

import pytest

from appliance.journal.entries import Opened
from appliance.journal.journal import Journal
from appliance.journal.past_games import PastGames
from appliance.journal.safekeeping.keys import seal_key
from tests.patience import GIVEN_UP_S
from tests.ports import free_port
from tests.table_process import TableProcess

GAME = "prohis"


def smugglers(folder: Path, *words: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "SMUGGLERS_DATA_DIR": str(folder)}
    command = [sys.executable, "-m", "appliance.commands.start", *words]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def said(folder: Path, *words: str) -> str:
    process = smugglers(folder, *words)
    told, _ = process.communicate(timeout=GIVEN_UP_S)
    assert process.returncode == 0, told
    return told


def free_ports() -> tuple[int, int]:
    return free_port(), free_port()


def page(url: str) -> str:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return str(answer.read().decode())
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return ""


def until(url: str, shows: str) -> str:
    """Wait until a page shows something, and return it."""
    by = time.monotonic() + 2 * GIVEN_UP_S
    while not re.search(shows, found := page(url), re.DOTALL):
        assert time.monotonic() < by, found
        time.sleep(0.2)
    return found


def played(folder: Path) -> Counter[str]:
    """Return how many games each name was in, by the journal of the table itself."""
    journal, count = Journal(folder / "journal.sqlite3", seal_key(folder)[0]), Counter[str]()
    for past in PastGames(journal).newest():
        bodies = [entry.body for entry in journal.read(past.game)]
        (opened,) = (body for body in bodies if isinstance(body, Opened))
        count.update(player.name for player in opened.setup.players)
    journal.close()
    return count


@pytest.mark.soak
def test_a_table_joins_by_what_the_hub_prints_and_its_games_are_in_the_league(tmp_path: Path) -> None:
    there, here = tmp_path / "hub", tmp_path / "table"
    port, pages = map(str, free_ports())
    url = f"http://127.0.0.1:{pages}"
    hub = smugglers(
        there, "hub", "run", "--host", "127.0.0.1", "--listen", "127.0.0.1", "--port", port, "--pages", pages
    )
    table = None
    try:
        until(f"{url}/league", "<h1")
        invited = said(there, "hub", "invite", "cellar")
        code = re.search(r"'(nats\+tls://[^']+)'", invited)
        assert code is not None, invited
        assert "cellar" in said(here, "hub", "join", "--demo", code[1])
        table = TableProcess(
            here, "demo", "--speed", "60", "--seed", "3", "--game", GAME, "--players", "3", camera="none"
        )
        table.serving_s()
        until(f"{url}/wall", "cellar.*Ada")
        shown = until(f"{url}/league?game={GAME}", '<th scope="row">Ada')
        names = re.findall(r'<th scope="row">(.*?)</th>', shown)
    finally:
        if table is not None:
            table.kill()
        hub.terminate()
        hub.communicate(timeout=GIVEN_UP_S)
    truth = played(here / "demo")
    assert sorted(names) == sorted(truth)
    assert min(truth.values()) >= 1

"""A table that cannot start: after three tries the safe mode puts its journal back, and the game goes on."""

from __future__ import annotations

import os
import re
import socket
import sqlite3
import struct
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from appliance.games.catalogue import the_game
from appliance.games.protocol import Player, Setup
from appliance.journal.media.removable_media import Sticks
from appliance.journal.safekeeping.keeper import Keeper
from appliance.journal.safekeeping.records import open_records
from appliance.service.failed_starts import FailedStart, FailedStarts
from appliance.service.safe_mode import SafeMode
from appliance.settings import Settings
from appliance.snapshot import Accepted
from appliance.table.table import Table
from appliance.words.catalogues import LANGUAGES
from hardware.clock import ManualClock
from tests.appliance.journal.hanging import ANSWERS_S, hanging_at
from tests.patience import GIVEN_UP_S
from tests.ports import free_port
from tests.refused_writes import refused_writes

pytestmark = pytest.mark.slow


class Machine:
    """What an init system is to the table: a data folder, a run-time folder that lasts, and starts."""

    def __init__(self, folder: Path) -> None:
        self.data, self.port = folder / "data", free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        (folder / "run").mkdir()
        self.environ = {
            **os.environ,
            "SMUGGLERS_DATA_DIR": str(self.data),
            "SMUGGLERS_PORT": str(self.port),
            "SMUGGLERS_STICK_DIRS": str(folder / "sticks"),
            "RUNTIME_DIRECTORY": str(folder / "run"),
        }

    def play(self) -> None:
        """Open a game that is still open when the machine is switched off."""
        records = open_records(self.data)
        table = Table(journal=records.journal, games=the_game, clock=ManualClock(1.0))
        setup = Setup(
            format=1,
            game="smugglers",
            players=(Player(name="Ann", putty="yellow"), Player(name="Ben", putty="pink")),
            options={},
        )
        assert isinstance(table.open_game(setup, "open"), Accepted)
        Keeper(records.journal, records.copies, table.tell).copy()
        table.stop()
        records.journal.close()

    @contextmanager
    def start(self, says: str) -> Iterator[subprocess.Popen[str]]:
        """Start the table and wait until it has printed a line that begins with `says`."""
        command = [sys.executable, "-m", "appliance.commands.start", "run"]
        with subprocess.Popen(command, env=self.environ, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                assert any(line.startswith(says) for line in process.stdout), "it ended without saying so"
                yield process
            finally:
                process.terminate()

    def fail(self) -> str:
        command = [sys.executable, "-m", "appliance.commands.start", "run"]
        done = subprocess.run(command, env=self.environ, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        return done.stderr

    def page(self) -> str:
        return self._read(self.url)

    def tap(self, button: str, origin: str | None = None) -> str:
        """Tap the button of these words on the touchscreen."""
        (wish,) = re.findall(rf'name="restore" value="([^"]*)"><button>{re.escape(button)}</button>', self.page())
        data = urllib.parse.urlencode({"restore": wish}).encode()
        return self._read(urllib.request.Request(self.url, data, {"Origin": origin or self.url.rstrip("/")}))

    def _read(self, wanted: str | urllib.request.Request) -> str:
        with urllib.request.urlopen(wanted, timeout=GIVEN_UP_S) as answer:  # our own process
            return str(answer.read().decode())


def test_after_three_failed_starts_the_journal_is_put_back_at_the_touchscreen_and_the_game_goes_on(
    tmp_path: Path,
) -> None:
    machine = Machine(tmp_path)
    machine.play()
    with closing(sqlite3.connect(machine.data / "journal.sqlite3")) as db:
        db.execute("PRAGMA user_version = 99")
    for _ in range(3):
        assert "[journal_newer]" in machine.fail()
    with machine.start("Safe mode") as process:
        page = machine.page()
        assert page.count("newer release") == 3, "the reasons, a line each"
        copy = str(machine.data / "copy" / "journal.copy")
        with pytest.raises(urllib.error.HTTPError) as refused:
            machine.tap(copy, origin="http://elsewhere.example")
        with refused.value:
            assert refused.value.code == 403
        assert "Restored: 1 games, 1 entries" in machine.tap(copy)
        assert (machine.data / "replaced-1" / "journal.sqlite3").exists()
        machine.tap("Try to start again")
        assert process.wait(GIVEN_UP_S) == 0
    with machine.start("Press Ctrl-C"):
        assert "Ann" in machine.page()


def test_a_journal_that_is_put_back_without_its_key_names_the_file_to_put_back(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.play()
    for name in ("seal.key", "copy/seal.key"):
        (machine.data / name).unlink()
    mode = SafeMode(Settings(data_dir=str(machine.data), port=machine.port), (), Sticks(()))
    mode.take(str(machine.data / "copy" / "journal.copy"))
    mode.serve(lambda: True)
    assert f"Put the seal.key of their table back as {machine.data / 'seal.key'}" in mode.page(local=True)


def test_where_a_former_release_may_be_tried_the_table_goes_on_failing(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.environ["SMUGGLERS_MACHINE_DIR"] = str(tmp_path)
    machine.data.write_text("no folder")
    for _ in range(4):
        assert "[folder_unusable]" in machine.fail()
    (tmp_path / "no-way-back").touch()
    with machine.start("Safe mode"):
        assert "folder" in machine.page()


def test_a_start_that_dies_without_a_word_counts_and_a_good_one_clears(tmp_path: Path) -> None:
    starts = FailedStarts({"RUNTIME_DIRECTORY": str(tmp_path)})
    for number in range(3):
        assert not starts.too_many
        starts.begin(float(number))
    again = FailedStarts({"RUNTIME_DIRECTORY": str(tmp_path)})
    assert again.too_many
    again.forget()
    assert not starts.too_many


def test_in_a_terminal_nothing_is_counted() -> None:
    starts = FailedStarts({})
    for _ in range(5):
        starts.begin(0.0)
        starts.explain("why")
    assert not starts.too_many


@pytest.mark.parametrize("rubbish", [b"", b"[", b"{}", b"\xff"])
def test_a_garbled_count_is_no_count(tmp_path: Path, rubbish: bytes) -> None:
    (tmp_path / "failed-starts.json").write_bytes(rubbish)
    starts = FailedStarts({"RUNTIME_DIRECTORY": str(tmp_path)})
    assert not starts.too_many
    starts.begin(0.0)
    assert len(starts.all()) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.7", "no-such-host.invalid", "::1", "::"])
def test_it_is_served_on_this_machine_where_its_address_or_port_cannot_be_had(tmp_path: Path, host: str) -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        settings = Settings(data_dir=str(tmp_path), port=int(taken.getsockname()[1]), host=host)
        mode = SafeMode(settings, (), Sticks(()))
        asked = threading.Event()
        served = threading.Thread(target=mode.serve, args=(lambda: asked.wait(0.1),))
        served.start()
        at = "[::1]" if host == "::1" else "127.0.0.1"
        with urllib.request.urlopen(f"http://{at}:{mode.port}/", timeout=GIVEN_UP_S) as answer:  # our own process
            assert "data-safe-mode" in answer.read().decode()
        asked.set()
        served.join()


def test_an_error_of_ours_is_said_by_its_place_and_without_its_words(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(
        "import builtins\n"
        "kept = builtins.__import__\n"
        "def bent(name, *more, **named):\n"
        "    if name == 'web.live.serve':\n"
        "        raise RuntimeError('the PIN is 471199')\n"
        "    return kept(name, *more, **named)\n"
        "builtins.__import__ = bent\n"
    )
    machine.environ["PYTHONPATH"] = str(tmp_path / "site")
    said = machine.fail()
    assert "[start_failed]" in said
    assert "RuntimeError at sitecustomize.py:5" in said
    (start,) = FailedStarts(machine.environ).all()
    assert "RuntimeError at sitecustomize.py:5" in start.reason
    log = "".join(path.read_text() for path in machine.data.rglob("*.log"))
    assert "471199" not in said + start.reason + log


def test_a_second_medium_that_hangs_is_left_out_and_the_card_s_own_copy_is_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ANSWERS_S, 0.1)
    machine = Machine(tmp_path)
    machine.play()
    second = tmp_path / "second"
    second.mkdir()
    (second / "smugglers-journal.copy").write_bytes((machine.data / "copy" / "journal.copy").read_bytes())
    settings = Settings(data_dir=str(machine.data), port=machine.port, copy_dir=str(second))
    mode = SafeMode(settings, (), Sticks(()))
    own = str(machine.data / "copy" / "journal.copy")
    with hanging_at(second):
        assert str(second) not in mode.page(local=True)
        mode.take(own)
        assert "Restored: 1 games, 1 entries" in mode.page(local=True)
    monkeypatch.setattr(ANSWERS_S, GIVEN_UP_S)
    assert str(second) in mode.page(local=True), "it is offered once it answers"
    mode.serve(lambda: True)


@contextmanager
def served(mode: SafeMode) -> Iterator[str]:
    """Serve the page until the block ends. Yield its host and port."""
    over = threading.Event()
    thread = threading.Thread(target=mode.serve, args=(lambda: over.wait(0.1),))
    thread.start()
    try:
        yield f"127.0.0.1:{mode.port}"
    finally:
        over.set()
        thread.join()


def test_a_backup_whose_name_is_no_text_is_offered_and_put_back(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.play()
    stick = tmp_path / "media" / os.fsdecode(b"B\xfccher")
    stick.mkdir(parents=True)
    for name in (b"caf\xe8.copy", b"caf\xe9.copy"):
        (stick / os.fsdecode(name)).write_bytes(b"nothing of a table")
    copy = machine.data / "copy" / "journal.copy"
    (stick / os.fsdecode(b"caf\xe9.copy")).write_bytes(copy.read_bytes())
    copy.unlink()
    settings = Settings(data_dir=str(machine.data), port=machine.port, host="127.0.0.1")
    mode = SafeMode(settings, (), Sticks((tmp_path / "media",), lambda folder: folder == stick))
    with served(mode):
        page = machine.page()
        assert page.count("B\ufffdcher/caf\ufffd.copy</button>") == 2
        data = urllib.parse.urlencode({"restore": urllib.parse.quote(os.fsencode(stick) + b"/caf\xe9.copy")}).encode()
        assert urllib.parse.parse_qs(data.decode())["restore"][0] in page
        put = urllib.request.Request(machine.url, data, {"Origin": machine.url.rstrip("/")})
        with urllib.request.urlopen(put, timeout=GIVEN_UP_S) as answer:  # our own thread
            assert "Restored: 1 games, 1 entries" in answer.read().decode()


@pytest.mark.parametrize("origin", ["http://[", "null", "http://", "https://{host}", "http://{host}/x", "{host}"])
def test_a_tap_of_another_site_is_refused_with_the_page(tmp_path: Path, origin: str) -> None:
    mode = SafeMode(Settings(data_dir=str(tmp_path), port=free_port(), host="127.0.0.1"), (), Sticks(()))
    with served(mode) as host:
        headers = {"Origin": origin.format(host=host)}
        request = urllib.request.Request(f"http://{host}/", b"restore=", headers)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=GIVEN_UP_S)
        with refused.value as answer:
            assert (answer.code, "data-safe-mode" in answer.read().decode()) == (403, True)
            assert answer.headers["X-Frame-Options"] == "DENY"


def asked_as(port: int, name: str, body: bytes | None = None, **headers: str) -> tuple[int, str]:
    """Ask the page by a name in the Host header, as a browser does to which that name leads here."""
    sent = {"Host": name, **({} if body is None else {"Origin": f"http://{name}"}), **headers}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", body, sent)
    try:
        with urllib.request.urlopen(request, timeout=GIVEN_UP_S) as answer:  # our own thread
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()


@pytest.mark.parametrize("name", ["evil.example:{port}", "evil.example", "127.0.0.1.evil.example", "[", "", "a b"])
def test_another_site_whose_name_leads_here_reads_and_changes_nothing(tmp_path: Path, name: str) -> None:
    """DNS rebinding: its own Origin would fit its own Host."""
    starts = (FailedStart(0.0, "the card is worn out"),)
    mode = SafeMode(Settings(data_dir=str(tmp_path), port=free_port(), host="127.0.0.1"), starts, Sticks(()))
    with served(mode):
        host = name.format(port=mode.port)
        for status, page in (asked_as(mode.port, host), asked_as(mode.port, host, b"restore=")):
            assert status == 400
            assert "use its IP address" in page
            assert "worn out" not in page
            assert not any(told in page for told in ("<button>", "<script", "data-safe-mode"))
            assert 'name="viewport"' in page, "a phone shows it in letters that are read"
        status, page = asked_as(mode.port, "localhost")
        assert (status, "worn out" in page, "<button>" in page) == (200, True, True), "it still waits for a tap"


def test_who_asks_by_a_name_of_the_machine_or_through_a_proxy_reads_and_is_offered_nothing(tmp_path: Path) -> None:
    mode = SafeMode(Settings(data_dir=str(tmp_path), port=free_port(), host="127.0.0.1"), (), Sticks(()))
    with served(mode):
        own = socket.gethostname()
        asked = [asked_as(mode.port, name) for name in (own, f"{own}.local:{mode.port}", "192.0.2.7")]
        asked.append(asked_as(mode.port, "localhost", None, **{"X-Forwarded-For": "192.0.2.9"}))
        for status, page in asked:
            assert (status, "data-safe-mode" in page, "<button>" in page) == (200, True, False)
        assert asked_as(mode.port, "localhost", b"restore=", Via="1.1 proxy")[0] == 403


def test_a_phone_that_goes_away_leaves_no_address_in_the_log(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A browser that resets its connection: the standard library would print its address and a traceback."""
    mode = SafeMode(Settings(data_dir=str(tmp_path), port=free_port(), host="127.0.0.1"), (), Sticks(()))
    with served(mode) as host:
        with socket.create_connection(("127.0.0.1", mode.port), GIVEN_UP_S) as wire:
            wire.sendall(b"GET / HTTP/1.0\r\n")
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with urllib.request.urlopen(f"http://{host}/", timeout=GIVEN_UP_S) as answer:  # our own thread
            assert answer.status == 200
        # The second answer shows that the first one's thread has started.
        handlers = [one for one in threading.enumerate() if "process_request_thread" in one.name]
        for handler in handlers:
            handler.join(GIVEN_UP_S)
    assert "127.0.0.1" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("length", ["abc", "-5", "1e3", "9" * 40, "٣"])
def test_a_tap_whose_length_is_rubbish_is_refused_and_the_page_stays(tmp_path: Path, length: str) -> None:
    mode = SafeMode(Settings(data_dir=str(tmp_path), port=free_port(), host="127.0.0.1"), (), Sticks(()))
    thread = threading.Thread(target=mode.serve, args=(lambda: False,), daemon=True)
    thread.start()
    with socket.create_connection(("127.0.0.1", mode.port), GIVEN_UP_S) as wire:
        host = f"127.0.0.1:{mode.port}"
        head = f"POST / HTTP/1.0\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Length: {length}\r\n\r\n"
        wire.sendall(head.encode())
        assert wire.makefile("rb").readline().split()[1] == b"411"
    request = urllib.request.Request(f"http://{host}/", b"restore=", {"Origin": f"http://{host}"})
    with urllib.request.urlopen(request, timeout=GIVEN_UP_S) as answer:  # our own thread
        assert answer.status == 200
    thread.join(GIVEN_UP_S)
    assert not thread.is_alive()


@pytest.mark.parametrize("language", LANGUAGES)
def test_others_may_read_but_are_offered_nothing_to_tap(tmp_path: Path, language: str) -> None:
    stick = tmp_path / "stick <b>"
    stick.mkdir()
    (stick / "saturday.sqlite3").write_bytes(b"")
    settings = Settings(data_dir=str(tmp_path), port=free_port(), host="127.0.0.1", language=language)
    mode = SafeMode(settings, FailedStarts({}).all(), Sticks((tmp_path,), lambda folder: folder == stick))
    assert "<button>" not in mode.page(local=False)
    assert "stick &lt;b&gt;/saturday.sqlite3</button>" in mode.page(local=True)
    mode.serve(lambda: True)


def test_a_full_disk_does_not_make_the_table_forget_how_often_it_failed(tmp_path: Path) -> None:
    starts = FailedStarts({"RUNTIME_DIRECTORY": str(tmp_path)})
    for at_s in (1.0, 2.0, 3.0):
        starts.begin(at_s)
    with refused_writes(0):
        starts.explain("no room")
    assert starts.too_many


def test_a_pipe_in_the_place_of_the_failed_starts_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "failed-starts.json")
    starts = FailedStarts({"RUNTIME_DIRECTORY": str(tmp_path)})
    assert not starts.too_many
    starts.begin(1.0)
    assert starts.all() == (FailedStart(1.0),)

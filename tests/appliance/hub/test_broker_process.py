"""The broker's process: its start, its end, and who may start a second one; with a real nats-server."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import threading
import time
import tracemalloc
from pathlib import Path

import pytest

from appliance.composition.hub import HubSettings
from appliance.composition.hub_and_broker import BrokerSettings, HubHere
from appliance.hub.broker import server
from appliance.hub.broker.members import MembersFile
from appliance.hub.broker.server import CONFIGURATION, PID, BrokerServer, binary, running
from appliance.words.errors import TableError
from hardware.files.regular_file import write_private
from tests.appliance.hub.conftest import HubStand
from tests.patience import GIVEN_UP_S

pytestmark = pytest.mark.slow


def until_running(folder: Path, pid: int | None) -> None:
    """Wait until this process has the folder's broker in its arguments.

    Linux says that a program was started a moment before it shows the program's arguments.
    """
    by = time.monotonic() + GIVEN_UP_S
    while running(folder) != pid:
        assert time.monotonic() < by


def test_a_broker_that_is_killed_is_started_again(hub: HubStand) -> None:
    before = hub.server.pid
    assert before is not None
    os.kill(before, signal.SIGKILL)
    hub.until_back(before)
    assert hub.messages.pull(1, 0.1) == []


def test_a_hub_that_ends_just_as_its_broker_is_started_again_leaves_none(
    hub: HubStand, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Pause(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            hub.server.stop()
            return False  # it was over a moment before

    before = hub.server.pid
    assert before is not None
    monkeypatch.setattr(hub.server, "_stopping", Pause())
    os.kill(before, signal.SIGKILL)
    [watching] = [thread for thread in threading.enumerate() if thread.name == "broker"]
    watching.join(GIVEN_UP_S)
    assert running(hub.folder) is None


def test_a_broker_whose_port_is_taken_names_the_port(hub: HubStand, tmp_path: Path) -> None:
    MembersFile(tmp_path / "another").made("127.0.0.1", hub.made.port)
    with pytest.raises(TableError) as refused:
        BrokerServer(tmp_path / "another", "127.0.0.1").start()
    assert refused.value.code == "broker_port_taken"
    assert refused.value.values == {"port": str(hub.made.port), "reason": "Address already in use"}


@pytest.mark.parametrize("listen", ["192.0.2.1", "no-such-host.invalid", "999.1.1.1"])
def test_a_broker_that_shall_listen_on_no_address_of_the_machine_names_it(hub: HubStand, listen: str) -> None:
    hub.server.stop()
    with pytest.raises(TableError) as refused:
        BrokerServer(hub.folder, listen).start()
    assert (refused.value.code, refused.value.values) == ("hub_host_unknown", {"host": listen})


def test_a_broker_that_cannot_start_for_another_reason_says_what_its_log_says_last(hub: HubStand) -> None:
    hub.server.stop()
    shutil.rmtree(hub.folder / "broker", ignore_errors=True)
    (hub.folder / "broker").write_text("in the way")
    with pytest.raises(TableError) as refused:
        BrokerServer(hub.folder, "127.0.0.1").start()
    assert refused.value.code == "broker_fails"
    assert refused.value.values["path"] == str(hub.folder / "broker.log")
    assert "not a directory" in str(refused.value.values["reason"])
    assert "[FTL]" not in str(refused.value.values["reason"])


def test_a_broker_s_log_of_any_length_takes_no_memory(
    hub: HubStand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talks = tmp_path / "talks"
    talks.write_text(
        "#!/bin/sh\n"
        'log=$(dirname "$2")/broker.log\n'
        "truncate -s 64M $log\n"
        "printf '\\n[7] 2026/11/30 04:00:00.000000 [FTL] the store is gone\\n' >> $log\n"
        "exit 1\n"
    )
    talks.chmod(0o755)
    hub.server.stop()
    monkeypatch.setattr(server, "binary", lambda: talks)
    tracemalloc.start()
    try:
        with pytest.raises(TableError) as refused:
            BrokerServer(hub.folder, "127.0.0.1").start()
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (refused.value.code, refused.value.values["reason"]) == ("broker_fails", "the store is gone")
    assert most < 32 * 2**20


def test_a_broker_that_does_not_heed_its_end_is_gone_all_the_same(
    hub: HubStand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaf = tmp_path / "deaf"
    deaf.write_text(
        "#!/bin/sh\ntrap '' TERM\necho Server is ready >> $(dirname \"$2\")/broker.log\nexec tail -f /dev/null\n"
    )
    deaf.chmod(0o755)
    hub.server.stop()
    monkeypatch.setattr(server, "binary", lambda: deaf)
    monkeypatch.setattr(server, "STOP_S", 0.1)
    again = BrokerServer(hub.folder, "127.0.0.1")
    again.start()
    process = again.pid
    again.stop()
    assert process is not None
    assert not Path(f"/proc/{process}").exists(), "the next one would find its port taken"


def test_a_broker_that_a_full_disk_stops_says_so(hub: HubStand, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_room(path: Path, data: bytes) -> None:
        if path.name == PID:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        write_private(path, data)

    hub.server.stop()
    monkeypatch.setattr(server, "write_private", without_room)
    again = BrokerServer(hub.folder, "127.0.0.1")
    with pytest.raises(TableError) as refused:
        again.start()
    assert again.pid is None, "it would keep its port from the next one"
    again.stop()
    assert (refused.value.code, refused.value.values) == ("disk_full", {"path": str(hub.folder / PID)})


def test_a_broker_that_is_started_again_on_a_full_disk_is_found_by_commands_once_there_is_room(
    hub: HubStand, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries, written = [], threading.Event()

    def without_room_at_first(path: Path, data: bytes) -> None:
        tries.append(path)
        if len(tries) == 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        write_private(path, data)
        written.set()

    before = hub.server.pid
    assert before is not None
    monkeypatch.setattr(server, "AGAIN_S", (0.0,))
    monkeypatch.setattr(server, "write_private", without_room_at_first)
    os.kill(before, signal.SIGKILL)
    assert written.wait(GIVEN_UP_S)
    with hub.server._turn:
        until_running(hub.folder, hub.server.pid)
    hub.until_back(before)


def test_a_broker_whose_hub_was_killed_ends_when_the_next_one_starts(hub: HubStand) -> None:
    hub.server.stop()
    left_over = subprocess.Popen([binary(), "--config", hub.folder / CONFIGURATION], stderr=subprocess.DEVNULL)
    (hub.folder / PID).write_text(str(left_over.pid))
    until_running(hub.folder, left_over.pid)
    again = BrokerServer(hub.folder, "127.0.0.1")
    again.start()
    assert left_over.wait(GIVEN_UP_S) is not None
    assert running(hub.folder) == again.pid
    again.stop()


def test_a_second_hub_on_the_same_folder_leaves_the_first_alone(hub: HubStand) -> None:
    first, configured = hub.server.pid, (hub.folder / CONFIGURATION).read_bytes()
    with pytest.raises(TableError) as refused:
        BrokerServer(hub.folder, "127.0.0.2").start()
    assert (refused.value.code, refused.value.values) == ("hub_in_use", {"path": str(hub.folder)})
    assert (running(hub.folder), (hub.folder / CONFIGURATION).read_bytes()) == (first, configured)


def test_a_second_hub_with_another_address_does_not_move_the_first(hub: HubStand) -> None:
    before = MembersFile(hub.folder).read()
    second = HubHere(HubSettings(folder=hub.folder), BrokerSettings(host="other.example", port=1))
    with pytest.raises(TableError) as refused:
        second.start()
    second.stop()
    assert (refused.value.code, MembersFile(hub.folder).read()) == ("hub_in_use", before)

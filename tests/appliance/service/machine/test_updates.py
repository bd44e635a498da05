"""Newer releases as the machine finds them: real packages and the real dpkg-deb, on what is mounted as a stick."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from appliance.journal.media.removable_media import Sticks
from appliance.service.machine import helper
from appliance.service.machine.asks import Install, Updates
from appliance.service.machine.network_manager import NetworkManager
from appliance.service.machine.updates import READY, WISH, Releases
from tests.narrowed import there
from tests.places import ROOT
from tests.refused_writes import refused_writes

pytestmark = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="no dpkg-deb here")
HERE = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=False).stdout.strip()


def package(folder: Path, version: str, *, name: str = "smugglers-table", arch: str = HERE, file: str = "") -> Path:
    """Make a package with nothing in it."""
    tree = folder / f".tree-{version}-{name}-{arch}"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(
        f"Package: {name}\nVersion: {version}\nArchitecture: {arch}\nMaintainer: x <x@example.org>\nDescription: x\n"
    )
    made = folder / (file or f"smugglers-table_{version}_{arch}.deb")
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", tree, made], check=True, capture_output=True)
    shutil.rmtree(tree)
    return made


class Place:
    """A machine with version 1.0.0 installed, a stick, and stand-ins for what would change this one."""

    def __init__(self, folder: Path) -> None:
        self.stick, self.folder, self.bin = folder / "media/stick", folder / "machine", folder / "bin"
        for one in (self.stick, self.folder, self.bin):
            one.mkdir(parents=True)
        self.says("dpkg-query", "printf 1.0.0")
        self.says("apt-cache", "printf 'smugglers-table:\\n  Installed: 1.0.0\\n  Candidate: 1.0.0\\n'")
        self.says("systemctl", 'echo "$@" >> ' + str(folder / "asked"))
        self.asked_file = folder / "asked"
        self.releases = Releases(self.folder, Sticks((folder / "media",), lambda path: path == self.stick))

    def says(self, command: str, script: str) -> None:
        (self.bin / command).write_text(f"#!/bin/sh\n{script}\n")
        (self.bin / command).chmod(0o755)

    @property
    def asked(self) -> str:
        return self.asked_file.read_text() if self.asked_file.exists() else ""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path)
    monkeypatch.setenv("PATH", f"{place.bin}:{os.environ['PATH']}")
    return place


def test_only_newer_packages_of_this_table_for_this_machine_are_found(place: Place) -> None:
    for version in ("0.9.0", "1.0.0", "1.2.0", "1.10.0"):
        package(place.stick, version)
    package(place.stick, "9.0.0", name="something-else", file="smugglers-table_9.0.0.deb")
    package(place.stick, "9.1.0", arch="arm64" if HERE != "arm64" else "amd64")
    (place.stick / "smugglers-table_9.2.0.deb").write_bytes(b"no package")
    (place.stick / "smugglers-table_9.3.0.deb").symlink_to("/etc/passwd")
    place.says("apt-cache", "printf 'smugglers-table:\\n  Installed: 1.0.0\\n  Candidate: 1.3.0\\n'")
    found = [(one.source, one.version) for one in place.releases.found()]
    assert found == [("stick", "1.10.0"), ("apt", "1.3.0"), ("stick", "1.2.0")]


def test_what_is_installed_is_a_copy_of_what_was_shown(place: Place) -> None:
    file = package(place.stick, "1.2.0")
    shown = hashlib.sha256(file.read_bytes()).hexdigest()
    assert place.releases.lay_ready(Install("stick", "1.2.0", shown)) == ""
    assert (place.folder / WISH).read_text() == "stick 1.2.0\n"
    assert (place.folder / READY).read_bytes() == file.read_bytes()


def test_a_stick_whose_name_is_no_text_is_told_and_installed_from(place: Place) -> None:
    stick = place.stick.parent / os.fsdecode(b"B\xfccher")
    stick.mkdir()
    made = package(stick, "1.2.0", file=os.fsdecode(b"smugglers-table_1.2.0_\xe9.deb"))
    releases = Releases(place.folder, Sticks((stick.parent,), lambda path: path == stick))
    (found,) = releases.found()
    assert json.loads(msgspec.json.encode(found))["version"] == "1.2.0"
    assert releases.lay_ready(Install(source="stick", version="1.2.0", sha256=found.sha256)) == ""
    assert (place.folder / READY).read_bytes() == made.read_bytes()


@pytest.mark.parametrize(
    "ask",
    [
        Install("stick", "1.2.0", "0" * 64),
        Install("stick", "1.2.0"),
        Install("stick", "1.0.0"),
        Install("stick", "1.2.0; reboot"),
        Install("stick", "../../etc/passwd"),
        Install("apt", "1.2.0"),
        Install("apt", "1.0.0"),
        Install("apt", "$(reboot)"),
    ],
)
def test_what_was_not_found_is_not_laid_ready(place: Place, ask: Install) -> None:
    package(place.stick, "1.2.0")
    assert place.releases.lay_ready(ask) == "update_gone"
    assert not list(place.folder.iterdir())


@pytest.mark.parametrize("room_bytes", [100, 0])
def test_a_disk_without_room_for_the_copy_has_as_much_room_as_before(place: Place, room_bytes: int) -> None:
    file = package(place.stick, "1.2.0")
    ask = Install("stick", "1.2.0", hashlib.sha256(file.read_bytes()).hexdigest())
    with refused_writes(room_bytes):
        assert place.releases.lay_ready(ask) == "update_refused"
    assert not list(place.folder.iterdir())
    assert place.releases.lay_ready(ask) == ""


def test_a_file_that_changes_while_it_is_copied_is_not_laid_ready(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = package(place.stick, "1.2.0")
    shown = hashlib.sha256(file.read_bytes()).hexdigest()
    copy = Releases._copy

    def swapped(self: Releases, path: Path) -> str:
        path.write_bytes(path.read_bytes() + b"more")
        return copy(self, path)

    monkeypatch.setattr(Releases, "_copy", swapped)
    assert place.releases.lay_ready(Install("stick", "1.2.0", shown)) == "update_gone"
    assert not list(place.folder.iterdir())


def test_the_helper_looks_for_sticks_where_the_table_does(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Sticks] = []

    def releases(folder: Path, sticks: Sticks) -> Releases:
        seen.append(sticks)
        return place.releases

    monkeypatch.setattr(helper, "Releases", releases)
    monkeypatch.setenv("SMUGGLERS_STICK_DIRS", "/")
    helper.answer(Updates(), NetworkManager(place.folder))
    assert seen[0].problem() is None, "/proc is mounted under the folder of the settings"


def test_the_helper_starts_one_unit_and_no_other(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helper, "FOLDER", place.folder)
    monkeypatch.setattr(helper, "Releases", lambda folder, sticks: place.releases)
    place.says("apt-cache", "printf 'smugglers-table:\\n  Candidate: 1.3.0\\n'")
    network = NetworkManager(place.folder)
    done = helper.answer(Updates(refresh=True), network)
    assert done.problem == ""
    assert done.updates is not None
    assert [one.version for one in done.updates.found] == ["1.3.0"]
    assert helper.answer(Install("apt", "1.3.0"), network).problem == ""
    assert helper.answer(Install("apt", "1.4.0"), network).problem == "update_gone"
    starts = [line for line in place.asked.splitlines() if line.startswith("start")]
    assert starts == ["start smugglers-update@look.service", "start --no-block smugglers-update@install.service"]
    place.says("systemctl", "exit 1")
    assert helper.answer(Updates(refresh=True), network).problem == "sources_silent"
    assert helper.answer(Install("apt", "1.3.0"), network).problem == "update_refused"


def test_an_update_that_the_plug_cut_off_is_told_as_failed(place: Place) -> None:
    note = {"version": "1.2.0", "result": "running", "at_utc": "2026-05-01T20:00:00Z"}
    (place.folder / "update.json").write_text(json.dumps(note))
    place.says("systemctl", "echo activating")
    assert there(place.releases.note()).result == "running"
    place.says("systemctl", "echo inactive")
    assert there(place.releases.note()).result == "failed"


@pytest.mark.parametrize(
    ("apt", "runs", "result"),
    [("exit 0", "1.2.0", "installed"), ("exit 0", "1.0.0", "went_back"), ("exit 100", "1.0.0", "failed")],
)
@pytest.mark.parametrize("source", ["stick", "apt"])
def test_the_unit_s_script_notes_what_came_of_it(
    place: Place, tmp_path: Path, source: str, apt: str, runs: str, result: str
) -> None:
    root = tmp_path / "root"
    machine = root / "var/lib/smugglers-machine"
    machine.mkdir(parents=True)
    (root / "opt/smugglers-table/current").mkdir(parents=True)
    (root / "opt/smugglers-table/current/VERSION").write_text(f"{runs}\n")
    (machine / WISH).write_text(f"{source} 1.2.0\n")
    (machine / READY).write_text("")
    place.says("apt-get", f'echo "$@" >> {place.asked_file}; {apt}')
    place.says("dpkg", "exit 1")
    script = ROOT / "systemd/deb/update"
    environ = {**os.environ, "DPKG_ROOT": str(root)}
    subprocess.run(["sh", script, "install"], env=environ, check=True, capture_output=True)
    note = json.loads((machine / "update.json").read_text())
    assert (note["version"], note["result"]) == ("1.2.0", result)
    assert sorted(path.name for path in machine.iterdir()) == ["update.json"]
    what = str(machine / READY) if source == "stick" else "smugglers-table=1.2.0"
    assert place.asked.split()[-2:] == ["install", what]


def test_the_unit_s_script_frees_the_room_of_the_file_when_nothing_can_be_noted(place: Place, tmp_path: Path) -> None:
    root = tmp_path / "root"
    machine = root / "var/lib/smugglers-machine"
    machine.mkdir(parents=True)
    (machine / WISH).write_text("stick 1.2.0\n")
    (machine / READY).write_text("")
    place.says("apt-get", f"mkdir {machine}/update.json.new; exit 1")
    place.says("dpkg", "exit 1")
    environ = {**os.environ, "DPKG_ROOT": str(root)}
    done = subprocess.run(["sh", ROOT / "systemd/deb/update", "install"], env=environ, check=False, capture_output=True)
    assert done.returncode != 0
    assert not (machine / READY).exists()


def test_the_unit_s_script_does_nothing_without_a_wish(tmp_path: Path) -> None:
    (tmp_path / "var/lib/smugglers-machine").mkdir(parents=True)
    for words in (["install"], ["reboot"], []):
        done = subprocess.run(
            ["sh", ROOT / "systemd/deb/update", *words],
            env={**os.environ, "DPKG_ROOT": str(tmp_path)},
            capture_output=True,
            check=False,
        )
        assert done.returncode != 0

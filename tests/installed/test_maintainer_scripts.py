"""The package's scripts on a made-up root: what dpkg calls, in its order, with systemd's commands stood in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from appliance.devices.calibration_files import twin_calibration
from tests.places import ROOT

SCRIPTS = ROOT / "systemd" / "deb"
PLAIN = ("deb-systemd-helper", "systemd-sysusers", "udevadm", "logger", "userdel", "getent")
SYSTEMCTL = """#!/bin/sh
# Starts what `current` leads to, unless its version is listed as bad.
echo "systemctl $*" >>"$FAKE/log"
version=$(cat "$DPKG_ROOT/opt/smugglers-table/current/VERSION" 2>/dev/null)
case "$1" in
is-enabled) case "$*" in *kiosk*) exit 1 ;; esac ;;
is-active) [ -s "$FAKE/runs" ] ;;
stop) case "$*" in *smugglers-table.service*) : >"$FAKE/runs" ;; esac ;;
show) echo 0 ;;
start | restart)
    case "$*" in *smugglers-table.service*) ;; *) exit 0 ;; esac
    grep -qx "$version" "$FAKE/bad" && { : >"$FAKE/runs"; exit 1; }
    echo "$version" >"$FAKE/runs"
    ;;
esac
"""
SETPRIV = """#!/bin/sh
# Runs the command as whoever asks.
while [ "$1" != -- ]; do case "$1" in -*) shift ;; *) break ;; esac; done
[ "$1" != -- ] || shift
exec "$@"
"""
READER = """def {name}(file):
    text = file.read_text()
    if "lens_position" in text and "{version}" < "1.1":
        raise ValueError("unknown key")
"""
"""A release before 1.1 refuses what 1.1 stores."""
ANSWERS = '#!/bin/sh\n! grep -qx "$(cat "$FAKE/runs")" "$FAKE/mute"\n'


class Machine:
    """A root folder, and dpkg's steps on it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.fake = folder / "root", folder / "fake"
        self.home = self.root / "opt/smugglers-table"
        (self.root / "run/systemd/system").mkdir(parents=True)
        (self.fake / "bin").mkdir(parents=True)
        for name in ("log", "bad", "mute", "runs"):
            (self.fake / name).touch()
        for name in PLAIN:
            self._command(name, f'#!/bin/sh\necho "{name} $*" >>"$FAKE/log"\n')
        self._command("systemctl", SYSTEMCTL)
        self._command("setpriv", SETPRIV)
        python = self.root / "usr/bin/python3.11"
        python.parent.mkdir(parents=True)
        python.symlink_to(sys.executable)
        self.environ = {
            "PATH": f"{self.fake / 'bin'}:{os.environ['PATH']}",
            "DPKG_ROOT": str(self.root),
            "FAKE": str(self.fake),
        }
        self.said = ""

    def _command(self, name: str, text: str) -> None:
        (self.fake / "bin" / name).write_text(text)
        (self.fake / "bin" / name).chmod(0o755)

    def script(self, name: str, *words: str, status: int = 0) -> None:
        done = subprocess.run(
            ["sh", str(SCRIPTS / name), *words], env=self.environ, capture_output=True, text=True, check=False
        )
        self.said = done.stdout + done.stderr
        assert done.returncode == status, self.said

    def unpack(self, version: str) -> None:
        """As dpkg: every file is a new one; nothing is written into those that were there."""
        shutil.rmtree(self.home / "release", ignore_errors=True)
        (self.home / "release/shared/__pycache__").mkdir(parents=True)
        (self.home / "release/VERSION").write_text(f"{version}\n")
        (self.home / "release/shared/code.py").write_text(version)
        self._lay_readers(version)
        for name in ("guard", "welcome", "put_back"):
            (self.home / name).unlink(missing_ok=True)
            shutil.copy2(SCRIPTS / name, self.home / name)
        (self.home / "answers").write_text(ANSWERS)
        (self.home / "answers").chmod(0o755)

    def _lay_readers(self, version: str) -> None:
        """The release's Python, and what of the release reads calibrations."""
        release = self.home / "release"
        command = release / "python3.11/bin/python3"
        command.parent.mkdir(parents=True)
        shared = '"$(dirname "$0")/../../shared"'
        command.write_text(f'#!/bin/sh\nPYTHONPATH={shared} exec {sys.executable} "$@"\n')
        command.chmod(0o755)
        for module, name in (("cameras/camera_model", "camera"), ("rig", "rig"), ("scale/scale_model", "scale")):
            file = release / "shared/hardware" / f"{module}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(READER.format(name=f"load_{name}", version=version))

    def install(self, version: str) -> None:
        self.script("preinst", "install")
        self.unpack(version)
        self.script("postinst", "configure", "")

    def upgrade(self, version: str, old: str) -> None:
        self.script("prerm", "upgrade", version)
        self.script("preinst", "upgrade", old)
        self.unpack(version)
        self.script("postrm", "upgrade", version)
        self.script("postinst", "configure", old)

    @property
    def runs(self) -> str:
        return (self.fake / "runs").read_text().strip()

    @property
    def current(self) -> str:
        return str((self.home / "current").readlink())

    @property
    def note(self) -> dict[str, object] | None:
        file = self.root / "var/lib/smugglers-machine/rolled-back.json"
        return json.loads(file.read_text()) if file.exists() else None

    @property
    def safe_mode(self) -> bool:
        """Whether the table may serve its safe mode: no other release is left to try."""
        return (self.root / "var/lib/smugglers-machine/no-way-back").exists()

    def log(self) -> str:
        return (self.fake / "log").read_text()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_an_installation_makes_users_enables_and_starts(machine: Machine) -> None:
    machine.install("1.0")
    assert (machine.runs, machine.current, machine.note) == ("1.0", "release", None)
    assert "systemd-sysusers" in machine.log()
    for unit in ("smugglers-table.service", "smugglers-machine.socket", "smugglers-backup.timer"):
        assert f"deb-systemd-helper enable {unit}" in machine.log()
    assert "enable smugglers-kiosk" not in machine.log(), "the owner is asked on the first start"


@pytest.mark.slow
def test_scripts_may_run_twice(machine: Machine) -> None:
    machine.install("1.0")
    machine.script("postinst", "configure", "1.0")
    machine.script("preinst", "upgrade", "1.0")
    machine.script("preinst", "upgrade", "1.0")
    machine.unpack("1.1")
    machine.script("postinst", "configure", "1.0")
    machine.script("postinst", "configure", "1.0")
    assert (machine.runs, (machine.home / "former/VERSION").read_text()) == ("1.1", "1.0\n")
    for _ in range(2):
        machine.script("prerm", "remove")
    for words in ("remove", "remove", "purge", "purge"):
        machine.script("postrm", words)


def test_an_upgrade_keeps_the_release_that_served(machine: Machine) -> None:
    machine.install("1.0")
    machine.upgrade("1.1", "1.0")
    assert (machine.runs, machine.current, machine.note) == ("1.1", "release", None)
    assert (machine.home / "former/shared/code.py").read_text() == "1.0"


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["bad", "mute"])
def test_a_release_that_does_not_serve_gives_way_to_the_former(machine: Machine, fault: str) -> None:
    """ "bad" does not start; "mute" starts, and its page does not answer."""
    machine.install("1.0")
    (machine.fake / fault).write_text("1.1\n")
    machine.upgrade("1.1", "1.0")
    assert (machine.runs, machine.current) == ("1.0", "former")
    assert "release 1.1 did not serve: went back to 1.0" in machine.said
    assert machine.note is not None
    assert (machine.note["failed"], machine.note["runs"]) == ("1.1", "1.0")
    assert not machine.safe_mode
    assert "logger -t smugglers-table" in machine.log()


@pytest.mark.slow
def test_the_next_good_release_takes_over_from_the_one_that_was_gone_back_to(machine: Machine) -> None:
    machine.install("1.0")
    (machine.fake / "bad").write_text("1.1\n1.2\n")
    machine.upgrade("1.1", "1.0")
    machine.upgrade("1.2", "1.1")
    assert (machine.runs, (machine.home / "former/VERSION").read_text()) == ("1.0", "1.0\n"), "never the bad one"
    machine.upgrade("1.3", "1.2")
    assert (machine.runs, machine.current, machine.note) == ("1.3", "release", None)


def test_where_the_former_release_fails_too_the_new_one_stays(machine: Machine) -> None:
    machine.install("1.0")
    (machine.fake / "bad").write_text("1.0\n1.1\n")
    machine.upgrade("1.1", "1.0")
    assert (machine.current, machine.note) == ("release", None)
    assert "neither release 1.1 nor 1.0 serves" in machine.said
    assert machine.safe_mode, "the table may say by itself why"
    (machine.fake / "bad").write_text("")
    machine.upgrade("1.2", "1.1")
    assert not machine.safe_mode


def test_a_first_installation_that_does_not_serve_says_so(machine: Machine) -> None:
    (machine.fake / "bad").write_text("1.0\n")
    machine.install("1.0")
    assert machine.current == "release"
    assert "release 1.0 does not serve, and there is no other to go back to" in machine.said
    assert machine.safe_mode


def test_a_start_that_fails_for_good_goes_back_once(machine: Machine) -> None:
    machine.install("1.0")
    machine.upgrade("1.1", "1.0")
    machine.script("guard", "rollback")
    assert machine.current == "release", "the table is up: nothing to go back from"
    (machine.fake / "runs").write_text("")
    machine.script("guard", "rollback")
    assert (machine.runs, machine.current) == ("1.0", "former")


@pytest.fixture
def calibrated(machine: Machine) -> Path:
    """The folder of a table that 1.0 calibrated and 1.1 calibrated anew; 1.0 reads 1.1's scale and not its camera."""
    data = machine.root / "var/lib/smugglers-table"
    data.mkdir(parents=True)
    machine.install("1.0")
    for name in ("camera", "scale"):
        (data / f"{name}.toml").write_text("made = 1.0\n")
    machine.upgrade("1.1", "1.0")
    (data / "camera.toml").write_text("lens_position = 2.0\n")
    (data / "scale.toml").write_text("made = 1.1\n")
    (machine.fake / "runs").write_text("")
    return data


def test_going_back_puts_back_the_calibration_that_the_former_release_reads(machine: Machine, calibrated: Path) -> None:
    machine.script("guard", "rollback")
    assert machine.runs == "1.0"
    assert (calibrated / "camera.toml").read_text() == "made = 1.0\n"
    assert (calibrated / "calibration-of-1.1/camera.toml").read_text() == "lens_position = 2.0\n"
    assert (calibrated / "scale.toml").read_text() == "made = 1.1\n", "it reads that one: the newest stays"
    assert machine.note is not None
    assert machine.note["older_calibration"] is True
    assert "as before the upgrade: camera.toml" in machine.said


def test_where_neither_release_serves_the_newest_calibration_stays(machine: Machine, calibrated: Path) -> None:
    (machine.fake / "bad").write_text("1.0\n1.1\n")
    machine.script("guard", "rollback", status=1)
    assert (machine.current, machine.note) == ("release", None)
    assert (calibrated / "camera.toml").read_text() == "lens_position = 2.0\n"


def test_a_calibration_that_was_not_touched_is_left_alone(machine: Machine) -> None:
    data = machine.root / "var/lib/smugglers-table"
    data.mkdir(parents=True)
    (data / "camera.toml").write_text("made = 1.0\n")
    machine.install("1.0")
    (machine.fake / "bad").write_text("1.1\n")
    machine.upgrade("1.1", "1.0")
    assert (data / "camera.toml").read_text() == "made = 1.0\n"
    assert not (data / "calibration-of-1.1").exists()
    assert machine.note is not None
    assert machine.note["older_calibration"] is False


def test_going_back_to_this_release_leaves_every_calibration_that_it_reads(tmp_path: Path) -> None:
    before = tmp_path / "calibration-before-upgrade"
    before.mkdir()
    _, _, texts = twin_calibration()
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        (before / name).write_text("made = 1.0\n")
    (tmp_path / "scale.toml").write_text("a later release's")
    done = subprocess.run(
        [sys.executable, "-P", "-B", SCRIPTS / "put_back", tmp_path, "9.9"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["scale.toml"]
    assert {name: (tmp_path / name).read_text() for name in texts} == texts | {"scale.toml": "made = 1.0\n"}


def test_an_unpacking_that_failed_leaves_the_release_that_served(machine: Machine) -> None:
    machine.install("1.0")
    machine.script("prerm", "upgrade", "1.1")
    machine.script("preinst", "upgrade", "1.0")
    # dpkg lays the old files back and calls the old package's script.
    machine.script("postrm", "abort-upgrade", "1.0")
    machine.script("postinst", "abort-upgrade", "1.1")
    assert (machine.runs, machine.current) == ("1.0", "release")


def test_remove_keeps_data_and_purge_removes_it(machine: Machine) -> None:
    machine.install("1.0")
    machine.upgrade("1.1", "1.0")
    data, settings = machine.root / "var/lib/smugglers-table", machine.root / "etc/default/smugglers-table"
    stamp = machine.root / "var/lib/systemd/timers/stamp-smugglers-backup.timer"
    for file in (data / "journal.sqlite3", settings, stamp):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("kept")
    machine.script("prerm", "remove")
    shutil.rmtree(machine.home / "release")
    machine.script("postrm", "remove")
    assert sorted(path.name for path in machine.home.iterdir()) == ["answers", "guard", "put_back", "welcome"], (
        "dpkg's own"
    )
    assert machine.runs == ""
    assert data.exists()
    assert settings.exists()
    machine.script("postrm", "purge")
    assert "removing the games" in machine.said
    assert not data.exists()
    assert not settings.exists()
    assert not stamp.exists(), "systemd's note of when the backup ran last"
    assert not machine.home.exists()
    assert "userdel --root" in machine.log()


def test_where_no_system_runs_nothing_is_started(machine: Machine) -> None:
    shutil.rmtree(machine.root / "run/systemd")
    machine.install("1.0")
    assert (machine.runs, machine.current) == ("", "release")
    assert "systemctl" not in machine.log()


def run_command(
    machine: Machine, *words: str, user: int = 0, settings: str = "", prints: str = 'echo "smugglers $*"'
) -> tuple[str, str]:
    """Run the `smugglers` command; return what it prints and what it says."""
    machine._command("id", f"#!/bin/sh\necho {user}\n")
    program = machine.root / "smugglers"
    program.write_text(f"#!/bin/sh\n{prints}\n")
    program.chmod(0o755)
    script, file = machine.root / "command", machine.root / "settings"
    file.write_text(settings)
    text = (SCRIPTS / "command").read_text(encoding="utf-8")
    text = text.replace("/opt/smugglers-table/current/bin/smugglers", str(program))
    script.write_text(text.replace("/etc/default/smugglers-table", str(file)))
    done = subprocess.run(["sh", str(script), *words], env=machine.environ, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


@pytest.mark.parametrize("words", [("check",), ("calibrate", "scale"), ("weigh",), ("record", "--out", "a.rec")])
def test_who_wants_the_sensors_is_told_that_the_table_has_them(machine: Machine, words: tuple[str, ...]) -> None:
    asked = f"smugglers {' '.join(words)}\n"
    assert run_command(machine, *words) == (asked, "")
    (machine.fake / "runs").write_text("1.0\n")
    said, told = run_command(machine, *words)
    assert said == asked
    assert "sudo systemctl stop smugglers-table" in told


def test_who_asks_without_sudo_is_told_whose_data_it_is_about(machine: Machine) -> None:
    assert "sudo" in run_command(machine, "backup", "out.sqlite3", user=1000)[1]
    assert run_command(machine, "demo", user=1000) == ("smugglers demo\n", "")
    assert run_command(machine, "backup", "out.sqlite3") == ("smugglers backup out.sqlite3\n", "")


def test_the_command_reads_the_settings_as_systemd_does(machine: Machine) -> None:
    """A shell would take what follows a space or a semicolon for a command, as root."""
    settings = """# SMUGGLERS_PORT=1
SMUGGLERS_WEBHOOKS=https://a.example https://b.example
 SMUGGLERS_WEBHOOK_SECRET=sixteen;touch$HOME&more#letters
SMUGGLERS_MQTT="mqtt://user:pa$$word@broker:1883"
SMUGGLERS_FILES_DIR='/srv/own files'
SMUGGLERS_PORT=8081"""
    said, told = run_command(machine, "draws", settings=settings, prints="env | grep ^SMUGGLERS_ | LC_ALL=C sort")
    assert told == ""
    assert said.splitlines() == [
        "SMUGGLERS_DATA_DIR=/var/lib/smugglers-table",
        "SMUGGLERS_FILES_DIR=/srv/own files",
        "SMUGGLERS_MQTT=mqtt://user:pa$$word@broker:1883",
        "SMUGGLERS_PORT=8081",
        "SMUGGLERS_WEBHOOKS=https://a.example https://b.example",
        "SMUGGLERS_WEBHOOK_SECRET=sixteen;touch$HOME&more#letters",
    ]

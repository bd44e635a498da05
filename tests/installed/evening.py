"""What an owner does with the package, step by step, in a booted system."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from calibration.camera.intrinsics import to_toml as camera_toml
from hardware.twin.drawing.viewpoint import twin_camera
from tests.installed.booted_debian import BootedDebian, tried
from tests.installed.host_updates import install_from_stick
from tests.installed.hub_joined import sends_its_journal
from tests.installed.versions import answers_wrongly, crashes, knows_no_lens_position, unchanged

DATA = "/var/lib/smugglers-table"
CAMERA = f"{DATA}/camera.toml"
GET = "python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1], timeout=60).read().decode())' "
POST = (
    "python3 -c 'import sys, urllib.request as u; r = u.Request(sys.argv[1], sys.argv[2].encode(), "
    '{"Content-Type": "application/json"}); print(u.urlopen(r, timeout=60).read().decode())\' '
)
COUNT = (
    "python3 -c 'import sqlite3; "
    f'print(sqlite3.connect("file:{DATA}/journal.sqlite3?mode=ro", uri=True).execute('
    '"select count(*) from entries").fetchone()[0])\''
)
PACKAGES = "/srv"
"""Where packages lie in the booted system."""
APT = "apt-get -q -y -o Dpkg::Use-Pty=0 --no-install-recommends install "
PLAYERS = '[{"name": "Ada", "putty": "yellow"}, {"name": "Ben", "putty": "pink"}]'
GAME = f'{{"id": "proof", "game": "smugglers", "players": {PLAYERS}}}'

Change = Callable[[Path, str, Callable[[Path], None], Path], Path]


class Evening:
    """The proofs in order; each is a name and what was seen. "NO" begins what did not hold."""

    def __init__(self, system: BootedDebian, package: Path, another: Change) -> None:
        self._system, self._package = system, package
        self._another = another
        self._version = re.search(r"_([^_]+)_", package.name)[1]  # type: ignore[index]

    def proofs(self) -> Iterator[tuple[str, str]]:
        """Run all of them."""
        system = self._system
        system.fetch(self._bring(self._package))
        system.boot()
        yield from tried(
            (
                self.install,
                self.brings,
                self.compiled,
                self.check,
                self.confined,
                self.demo,
                self.a_game,
                self.a_hub,
                self.backup,
                self.reboot,
                self.plug,
                self.upgrade,
                self.upgrade_that_crashes,
                self.upgrade_without_pages,
                self.repaired,
                self.start_that_fails,
                self.update_by_the_host,
                self.update_by_the_host_that_crashes,
                self.remove,
                self.install_again,
                self.purge,
            )
        )

    def install(self) -> str:
        """`apt install ./….deb` without network, compiler or question; the table serves."""
        said = self._system.run(APT + f"{PACKAGES}/{self._package.name}")
        assert "Smugglers' Table runs" in said, said[-500:]
        self._serves(self._version)
        compilers = self._system.says("ls /usr/bin/gcc /usr/bin/cc 2>/dev/null | wc -l")
        assert compilers == "0"
        return f"{self._version} serves; units {self._enabled()}"

    def brings(self) -> str:
        """What rates the league, what speaks to a broker of MQTT and what speaks to a hub come along."""
        names = "from importlib.metadata import version as v; import openskill.models, paho.mqtt.client, nats; "
        names += 'print(*(f"{name} {v(name)}" for name in ("openskill", "paho-mqtt", "nats-py")))'
        return self._system.run(f"{self._python()} -P -c '{names}'").strip()

    def compiled(self) -> str:
        """All templates and catalogues were compiled at the installation: whoever loads them parses none."""
        loads = "import jinja2, appliance.words; jinja2.Environment._parse = appliance.words._parsed = None; "
        loads += "from web.pages.compile_all import main; main()"
        self._system.run(f"{self._python()} -P -c '{loads}'")
        return self._system.says("find /opt/smugglers-table/release/shared -name '*.bin' | wc -l") + " files"

    def _python(self) -> str:
        """Return the release's Python, as a word of a command."""
        version = 'import sys; print("{}.{}".format(*sys.version_info))'
        return f"/opt/smugglers-table/current/python$(python3 -c '{version}')/bin/python3"

    def check(self) -> str:
        """`smugglers check` names what is missing."""
        said = self._system.run("smugglers check --seconds 3 2>&1; echo status $?", check=False)
        assert said.rstrip().endswith("status 1"), said
        found = [name for name in ("Camera", "Scale", "Beams") if re.search(rf"^mend +{name} ", said, re.MULTILINE)]
        assert found == ["Camera", "Scale", "Beams"], said
        return "mend: " + ", ".join(found)

    def confined(self) -> str:
        """`systemd-analyze security` after the boot: table at most 1.4, kiosk at most 4."""
        rated = {}
        for unit, most in (("smugglers-table", 1.4), ("smugglers-kiosk", 4.0)):
            said = self._system.says(f"systemd-analyze security --no-pager {unit}.service")
            rated[unit] = float(re.search(r": ([\d.]+) ", said)[1])  # type: ignore[index]
            assert rated[unit] <= most, said
        return ", ".join(f"{unit} {level}" for unit, level in rated.items())

    def demo(self) -> str:
        """The demo plays."""
        system = self._system
        system.run(
            "systemd-run --unit=demo --uid=smugglers --setenv=SMUGGLERS_DATA_DIR=/tmp/demo "
            "--setenv=SMUGGLERS_PORT=8090 /usr/bin/smugglers demo --speed 20"
        )
        # Read-only: else it would make the file that the demo is about to make.
        journal = '"file:/tmp/demo/demo/journal.sqlite3?mode=ro", uri=True'
        count = f"import sqlite3; print(sqlite3.connect({journal}).execute("
        count += '"select count(*) > 40 from entries").fetchone()[0])'
        system.until(f"python3 -c '{count}'", "1")
        wall = system.run(GET + "http://127.0.0.1:8090/wall")
        system.run("systemctl stop demo")
        assert "<html" in wall
        return "over 40 entries in its journal, wall served"

    def a_game(self) -> str:
        """A game is opened on the table, and a calibration lies there."""
        self._system.run(POST + f"http://127.0.0.1:8080/api/v1/games '{GAME}'")
        self._calibrate(None)
        return self._kept()

    def a_hub(self) -> str:
        """A table that is given the setting `hub` sends its journal there, confined as its unit is."""
        told = sends_its_journal(self._system, DATA, int(self._system.says(COUNT)))
        self._serves(self._version)
        return told

    def upgrade(self) -> str:
        """An upgrade keeps the game and the calibration."""
        self._system.run(APT + self._made("1.0.0", knows_no_lens_position))
        self._serves("1.0.0")
        return self._kept()

    def upgrade_that_crashes(self) -> str:
        """An upgrade that crashes goes back by itself, and says so."""
        said = self._system.run(APT + self._made("1.1.0", crashes))
        return self._went_back("1.1.0", "1.0.0", said)

    def upgrade_without_pages(self) -> str:
        """An upgrade that tells systemd it is ready but has no page goes back too."""
        said = self._system.run(APT + self._made("1.2.0", answers_wrongly))
        return self._went_back("1.2.0", "1.0.0", said)

    def repaired(self) -> str:
        """The next good version takes over, and the notice is gone."""
        self._system.run(APT + self._made("1.3.0", unchanged))
        self._serves("1.3.0")
        assert "1.2.0" not in self._notice()
        return self._kept()

    def start_that_fails(self) -> str:
        """A release that fails later goes back after ten tries, to a calibration that the former one reads."""
        self._calibrate(2.0)
        newest = self._system.run(f"cat {CAMERA}")
        self._system.run("echo 'raise RuntimeError(1)' > /opt/smugglers-table/release/shared/appliance/settings.py")
        self._system.run("systemctl restart --no-block smugglers-table")
        self._system.until("readlink /opt/smugglers-table/current", "former")
        self._system.until("systemctl is-active smugglers-rollback.service", "inactive")
        words = self._went_back("1.3.0", "1.0.0", self._system.run("journalctl -u smugglers-rollback.service"))
        assert "cannot read the calibration that 1.3.0 stored" in self._notice()
        assert self._system.run(f"cat {DATA}/calibration-of-1.3.0/camera.toml") == newest
        return words + "; camera.toml is that of before the upgrade, the newer one is kept aside"

    def update_by_the_host(self) -> str:
        """The host installs a release from a USB stick by the PIN."""
        closed = self._system.run(POST + 'http://127.0.0.1:8080/api/v1/games/close \'{"id": "put-away"}\'')
        assert "seq" in closed, closed
        result = install_from_stick(self._system, self._made("1.4.0", unchanged), "1.4.0", first=True)
        assert result == "installed", result
        self._serves("1.4.0")
        return "1.4.0 seen, installed by the PIN, serves"

    def update_by_the_host_that_crashes(self) -> str:
        """One that crashes goes back by itself, and the host's page says so."""
        result = install_from_stick(self._system, self._made("1.5.0", crashes), "1.5.0", first=False)
        assert result == "went_back", result
        self._serves("1.4.0")
        assert "1.5.0" in self._notice()
        self._system.run(POST + f"http://127.0.0.1:8080/api/v1/games '{GAME.replace('proof', 'proof-again')}'")
        return "1.5.0 → 1.4.0, noted"

    def reboot(self) -> str:
        """After a restart of the machine the table serves and the game goes on."""
        self._system.shut_down()
        self._system.boot()
        self._serves(self._version)
        return self._kept()

    def plug(self) -> str:
        """After the plug was pulled, too."""
        self._system.pull_the_plug()
        self._system.boot()
        self._serves(self._version)
        return self._kept()

    def backup(self) -> str:
        """The nightly backup copies the journal."""
        self._system.run("systemctl start smugglers-backup.service")
        copies = self._system.says("ls /var/lib/smugglers-table/backups | wc -l")
        assert copies == "1"
        assert "04:" in self._system.run("systemctl list-timers --all smugglers-backup.timer")
        return "one copy; the timer waits for 04:30"

    def remove(self) -> str:
        """`apt remove` keeps games, calibration and settings, and ends the units."""
        self._system.run("echo SMUGGLERS_LANGUAGE=de > /etc/default/smugglers-table")
        self._system.run("apt-get -q -y remove smugglers-table")
        assert self._system.says("systemctl is-active smugglers-table") == "inactive"
        folders = "/opt/smugglers-table /usr/bin/smugglers /usr/lib/systemd/system/smugglers-*"
        left = self._system.run(f"find {folders}", check=False)
        assert all("No such file" in line for line in left.splitlines()), left
        return "kept: " + self._system.says("ls -m /var/lib/smugglers-table | tr -d '\\n'")

    def install_again(self) -> str:
        """Installed again, the same game goes on."""
        self._system.run(APT + f"{PACKAGES}/{self._package.name}")
        self._serves(self._version)
        return self._kept()

    def purge(self) -> str:
        """`apt purge` removes all of it, users included."""
        said = self._system.run("apt-get -q -y purge smugglers-table")
        assert "removing the games" in said
        left = self._system.run(
            "find / -xdev -name '*smugglers*' -not -path '/proc/*' -not -path '" + PACKAGES + "/*'"
        ).split()
        left = [one for one in left if not one.startswith(("/var/log", "/var/cache/apt", "/tmp"))]
        assert not left, left
        assert self._system.says("getent passwd smugglers smugglers-kiosk | wc -l") == "0"
        return "nothing left"

    def _bring(self, file: Path) -> str:
        shutil.copyfile(file, self._system.tree / PACKAGES.lstrip("/") / file.name)
        return f"{PACKAGES}/{file.name}"

    def _made(self, version: str, change: Callable[[Path], None]) -> str:
        return str(Path(PACKAGES) / self._another(self._package, version, change, self._system.tree / "srv").name)

    def _serves(self, version: str) -> None:
        system = self._system
        system.until("systemctl is-active smugglers-table", "active")
        assert "<html" in system.run(GET + "http://127.0.0.1:8080/wall")
        assert system.says("smugglers --version").endswith(version), system.says("smugglers --version")

    def _kept(self) -> str:
        entries = self._system.says(COUNT)
        assert entries.isdecimal(), entries
        assert int(entries) > 0
        assert self._system.run(f"cat {CAMERA}") == self._camera
        assert "Ada" in self._system.run(GET + "http://127.0.0.1:8080/wall")
        return "the game and the calibration are there"

    def _calibrate(self, lens_position: float | None) -> None:
        """Lay a camera's calibration as the table's own user; the one without a lens's position is to be kept."""
        text = camera_toml(msgspec.structs.replace(twin_camera(), lens_position=lens_position))
        if lens_position is None:
            self._camera = text
        put = f"install -o smugglers -g smugglers -m 600 /dev/stdin {CAMERA}"
        self._system.run(f"{put} <<'END'\n{text}END")

    def _notice(self) -> str:
        return self._system.run(GET + "http://127.0.0.1:8080/kiosk/table")

    def _went_back(self, failed: str, runs: str, said: str) -> str:
        self._serves(runs)
        words = f"release {failed} did not serve: went back to {runs}"
        assert words in said, said[-600:]
        assert words in self._system.run("journalctl --no-pager -n 400"), "not in the journal"
        assert failed in self._notice(), "not on the page"
        self._kept()
        return f"{failed} → {runs}, in the journal and on the page"

    def _enabled(self) -> str:
        listed = self._system.run("systemctl list-unit-files --state=enabled --no-legend 'smugglers-*'")
        return ", ".join(sorted(line.split()[0].removeprefix("smugglers-") for line in listed.splitlines()))

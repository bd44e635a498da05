"""`make deb-recommended-proof`: with what the package recommends: cage, Chromium, NetworkManager; prints what held.

The touchscreen's unit runs as it is shipped, on a screen that only memory holds (wlroots' headless backend) and a
console that is a pseudo-terminal: the booted systems have neither graphics nor virtual terminals. NetworkManager is the
real one, and no radio is there.

usage: python -m tests.installed.recommended PACKAGE.deb [bookworm|trixie …]
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from tests.installed.__main__ import SUITES
from tests.installed.booted_debian import IMAGES, BootedDebian, lacking, tried
from tests.installed.network_answers import ANSWERS, ASKS, KEYFILES, WRITTEN, real_answers, stand_in_answers

PYTHONS = {"bookworm": "3.11", "trixie": "3.13"}
CONSOLE = """
import os, pty, sys
outer, inner = pty.openpty()
os.symlink(os.ttyname(inner), "/dev/tty1")
while True:
    os.read(outer, 4096)
"""
HEADLESS = "[Service]\nEnvironment=WLR_BACKENDS=headless WLR_LIBINPUT_NO_DEVICES=1 WLR_RENDERER=pixman\n"
PICTURE = (
    "setpriv --reuid=smugglers-kiosk --regid=smugglers-kiosk --clear-groups env WAYLAND_DISPLAY=wayland-0 "
    "XDG_RUNTIME_DIR=/run/smugglers-kiosk grim /run/smugglers-kiosk/picture.png && "
    "cp /run/smugglers-kiosk/picture.png /srv/picture.png && stat -c %s /srv/picture.png"
)
LETTERS = {
    "Arabic": ":lang=ar",
    "Hebrew": ":lang=he",
    "Greek": ":lang=el",
    "Thai": ":lang=th",
    "emoji": ":charset=1f600",
}
"""Scripts of names that guests give themselves, as fontconfig asks for a font that has them."""
LAMP = (255, 211, 122)
"""The colour of the frame's headings and of the step that is shown: `--lamp` in `web/static/frame.css`."""


class Recommended:
    """The proofs in order; each is a name and what was seen. "NO" begins what did not hold."""

    def __init__(self, system: BootedDebian, package: Path, suite: str) -> None:
        self._system, self._package, self._suite = system, package, suite
        self._python = f"/opt/smugglers-table/current/python{PYTHONS[suite]}/bin/python3"

    def proofs(self) -> Iterator[tuple[str, str]]:
        """Run all of them."""
        system = self._system
        shutil.copyfile(self._package, system.tree / "srv" / self._package.name)
        system.fetch(f"/srv/{self._package.name}", "grim", recommended=True)
        system.boot()
        yield from tried(
            (
                self.install,
                self.letters,
                self.network,
                self.key_files,
                self.manners,
                self.stopped,
                self.touchscreen,
                self.rated,
            )
        )

    def install(self) -> str:
        """`apt install ./….deb` brings cage, Chromium and NetworkManager."""
        self._system.run(f"apt-get -q -y -o Dpkg::Use-Pty=0 install /srv/{self._package.name} grim", timeout_s=1800)
        self._system.until("systemctl is-active smugglers-table NetworkManager | sort -u", "active")
        names = "cage chromium network-manager"
        return self._system.run(f"dpkg-query -W -f '${{Package}} ${{Version}}, ' {names}").strip(", \n")

    def letters(self) -> str:
        """The touchscreen can draw names in other scripts than Latin, and emoji."""
        missing = [each for each in LETTERS if not self._system.says(f"fc-list {LETTERS[each]} family | head -1")]
        assert not missing, missing
        return ", ".join(LETTERS)

    def network(self) -> str:
        """The table asks its machine: a real NetworkManager runs, and there is no Wi-Fi adapter."""
        said = self._ask(ASKS)
        assert said == ANSWERS, said
        return "no_wifi for joining and for its own Wi-Fi; nothing is left behind"

    def key_files(self) -> str:
        """NetworkManager reads the names and passwords of the key files as people typed them."""
        self._ask(KEYFILES)
        return f"{len(WRITTEN)} Wi-Fis, among them {WRITTEN[1][0]!r} with {WRITTEN[1][1]!r}"

    def manners(self) -> str:
        """nmcli answers as the stand-in of the suite does."""
        real = real_answers(lambda command: self._system.run(command, check=False))
        with tempfile.TemporaryDirectory() as folder:
            ours = stand_in_answers(Path(folder), runs=True)
        assert real == ours, f"nmcli: {real}; the stand-in: {ours}"
        return f"{len(real)} answers, " + self._system.says("nmcli --version")

    def stopped(self) -> str:
        """Without NetworkManager, too, and the table says so."""
        self._system.run("systemctl stop NetworkManager")
        real = real_answers(lambda command: self._system.run(command, check=False))
        with tempfile.TemporaryDirectory() as folder:
            ours = stand_in_answers(Path(folder), runs=False)
        said = self._ask("print(machine.ask(Look()).state.network)")
        self._system.run("systemctl start NetworkManager")
        assert real == ours, f"nmcli: {real}; the stand-in: {ours}"
        assert said == "no_network_manager", said
        return said

    def touchscreen(self) -> str:
        """The first-start page switches the touchscreen on: cage and Chromium show the kiosk under their unit."""
        system = self._system
        drop_in = "/etc/systemd/system/smugglers-kiosk.service.d"
        system.run(f"mkdir -p {drop_in}; cat >{drop_in}/headless.conf <<'END'\n{HEADLESS}END")
        system.run(f"cat >/srv/console_line.py <<'END'\n{CONSOLE}END")
        system.run("systemd-run -q --unit=console python3 /srv/console_line.py; systemctl daemon-reload")
        system.until("readlink /dev/tty1 | cut -c1-9", "/dev/pts/")
        said = self._ask("print(machine.ask(Touchscreen(True)).state.touchscreen)")
        assert said == "on", said
        system.until("test -S /run/smugglers-kiosk/wayland-0 && echo there", "there")
        # The lamp's colour is on the page and on nothing that Chromium shows without it.
        shown = f"{PICTURE} >/dev/null && {self._python} -c '{self._counts()}'"
        system.until(shown, "shown")
        kept = IMAGES / f"{self._suite}-kiosk.png"
        shutil.copyfile(system.tree / "srv/picture.png", kept)
        with Image.open(io.BytesIO(kept.read_bytes())) as picture:
            size = " × ".join(map(str, picture.size))
        assert system.says("systemctl show -P NRestarts smugglers-kiosk") == "0"
        assert not system.says("pgrep -x Xwayland"), "Wayland alone"
        return f"the page, {size}; its sandbox and the unit's confinement on; {kept}"

    def rated(self) -> str:
        """`systemd-analyze security` while both run: table at most 1.4, kiosk at most 4."""
        assert self._system.run("systemctl is-active smugglers-table smugglers-kiosk").split() == ["active"] * 2
        rated = {}
        for unit, most in (("smugglers-table", 1.4), ("smugglers-kiosk", 4.0)):
            said = self._system.says(f"systemd-analyze security --no-pager {unit}.service")
            rated[unit] = float(said.split(": ")[1].split()[0])
            assert rated[unit] <= most, said
        return ", ".join(f"{unit} {level}" for unit, level in rated.items())

    def _counts(self) -> str:
        near = " and ".join(f"abs(p[{n}] - {value}) < 24" for n, value in enumerate(LAMP))
        return (
            'from PIL import Image; i = Image.open("/srv/picture.png").convert("RGB"); '
            f'print("shown" if sum(1 for p in i.getdata() if {near}) > 500 else "not yet")'
        )

    def _ask(self, script: str) -> str:
        """Run lines in the release's Python as the table's user, with `machine` its socket; return what they print."""
        head = (
            "from pathlib import Path\nfrom appliance.service.machine.asks import *\n"
            "from appliance.service.machine.machine import Machine\n"
            'machine = Machine(Path("/var/lib/smugglers-machine"))\n'
        )
        who = "" if script == KEYFILES else "setpriv --reuid=smugglers --regid=smugglers --clear-groups "
        self._system.run(f"cat >/srv/asked.py <<'END'\n{head}{script}\nEND")
        return self._system.run(f"{who}{self._python} -B /srv/asked.py").strip()


def main(package: Path, suites: list[str]) -> int:
    """Prove the package on each suite; return the count of what did not hold."""
    if lack := lacking():
        print(f"not run: {lack}")
        return 1
    failed = 0
    for suite in suites:
        print(f"{SUITES[suite]}: booting", flush=True)
        with BootedDebian(suite, "recommended") as system:
            for name, words in Recommended(system, package, suite).proofs():
                failed += words.startswith("NO")
                print(f"  {name}: {words}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(min(1, main(Path(sys.argv[1]).resolve(), sys.argv[2:] or list(SUITES))))

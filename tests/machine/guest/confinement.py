"""What the kernel refuses to the processes of the installed units: devices, addresses, capabilities."""

from __future__ import annotations

import fcntl
import os
import re
import socket
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tests.machine.guest.report import report

UNIT = "smugglers-table.service"
FORBIDDEN, ALLOWED = "/dev/vda", "/dev/gpiochip0"
"""Root may open both; a process of the unit only the second."""
PATIENCE_S = 60.0
_SET_ADDRESS = 0x8916  # SIOCSIFADDR
KIOSK, ELSEWHERE = "smugglers-kiosk.service", "192.0.2.1"
"""The touchscreen's unit, and an address (RFC 5737) that is no one's but this guest's own while it is tried."""


def shown(*names: str, unit: str = UNIT) -> dict[str, str]:
    """Return properties of a unit."""
    told = subprocess.run(
        ["systemctl", "show", unit, f"--property={','.join(names)}"], capture_output=True, text=True, check=True
    )
    return dict(line.split("=", 1) for line in told.stdout.splitlines())


def _group() -> Path:
    return Path("/sys/fs/cgroup") / shown("ControlGroup")["ControlGroup"].lstrip("/")


def _group_of(process: int) -> Path:
    return Path("/sys/fs/cgroup") / Path(f"/proc/{process}/cgroup").read_text().strip().removeprefix("0::/")


def processes() -> list[int]:
    """Return the processes of the unit."""
    return [int(pid) for pid in (_group() / "cgroup.procs").read_text().split()]


def confined() -> None:
    """Tell what the kernel refuses to a process of the unit, though it be root, and where the unit may write."""
    refused = {path: _refused_in_the_unit(path) for path in (FORBIDDEN, ALLOWED)}
    report(
        "DeviceAllow= is enforced: a process of the unit can open the pins, and cannot open the disk, even as root",
        refused == {FORBIDDEN: True, ALLOWED: False} and os.access(FORBIDDEN, os.R_OK),
        refused=[path for path, no in refused.items() if no],
    )
    main = shown("MainPID")["MainPID"]
    runtime = Path("/run/smugglers-table")
    mine, told = runtime.stat(), Path(f"/proc/{main}/status").read_text()
    report(
        "PrivateUsers= is in effect, with no capability and no new privileges; the runtime folder belongs to the table",
        Path(f"/proc/{main}/ns/user").readlink() != Path("/proc/self/ns/user").readlink()
        and re.search(r"^CapEff:\s*0+$", told, re.MULTILINE) is not None
        and re.search(r"^NoNewPrivs:\s*1$", told, re.MULTILINE) is not None
        and (mine.st_uid, mine.st_mode & 0o777) == (Path(f"/proc/{main}").stat().st_uid, 0o700),
        mode=f"{mine.st_mode & 0o777:o}",
    )


def _refused_in_the_unit(path: str) -> bool:
    """Return whether a process of the unit's control group is refused a device."""
    return _refused(_group(), lambda: os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK)))


def _refused(group: Path, act: Callable[[], object]) -> bool:
    """Return whether a process of a control group is refused something.

    :raises OSError: it fails for another reason.
    """
    child = os.fork()
    if child == 0:
        try:
            (group / "cgroup.procs").write_text(str(os.getpid()))
            act()
        except PermissionError:
            os._exit(1)
        except BaseException:
            os._exit(2)
        os._exit(0)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended == 2:
        raise OSError("it cannot be tried")
    return ended == 1


def touchscreen() -> None:
    """Start the touchscreen's unit, with a program that rests in cage's stead, and try what its session may do."""
    place = Path(f"/run/systemd/system/{KIOSK}.d/rests.conf")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("[Service]\nExecStart=\nExecStart=/bin/sleep infinity\n")
    subprocess.run(["systemctl", "daemon-reload"], check=True)
    subprocess.run(["systemctl", "start", KIOSK], check=True)
    _take_address(ELSEWHERE)
    process = int(shown("MainPID", unit=KIOSK)["MainPID"])
    end_s = time.monotonic() + PATIENCE_S
    while Path(f"/proc/{process}/comm").read_text().strip() != "sleep" and time.monotonic() < end_s:
        time.sleep(0.2)  # PAM opens its session first
    group = _group_of(process)
    refused = {
        name: _refused(group, act)
        for name, act in {
            "the disk": lambda: os.close(os.open(FORBIDDEN, os.O_RDONLY)),
            "the pins": lambda: os.close(os.open(ALLOWED, os.O_RDONLY)),
            "an address": lambda: _send_to(ELSEWHERE),
            "the console": lambda: os.close(os.open("/dev/tty1", os.O_RDONLY | os.O_NOCTTY)),
            "the table": lambda: _send_to("127.0.0.1"),
        }.items()
    }
    _send_to(ELSEWHERE)
    subprocess.run(["systemctl", "stop", KIOSK], check=True)
    report(
        "the touchscreen's session, outside its unit, cannot reach the disk, pins and other addresses, even as root",
        "session" in group.name and [*refused.values()] == [True, True, True, False, False],
        group=group.name,
        refused=[name for name, no in refused.items() if no],
    )


def _take_address(address: str) -> None:
    """Give this guest an address, on its loopback interface."""
    asked = struct.pack("16sHH4s8x", b"lo:1", socket.AF_INET, 0, socket.inet_aton(address))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        fcntl.ioctl(line, _SET_ADDRESS, asked)


def _send_to(address: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.sendto(b"?", (address, 9))

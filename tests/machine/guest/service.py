"""The installed table's own unit under a real systemd: started, hung and started anew; then the kernel hangs."""

from __future__ import annotations

import html
import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from appliance.words.catalogues import words_for
from tests.machine.guest.confinement import UNIT, confined, processes, shown, touchscreen
from tests.machine.guest.module import tell
from tests.machine.guest.report import report, run_all

BEFORE = Path("/srv/before-the-reset.json")
PATIENCE_S = 240.0
SETUP = {
    "id": "opens-it",
    "game": "smugglers",
    "players": [
        {"name": "Ada", "putty": "yellow"},
        {"name": "Bo", "putty": "green"},
        {"name": "Cy", "putty": "orange"},
    ],
    "oldest": 0,
    "options": {"boss_lane": 7},
}


def ask(path: str, body: dict[str, Any] | None = None) -> Any:
    """Ask the running table, as the kiosk on its own screen."""
    data = None if body is None else json.dumps(body).encode()
    headers = {} if body is None else {"Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:8080/api/v1{path}", data=data, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def page(path: str) -> str:
    """Return a page, in English."""
    request = urllib.request.Request(f"http://127.0.0.1:8080{path}", headers={"Accept-Language": "en"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(answer.read().decode())


def served() -> float:
    """Wait until the table answers; return how long that took."""
    began_s = time.monotonic()
    while time.monotonic() - began_s < PATIENCE_S:
        try:
            ask("/view")
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.5)
        else:
            return time.monotonic() - began_s
    raise TimeoutError(f"the table does not answer: {shown('ActiveState')}, {last_words()}")


def last_words() -> str:
    """Return the end of the unit's journal."""
    told = subprocess.run(
        ["journalctl", "-u", UNIT, "-n", "12", "-o", "cat"], capture_output=True, text=True, check=False
    )
    return told.stdout[-1500:]


def game() -> dict[str, Any]:
    """Return what the wall may know of the open game."""
    view = ask("/view")
    return {name: view[name] for name in ("game", "view", "log")}


def roll(name: str) -> None:
    """Let the electronic die answer what the open game waits for."""
    waits = ask("/view")["view"]["expects"][0]
    ask("/chance", {"prompt": waits["prompt"], "id": name, "seat": waits["seat"]})


def goes_on(name: str) -> bool:
    """Take the roll back and roll again; return whether the game took both."""
    rolled = game()
    ask("/undo", {"id": f"{name}-undo"})
    taken_back = game()
    roll(f"{name}-roll")
    return bool(taken_back["view"]["phase"] == "roll") and game()["view"]["phase"] == rolled["view"]["phase"] != "roll"


def starts() -> None:
    """Tell how the unit started, and what its processes may do."""
    took_s = served()
    state = shown("ActiveState", "NRestarts", "MainPID")
    owner = Path(f"/proc/{state['MainPID']}").stat().st_uid
    report(
        "the unit starts under systemd as its own user",
        state["ActiveState"] == "active" and state["NRestarts"] == "0" and owner != 0,
        user=owner,
        after_s=round(took_s, 1),
    )
    end_s = time.monotonic() + PATIENCE_S
    while not (ahead := [pid for pid in processes() if os.sched_getscheduler(pid) == os.SCHED_FIFO]):
        if time.monotonic() > end_s:
            break
        time.sleep(0.5)
    report("the scale's process, and no other, has real-time priority", len(ahead) == 1, processes=len(processes()))


def senses() -> None:
    """Open a game and tell which sensors the unit reached through its confinement."""
    ask("/games", SETUP)
    roll("first-roll")
    say = words_for("en").say
    wanted = {
        f"{say(f'device.{device}')}: {say(f'health.{code}')}"
        for device, code in (("beams", "beams_ok"), ("scale", "scale_not_calibrated"))
    }
    end_s, listed = time.monotonic() + PATIENCE_S, set[str]()
    while not wanted <= listed and time.monotonic() < end_s:
        time.sleep(0.5)
        listed = {html.unescape(line) for line in re.findall(r"<li>([^<]*)</li>", page("/kiosk/table"))}
    report(
        "beams and scale answer inside the unit (the scale has no calibration here)",
        wanted <= listed,
        listed=sorted(listed) if not wanted <= listed else len(listed),
    )


def service_hangs() -> None:
    """Stop the table's process: systemd must notice, end it and start it anew with the same game."""
    before, first = game(), shown("MainPID")["MainPID"]
    began_s = time.monotonic()
    os.kill(int(first), signal.SIGSTOP)
    while shown("NRestarts")["NRestarts"] == "0" and time.monotonic() - began_s < PATIENCE_S:
        time.sleep(0.5)
    restarted_s = time.monotonic() - began_s
    served()
    back_s = time.monotonic() - began_s
    report(
        "the service hangs: its watchdog restarts it, and the same game goes on",
        shown("MainPID")["MainPID"] not in ("0", first) and game() == before and goes_on("after-the-service"),
        ended_after_s=round(restarted_s, 1),
        back_after_s=round(back_s, 1),
    )


def kernel_hangs() -> None:
    """Let the kernel stop: the machine's watchdog must reset it."""
    BEFORE.write_text(json.dumps(game()))
    os.sync()
    print("the kernel hangs now", flush=True)
    tell("hang", 1)


def after_the_reset() -> None:
    """Tell whether the game goes on after the reset."""
    before = json.loads(BEFORE.read_text())
    took_s = served()
    report(
        "the kernel hangs: the machine's watchdog resets it, and the same game goes on",
        game() == before and goes_on("after-the-reset"),
        served_after_s=round(took_s, 1),
    )


if __name__ == "__main__":
    if BEFORE.exists():
        run_all((after_the_reset,))
    else:
        run_all((starts, confined, touchscreen, senses, service_hangs, kernel_hangs))
    subprocess.run(["systemctl", "poweroff", "-ff"], check=False)

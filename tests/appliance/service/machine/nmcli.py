"""A stand-in for `nmcli`: prints what versions 1.42 and 1.52 print with -t, and fails or is absent as told.

`tests.installed.recommended` asks the real one, beside a real NetworkManager without a radio, the same questions.

Connections are the key files that it is given to load; `state.json` beside it holds the rest.
"""

from __future__ import annotations

import sys
from pathlib import Path

SOURCE = """#!{python}
import json, pathlib, re, sys
home = pathlib.Path(__file__).parent
state = json.loads((home / "state.json").read_text())
words = [word for word in sys.argv[1:] if word not in ("-t", "--wait", "45")]
with (home / "asked").open("a") as asked:
    asked.write(" ".join(sys.argv[1:]) + "\\n")
fields = []
if words[:1] == ["-f"]:
    fields, words = words[1].split(","), words[2:]

def fail(status, said):
    print("Error: " + said, file=sys.stderr)
    sys.exit(status)

def known(name):
    return name in state["known"] or name in state["active"]

if not state["runs"]:
    fail(8, "NetworkManager is not running.")
if words == ["general"]:
    print("running")
elif words == ["device"]:
    print("eth0:ethernet:connected\\nlo:loopback:connected (externally)")
    if state["wifi"]:
        print("wlan0:wifi:disconnected\\np2p-dev-wlan0:wifi-p2p:disconnected")
elif words == ["device", "wifi", "list"]:
    for line in state["in_reach"]:
        print(line)
elif words == ["connection", "show", "--active"]:
    print("\\n".join(("uuid-of-" if fields == ["UUID"] else "") + one for one in ["lo", *state["active"]]))
elif words[:2] == ["connection", "load"]:
    file, loaded = pathlib.Path(words[2]), state.setdefault("loaded", {})
    loaded.pop(str(file), None)
    if file.exists() and not file.read_text().startswith("[connection]"):
        print(f"Could not load file '{file}'")  # and does not fail
    elif file.exists():
        loaded[str(file)] = file.stem
        for uuid in re.findall("^uuid=(.+)$", file.read_text(), re.MULTILINE):
            state.setdefault("uuids", {})[uuid] = file.stem
    state["known"] = [one for one in state["known"] if one != file.stem]
    if file.stem in loaded.values():
        state["known"].append(file.stem)
    else:
        state["active"] = [one for one in state["active"] if one != file.stem]
elif words[:2] == ["connection", "up"]:
    name = state.get("uuids", {}).get(words[2], words[2].removeprefix("uuid-of-"))
    if not known(name):
        fail(10, f"unknown connection '{name}'.")
    if not name.startswith("Wired"):
        state["active"] = [one for one in state["active"] if one.startswith("Wired")]
    if name in state["refuses"] or not state["wifi"]:
        (home / "state.json").write_text(json.dumps(state))
        fail(4, "Connection activation failed: No suitable device found for this connection")
    if name not in state["active"]:
        state["active"].append(name)
elif words[:2] == ["connection", "delete"]:
    if not known(words[2]):
        fail(10, f"unknown connection '{words[2]}'.")
    state["active"] = [one for one in state["active"] if one != words[2]]
    state["known"] = [one for one in state["known"] if one != words[2]]
(home / "state.json").write_text(json.dumps(state))
"""


def lay(folder: Path) -> Path:
    """Lay the command into `folder` and return it; its state is to be written beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    command = folder / "nmcli"
    command.write_text(SOURCE.replace("{python}", sys.executable))
    command.chmod(0o755)
    return command

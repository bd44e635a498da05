"""A stand-in for `nmcli`: prints what version 1.42 prints with -t, and fails, hangs about or is absent as told.

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
if words[:1] == ["-f"]:
    words = words[2:]
if words == ["general"]:
    if not state["runs"]:
        sys.exit(8)  # "NetworkManager is not running"
    print("running")
elif words == ["device"]:
    print("eth0:ethernet:connected\\nlo:loopback:unmanaged")
    if state["wifi"]:
        print("wlan0:wifi:disconnected\\np2p-dev-wlan0:wifi-p2p:disconnected")
elif words == ["device", "wifi", "list"]:
    for line in state["in_reach"]:
        print(line)
elif words == ["connection", "show", "--active"]:
    print("\\n".join(state["active"]))
elif words[:2] == ["connection", "load"]:
    if not pathlib.Path(words[2]).read_text().startswith("[connection]"):
        sys.exit(2)
elif words[:2] == ["connection", "up"]:
    if words[2] in state["refuses"]:
        sys.exit(4)  # "Connection activation failed"
    state["active"] = [words[2]]
elif words[:2] == ["connection", "delete"]:
    state["active"] = [one for one in state["active"] if one != words[2]]
(home / "state.json").write_text(json.dumps(state))
"""


def lay(folder: Path) -> Path:
    """Lay the command into `folder` and return it; its state is to be written beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    command = folder / "nmcli"
    command.write_text(SOURCE.replace("{python}", sys.executable))
    command.chmod(0o755)
    return command

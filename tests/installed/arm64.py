"""`make deb-arm64-proof`: would `apt` find all that the arm64 package depends on, in Debian 12 and 13?

Asks Debian's own index for arm64, in a folder of its own and from an empty system; installs nothing and needs no root.
That every Python package has a wheel for arm64 was shown when the package was made: `make deb` fails otherwise.

usage: python -m tests.installed.arm64 PACKAGE_arm64.deb
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

SUITES = ("bookworm", "trixie")


def debian() -> str:
    """Where this machine's own apt finds Debian."""
    told = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian"]
    places = subprocess.run(told, capture_output=True, text=True, check=True).stdout.split()
    if not places:
        sys.exit("this machine's apt knows no Debian: run apt-get update first")
    return places[0]


def apt(state: Path, *words: str) -> str:
    """Run an apt command for arm64 on lists of its own."""
    at = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Sandbox::User": "root",
        "Dir::State": state,
        "Dir::State::status": state / "status",
        "Dir::Etc::sourcelist": state / "sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::Cache": state,
        "Debug::NoLocking": "1",
    }
    options = [part for name, value in at.items() for part in ("-o", f"{name}={value}")]
    done = subprocess.run([words[0], *options, *words[1:]], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else done.stdout


def proof(package: Path, suite: str, place: str) -> list[str]:
    """Return what apt would install, each as "name version"; it ends the program when apt cannot."""
    with tempfile.TemporaryDirectory(prefix="smugglers-apt-") as folder:
        state = Path(folder)
        for part in ("lists/partial", "archives/partial"):
            (state / part).mkdir(parents=True)
        (state / "status").touch()
        signed = "/usr/share/keyrings/debian-archive-keyring.gpg"
        (state / "sources.list").write_text(f"deb [signed-by={signed}] {place} {suite} main\n")
        apt(state, "apt-get", "-q", "update")
        said = apt(state, "apt-get", "-q", "-s", "--no-install-recommends", "install", str(package))
        chosen = [
            " ".join(line.replace("(", "").split()[1:3]) for line in said.splitlines() if line.startswith("Inst ")
        ]
        if not any(one.startswith("smugglers-table") for one in chosen):
            sys.exit(f"{suite}: apt cannot install it:\n{said}")
        told = subprocess.run(["dpkg-deb", "-f", package, "Recommends"], capture_output=True, text=True, check=True)
        for name in told.stdout.strip().split(", "):
            there = "Candidate: (none)" not in (policy := apt(state, "apt-cache", "policy", name)) and policy
            print(f"  {suite}: recommended {name}: {'there' if there else 'not in Debian; Raspberry Pi OS has it'}")
        return chosen


if __name__ == "__main__":
    for suite in SUITES:
        chosen = proof(Path(sys.argv[1]).resolve(), suite, debian())
        own = [one for one in chosen if one.startswith(("smugglers", "python3.1", "python3-numpy"))]
        print(f"  {suite}: resolves, {len(chosen)} packages from nothing; among them {', '.join(own)}")

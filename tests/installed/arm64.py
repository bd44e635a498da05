"""`make deb-arm64-proof`: would `apt` find all that the arm64 package depends on, in Debian 12 and 13?

Asks Debian's own index for arm64, in a folder of its own and from an empty system; installs nothing and needs no root.
That every Python package has a wheel for arm64 was shown when the package was made: `make deb` fails otherwise. That
its libraries are for arm64 is read from each one's own header, and that its Debian 12 can load them from the glibc
versions that they ask for.

usage: python -m tests.installed.arm64 PACKAGE_arm64.deb
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

SUITES = ("bookworm", "trixie")
EM_AARCH64 = 183
"""`e_machine` in the header of an ELF file (ELF for the Arm 64-bit Architecture, ABI)."""
GLIBC_MOST = (2, 36)
"""Debian 12's."""


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


def libraries(package: Path) -> tuple[int, list[str]]:
    """Return how many ELF files the package holds, and what is wrong with which."""
    tar = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], capture_output=True, check=True).stdout
    count, wrong = 0, []
    with tarfile.open(fileobj=io.BytesIO(tar)) as files:
        for member in files:
            content = found.read() if (found := files.extractfile(member) if member.isfile() else None) else b""
            if not content.startswith(b"\x7fELF"):
                if member.name.endswith(".so"):
                    wrong.append(f"{member.name}: no library")
                continue
            count += 1
            # 64 bits, little-endian; e_machine is the half-word at offset 18.
            if content[4:6] != b"\x02\x01" or int.from_bytes(content[18:20], "little") != EM_AARCH64:
                wrong.append(f"{member.name}: for another machine")
            asked = {(int(a), int(b)) for a, b in re.findall(rb"\0GLIBC_(\d+)\.(\d+)", content)}
            if asked and max(asked) > GLIBC_MOST:
                wrong.append(f"{member.name}: needs glibc {'.'.join(map(str, max(asked)))}")
    return count, wrong


if __name__ == "__main__":
    count, wrong = libraries(Path(sys.argv[1]))
    if wrong or not count:
        sys.exit("\n".join(wrong) or "it holds no library at all")
    print(
        f"  {count} libraries and programs, each for aarch64, none needs a glibc above {GLIBC_MOST[0]}.{GLIBC_MOST[1]}"
    )
    for suite in SUITES:
        chosen = proof(Path(sys.argv[1]).resolve(), suite, debian())
        own = [one for one in chosen if one.startswith(("smugglers", "python3.1", "python3-numpy"))]
        print(f"  {suite}: resolves, {len(chosen)} packages from nothing; among them {', '.join(own)}")

"""`make deb-proof`: the package in booted Debian 12 and 13 systems; prints a table of what held.

usage: python -m tests.installed PACKAGE.deb [bookworm|trixie …]
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.installed.booted_debian import BootedDebian, lacking
from tests.installed.evening import Evening
from tests.installed.versions import another_version

SUITES = {"bookworm": "Debian 12", "trixie": "Debian 13"}


def main(package: Path, suites: list[str]) -> int:
    """Prove the package on each suite; return the count of what did not hold."""
    if lack := lacking():
        print(f"not run: {lack}")
        return 1
    held: dict[str, dict[str, str]] = {}
    failed = 0
    for suite in suites:
        print(f"{SUITES[suite]}: booting", flush=True)
        with BootedDebian(suite, "proof") as system:
            evening = Evening(system, package, another_version)
            for name, words in evening.proofs():
                held.setdefault(name, {})[suite] = words
                failed += words.startswith("NO")
                print(f"  {name}: {words}", flush=True)
    print("\n| what | " + " | ".join(SUITES[suite] for suite in suites) + " |")
    print("|---|" + "---|" * len(suites))
    for name, by_suite in held.items():
        print(f"| {name} | " + " | ".join(by_suite.get(suite, "not reached") for suite in suites) + " |")
    return failed


if __name__ == "__main__":
    sys.exit(min(1, main(Path(sys.argv[1]).resolve(), sys.argv[2:] or list(SUITES))))

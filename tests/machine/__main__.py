"""`python -m tests.machine [STORY ...]`: runs the product in a virtual machine; prints a table of what held.

As many stories run at once as this machine has processors: a guest has one.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from tests.machine.image import installed_disk, product_package
from tests.machine.packages import CannotRunError, Kernel, cache_folder, kernel, need, video_module, wires_module
from tests.machine.stories import DISK, STORIES, VIDEO, Row
from tests.machine.told import HEAD, filled, lines_of
from tests.places import DOCS

PAGE = DOCS / "pi.md"


def run(asked: list[str], at_once: int) -> tuple[Kernel, list[Row]]:
    """Run stories, print each one's rows when it ends, and return all in the order of the table.

    :raises CannotRunError: this machine cannot run any of them.
    """
    need(("qemu-system-x86_64",), "qemu-system-x86")
    debian = kernel()
    wires = wires_module(debian)
    # What several stories need is made before they run beside each other.
    if VIDEO & set(asked):
        video_module(debian)
    if DISK & set(asked):
        installed_disk()
    if "kiosk" in asked:
        product_package()

    cannot: list[CannotRunError] = []

    def lived(name: str) -> list[Row]:
        folder = cache_folder() / "runs" / name
        folder.mkdir(parents=True, exist_ok=True)
        try:
            rows = STORIES[name](debian, wires, folder)
        except CannotRunError as error:
            cannot.append(error)
            rows = [Row(name, "the story runs here", False, str(error))]
        print("\n".join(lines_of(rows)), flush=True)
        return rows

    with ThreadPoolExecutor(at_once) as several:
        # The long ones stand last in the table, and none may be left for the end.
        running = {name: several.submit(lived, name) for name in reversed(STORIES) if name in asked}
        rows = [row for name in STORIES if name in running for row in running[name].result()]
    if len(cannot) == len(running):
        raise cannot[0]
    return debian, rows


def main() -> int:
    """Run the stories that were asked for; 0 when all held, 1 when one did not, 2 when this machine cannot."""
    parser = argparse.ArgumentParser(prog="python -m tests.machine", description=__doc__)
    parser.add_argument("stories", nargs="*", metavar="STORY", help=f"of {', '.join(STORIES)}; default: all")
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1, help="so many beside each other")
    parser.add_argument("--write", action="store_true", help="write their rows into docs/pi.md")
    wanted = parser.parse_args()
    asked = wanted.stories or list(STORIES)
    if unknown := set(asked) - set(STORIES):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(STORIES)}")
    began_s = time.monotonic()
    try:
        debian, rows = run(asked, wanted.at_once)
    except CannotRunError as error:
        print(f"The virtual machine cannot run here: {error}.", file=sys.stderr)
        return 2
    print(f"\nLinux {debian.release} in QEMU, {len(rows)} rows in {time.monotonic() - began_s:.0f} s\n")
    print("\n".join((*HEAD, *lines_of(rows))))
    if wanted.write:
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")
    return 0 if all(row.held for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

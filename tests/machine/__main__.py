"""`python -m tests.machine [short]`: runs the product in a virtual machine and prints a table of what held."""

from __future__ import annotations

import argparse
import sys
import time

from tests.machine.packages import CannotRunError, cache_folder, kernel, need, wires_module
from tests.machine.stories import STORIES, Row


def main() -> int:
    """Run the stories that were asked for; 0 when all held, 1 when one did not, 2 when this machine cannot."""
    parser = argparse.ArgumentParser(prog="python -m tests.machine", description=__doc__)
    parser.add_argument("stories", nargs="*", metavar="STORY", help=f"of {', '.join(STORIES)}; default: all")
    asked = parser.parse_args().stories or list(STORIES)
    if unknown := set(asked) - set(STORIES):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(STORIES)}")
    began_s, rows = time.monotonic(), list[Row]()
    try:
        need(("qemu-system-x86_64",), "qemu-system-x86")
        debian = kernel()
        wires = wires_module(debian)
        for name in asked:
            folder = cache_folder() / "runs" / name
            folder.mkdir(parents=True, exist_ok=True)
            rows += STORIES[name](debian, wires, folder)
    except CannotRunError as error:
        print(f"The virtual machine cannot run here: {error}.", file=sys.stderr)
        return 2
    print(f"Linux {debian.release} in QEMU, {len(rows)} rows in {time.monotonic() - began_s:.0f} s\n")
    print("| story | what | held | figures |\n|---|---|---|---|")
    for row in rows:
        print(f"| {row.story} | {row.what} | {'yes' if row.held else 'NO'} | {row.figures} |")
    return 0 if all(row.held for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

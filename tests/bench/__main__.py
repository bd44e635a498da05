"""Run the benchmarks and write docs/benchmarks.md: `python -m tests.bench [SUBJECT ...] [--effort 0.1]`.

Subjects that are named are measured anew; what the others gave before is kept beside the page.
"""

from __future__ import annotations

import argparse
import time

import msgspec

from tests.bench import (
    altered,
    appliance,
    at_work,
    chain_growth,
    games,
    hub,
    intervals,
    live,
    passage,
    pieces,
    rolled,
    rolls,
    shown_rolls,
    slow_pages,
    sphere,
    stills,
    strength,
    weighing,
)
from tests.bench.machine import Load, machine_lines
from tests.bench.page import Measured, page_of
from tests.places import DOCS

PAGE = DOCS / "benchmarks.md"
KEPT = DOCS / "benchmarks.json"
SUBJECTS = {
    module.__name__.rpartition(".")[2]: module.measure
    for module in (
        sphere,
        intervals,
        stills,
        pieces,
        altered,
        passage,
        rolls,
        rolled,
        weighing,
        live,
        shown_rolls,
        slow_pages,
        at_work,
        appliance,
        games,
        strength,
        hub,
        chain_growth,
    )
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("subject", nargs="*", help=f"any of {', '.join(SUBJECTS)}; all where none is named")
    parser.add_argument("--effort", type=float, default=1.0, help="0.1: a tenth of the samples")
    wanted = parser.parse_args()
    if unknown := set(wanted.subject) - set(SUBJECTS):
        parser.error(f"no such subject: {', '.join(sorted(unknown))}")
    kept = {}
    if wanted.subject:
        if not KEPT.exists():
            parser.error(f"{KEPT} keeps no subject yet: run all of them once, without naming any")
        kept = msgspec.json.decode(KEPT.read_bytes(), type=dict[str, Measured])
    for name in wanted.subject or SUBJECTS:
        start = time.monotonic()
        with Load() as load:
            section = SUBJECTS[name](wanted.effort)
        kept[name] = Measured(
            section=section,
            machine=machine_lines(),
            load=load.told(),
            took_s=time.monotonic() - start,
            effort=wanted.effort,
        )
        print(f"{section.title}: {kept[name].took_s:.0f} s", flush=True)
        KEPT.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=1))
        PAGE.write_text(page_of([kept[each] for each in SUBJECTS if each in kept]), encoding="utf-8")
    print(f"written to {PAGE}")


if __name__ == "__main__":
    main()

"""`python -m tests.power.kills [1000]`: kill −9 at random moments, and what was acknowledged is still there.

Nine of ten tables are played at by a touchscreen that notes every answer. At the tenth robots play, and what a screen
showed is noted.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.power.lives import Lives
from tests.table_process import LIBRARIES, compiled

DEMO_EVERY = 10
BACK_S = 2.0
"""Within so many seconds of processor time a killed table serves again."""
TOLD_EVERY_S = 60.0


def killed(kills: int, seed: int, *, told: bool = False) -> tuple[Lives, Lives]:
    """Let a table and a demo live and die, `kills` times together; return both."""
    with tempfile.TemporaryDirectory() as top:
        table, demo = Lives(Path(top) / "table", seed), Lives(Path(top) / "demo", seed, demo=True)
        told_s = time.monotonic()
        for number in range(1, kills + 1):
            (demo if number % DEMO_EVERY == 0 else table).live()
            if told and time.monotonic() - told_s > TOLD_EVERY_S:
                told_s = time.monotonic()
                print(f"{number} kills, {table.acknowledged + demo.acknowledged} acknowledged", file=sys.stderr)
        return table, demo


def floor_s() -> float:
    """Return the processor seconds in which bare Python imports what every table does."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", LIBRARIES], env=compiled(), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def spread(values: Sequence[float]) -> str:
    """Return least, median, 99 % and most."""
    ordered = sorted(values)
    least, middle, late, most = (ordered[round(share * (len(ordered) - 1))] for share in (0.0, 0.5, 0.99, 1.0))
    return f"least {least:.2f}, median {middle:.2f}, 99 % {late:.2f}, most {most:.2f}"


def main() -> int:
    """Kill, print what came of it; 0 when nothing was lost and every table was back in time."""
    parser = argparse.ArgumentParser(prog="python -m tests.power.kills", description=__doc__)
    parser.add_argument("kills", nargs="?", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    floor = min(floor_s() for _ in range(5))
    both = killed(wanted.kills, wanted.seed, told=True)
    lost, wrong = [line for one in both for line in one.lost], [line for one in both for line in one.wrong]
    print(f"{wanted.kills} kills, seed {wanted.seed}\n\n| table | what | count |\n|---|---|---|")
    for name, one in zip(("`smugglers run`", "`smugglers demo`"), both, strict=True):
        print(f"| {name} | kills | {one.lives}: {', '.join(f'{n} {m}' for m, n in one.moments.most_common())} |")
        print(f"| | acknowledged actions | {one.acknowledged} |")
        print(f"| | of them lost | {len(one.lost)} |")
        print(f"| | actions without an answer, sent again with their id | {dict(one.unanswered)} |")
        if one.starts:
            used = [start.processor_s for start in one.starts]
            print(f"| | start to first page, processor seconds of {len(used)} starts | {spread(used)} |")
            print(f"| | the same ÷ bare Python's imports ({floor:.2f} s) | {spread([each / floor for each in used])} |")
            print(f"| | the same, seconds elapsed | {spread([start.elapsed_s for start in one.starts])} |")
    for line in [*lost, *wrong]:
        print(f"NOT HELD: {line}")
    late = sum(start.processor_s > BACK_S for one in both for start in one.starts)
    print(f"\n{len(lost)} acknowledged lost, {len(wrong)} other faults, {late} starts over {BACK_S:g} s of processor")
    return 1 if lost or wrong else 0


if __name__ == "__main__":
    sys.exit(main())

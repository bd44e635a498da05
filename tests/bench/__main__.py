"""Run every benchmark and write docs/benchmarks.md: `make bench`, or `python -m tests.bench [--effort 0.1]`."""

from __future__ import annotations

import time

from tests.bench import altered, appliance, at_work, games, intervals, live, passage, pieces, sphere, stills, weighing
from tests.bench.machine import Load
from tests.bench.page import effort_wanted, page_of
from tests.places import DOCS

PAGE = DOCS / "benchmarks.md"
SUBJECTS = (sphere, intervals, stills, pieces, altered, passage, weighing, live, at_work, appliance, games)


def main() -> None:
    effort, sections = effort_wanted(), []
    start = time.monotonic()
    with Load() as load:
        for subject in SUBJECTS:
            begun = time.monotonic()
            sections.append(subject.measure(effort))
            print(f"{sections[-1].title}: {time.monotonic() - begun:.0f} s", flush=True)
    PAGE.write_text(page_of(sections, load, time.monotonic() - start, effort), encoding="utf-8")
    print(f"written to {PAGE}")


if __name__ == "__main__":
    main()

"""What a benchmark hands back, and how it is written down: sections of tables, and the aims that were met or missed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.bench.machine import Load, machine_lines


@dataclass(frozen=True, kw_only=True)
class Aim:
    """One figure to reach. `met` None: not judged in this run, and `why` says why."""

    what: str
    wanted: str
    measured: str
    met: bool | None
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows of cells under `heads`; the first column names the row."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Section:
    """One subject: how it was measured, what came out."""

    title: str
    method: str
    tables: Sequence[Table] = ()
    aims: Sequence[Aim] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A section, the machine it was measured on, how busy that was, how long it took, and how thorough it was."""

    section: Section
    machine: Sequence[str]
    load: str
    took_s: float
    effort: float


PREFACE = """\
`make bench` writes this page; no figure was entered by hand. `make bench SUBJECTS="live at_work"` measures these
subjects again and keeps the others. `python -m tests.bench.<subject>` prints one subject, and with `--effort 0.1` it
takes a tenth of the time. Pictures, clips and recordings with known truth come from the folder that `SMUGGLERS_DATA`
names. Without it, the few in this repository are used. Nothing was measured on a Raspberry Pi."""


def markdown_of(section: Section) -> str:
    """Return one section as markdown, without its aims: these stand together at the head of the page."""
    parts = [f"## {section.title}", section.method]
    for table in section.tables:
        if table.title:
            parts.append(f"### {table.title}")
        parts.append(table_of(table.heads, table.rows))
    if section.notes:
        parts.append("\n".join(f"- {note}" for note in section.notes))
    return "\n\n".join(parts)


def table_of(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = "|".join(["---"] + ["---:"] * (len(heads) - 1))
    return "\n".join([f"| {' | '.join(heads)} |", f"|{rule}|", *(f"| {' | '.join(row)} |" for row in rows)])


def aims_of(sections: Sequence[Section]) -> str:
    sign = {True: "✓", False: "✗", None: "–"}
    rows = [[sign[aim.met], aim.what, aim.wanted, aim.measured, aim.why] for each in sections for aim in each.aims]
    lines = ["|  | what | target | measured | remark |", "|---|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def page_of(measured: Sequence[Measured]) -> str:
    """Return the whole page. An effort below 1 is said with its section: such figures are rough."""
    machines = list(dict.fromkeys("\n".join(each.machine) for each in measured))
    took = f"- the subjects took {sum(each.took_s for each in measured) / 60:.1f} minutes in total, one after the other"
    return (
        "\n\n".join(
            [
                "# Benchmarks",
                PREFACE,
                *machines[:-1],
                f"{machines[-1]}\n{took}",
                "## Targets and results",
                aims_of([each.section for each in measured]),
                *(f"{markdown_of(each.section)}\n\n{_circumstances(each)}" for each in measured),
            ]
        )
        + "\n"
    )


def _circumstances(measured: Measured) -> str:
    rough = "" if measured.effort >= 1.0 else f"**A quick run** (`--effort {measured.effort:g}`): rough figures. "
    return f"{rough}Took {measured.took_s:.0f} s; {measured.load}."


def effort_wanted() -> float:
    """Return the effort named on the command line (`--effort 0.1`), or 1."""
    words = sys.argv[1:]
    if not words:
        return 1.0
    if len(words) != 2 or words[0] != "--effort":
        raise SystemExit(f"usage: python -m {__package__} [--effort 0.1]")
    return float(words[1])


def show(measure: Callable[[float], Section]) -> None:
    """Run one benchmark by itself and print it."""
    with Load() as load:
        start = time.monotonic()
        section = measure(effort_wanted())
    print("\n".join(machine_lines()), f"\n- {load.told()}\n- the run took {time.monotonic() - start:.0f} s\n")
    print(markdown_of(section))
    if section.aims:
        print("\n" + aims_of([section]))


WHOLE_FROM = 0.1


def data_folder(effort: float = 1.0) -> str | None:
    """Return the folder of pictures with truth; None where `SMUGGLERS_DATA` names none, or for very little effort."""
    return os.environ.get("SMUGGLERS_DATA") or None if effort >= WHOLE_FROM else None

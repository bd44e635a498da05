"""`make faults`: docs/faults.md, written by playing with every fault and every pair in every phase of a game.

`python -m tests.faults_page` plays them all; `--pairs N` only the first N pairs, and the page says so.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from itertools import combinations

from hardware.twin.faults import FAULTS
from tests.end_to_end.fault_trials import NEEDS_A_SPHERE, PHASES, Spell, Trial, try_faults
from tests.places import DOCS

PAGE = DOCS / "faults.md"
SOON_S = 2.0
HEAD = """# Faults of the sensors

`make faults` writes this page. It plays games of Smugglers on the simulated table, with the real drivers, in simulated
time. Each fault begins with a phase, lasts ten seconds while the game goes on, and ends. The wall, the touchscreen and
the host's page show a message that says what to do and how to go on by hand. Every verdict is compared with what really
happened.

- A beam that never breaks, and a sphere that was swapped, can only be detected when a sphere passes or is weighed. The
  table shows the seconds since that sphere, or a dash if there was none.
- A beam that never broke is reported as repaired when it breaks again, at the next sphere or a finger.
- A beam that flickers slowly, about once a second, is reported after ten seconds. Breaks of one beam alone accuse the
  other one only where a roll was expected and a working camera, if there is one, saw it.
- A stuck bit is distinguished from noise by counting. The message needs 32 bits of evidence, one per sample. This gives
  one false alarm in 24,000 hours. It takes three seconds or more at 10 samples per second, and less than one at 80
  (`scale_rate_sps`). A message after two seconds at 10 samples per second would give a false alarm every few hours.
- If one wire has two faults, one hides the other. While the camera sees nothing, a broken beam may be a sphere that is
  stuck, until the roll has ended. A sphere that went astray is rolled again. If it blocks a beam, that is reported.
- An hourglass button that stays pressed is reported after five seconds, in the self-test and the log. Lane lights are
  reported when their bus fails. An LED strip sends no answer, so only people can notice that it is dark for another
  reason.
"""


def singles() -> list[tuple[str, ...]]:
    """Every fault alone."""
    return [(fault,) for fault in FAULTS]


def pairs() -> list[tuple[str, ...]]:
    """Every pair of faults; those of different devices come first, as `FAULTS` lists them by device."""
    places = {fault: place for place, fault in enumerate(FAULTS)}
    return sorted(combinations(FAULTS, 2), key=lambda pair: abs(places[pair[1]] - places[pair[0]] - len(FAULTS) // 2))


def play_all(what: Sequence[tuple[str, ...]], processes: int) -> Iterator[Trial]:
    """Run the experiments, several at once; in the order given."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(try_faults, what)


def page(alone: Sequence[Trial], together: Sequence[Trial], of_pairs: int) -> str:
    """Return the page."""
    return "\n".join([HEAD, *_table(alone), "", *_digest(together, of_pairs), ""])


def _table(trials: Sequence[Trial]) -> Iterator[str]:
    yield "## One fault\n"
    yield "Seconds until the message in each phase; after the arrow, seconds from the repair until it disappears.\n"
    yield f"| fault | {' | '.join(PHASES)} | message | verdicts | wrong |"
    yield f"|---|{'---|' * len(PHASES)}---|---|---|"
    for trial in trials:
        fault = trial.faults[0]
        spells = {spell.phase: spell for spell in trial.spells}
        cells = (_cell(spells.get(phase), fault) for phase in PHASES)
        words = dict.fromkeys(word for spell in trial.spells for word in spell.words.values())
        said = "<br>".join(words) or "none"
        yield f"| {fault} | {' | '.join(cells)} | {said} | {trial.judged} | {len(trial.wrong)} |"


def _cell(spell: Spell | None, fault: str) -> str:
    if spell is None:
        return "not reached"
    told = spell.told_s.get(fault)
    if told is None:
        return "–"
    recovered = spell.recovered_s.get(fault)
    return f"{told:.1f} → {'–' if recovered is None else f'{recovered:.1f}'}"


def _digest(trials: Sequence[Trial], of_pairs: int) -> Iterator[str]:
    spells = [spell for trial in trials for spell in trial.spells]
    told = [seconds for spell in spells for seconds in spell.told_s.values()]
    back = [seconds for spell in spells for seconds in spell.recovered_s.values()]
    judged, wrong = sum(trial.judged for trial in trials), [each for trial in trials for each in trial.wrong]
    yield "## Two faults at once\n"
    if not trials:
        yield f"None of the {of_pairs} pairs was played for this page. `make faults` plays them all."
        return
    yield f"{len(trials)} of {of_pairs} pairs, {len(spells)} phases, {judged} verdicts, wrong: {len(wrong)}."
    if not told:
        return
    yield f"Reported {len(told)} times, {sum(seconds <= SOON_S for seconds in told)} of them within {SOON_S:g} s."
    soon = sum(seconds <= SOON_S for seconds in back)
    yield f"Reported as repaired {len(back)} times, {soon} of them within {SOON_S:g} s.\n"
    yield "Faults that were reported later or not at all, although they can be detected without the other fault:\n"
    yield "| pair | phase | fault | seconds until the message |"
    yield "|---|---|---|---|"
    for spell in spells:
        for fault in spell.faults:
            seconds = spell.told_s.get(fault)
            if (seconds is None and fault not in NEEDS_A_SPHERE) or (seconds is not None and seconds > SOON_S):
                shown = "not reported" if seconds is None else f"{seconds:.1f}"
                yield f"| {' + '.join(spell.faults)} | {spell.phase} | {fault} | {shown} |"


def main() -> None:
    """Play, and write the page."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", type=int, default=len(pairs()), help="how many pairs to play")
    given = options.parse_args()
    alone, together = singles(), pairs()[: given.pairs]
    trials = list(play_all([*alone, *together], len(os.sched_getaffinity(0))))
    PAGE.write_text(page(trials[: len(alone)], trials[len(alone) :], len(pairs())), encoding="utf-8")
    wrong = [f"{' + '.join(trial.faults)}: {each}" for trial in trials for each in trial.wrong]
    print(f"{len(trials)} experiments, {sum(trial.judged for trial in trials)} verdicts, wrong: {len(wrong)}")
    for each in wrong:
        print(each)


if __name__ == "__main__":
    main()

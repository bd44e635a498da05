"""Drawn rolls in any light against their truth: `python -m tests.bench.rolls` prints the counts by condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

import cv2
import numpy as np

from tests.bench.drawn_camera import as_found
from tests.bench.drawn_rolls import Rolls, rolls
from tests.bench.page import Aim, Section, Table, show
from tests.bench.roll_kinds import Truth
from vision.passages.passage import PassageTracker
from vision.passages.roll_events import RollEnded, RollEvent

SCENES = 1000
FIRST, FIRST_FLIGHT = 105_000, 108_000
"""Scenes and flights with smaller numbers were looked at while the detector was built."""
FLIES = "flies over"
SCENES_A_FLIGHT = 10
LATE_FRAMES = 0.5


@dataclass(frozen=True)
class Verdict:
    """How a scene was judged, with what was said and what is true, and the crossing's errors in frames.

    `untold` counts the passes of which no crossing time was said.
    """

    number: int
    what: str
    conditions: tuple[str, ...]
    result: str
    said: str
    truth: str
    crossing: tuple[float, ...]
    untold: int = 0


def judge(number: int, asked: str | None = None) -> Verdict:
    """Watch one scene, in which the `asked` thing may happen, and compare what is said with its truth."""
    cv2.setNumThreads(1)
    scene = rolls(number, asked)
    ends = ends_of(scene)
    result, crossing = compare(scene.truths, ends, scene.fps)
    said = "; ".join(f"{end.outcome} {end.lane} {end.colour}" for end in ends) or "none"
    true = "; ".join(f"{each.outcome} {each.lane} {each.colour}" for each in scene.truths) or "none"
    untold = sum(end.outcome == "passed" and end.crossed_s is None for end in ends)
    return Verdict(number, scene.what, scene.conditions, result, said, true, crossing, untold)


def ends_of(scene: Rolls) -> list[RollEnded]:
    """Return how each roll of a scene ended, as the tracker says; a later word on the same roll replaces the first."""
    tracker = PassageTracker(as_found(scene.table.view, np.random.default_rng([scene.number, 9])), scene.rig)
    t_s = 0.0
    events: list[RollEvent] = []
    for picture, t_s in scene.frames():
        events += tracker.feed(picture, t_s)
    events += tracker.finish(t_s)
    ends = {(each.started_s, each.lane): each for each in events if isinstance(each, RollEnded)}
    return list(ends.values())


def compare(truths: tuple[Truth, ...], ends: list[RollEnded], fps: float) -> tuple[str, tuple[float, ...]]:
    """Return "right", "unknown", "missed" or "wrong", and the errors of the crossings, frames.

    A verdict is wrong where it is of a roll that was not, has another outcome, lane or colour, or crosses more than
    half a frame beside the truth. An unknown colour or end is unknown.
    """
    left = list(truths)
    crossing: list[float] = []
    result = "right"
    for end in sorted(ends, key=lambda each: each.outcome == "unknown"):
        if end.outcome == "unknown":
            result = "unknown"
            left = left[1:]
            continue
        fit = next((each for each in left if (each.outcome, each.lane) == (end.outcome, end.lane)), None)
        if fit is None or end.colour not in (fit.colour, "unknown"):
            return "wrong", ()
        left.remove(fit)
        if end.colour == "unknown":
            result = "unknown"
        if fit.crossed_s is not None and end.crossed_s is not None:
            crossing.append((end.crossed_s - fit.crossed_s) * fps)
    if crossing and max(map(abs, crossing)) > LATE_FRAMES:
        return "wrong", tuple(crossing)
    return ("missed" if left else result), tuple(crossing)


def judge_all(numbers: Iterable[int], processes: int = 2, asked: str | None = None) -> list[Verdict]:
    """Judge scenes by number."""
    one = partial(judge, asked=asked)
    if processes == 1:
        return [one(number) for number in numbers]
    with get_context("fork").Pool(processes) as pool:
        return list(pool.imap(one, numbers, chunksize=4))


def measure(effort: float = 1.0) -> Section:
    count = max(round(SCENES * effort), 4)
    processes = 2 if count > 20 else 1
    flights = max(count // SCENES_A_FLIGHT, 1)
    return section_of(
        judge_all(range(FIRST, FIRST + count), processes),
        judge_all(range(FIRST_FLIGHT, FIRST_FLIGHT + flights), processes, FLIES),
    )


def section_of(verdicts: list[Verdict], flights: list[Verdict]) -> Section:
    total = Counter(each.result for each in verdicts)
    errors = np.array([error for each in verdicts for error in each.crossing] or [np.nan])
    doubts = total["unknown"] + total["missed"]
    untold = sum(each.untold for each in verdicts)
    names = list(dict.fromkeys(name for each in verdicts for name in each.conditions))
    groups = {"all": verdicts}
    groups |= {
        what: [each for each in verdicts if each.what == what] for what in dict.fromkeys(v.what for v in verdicts)
    }
    groups |= {name: [each for each in verdicts if name in each.conditions] for name in sorted(names)}
    return Section(
        title="Drawn rolls in any light",
        method=f"{len(verdicts)} scenes with numbers from {FIRST} on, and flights over the fence from {FIRST_FLIGHT} "
        "on, 768 × 432, 30, 40 and 56 frames per second, with soft and evening light, mains flicker, gain steps, "
        "noise, JPEG and hands. No constant of the product was chosen on these scenes. “Missed” is a roll without any "
        "verdict. A crossing time with an error of more than half a frame is wrong. For a sphere that first rested in "
        "its hole, no crossing time is required.",
        tables=[
            Table(
                heads=("", "scenes", "right", "unknown", "missed", "wrong"),
                rows=[
                    [name, str(len(some)), *(str(sum(each.result == of for each in some)) for of in RESULTS)]
                    for name, some in groups.items()
                ],
            ),
            _of_flights(flights),
            *([_not_right(verdicts)] if doubts + total["wrong"] else []),
        ],
        aims=[
            Aim(
                what="drawn rolls: wrong verdicts",
                wanted="0",
                measured=f"{total['wrong']} of {len(verdicts)}",
                met=total["wrong"] == 0,
            ),
            Aim(
                what="drawn flights over the fence: reported as a pass, or in another lane",
                wanted="0",
                measured=f"{sum(each.result == 'wrong' for each in flights)} of {len(flights)}",
                met=not any(each.result == "wrong" for each in flights),
            ),
            Aim(
                what="drawn rolls: unknown or missed",
                wanted="≤ 2 %",
                measured=f"{100 * doubts / len(verdicts):.1f} %",
                met=doubts <= 0.02 * len(verdicts),
            ),
            Aim(
                what="drawn rolls: crossing time",
                wanted="within 0.5 frame",
                measured=f"largest error {np.abs(errors).max():.2f} frames, "
                f"RMS {np.sqrt(np.mean(errors**2)):.2f}, of {len(errors)}",
                met=bool(np.abs(errors).max() <= LATE_FRAMES),
                why=f"no time for {untold} that rested in their hole and slipped through later" if untold else "",
            ),
        ],
    )


def _of_flights(flights: list[Verdict]) -> Table:
    return Table(
        title="Over the fence",
        heads=("", "scenes", "astray", *RESULTS[1:]),
        rows=[["flies over", str(len(flights)), *(str(sum(each.result == of for each in flights)) for of in RESULTS)]],
    )


def _not_right(verdicts: list[Verdict]) -> Table:
    return Table(
        title="Not right",
        heads=("scene", "what", "conditions", "verdict", "truth", ""),
        rows=[
            [str(v.number), v.what, ", ".join(v.conditions), v.said, v.truth, v.result]
            for v in verdicts
            if v.result != "right"
        ],
    )


RESULTS = ("right", "unknown", "missed", "wrong")

if __name__ == "__main__":
    show(measure)

"""Write docs/errors.md: drawn rolls that were not judged right, each as a strip of pictures with its cause.

`python -m tests.bench.errors_page NUMBER ... [--flights NUMBER ...]` judges the named scenes again;
`python -m tests.bench.rolls` lists them.
"""

from __future__ import annotations

import argparse

import cv2
import numpy as np

from tests.bench.drawn_rolls import rolls
from tests.bench.rolls import FLIES, Verdict, judge
from tests.places import DOCS

OUT = DOCS / "img" / "errors"
MOMENTS, WIDTH_PX, QUALITY = 4, 220, 70
LARGER_BEYOND = (
    "one or two frames show the sphere at the fence. Beyond it the sphere's measured size is a tenth larger than on "
    "the ramp. A flight over the fence has the same effect."
)
FINGERS = (
    "in dim warm light fingertips have the colour of orange putty, and these move down a lane. The camera says that it "
    "does not know how their roll ended."
)
PUSHED_A_LITTLE = (
    "the sphere moves 10 mm on the platform, and what moves it, or a shadow there, hides it until it rests. A hand "
    "that puts a sphere right looks the same."
)
CAUSES = {
    96117: "at 30 frames a second the sphere is over the wall of its lane between two frames, and is seen no more on "
    "the ramp. The camera does not know where it went.",
    96592: FINGERS,
    96606: FINGERS,
    96611: LARGER_BEYOND,
    96842: LARGER_BEYOND,
    96852: "on the ramp the sphere and its own shadow are together as large as a hand. At the fence the sphere is seen "
    "again, and looks like one that a hand has put there.",
    96940: "its shadow at the fence changes the sphere's measured size by a quarter, up and down.",
    96954: LARGER_BEYOND,
    97333: LARGER_BEYOND,
    97377: PUSHED_A_LITTLE,
    97491: LARGER_BEYOND,
    97613: LARGER_BEYOND,
    97961: PUSHED_A_LITTLE,
    98032: FINGERS,
}
"""The cause that a person found in a scene, by the scene's number."""
CAUSES_OF_FLIGHTS = {
    96196: "at 30 frames a second no frame shows the sphere before the fence's face. In the air it looks 7 % larger, "
    "less than what makes a roll doubtful.",
}
PREFACE = """\
# Rolls that were not judged right

This page shows every drawn scene that was not judged right when `python -m tests.bench rolls` last ran
([benchmarks.md](benchmarks.md)), and the flights over the fence that were judged wrong. Each was looked at by a person.
`python -m tests.bench.errors_page NUMBER ... [--flights NUMBER ...]` writes this page. It ran with `SMUGGLERS_DATA`;
without it the scenes are drawn on another table. The pictures of a strip are in order of time, from the first frame to
the last. Flights are often unknown, because one or two frames show the sphere in the air; these are not shown.
[errors-of-pieces.md](errors-of-pieces.md) shows boss, die and gems."""


def strip(number: int, asked: str | None = None) -> bytes:
    """Return a scene as a strip of small pictures, JPEG."""
    frames = [picture for picture, _ in rolls(number, asked).frames()]
    shown = [frames[int(at)] for at in np.linspace(0, len(frames) - 1, MOMENTS)]
    parts = [cv2.resize(each, (WIDTH_PX, WIDTH_PX * 9 // 16), interpolation=cv2.INTER_AREA) for each in shown]
    return bytes(cv2.imencode(".jpg", np.hstack(parts), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1])


def section(verdict: Verdict) -> str:
    number = verdict.number
    errors = ", ".join(f"{each:+.2f}" for each in verdict.crossing)
    return "\n".join(
        [
            f"## {number}: {verdict.result}",
            "",
            f"![the scene](img/errors/{number}.jpg)",
            "",
            f"- what happens: {verdict.what}; {', '.join(verdict.conditions)}",
            f"- verdict: {verdict.said}; truth: {verdict.truth}"
            + (f"; error of the crossing time: {errors} frames" if errors else ""),
            f"- cause: {(CAUSES_OF_FLIGHTS if verdict.what == FLIES else CAUSES).get(number, 'not found')}",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.errors_page")
    parser.add_argument("rolls", nargs="*", type=int, metavar="NUMBER")
    parser.add_argument("--flights", nargs="*", type=int, default=[], metavar="NUMBER")
    wanted = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    for old in OUT.glob("*.jpg"):
        old.unlink()
    asked = [(number, None) for number in sorted(wanted.rolls)] + [(number, FLIES) for number in sorted(wanted.flights)]
    sections = []
    for number, kind in asked:
        verdict = judge(number, kind)
        if verdict.result != "right":
            (OUT / f"{number}.jpg").write_bytes(strip(number, kind))
            sections.append(section(verdict))
    (DOCS / "errors.md").write_text("\n\n".join([PREFACE, *sections]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

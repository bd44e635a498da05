"""Write docs/errors.md: drawn rolls that were not judged right, each as a strip of pictures with its cause.

`python -m tests.bench.errors_page NUMBER ...` judges the named scenes again; `python -m tests.bench.rolls` lists them.
"""

from __future__ import annotations

import sys

import cv2
import numpy as np

from tests.bench.drawn_rolls import rolls
from tests.bench.rolls import Verdict, judge
from tests.places import DOCS

OUT = DOCS / "img" / "errors"
MOMENTS, WIDTH_PX, QUALITY = 4, 220, 70
AT_THE_END = (
    "when the camera begins to watch, the sphere hangs over the platform's end in an outer lane. The part of the "
    "picture that is watched ends there and cuts it."
)
LARGER_BEYOND = (
    "one or two frames show the sphere at the fence. Beyond it the sphere's measured size is a tenth larger than on "
    "the ramp. A flight over the fence has the same effect."
)
TWO_THAT_TOUCH = (
    "in the picture, two spheres in neighbouring lanes touch all the way. Together they are as large as a hand."
)
CAUSES = {
    655: TWO_THAT_TOUCH,
    70328: LARGER_BEYOND,
    78663: AT_THE_END,
    88640: "on the ramp the sphere and its own shadow are together as large as a hand. At the fence the sphere is seen "
    "again, and looks like one that a hand has put there.",
    90094: LARGER_BEYOND,
    90321: "when the camera begins to watch, two spheres and their shadows are together as large as a hand.",
    90793: TWO_THAT_TOUCH,
    91234: "the other sphere and its shadow hide where this one rests at the fence.",
    91439: LARGER_BEYOND,
    91762: AT_THE_END,
}
"""The cause that a person found in a scene, by the scene's number."""
PREFACE = """\
# Rolls that were not judged right

This page shows drawn scenes of `tests/bench/drawn_rolls.py`. Each was inspected by a person.
`python -m tests.bench.rolls` counts the scenes, and names those that were not judged right.
`python -m tests.bench.errors_page NUMBER ...` writes this page. Here it ran without `SMUGGLERS_DATA`, on the table that
this repository contains. Scenes with numbers below 93,000 were inspected during the detector's development, the others
were not. The pictures of a strip are in order of time, from the first frame to the last."""


def strip(number: int) -> bytes:
    """Return a scene as a strip of small pictures, JPEG."""
    frames = [picture for picture, _ in rolls(number).frames()]
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
            f"- cause: {CAUSES.get(number, 'not found')}",
        ]
    )


def main(numbers: list[int]) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    for old in OUT.glob("*.jpg"):
        old.unlink()
    verdicts = [verdict for verdict in map(judge, sorted(numbers)) if verdict.result != "right"]
    for verdict in verdicts:
        (OUT / f"{verdict.number}.jpg").write_bytes(strip(verdict.number))
    page = "\n\n".join([PREFACE, *map(section, verdicts)])
    (DOCS / "errors.md").write_text(page + "\n", encoding="utf-8")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]])

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
CAUSES = {
    105204: "the hole slows the sphere down, so it is later than the ramp gives, and there it looks a tenth larger. A "
    "flight over the fence has the same effect.",
    106100: "in its hole the middle of the large sphere seems to move by 3 mm from frame to frame, as the "
    "fence hides more or less of it. It never seems to rest until a hand takes it away.",
    106946: "the one frame that shows the sphere at the fence is dark and compressed. The sphere's colour smears over "
    "half of the fence's face, as in a flight over it.",
    107281: "at the fence and behind it the sphere looks a tenth larger in three frames. A flight has the same effect.",
    107626: "the sphere passes and is told. Its long shadow takes on its colour and runs ahead of it like a second, of "
    "which the camera says that it does not know how its roll ended.",
}
"""The cause that a person found in a scene, by the scene's number."""
CAUSES_OF_FLIGHTS: dict[int, str] = {}
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

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
AT_THE_END = (
    "when the camera begins to watch, the sphere hangs over the platform's end. The part of the picture that is "
    "watched ends there and cuts it. After some seconds of rest it is taken for a part of the table."
)
LARGER_BEYOND = (
    "one or two frames show the sphere at the fence. Beyond it the sphere's measured size is a tenth larger than on "
    "the ramp. A flight over the fence has the same effect."
)
AS_A_SHADOW = (
    "on the platform the two spheres and their shadows together are as large as a hand. They part on the ramp, and one "
    "that is first seen there beside a rolling sphere is taken for the other's shadow."
)
CAUSES = {
    93201: "a hand pushes the sphere 6 mm along the platform and is gone when it rests. A hand that puts a sphere "
    "right looks the same.",
    93369: LARGER_BEYOND,
    93450: AT_THE_END,
    94115: "the sphere and its shadow are together as large as a hand, all the way down.",
    94142: LARGER_BEYOND,
    94185: AS_A_SHADOW,
    94520: AS_A_SHADOW,
    94782: LARGER_BEYOND,
    94883: LARGER_BEYOND,
    95040: LARGER_BEYOND,
    95045: LARGER_BEYOND,
    95555: LARGER_BEYOND,
    95673: LARGER_BEYOND,
}
"""The cause that a person found in a scene, by the scene's number."""
CAUSES_OF_FLIGHTS: dict[int, str] = {
    93049: "",
}
PREFACE = """\
# Rolls that were not judged right

This page shows every drawn scene that was not judged right when `python -m tests.bench rolls` last ran
([benchmarks.md](benchmarks.md)), and the flights over the fence that were judged wrong. Each was looked at by a person.
`python -m tests.bench.errors_page NUMBER ... [--flights NUMBER ...]` writes this page. It ran with `SMUGGLERS_DATA`;
without it the scenes are drawn on another table. The pictures of a strip are in order of time, from the first frame to
the last. Flights are often unknown, because one or two frames show the sphere in the air; these are not shown."""


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

"""Write docs/errors-of-pieces.md: drawn pieces that were not read right, each as a picture with its cause.

`python -m tests.bench.errors_of_pieces` reads all scenes of `tests.bench.pieces` again.
"""

from __future__ import annotations

from functools import partial

import cv2
import numpy as np

from hardware.cameras.camera_model import Image
from tests.bench.drawn_table import RIG, Scene
from tests.bench.machine import on_all_cores
from tests.bench.pieces import FIRST, FREE_VIEW, SCENES, Piece, result_of, said_of
from tests.places import DOCS

OUT = DOCS / "img" / "errors" / "pieces"
WIDTH_PX, QUALITY = 440, 70
BESIDE_MM, OVER_MM = 25.0, 60.0  # shown beside the tray or slot, and above the slot
IN_TWO_LIGHTS = "in the darker part of the felt a dark gem would not show, so nobody can be sure that these are all."
GREEN_IN_PARTS = "a green die on green felt shows in parts only, "
CUT_AT_THE_RIM = "the felt's rim cuts the gem's picture, "
BESIDE_A_DARKER = "light of darker gems is mixed into the yellow one's rim, as about a highlight."
CAUSES = {
    "boss-in-mixed-light-890015": "the picture's rim cuts the figure, which is as dark as the shadow beside it.",
    "boss-in-mixed-light-890140": "the card has the colours of the tiles behind it, and its sides fall on their edges.",
    "die-890058": "a black die lies over the rim, and its own shadow joins its side: no cube fits well.",
    "die-890180": "in little light a black die on dark felt shows by its pips alone, and the outline is not clear.",
    "die-890442": GREEN_IN_PARTS + "and its shadow joins its side.",
    "die-890447": GREEN_IN_PARTS + "between two shadows.",
    "die-890475": GREEN_IN_PARTS + "and its side is as dark as its shadow.",
    "die-in-mixed-light-890065": "a black die and the lit felt behind it are one blob, larger than a die.",
    "die-in-mixed-light-890068": "a black die over the rim shows by its pips alone, those of three faces.",
    "die-in-mixed-light-890076": "the die lies over the rim, and the side in its own shadow is no part of the outline.",
    "die-in-mixed-light-890180": "a black die's rounded top looks like a disc: a ball, too, may mirror a lamp once.",
    "gems-890020": "the lit corner of the felt has another tint than the table beside it, and two gems lie in it.",
    "gems-890082": CUT_AT_THE_RIM + "and the gem that touches it hides the table beside it.",
    "gems-890173": "less than a gem's size of one purple gem stands out from the felt: it may be a part of something.",
    "gems-890315": IN_TWO_LIGHTS,
    "gems-890454": CUT_AT_THE_RIM + "before tiles of two tints.",
    "gems-890757": "in little light the lit corner of the felt has not the tint of the table beside it.",
    "gems-in-mixed-light-890095": IN_TWO_LIGHTS,
    "gems-in-mixed-light-890124": "the purple gem mirrors the yellow one that touches it, and its hue is not clear.",
    "gems-in-mixed-light-890162": IN_TWO_LIGHTS,
    "heaps-890048": BESIDE_A_DARKER,
    "heaps-890108": BESIDE_A_DARKER,
}
"""The cause that a person found in a scene, by the scene's name."""
PREFACE = """\
# Pieces that were not read right

This page shows every drawn scene of the last run of `python -m tests.bench.pieces` ([benchmarks.md](benchmarks.md)) in
which boss, die or gems were read wrong, and every one with a free view in which they were "unknown". Each was looked at
by a person. `python -m tests.bench.errors_of_pieces` writes this page. It ran with `SMUGGLERS_DATA`; without it the
scenes are drawn on other tables. [errors.md](errors.md) shows rolls."""


def name_of(kind: str, number: int) -> str:
    return f"{kind.replace(' ', '-')}-{number}"


def not_right(kind: str, number: int) -> str | None:
    """Return the section of a scene that was read wrong, or unknown with a free view; else None. Write its picture."""
    drawn = SCENES[kind]
    scene = drawn.scene(number)
    said = said_of(drawn.piece, scene)
    result = result_of(said, scene.truth)
    if result == "right" or (result == "unknown" and scene.shows not in FREE_VIEW[drawn.piece]):
        return None
    name = name_of(kind, number)
    (OUT / f"{name}.jpg").write_bytes(
        cv2.imencode(".jpg", shown(drawn.piece, scene), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes()
    )
    return "\n".join(
        [
            f"## {kind}, {number}: {result}",
            "",
            f"![the scene](img/errors/pieces/{name}.jpg)",
            "",
            f"- shows: {scene.shows}; read: {_words(said)}; truth: {_words(scene.truth)}",
            f"- cause: {CAUSES.get(name, 'not found')}",
        ]
    )


def shown(piece: Piece, scene: Scene) -> Image:
    """Return the part of a picture about the slot or the tray, BGR uint8, `WIDTH_PX` wide."""
    if piece == "boss":
        lanes_x = [lane.x_mm for lane in RIG.lanes]
        corners = [
            (x, RIG.boss_slot_y_mm, RIG.boss_base_z_mm + over)
            for x in (min(lanes_x) - BESIDE_MM, max(lanes_x) + BESIDE_MM)
            for over in (-BESIDE_MM, OVER_MM)
        ]
    else:
        (x, y), half = RIG.tray_centre_mm, RIG.tray_side_mm / 2 + BESIDE_MM
        corners = [(x + right, y + up, RIG.tray_z_mm) for right in (-half, half) for up in (-half, half)]
    places = scene.view.project(np.array(corners, np.float64))
    high, wide = scene.picture.shape[:2]
    left, top = np.clip(np.floor(places.min(axis=0)), 0, [wide - 1, high - 1]).astype(int)
    right, bottom = np.clip(np.ceil(places.max(axis=0)), 1, [wide, high]).astype(int)
    part = scene.picture[top:bottom, left:right]
    scale = WIDTH_PX / part.shape[1]
    return np.asarray(cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def _words(reading: object) -> str:
    if reading is None:
        return "unknown"
    if isinstance(reading, tuple):
        return " ".join(str(part) for part in reading if part is not None) or "nothing"
    return str(reading)


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    for old in OUT.glob("*.jpg"):
        old.unlink()
    sections = [
        section
        for kind, drawn in SCENES.items()
        for section in on_all_cores(partial(not_right, kind), range(FIRST, FIRST + drawn.count))
        if section is not None
    ]
    (DOCS / "errors-of-pieces.md").write_text("\n\n".join([PREFACE, *sections]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

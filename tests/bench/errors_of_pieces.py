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
from tests.bench.pieces import FIRST, PLAIN, SCENES, result_of, said_of
from tests.places import DOCS

OUT = DOCS / "img" / "errors" / "pieces"
WIDTH_PX, QUALITY = 440, 70
BESIDE_MM, OVER_MM = 25.0, 60.0  # shown beside the tray or slot, and above the slot
IN_THE_DARK = "in so little light a dark gem would not show, so nobody can be sure that these are all."
GREEN_IN_PARTS = "a green die on green felt shows in parts only, "
GREEN_YELLOW = (
    "the yellow gem is nearly as green as the felt, so its hue depends on how much of the felt's is taken away."
)
BETWEEN_TWO_HUES = "light of its neighbours falls on a gem, whose hue is then between two."
IN_THE_DARK_DIE = "in the shadow over half of the felt a dark die would not show."
SHADOWS_SPECKS = "specks of noise in the die's own shadow count as other objects."
OUTSHINES = "a gem outshines one that touches it, so no middle of the other shows."
CAUSES = {
    "boss-880011": "the ledge has nearly the table's colour, and the edges of the cloth's grain are too plain to be "
    "sure that no pale card stands there.",
    "boss-880047": "in little light the card is nearly as dark as the table behind it.",
    "die-880000": SHADOWS_SPECKS,
    "die-880027": GREEN_IN_PARTS + "over the rim: no cube fits well.",
    "die-880186": GREEN_IN_PARTS + "and its side's pips belong to its outline.",
    "die-880222": "at the felt's rim the lens mixes in the light of the table, and a stripe of it counts as an object.",
    "die-880380": IN_THE_DARK_DIE,
    "die-880387": SHADOWS_SPECKS,
    "die-880460": GREEN_IN_PARTS + "in noise: its pips alone are too far apart for one object.",
    "gems-880106": "in little light the purple gem's hue depends on how much of the felt's is taken away.",
    "gems-880132": GREEN_YELLOW,
    "gems-880196": IN_THE_DARK,
    "gems-880207": OUTSHINES,
    "gems-880354": IN_THE_DARK,
    "gems-880454": GREEN_YELLOW,
    "heaps-880025": IN_THE_DARK,
    "heaps-880041": "in a soft picture one gem's part of the lump is larger than a gem.",
    "heaps-880050": "the part of one gem has a notch where the three meet.",
    "heaps-880054": BETWEEN_TWO_HUES,
    "heaps-880119": BETWEEN_TWO_HUES,
    "heaps-880143": BETWEEN_TWO_HUES,
    "heaps-880147": "a gem in another's shadow is dim, and its part of the lump is longer than a gem.",
}
"""The cause that a person found in a scene, by the scene's name."""
PREFACE = """\
# Pieces that were not read right

This page shows every drawn scene of the last run of `python -m tests.bench.pieces` ([benchmarks.md](benchmarks.md)) in
which boss, die or gems were read wrong, and every one with a free view in which they were "unknown". Each was looked at
by a person. `python -m tests.bench.errors_of_pieces` writes this page. It ran with `SMUGGLERS_DATA`; without it the
scenes are drawn on other tables. [errors.md](errors.md) shows rolls."""


def name_of(kind: str, number: int) -> str:
    return f"{kind}-{number}"


def not_right(kind: str, number: int) -> str | None:
    """Return the section of a scene that was read wrong, or unknown with a free view; else None. Write its picture."""
    scene = SCENES[kind][1](number)
    said = said_of(kind, scene)
    result = result_of(said, scene.truth)
    if result == "right" or (result == "unknown" and scene.shows not in PLAIN[kind]):
        return None
    name = name_of(kind, number)
    (OUT / f"{name}.jpg").write_bytes(cv2.imencode(".jpg", shown(kind, scene), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1])
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


def shown(kind: str, scene: Scene) -> Image:
    """Return the part of a picture about the slot or the tray, BGR uint8, `WIDTH_PX` wide."""
    if kind == "boss":
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
        for kind, (count, _) in SCENES.items()
        for section in on_all_cores(partial(not_right, kind), range(FIRST, FIRST + count))
        if section is not None
    ]
    (DOCS / "errors-of-pieces.md").write_text("\n\n".join([PREFACE, *sections]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

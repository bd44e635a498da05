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
TABLE_OF_ITS_TINT = (
    "the gem lies over the felt's rim, and the table beyond it has nearly the gem's tint. A longer object that reaches "
    "into the tray would look the same."
)
GREEN_IN_PARTS = "a green die on green felt shows in parts only, "
OUTSHINES = "a gem outshines one that touches it, so no middle of the other shows."
ROUNDED_LUMP = "the two yellow gems touch along half their length, and together they have one middle."
CAUSES = {
    "boss-860007": "little light: the ledge differs too little from the table for what hides it to show, and the "
    "squares of the cloth have edges half as plain as the card's.",
    "boss-860230": "a strip that is nearly as dark as the table: no edge shows along most of the slot, so that "
    "something may cover it.",
    "boss-860245": "the picture's rim cuts the card, and the squares of the cloth have sides nearly as plain.",
    "boss-860276": "the card is as dark as the squares of the cloth behind it.",
    "boss-860290": "the card is nearly as pale as the ledge, so it does not show that it hides the ledge.",
    "die-860105": "specks of light beside the die count as other objects.",
    "die-860188": GREEN_IN_PARTS + "and no face fits its faint pips well.",
    "die-860328": "a green die, half in its own shadow: its outline is not enough like a die's for one pip.",
    "die-860355": GREEN_IN_PARTS + "half over the rim: several faces fit.",
    "gems-860013": "the lamp mirrored on one red gem makes half of it look yellow.",
    "gems-860014": "of one purple gem in the deep shadow less than half shows.",
    "gems-860018": IN_THE_DARK,
    "gems-860081": IN_THE_DARK,
    "gems-860150": "in this light the purple gem is more blue than a purple one may be.",
    "gems-860256": TABLE_OF_ITS_TINT,
    "gems-860557": "the light of the felt that the lens mixes into a dark red gem makes it as yellow as red.",
    "gems-860576": TABLE_OF_ITS_TINT,
    "gems-860621": IN_THE_DARK,
    "gems-860676": IN_THE_DARK,
    "gems-860688": "along the felt's rim the lens mixes in the light of the table, and the stripe counts as an object.",
    "gems-860737": IN_THE_DARK,
    "heaps-860036": "in little light one gem's part of the lump is smaller than a gem.",
    "heaps-860070": OUTSHINES,
    "heaps-860076": IN_THE_DARK,
    "heaps-860081": IN_THE_DARK,
    "heaps-860090": "the part of one gem has a notch where another's shadow lies on it.",
    "heaps-860133": ROUNDED_LUMP,
    "heaps-860136": ROUNDED_LUMP,
    "heaps-860138": "the line between two gems leaves one a part that is longer than a gem.",
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

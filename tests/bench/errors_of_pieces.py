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
ROUNDED = (
    "a rounded die with a side in its own shadow: what shows is as like a disc, and two pips are too few to be sure."
)
SHADED = "one gem is darker than the others that touch it, so no middle of it shows."
GREENISH = "one yellow gem, which lets light of the felt through, is nearly green."
SPECKS = "beside the gems noise and compression leave specks as large as parts of a gem."
CAUSES = {
    "boss-795156": "one side of the card and the edge of its shadow are as far apart as two sides of a card, and ledge "
    "and table differ too little to tell which edges go on in front of both.",
    "boss-795294": "lamps of two colours: the printed strip in front of the slot changes its tint halfway, as it does "
    "behind a hand.",
    "die-795119": "a green die on green felt: its outline shows in parts only, and its one pip looks most like "
    "the pips of the side.",
    "die-795175": ROUNDED,
    "die-795289": ROUNDED,
    "gems-795026": "the yellow gem outshines the purple one that touches it, so no middle of the purple one shows.",
    "gems-795068": "in warm light this yellow is between red and yellow.",
    "gems-795121": "two gems touch, and the highlights of one are more than one middle.",
    "gems-795171": IN_THE_DARK,
    "gems-795183": TABLE_OF_ITS_TINT,
    "gems-795205": IN_THE_DARK,
    "gems-795237": TABLE_OF_ITS_TINT,
    "gems-795391": "of the gem in the deep shadow only the highlight shows.",
    "gems-795488": "of two gems in the deep shadow only the highlights show.",
    "gems-795489": "two gems touch, and in little light the lens joins them to one lump without a notch.",
    "heaps-795001": SHADED,
    "heaps-795003": GREENISH,
    "heaps-795012": "in a soft picture the lump is so large that its parts are larger than a gem.",
    "heaps-795027": SPECKS,
    "heaps-795036": SHADED,
    "heaps-795050": SHADED,
    "heaps-795065": GREENISH,
    "heaps-795098": SPECKS,
    "heaps-795126": SPECKS,
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

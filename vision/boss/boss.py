"""Detects the boss figure behind the lanes, and the lane it stands at.

It uses two features, and neither needs a picture of the empty table: the two upright sides of the figure's card
(`vision.boss.card`), and the platform's back edge, of which the card hides a part (`vision.boss.slot`). A finger hides
the edge too, but has no two sides at a card's width. If the features contradict each other, the boss is unknown, as it
is when no edge shows along most of the slot: a board's printed squares have two sides at a card's width, too. Light and
shadow change the edge and leave the ledge in sight. Where it is in sight, the sides alone tell the card from an empty
slot.
"""

from __future__ import annotations

import numpy as np

from hardware.cameras.camera_model import CameraView, Image
from hardware.rig import Rig
from vision.boss.card import find_card
from vision.boss.evidence import Evidence
from vision.boss.slot import Hidden, hidden_by_card, is_covered, slot_profile
from vision.linear_light import DARKEST_PAPER, paper_white
from vision.observations import Boss

AT_LANE = 0.22  # of the lane pitch (8.8 mm at 40 mm): people place the figure to within a few millimetres
BETWEEN = 0.3  # of the lane pitch: from this offset on the figure is between lanes; from AT_LANE to here it is unclear
LEAST_SURE = 0.5
UNKNOWN = Boss(lane=None, state="unknown", confidence=0.0)
ABSENT = Boss(lane=None, state="absent", confidence=LEAST_SURE)


def read_boss(image: Image, view: CameraView, rig: Rig) -> Boss:
    """Return the lane at which the boss figure stands.

    :param image: BGR uint8 picture of the size `view` is for.
    """
    white = paper_white(image, view, rig)
    slot = slot_profile(image, view, rig, white) if white.min() > DARKEST_PAPER else None
    if slot is None:
        return UNKNOWN
    edge, sides = hidden_by_card(slot, rig), find_card(image, view, rig, white)
    if sides is None:
        return UNKNOWN if is_covered(slot) else _told(edge, rig)
    seen = Evidence(slot, edge, sides, rig)
    if seen.is_open:
        return ABSENT
    if seen.is_covered:
        return UNKNOWN
    if seen.is_card:
        return _at(sides.card.x_mm, sides.card.sure, rig)
    if seen.is_dark_foot:
        return _at(sides.foot.x_mm, sides.foot.sure, rig)
    if seen.may_be_card:
        return UNKNOWN
    return ABSENT if seen.is_bare else _told(edge, rig)


def _told(edge: Hidden, rig: Rig) -> Boss:
    """Return what the platform's edge alone tells."""
    if edge.x_mm is not None:
        return _at(edge.x_mm, edge.sure, rig)
    return Boss(lane=None, state="absent", confidence=edge.sure) if edge.state == "absent" else UNKNOWN


def _at(x_mm: float, sure: float, rig: Rig) -> Boss:
    """Return the lane of a card at `x_mm`, that it is between two lanes, or "unknown" where neither is clear."""
    lanes_x = np.array([lane.x_mm for lane in rig.lanes])
    nearest = int(np.abs(lanes_x - x_mm).argmin())
    gap = abs(lanes_x[nearest] - x_mm) / rig.lane_pitch_mm
    sure = float(np.clip(sure, 0, 1))
    if gap <= AT_LANE:
        return Boss(lane=rig.lanes[nearest].number, state="lane", confidence=sure)
    return Boss(lane=None, state="between" if gap >= BETWEEN else "unknown", confidence=sure)

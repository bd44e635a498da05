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
from vision.boss.card import Sides, UprightEdges, find_card
from vision.boss.slot import (
    CONTRAST,
    DEEPEST_SHADOW,
    FAINT,
    Hidden,
    SlotProfile,
    hidden_by_card,
    hides_edge,
    is_covered,
    slot_profile,
)
from vision.linear_light import DARKEST_PAPER, paper_white
from vision.observations import Boss

AT_LANE = 0.22  # of the lane pitch (8.8 mm at 40 mm): people place the figure to within a few millimetres
BETWEEN = 0.3  # of the lane pitch: from this offset on the figure is between lanes; from AT_LANE to here it is unclear
PLAIN, BEHIND = 10.0, 15.0  # least contrast of a card's sides, Lab units; the same when something hides the slot
RIVALS = 2.5  # least ratio to the next best place: fingers and a cloth's pattern look alike in many places
UNBROKEN = 7.5  # contrast, Lab units, along nine tenths of both sides: fingers that hide the edge had at most 6.6
SAME_MM = 10.0  # the hidden part of the edge is located less precisely than the card's sides
NOTHING = 6.0  # contrast, Lab units, below which there is no card
PALE = 40.0  # L* of the background above which a card of any usual colour has a higher contrast
SHOWS = 2 * NOTHING  # contrast of ledge and table along most of the slot; a sheet or board hides the ledge
KEPT = 0.8  # of a side's contrast: a blur of 1.4 mm leaves 85 % of a step between columns 4 mm apart
SOLID = 1 / 3  # least `UprightEdges.solid` of a card: 0.41 on 454 drawn cards; at most 0.26 between two fingers
SURELY_SOLID = 0.6  # the same where edge and sides were not found independently; a finger and its shadow had 0.37
LEAST_SURE = 0.5
UNKNOWN = Boss(lane=None, state="unknown", confidence=0.0)


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
    card, plain = sides.card, BEHIND if slot.hidden.any() else PLAIN
    if edge.state == "unknown" and _is_open(slot, sides):
        return Boss(lane=None, state="absent", confidence=LEAST_SURE)
    agree = edge.x_mm is not None and abs(edge.x_mm - card.x_mm) < SAME_MM
    stands_out = card.strength > RIVALS * card.rival
    twice = _stands_out_twice(sides, plain)
    if is_covered(slot) and not (agree and stands_out) and not twice:
        return UNKNOWN  # the pattern of a sheet or board repeats; a card in front of light and shadow does not
    sure = (stands_out or twice) and not _is_behind(slot, card, rig)
    # The ledge that shows beside a card is hidden behind it. A finger over the table leaves it in sight.
    hides_ledge = sides.ledge[1] <= SHOWS or sides.twice.strength > PLAIN
    alone = edge.x_mm is None and card.strength > plain and sure and hides_ledge
    is_unbroken = sides.unbroken > UNBROKEN
    is_card = alone or (agree and (is_unbroken or (card.strength > PLAIN and stands_out)))
    hides = is_unbroken and sides.solid > SURELY_SOLID and hides_edge(slot, card.x_mm, rig.boss_size_mm[0])
    if hides or (is_card and sides.solid > SOLID):
        return _at(card.x_mm, card.sure, rig)
    # Its own shadow on the strip may look like a hand before it. Fingers do not stand out so, or show what is behind.
    is_whole = is_unbroken and stands_out and sides.solid > SURELY_SOLID
    if _is_dark_foot(sides) and (is_whole or (sides.solid > SOLID and not _is_behind(slot, sides.foot, rig))):
        return _at(sides.foot.x_mm, sides.foot.sure, rig)
    if edge.state == "card" or (edge.state == "absent" and _may_be_card(sides)):
        return UNKNOWN
    if edge.state == "unknown" and _is_bare(slot, sides, rig):
        return Boss(lane=None, state="absent", confidence=LEAST_SURE)
    return _told(edge, rig)


def _stands_out_twice(sides: UprightEdges, plain: float) -> bool:
    """Return whether the likeliest card stands out in front of the ledge and in front of the table alike."""
    twice = sides.twice
    same_place = abs(twice.x_mm - sides.card.x_mm) < SAME_MM
    return same_place and sides.ledge[1] > SHOWS and twice.strength > max(plain, RIVALS * twice.rival)


def _is_dark_foot(sides: UprightEdges) -> bool:
    """Return whether the foot of a card as dark as the table hides the ledge, and there are traces of the rest.

    A shadow is not as dark; a finger stands out in front of such a table, too, and is narrower.
    """
    foot = sides.foot
    traced = abs(foot.x_mm - sides.card.x_mm) < SAME_MM
    return traced and foot.strength > max(BEHIND, RIVALS * foot.rival) and sides.foot_light < DEEPEST_SHADOW


def _may_be_card(sides: UprightEdges) -> bool:
    """Return whether two unbroken sides stand before ledge and table: a card may be as grey as the ledge it hides."""
    return sides.unbroken > UNBROKEN and sides.twice.strength > NOTHING


def _is_open(slot: SlotProfile, sides: UprightEdges) -> bool:
    """Return whether ledge and table show along the whole slot, and nowhere the sides of a card of any colour."""
    return sides.explained < KEPT * sides.ledge[0] and not slot.hidden.any()


def _is_behind(slot: SlotProfile, card: Sides, rig: Rig) -> bool:
    """Return whether something hides most of a card's foot: the two sides may then be those of fingers."""
    at_card = slot.hidden[np.abs(slot.xs_mm - card.x_mm) < rig.boss_size_mm[0] / 2]
    return 2 * int(at_card.sum()) > len(at_card)


def _is_bare(slot: SlotProfile, sides: UprightEdges, rig: Rig) -> bool:
    """Return whether the slot is empty: nothing in it or beside it looks like a card, and any card would be visible."""
    at_likeliest = slot.unlike[np.abs(slot.xs_mm - sides.card.x_mm) < rig.boss_size_mm[0] / 2]
    differs = float(np.median(at_likeliest)) >= FAINT * CONTRAST
    return sides.card.strength < NOTHING and sides.backdrop > PALE and not differs and not slot.hidden.any()


def _told(edge: Hidden, rig: Rig) -> Boss:
    if edge.x_mm is not None:
        return _at(edge.x_mm, edge.sure, rig)
    return Boss(lane=None, state="absent", confidence=edge.sure) if edge.state == "absent" else UNKNOWN


def _at(x_mm: float, sure: float, rig: Rig) -> Boss:
    lanes_x = np.array([lane.x_mm for lane in rig.lanes])
    nearest = int(np.abs(lanes_x - x_mm).argmin())
    gap = abs(lanes_x[nearest] - x_mm) / rig.lane_pitch_mm
    sure = float(np.clip(sure, 0, 1))
    if gap <= AT_LANE:
        return Boss(lane=rig.lanes[nearest].number, state="lane", confidence=sure)
    return Boss(lane=None, state="between" if gap >= BETWEEN else "unknown", confidence=sure)

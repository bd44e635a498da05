"""What speaks for the boss's card in the slot, and for an empty slot."""

from __future__ import annotations

import msgspec
import numpy as np

from hardware.rig import Rig
from vision.boss.card import Sides, UprightEdges
from vision.boss.slot import CONTRAST, DEEPEST_SHADOW, FAINT, Hidden, SlotProfile, hides_edge, is_covered

PLAIN, BEHIND = 10.0, 15.0  # least contrast of a card's sides, Lab units; the same when something hides the slot
RIVALS = 2.5  # least ratio to the next best place: fingers and a cloth's pattern look alike in many places
UNBROKEN = 7.5  # contrast, Lab units, along nine tenths of both sides: fingers that hide the edge had at most 6.6
SAME_MM = 10.0  # the hidden part of the edge is located less precisely than the card's sides
NOTHING = 6.0  # contrast, Lab units, below which there is no card
PALE = 40.0  # L* of the background above which a card of any usual colour has a higher contrast
SHOWS = 2 * NOTHING  # contrast of ledge and table along most of the slot; a sheet or board hides the ledge
EVENLY = 0.6  # of it is left wherever the ledge ends at an empty slot; with a ball before a card, 0.52 in a drawn scene
KEPT = 0.8  # of a side's contrast: a blur of 1.4 mm leaves 85 % of a step between columns 4 mm apart
SOLID = 1 / 3  # least `solid` and `solid_foot` of a card: 0.41 and 0.53 on drawn ones; between two fingers 0.26, 0.32
SURELY_SOLID = 0.6  # the same where edge and sides were not found independently; a finger and its shadow had 0.37


class Evidence(msgspec.Struct, frozen=True):
    """The hidden part of the platform's edge, `edge`, beside the two sides of the likeliest card, `sides`."""

    slot: SlotProfile
    edge: Hidden
    sides: UprightEdges
    rig: Rig

    @property
    def is_card(self) -> bool:
        """Whether the likeliest card is one: it is solid, and one of three ways to tell it from fingers confirms it."""
        return self._is_solid and (self._is_confirmed or self._stands_whole or self._hides_edge)

    @property
    def is_dark_foot(self) -> bool:
        """Whether the foot of a card as dark as the table hides the ledge, and there are traces of the rest.

        A shadow is not as dark; a finger stands out in front of such a table, too, and is narrower.
        """
        foot = self.sides.foot
        traced = abs(foot.x_mm - self.sides.card.x_mm) < SAME_MM
        dark = foot.strength > max(BEHIND, RIVALS * foot.rival) and self.sides.foot_light < DEEPEST_SHADOW
        in_front = self._in_front(foot) or (self._is_whole and self._stands_out)
        return self._is_solid and traced and dark and in_front

    @property
    def may_be_card(self) -> bool:
        """Whether a card may stand here that `is_card` is not sure of: it may be as grey as the ledge it hides."""
        unbroken = self.sides.unbroken > UNBROKEN and self.sides.twice.strength > NOTHING
        return self.edge.state == "card" or (self.edge.state == "absent" and unbroken)

    @property
    def is_open(self) -> bool:
        """Whether ledge and table show along the whole slot, and nowhere the sides of a card of any colour.

        Where they clearly differ, nothing hides a card: a hand or a ball would hide where one ends and the other
        begins. A shadow may change the edge as much as a card.
        """
        (least, _), (at_end, usual) = self.sides.ledge, self.sides.ledge_end
        untouched = self.edge.state == "unknown" and not self.slot.hidden.any()
        in_sight = untouched or (least > SHOWS and at_end > max(SHOWS, EVENLY * usual))
        return in_sight and self.sides.explained < KEPT * least

    @property
    def is_bare(self) -> bool:
        """Whether nothing in the slot or beside it looks like a card, and any card would be visible."""
        at_likeliest = self.slot.unlike[self._within(self.sides.card)]
        differs = float(np.median(at_likeliest)) >= FAINT * CONTRAST
        faint = self.sides.card.strength < NOTHING and self.sides.backdrop > PALE
        return self.edge.state == "unknown" and faint and not differs and not self.slot.hidden.any()

    @property
    def is_covered(self) -> bool:
        """Whether a sheet or a board lies over the slot: its pattern repeats; a card in front of light does not."""
        told = (self._agree and self._stands_out) or self._stands_out_twice(self._plain)
        return is_covered(self.slot) and not told

    # -- ways to tell a card from fingers ------------------------------------------------------------------------

    @property
    def _is_confirmed(self) -> bool:
        """Whether the hidden edge tells the same place, or, where it tells none, the sides stand out by themselves."""
        card = self.sides.card
        if self.edge.x_mm is not None:
            unmistakable = self.sides.unbroken > UNBROKEN or (card.strength > PLAIN and self._stands_out)
            return self._agree and unmistakable
        sure = (self._stands_out or self._stands_out_twice(self._plain)) and self._in_front(card)
        return card.strength > self._plain and sure and self._hides_ledge

    @property
    def _stands_whole(self) -> bool:
        """Whether whole sides stand out before ledge and table alike, even if a hand seems to be before them.

        The card's own shadow on the strip may look like a hand. Fingers do not stand out so, or show what is behind.
        """
        return self._is_whole and self._stands_out and self._stands_out_twice(BEHIND)

    @property
    def _hides_edge(self) -> bool:
        """Whether whole sides in one place hide the edge between them, even if a shadow beside them hides it, too."""
        return (
            self._is_whole
            and self._is_one_place
            and hides_edge(self.slot, self.sides.card.x_mm, self.rig.boss_size_mm[0])
        )

    # -- what they are made of -----------------------------------------------------------------------------------

    @property
    def _plain(self) -> float:
        """The contrast that the sides of a card have at least: more where something hides a part of the slot."""
        return BEHIND if self.slot.hidden.any() else PLAIN

    @property
    def _agree(self) -> bool:
        """Whether the hidden edge and the two sides, which are found independently, tell the same place."""
        return self.edge.x_mm is not None and abs(self.edge.x_mm - self.sides.card.x_mm) < SAME_MM

    @property
    def _stands_out(self) -> bool:
        """Whether no other place along the slot has two sides of nearly the same contrast."""
        return self.sides.card.strength > RIVALS * self.sides.card.rival

    def _stands_out_twice(self, plain: float) -> bool:
        """Return whether the likeliest card stands out in front of the ledge and in front of the table alike."""
        twice = self.sides.twice
        stands_out = twice.strength > max(plain, RIVALS * twice.rival)
        return self._is_one_place and self.sides.ledge[1] > SHOWS and stands_out

    @property
    def _is_one_place(self) -> bool:
        """Whether the likeliest card stands where two sides are likeliest in front of ledge and table alike.

        Fingers over the slot hide a card's width of it elsewhere than their outlines are a card's width apart.
        """
        return abs(self.sides.twice.x_mm - self.sides.card.x_mm) < SAME_MM

    @property
    def _is_solid(self) -> bool:
        """Whether the space between the two sides is filled; between two fingers shows what is behind them."""
        return min(self.sides.solid, self.sides.solid_foot) > SOLID

    @property
    def _is_whole(self) -> bool:
        """Whether both sides stand out along nearly their whole height, and the space between them is surely filled."""
        return self.sides.unbroken > UNBROKEN and self.sides.solid > SURELY_SOLID

    @property
    def _hides_ledge(self) -> bool:
        """Whether the likeliest card hides the ledge that shows beside it; fingers over the table leave it in sight.

        Behind fingers the difference between ledge and table shows all along the slot. A card hides both there.
        """
        hides_both = self.sides.explained > RIVALS * self.sides.ledge[0]
        return hides_both and (self.sides.ledge[1] <= SHOWS or self.sides.twice.strength > self._plain)

    def _in_front(self, card: Sides) -> bool:
        """Return whether nothing hides most of a card's foot: else its two sides may be those of fingers."""
        at_card = self.slot.hidden[self._within(card)]
        return 2 * int(at_card.sum()) <= len(at_card)

    def _within(self, card: Sides) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        away_mm = np.abs(self.slot.xs_mm - card.x_mm)
        return np.asarray(away_mm < self.rig.boss_size_mm[0] / 2)

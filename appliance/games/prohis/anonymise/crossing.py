"""Chooses the kinds of cards that changed owners unseen (bribes, seizures), so that all warehouse counts match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from appliance.games.prohis.anonymise.consistent_hands import CardPlace
from appliance.games.prohis.anonymise.public_card_history import Hidden
from appliance.games.prohis.rules.cards import CARDS, Card


class Crossing:
    """A choice of kinds that supports small random changes and their undo.

    :param wanted: the cards that each warehouse still lacks to match its count; None if nothing was counted.
    :param needed: the cards that each seat must have drawn, beyond those it publicly got. Negative counts are invalid.
    """

    def __init__(
        self,
        movements: Sequence[Hidden],
        wanted: Sequence[Counter[Card]] | None,
        needed: Sequence[Counter[Card]],
        rng: Random,
    ) -> None:
        self.cards: dict[CardPlace, Card] = {}
        """The chosen kind of each card."""
        self._movements = movements
        self._wanted = wanted
        self._needed = needed
        self._rng = rng
        self._before: list[tuple[Hidden, Card]] = []
        for movement in movements:
            self._put(movement, self._lacking(movement, "legal"), 1)

    def pool(self, seat: int) -> Counter[Card] | None:
        """Return the cards that the own convoys of `seat` must have brought it unseen, or None if unknown."""
        return None if self._wanted is None else +self._wanted[seat]

    def of(self, seat: int) -> tuple[Card, ...]:
        """Return the cards that `seat` gave or got, in the order of the game."""
        return tuple(self.cards[one.by, one.place] for one in self._movements if seat in (one.seat, one.store))

    def owed(self) -> int:
        """Return the number of cards by which counts of `needed` are below 0."""
        return sum(-count for counter in self._needed for count in counter.values() if count < 0)

    def change(self) -> None:
        """Swap two cards that went to the same player, or change one to a kind that this player still lacks."""
        one = self._rng.choice(self._movements)
        other = self._rng.choice([movement for movement in self._movements if movement.store == one.store])
        mine, theirs = self.cards[one.by, one.place], self.cards[other.by, other.place]
        self._before = [(one, mine), (other, theirs)]
        if one is other:
            self._replace(one, self._lacking(one, mine))
        else:
            self._replace(one, theirs)
            self._replace(other, mine)

    def undo(self) -> None:
        """Undo the last change."""
        for movement, card in self._before:
            self._replace(movement, card)

    def _lacking(self, movement: Hidden, otherwise: Card) -> Card:
        assert self._wanted is not None
        assert movement.store is not None
        lacking = [card for card in CARDS if self._wanted[movement.store][card] > 0]
        return self._rng.choice(lacking or [otherwise])

    def _replace(self, movement: Hidden, card: Card) -> None:
        self._put(movement, self.cards[movement.by, movement.place], -1)
        self._put(movement, card, 1)

    def _put(self, movement: Hidden, card: Card, sign: int) -> None:
        """Add a card to its counts (`sign` 1), or remove it again (-1)."""
        assert self._wanted is not None
        assert movement.store is not None
        self.cards[movement.by, movement.place] = card
        self._wanted[movement.store][card] -= sign
        self._needed[movement.store][card] -= sign
        self._needed[movement.seat][card] += sign

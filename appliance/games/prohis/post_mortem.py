"""The face-down cards of a finished game of Prohis, for players who all agreed to see them (AP-4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from appliance.games.base.folding import folded
from appliance.games.prohis.rules.actions import LayConvoy, Offer
from appliance.games.prohis.rules.cards import Cards, arranged
from appliance.games.prohis.rules.rules import RULES
from appliance.games.protocol import Action, Setup

End = Literal["unseen", "bribed", "waived", "clean", "prohi", "seized", "called_off"]
"""How a convoy ended: not stopped, or its Inspector left; let through for a bribe; let through without one; inspected
and clean; inspected until a Prohi was found; seized; or its Smuggler left."""
_ENDS: dict[str, End] = {
    "bribe_accepted": "bribed",
    "inspection_waived": "waived",
    "inspection_waived_to_hand": "waived",
    "prohi_found": "prohi",
    "convoy_clean": "clean",
    "convoy_seized": "seized",
    "convoy_called_off": "called_off",
    "convoy_arrived": "unseen",
}
"""The end by the code of a happening. The first such happening of a step counts."""


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """One convoy: its Smuggler, its cards in order, the turned positions, its Inspector and how it ended.

    `offered` are the bribes in order, each arranged. If the end is `bribed`, the last one was accepted.
    """

    turn: int
    seat: int
    cards: Cards
    turned: tuple[int, ...]
    inspector: int | None
    offered: tuple[Cards, ...]
    end: End


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """Every convoy in order, and `counts`: for each catalogue code one number per seat.

    The numbers are contraband cards that arrived, stopped convoys without contraband that arrived, and convoys with
    contraband that this seat let through as Inspector.
    """

    convoys: tuple[Sent, ...]
    counts: dict[str, tuple[int, ...]]


def post_mortem(setup: Setup, actions: Sequence[Action]) -> Told:
    """Return every finished convoy that was laid with the appliance's cards.

    :raises ValueError: the actions do not fold.
    """
    convoys: list[Sent] = []
    offered: list[Cards] = []
    for before, action, step in folded(RULES, setup, actions):
        if isinstance(action, LayConvoy):
            offered = []
        if isinstance(action, Offer):
            offered.append(arranged(action.cards))
        end = next((_ENDS[one.code] for one in step.happened if one.code in _ENDS), None)
        # If nobody is left to declare, the convoy ends with the action that laid it.
        convoy = before.convoy
        laid = action.cards if isinstance(action, LayConvoy) else None
        cards = convoy.cards if convoy is not None else laid
        if end is None or cards is None:
            continue
        turned = convoy.turned if convoy is not None else ()
        card = getattr(action, "position", None)
        convoys.append(
            Sent(
                turn=before.turns,
                seat=before.turn,
                cards=cards,
                turned=turned if card is None else (*turned, card),
                inspector=convoy.inspector if convoy is not None else None,
                offered=tuple(offered),
                end=end,
            )
        )
    return Told(convoys=tuple(convoys), counts=_counts(convoys, len(setup.players)))


def _counts(convoys: Sequence[Sent], seats: int) -> dict[str, tuple[int, ...]]:
    home = [one for one in convoys if one.end not in ("seized", "called_off")]
    stopped = [one for one in home if one.inspector is not None]
    counted: dict[str, list[tuple[int | None, int]]] = {
        "post_mortem.past": [(one.seat, sum(card == "illegal" for card in one.cards)) for one in home],
        "post_mortem.lured": [(one.seat, 1) for one in stopped if "illegal" not in one.cards],
        "post_mortem.fooled": [(one.inspector, 1) for one in stopped if "illegal" in one.cards],
    }
    return {
        code: tuple(sum(n for who, n in of if who == seat) for seat in range(seats)) for code, of in counted.items()
    }

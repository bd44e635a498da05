"""The corrections that are offered for what was put on a square of the map."""

from __future__ import annotations

from typing import Any

import msgspec

from appliance.games.game import Mistake
from appliance.games.haulers.mistaken import mistaken
from appliance.games.haulers.rules.rules import RULES
from tests.appliance.games.haulers.staged import at_turn

BEFORE = msgspec.to_builtins(RULES.view(at_turn(), None))
SQUARES = BEFORE["board"]["squares"]


def deed(do: str, at: str, **more: Any) -> dict[str, Any]:
    return {"do": do, "seat": 0, "at": at, **more}


def likeliest(one: dict[str, Any]) -> list[str]:
    """Return the other squares that are offered instead, the likeliest first."""
    others = [{**one, "at": square} for square in SQUARES if square != one["at"]]
    weights = {other["at"]: mistaken(Mistake(one, other, BEFORE, {}, {})) for other in others}
    return sorted((at for at, weight in weights.items() if weight), key=lambda at: -weights[at])


def test_the_squares_beside_a_new_weigh_station_are_the_likeliest_and_far_ones_are_not_offered() -> None:
    found = likeliest(deed("build", "Cid–Dor 1"))
    assert set(found[:2]) == {"Cid", "Dor"}
    assert set(found[2:]) == {"Bos–Cid 1", "Dor–Eos 1"}


def test_a_boat_is_offered_along_the_sea() -> None:
    assert likeliest(deed("launch", "Dor–Fin 1"))[0] in ("Dor", "Dor–Fin 2")
    assert "Cid–Dor 1" not in likeliest(deed("launch", "Dor–Fin 1"))


def test_another_own_station_may_have_been_enlarged_however_far_it_is() -> None:
    found = likeliest(deed("enlarge", "Aal–Bos 1"))
    assert found.index("Bos–Cid 1") < found.index("Dor–Eos 1")


def test_the_same_square_paid_otherwise_and_nothing_built_are_offered() -> None:
    one = deed("build", "Cid–Dor 1")
    assert mistaken(Mistake(one, {**one, "pay": "chips"}, BEFORE, {}, {})) > 0
    assert mistaken(Mistake(one, None, BEFORE, {}, {})) > 0

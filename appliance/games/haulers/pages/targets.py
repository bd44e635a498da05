"""The squares of the map that can be tapped: where a vehicle may go, and where a purchase may be placed."""

from __future__ import annotations

from typing import Any

import msgspec

from appliance.games.haulers.rules.map.board import paths
from appliance.games.protocol import OneOf

TARGET_PX = 48
"""Side length of a touch target, in pixels of the screen."""
WIDEST_TARGET = 60.0
"""Largest side length of a touch target, in units of the map. Distant squares do not need a larger map."""


class Spot(msgspec.Struct, frozen=True, kw_only=True):
    """A square that can be tapped: the action that is sent, and (for a move) the number of steps."""

    name: str
    x: float
    y: float
    action: dict[str, Any]
    steps: int = 0


class Placer(msgspec.Struct, frozen=True, kw_only=True):
    """A map on which the place of a purchase is tapped: `do`, the payment, the squares, and the side of each target."""

    prompt: str
    do: str
    pay: str
    spots: tuple[Spot, ...]
    side: float


def _values(prompt: Any, field: str) -> tuple[Any, ...]:
    choice = prompt.choices[field]
    assert isinstance(choice, OneOf)
    return choice.values


def _mine(view: Any, seat: int | None, *deeds: str) -> list[Any]:
    """Return the open prompts that this page may answer: a phone its own, the kiosk all."""
    return [prompt for prompt in view.expects if prompt.do in deeds and seat in (None, prompt.seat)]


def _spot(view: Any, name: str, action: dict[str, Any], steps: int = 0) -> Spot:
    x, y = view.board.squares[name].at
    return Spot(name=name, x=x, y=y, action=action, steps=steps)


def spots_of(view: Any, seat: int | None) -> tuple[tuple[Spot, ...], str]:
    """Return the squares that the moving vehicle can go to, and the name of the prompt that they answer."""
    for prompt in _mine(view, seat, "go"):
        boat = view.stage.boat
        here = view.players[prompt.seat].truck if boat is None else view.players[boat].boat.at
        ways = view.board.ways("truck" if boat is None else "boat")
        steps = {name: len(path) for name, path in paths(ways, here, view.stage.left).items()}
        spots = tuple(
            _spot(view, name, {"do": "go", "seat": prompt.seat, "to": name}, steps[name])
            for name in _values(prompt, "to")
        )
        return spots, prompt.prompt
    return (), ""


def placers(view: Any, seat: int | None) -> tuple[Placer, ...]:
    """Return the maps on which this page may place a purchase."""
    found = []
    for prompt in _mine(view, seat, "build", "launch", "enlarge"):
        for pay in _values(prompt, "pay") if "pay" in prompt.choices else ("money",):
            paid = {} if pay == "money" else {"pay": pay}
            spots = tuple(
                _spot(view, name, {"do": prompt.do, "seat": prompt.seat, "at": name, **paid})
                for name in _values(prompt, "at")
            )
            found.append(Placer(prompt=prompt.prompt, do=prompt.do, pay=pay, spots=spots, side=side_of(spots)))
    return tuple(found)


def side_of(spots: tuple[Spot, ...]) -> float:
    """Return the largest side length for which the squares around all spots do not overlap."""
    side, ordered = WIDEST_TARGET, sorted(spots, key=lambda spot: spot.x)
    for place, spot in enumerate(ordered):
        for other in ordered[place + 1 :]:
            if other.x - spot.x >= side:
                break
            side = min(side, max(other.x - spot.x, abs(other.y - spot.y)))
    return max(side, 1.0)

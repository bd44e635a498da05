"""One round of four players, as a list of actions; its weights and what is hidden are given."""

from __future__ import annotations

import hashlib
from typing import Any


def seal(salt: str, piece: str) -> str:
    return hashlib.sha256(bytes.fromhex(salt) + piece.encode()).hexdigest()


def opening(sealed: dict[int, str]) -> list[dict[str, Any]]:
    """Roll, seal what is hidden, and let the hourglass run out."""
    salt = "00112233445566778899aabbccddeeff"
    commits = [{"do": "commit", "seat": seat, "seal": seal(salt, piece)} for seat, piece in sealed.items()]
    return [{"do": "roll", "seat": 0, "value": 3}, *commits, {"do": "time_up"}]


def ranking(masses: dict[int, float]) -> list[dict[str, Any]]:
    """Everybody but seat 1 passes; then they are weighed."""
    attempts = [
        {"do": "attempt", "seat": 0, "outcome": "passed"},
        {"do": "attempt", "seat": 1, "outcome": "stuck"},
        {"do": "attempt", "seat": 1, "outcome": "stuck"},
        {"do": "attempt", "seat": 2, "outcome": "passed"},
        {"do": "attempt", "seat": 3, "outcome": "passed"},
    ]
    return [*attempts, *({"do": "weigh", "seat": seat, "mass_g": mass_g} for seat, mass_g in masses.items())]


INSPECTIONS: list[dict[str, Any]] = [
    {"do": "inspect", "seat": 2, "target": 1, "guess": "sweet"},
    {"do": "open", "seat": 1, "found": ["bomb"]},
    {"do": "take", "seat": 1, "token": "sweet", "source": 2},
    {"do": "inspect", "seat": 0, "target": 3, "guess": "bomb"},
    {"do": "open", "seat": 3, "found": ["sour"]},
    {"do": "open", "seat": 2, "found": ["sweet"]},
    {"do": "open", "seat": 0, "found": []},
]

CROWDED = {
    "four equal spheres": [
        *opening({}),
        *({"do": "attempt", "seat": seat, "outcome": "passed"} for seat in range(4)),
        *({"do": "weigh", "seat": seat, "mass_g": 20.0} for seat in range(4)),
    ],
    "four to weigh": [*opening({}), *({"do": "attempt", "seat": seat, "outcome": "passed"} for seat in range(4))],
    "three to inspect": [
        *opening({}),
        {"do": "attempt", "seat": 0, "outcome": "passed"},
        *({"do": "decline", "seat": seat} for seat in (1, 2, 3)),
    ],
    "a theft from anybody": [
        *opening({}),
        {"do": "attempt", "seat": 0, "outcome": "passed"},
        *({"do": "decline", "seat": seat} for seat in (1, 2, 3)),
        {"do": "inspect", "seat": 0, "target": 1, "guess": "sour"},
        {"do": "open", "seat": 1, "found": ["sour"]},
        {"do": "open", "seat": 0, "found": ["bomb"]},
    ],
}
"""Courses of a round that lead to what is most on the touchscreen."""

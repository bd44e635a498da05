"""A tiny map for the tests: five cities on one road, and an island.

Aal – Bos – Cid – Dor – Eos with one square between any two; Dor is a port, Fin lies two squares out at sea.
"""

from __future__ import annotations

from itertools import cycle, islice, pairwise, permutations
from typing import Any

LAND = ("Aal", "Bos", "Cid", "Dor", "Eos")
NUMBERS = {"Aal": [2, 3, 4], "Bos": [5, 6], "Cid": [7, 8], "Dor": [9, 10], "Eos": [11, 12]}
TOLD = [
    ("Bos", "Cid", 1500),
    ("Bos", "Cid", 1500),
    ("Bos", "Dor", 1000),
    ("Cid", "Bos", 2500),
    ("Cid", "Aal", 3000),
    ("Aal", "Bos", 2500),
    ("Dor", "Fin", 4000),
    ("Fin", "Bos", 3000),
    ("Aal", "Fin", 4000),
    ("Cid", "Fin", 3500),
]
"""The deliveries that scenarios name, by their numbers 0 … 9."""
OTHERS = list(islice(cycle(permutations(LAND, 2)), 32))
TRANSIT = ("money", "police", "papers", "sabotage", "breakdown", "coast_guard", "delivery", "orders")


def said(text: str) -> dict[str, str]:
    return {"en": text, "de": text}


def little_land(**changes: Any) -> dict[str, Any]:
    """Return the edition as a set-up's option, with parts of it replaced."""
    edition: dict[str, Any] = {
        "format": 1,
        "name": "Testland",
        "ours": True,
        "size": [500, 200],
        "cities": [{"name": n, "at": [100 * k, 50], "numbers": NUMBERS[n]} for k, n in enumerate(LAND)]
        + [{"name": "Fin", "at": [300, 180]}],
        "roads": [{"ends": [a, b], "squares": 1} for a, b in pairwise(LAND)],
        "sea": [{"ends": ["Dor", "Fin"], "squares": 2}],
        "deliveries": [{"top": a, "bottom": b, "pays": p} for a, b, p in TOLD]
        + [{"top": a, "bottom": b, "pays": 1000} for a, b in OTHERS],
        "supplies": {"turbo": 2, "double": 2, "radar": 3, "stations": 4, "boats": 3},
        "transit": [{"title": said(e), "effect": e, **({"dollars": -300} if e == "money" else {})} for e in TRANSIT],
        "missions": [
            {"title": said("white"), "counts": "white", "least": 1},
            {"title": said("black"), "counts": "black", "least": 1},
            {"title": said("rich"), "counts": "money", "least": 2000},
            {"title": said("seen Cid"), "counts": "visits", "least": 1, "cities": ["Cid"]},
        ],
    }
    return {**edition, **changes}


def land_by_hand() -> dict[str, Any]:
    """Return the same with cards that only people can obey and judge."""
    land = little_land()
    storm = {"title": said("Storm"), "text": said("Everybody pays 100 to the left.")}
    friends = {"title": said("Friends"), "text": said("Be liked by all.")}
    return {**land, "transit": [*land["transit"], storm], "missions": [*land["missions"], friends]}

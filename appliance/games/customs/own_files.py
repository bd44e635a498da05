"""A tariff as a TOML file: the demo's, or the one that an owner copied from the board of the box."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from appliance.games.customs.tariff import Tariff, read_tariff
from appliance.games.game import Rejection

DEMO_FILE = Path(__file__).with_name("demo_tariff.toml")


def load_tariff(path: Path) -> Tariff | Rejection:
    """Return the tariff in the TOML file at `path`, or what is wrong with it.

    Codes: `tariff_unreadable`, `tariff_not_toml`, and those of `read_tariff`.
    """
    try:
        given: Any = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        return Rejection("tariff_unreadable", "CU-1", {"file": str(path), "why": error.strerror or "unknown"})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return Rejection("tariff_not_toml", "CU-1", {"file": str(path), "why": str(error)})
    return read_tariff(given)


@cache
def demo_tariff() -> Tariff:
    """Return our tariff for trying the game out; what in it is not the rule text's is marked as demo (AP-9)."""
    tariff = load_tariff(DEMO_FILE)
    assert not isinstance(tariff, Rejection), tariff
    return tariff

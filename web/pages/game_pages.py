"""A game's own templates, scripts and styles, and what pages ask of its rules."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

import jinja2

from appliance.games.catalogue import the_game
from appliance.games.game import Pages
from appliance.games.protocol import Rejection, Rules
from appliance.snapshot import Snapshot
from web.pages import general


def pages_of(name: str) -> Pages | None:
    """Return the own pages of the game called `name`; None if it uses the general pages."""
    pages = the_game(name).pages
    return pages and pages()


def template_of(name: str, part: str) -> list[str | jinja2.Template]:
    """Return the templates to try for `part` of the game called `name`: its own, then the general one."""
    return [f"{name}/{part}", f"{general.FOLDER}/{part}"]


def has_hands(name: str) -> bool:
    """Return whether the pages of the game called `name` show anything that only one seat may see."""
    return pages_of(name) is None or _brings(name, f"templates/{name}/hand.html")


def has_phone_script(name: str) -> bool:
    """Return whether the game called `name` has its own script for phones."""
    return _brings(name, "static/phone.js")


def has_style(name: str) -> bool:
    """Return whether the game called `name` has its own style sheet."""
    return _brings(name, "static/game.css")


@cache
def _brings(name: str, file: str) -> bool:
    pages = pages_of(name)
    return pages is not None and (pages.FOLDER / file).exists()


def is_played(snapshot: Snapshot) -> bool:
    """Return whether a game is open and not finished."""
    return snapshot.game is not None and the_game(snapshot.game).rules.outcome(snapshot.state) is None


def may_leave(rules: Rules, state: Any, seats: int) -> frozenset[int]:
    """Return the seats whose players may leave the game now."""
    leave = next((kind for kind in get_args(rules.action_type) if kind.__struct_config__.tag == "leave"), None)
    if leave is None:
        return frozenset()
    return frozenset(seat for seat in range(seats) if not isinstance(rules.apply(state, leave(seat=seat)), Rejection))

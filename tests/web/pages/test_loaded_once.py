"""Templates of macros are loaded once, not again for every page that imports them."""

from __future__ import annotations

from typing import Any

import jinja2
import pytest

from appliance.games.catalogue import GAMES
from tests.appliance.games.recordings import NAMES
from tests.moments import recorded
from tests.pages import Pages


def loaded_again(game: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return the templates that pages of `game` load although an equal page was drawn before."""
    pages, loaded = Pages(), set[str]()
    moments = [moment for name in NAMES[game][::4] for moment in list(recorded(game, name))[-1:]]
    for moment in moments:
        list(pages.of(moment, ("en",)))
    make = jinja2.Template.make_module

    def noted(template: jinja2.Template, *given: Any, **named: Any) -> Any:
        loaded.add(str(template.name))
        return make(template, *given, **named)

    monkeypatch.setattr(jinja2.Template, "make_module", noted)
    for moment in moments:
        list(pages.of(moment, ("en",)))
    return loaded


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_the_macros_of_pages_are_loaded_once(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not loaded_again(game, monkeypatch)

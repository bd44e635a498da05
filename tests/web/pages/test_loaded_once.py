"""Templates of macros are loaded once, not again for every page that imports them, and share a page's values."""

from __future__ import annotations

from typing import Any

import jinja2
import pytest

from appliance.games.catalogue import GAMES
from tests.appliance.games.recordings import NAMES
from tests.moments import recorded
from tests.pages import Pages
from tests.web.stand import Stand
from web.words.viewer import Viewer


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


@pytest.mark.parametrize("viewer", [Viewer("wall", None, "en"), Viewer("kiosk", None, "en"), Viewer("seat", 0, "en")])
def test_the_templates_of_a_page_share_its_values(
    stand: Stand, viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand.open(2)
    renderer, snapshot = stand.app.extensions["smugglers"].renderer, stand.table.snapshot()
    renderer.regions(snapshot, viewer)
    copied = []
    make = jinja2.Template.new_context

    def noted(template: jinja2.Template, given: Any = None, shared: bool = False, own: Any = None) -> Any:
        if not shared:
            copied.append(template.name)
        return make(template, given, shared, own)

    monkeypatch.setattr(jinja2.Template, "new_context", noted)
    renderer.regions(snapshot, viewer)
    assert not copied

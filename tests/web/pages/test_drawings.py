"""A region that is drawn once for all shared screens is what each of them would be shown if it were drawn anew."""

from __future__ import annotations

import msgspec
import pytest

from appliance.games.catalogue import GAMES
from appliance.words.catalogues import LANGUAGES
from tests.moments import moments_of
from tests.pages import Pages
from web.pages.game_pages import pages_of
from web.pages.render import DRAWN_FROM
from web.words.viewer import Kind, Viewer

pytestmark = pytest.mark.slow

SHARED: tuple[Kind, ...] = ("wall", "kiosk")
MOMENTS_MOST = 120


@pytest.mark.parametrize("game", [name for name in GAMES if pages_of(name) is not None])
def test_a_drawing_that_is_shared_is_never_an_old_one_and_hides_nothing_that_is_asked(game: str) -> None:
    web = Pages().web
    environment = web.renderer._environment
    drawn = 0
    for number, moment in enumerate(moments_of(game)):
        if number >= MOMENTS_MOST:
            break
        for language in LANGUAGES:
            for kind in SHARED:
                viewer = Viewer(kind, None, language)
                regions = web.renderer.regions(moment.snapshot, viewer)
                everything = web.page_values.of(moment.snapshot, viewer)
                for name in set(DRAWN_FROM) & set(regions):
                    where = [f"{game}/{kind}/{name}.html", f"{game}/{name}.html"]
                    assert regions[name] == environment.select_template(where).render(everything)
                    drawn += 1
    assert drawn > 100


@pytest.mark.parametrize("game", [name for name in GAMES if pages_of(name) is not None])
def test_a_drawing_is_made_anew_only_when_what_everybody_sees_has_changed(game: str) -> None:
    renderer = Pages().web.renderer
    moment = next(iter(moments_of(game)))
    viewer = Viewer("wall", None, "en")
    before = renderer.regions(moment.snapshot, viewer)
    kept = dict(renderer._drawn)
    after = renderer.regions(msgspec.structs.replace(moment.snapshot, version=moment.snapshot.version + 1), viewer)
    assert after == before
    assert all(renderer._drawn[where] is drawing for where, drawing in kept.items())


def test_no_drawing_is_kept_of_what_a_seat_sees() -> None:
    renderer = Pages().web.renderer
    for number, moment in enumerate(moments_of("prohis")):
        if number > 20:
            break
        renderer.regions(moment.snapshot, Viewer("seat", 0, "en"))
    assert renderer._drawn == {}

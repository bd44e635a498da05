"""The pages of a game cost the same however long it lasts: a slow processor shows the last tap as soon as the first."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from appliance.snapshot import LOG_LINES
from tests.moments import recorded
from tests.pages import Pages
from tests.web.calls import calls_of
from tests.web.rounds import opening
from tests.web.stand import Stand
from web.words.viewer import Viewer


@pytest.mark.parametrize("viewer", [Viewer("wall", None, "en"), Viewer("kiosk", None, "en"), Viewer("seat", 0, "en")])
def test_a_page_takes_no_more_calls_late_in_a_long_game(stand: Stand, viewer: Viewer) -> None:
    stand.open(2)
    stand.play(*opening({}), *({"do": "attempt", "seat": 0, "outcome": "disturbed"} for _ in range(20)))
    snapshot, renderer = stand.table.snapshot(), stand.app.extensions["smugglers"].renderer
    long = msgspec.structs.replace(snapshot, log=(snapshot.log * LOG_LINES)[-LOG_LINES:])
    renderer.regions(snapshot, viewer)
    assert calls_of(lambda: renderer.regions(long, viewer)) < 1.2 * calls_of(lambda: renderer.regions(snapshot, viewer))


def test_a_phone_of_prohis_takes_no_more_calls_for_a_full_warehouse() -> None:
    pages, moment = Pages(), next(one for one in recorded("prohis", "P-20") if one.snapshot.state.phase == "turn")
    state, viewer, regions = moment.snapshot.state, Viewer("seat", 0, "en"), pages.web.renderer.regions

    def stored(count: int) -> Callable[[], object]:
        player = msgspec.structs.replace(state.players[0], warehouse=("legal", "illegal") * count)
        players = (player, *state.players[1:])
        snapshot = msgspec.structs.replace(moment.snapshot, state=msgspec.structs.replace(state, players=players))
        return lambda: regions(snapshot, viewer)

    with pages.app.test_request_context():
        stored(1)()
        assert calls_of(stored(20)) == calls_of(stored(1))

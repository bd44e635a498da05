"""The pages of a game cost the same however long it lasts: a slow processor shows the last tap as soon as the first."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from appliance.games.protocol import Happening
from appliance.snapshot import LOG_LINES
from tests.moments import recorded
from tests.pages import Pages
from tests.web.calls import calls_of
from tests.web.rounds import opening
from tests.web.stand import Stand
from web.words.speech import Speech
from web.words.viewer import Viewer


@pytest.mark.parametrize("viewer", [Viewer("wall", None, "en"), Viewer("kiosk", None, "en"), Viewer("seat", 0, "en")])
def test_a_page_takes_no_more_calls_late_in_a_long_game(stand: Stand, viewer: Viewer) -> None:
    stand.open(2)
    stand.play(*opening({}), *({"do": "attempt", "seat": 0, "outcome": "disturbed"} for _ in range(20)))
    snapshot, renderer = stand.table.snapshot(), stand.app.extensions["smugglers"].renderer
    long = msgspec.structs.replace(snapshot, log=(snapshot.log * LOG_LINES)[-LOG_LINES:])
    renderer.regions(snapshot, viewer)
    assert calls_of(lambda: renderer.regions(long, viewer)) < 1.2 * calls_of(lambda: renderer.regions(snapshot, viewer))


@pytest.mark.parametrize("viewer", [Viewer("wall", None, "de"), Viewer("kiosk", None, "en"), Viewer("seat", 0, "en")])
def test_a_line_of_the_log_is_worded_once_for_a_page(
    stand: Stand, viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    renderer, worded = stand.app.extensions["smugglers"].renderer, []
    happened = Speech.happened

    def noted(say: Speech, happening: Happening) -> str:
        worded.append(happening)
        return happened(say, happening)

    monkeypatch.setattr(Speech, "happened", noted)
    stand.open(2)
    stand.play(*opening({}))
    renderer.regions(stand.table.snapshot(), viewer)
    shown = len(worded)
    stand.do(do="attempt", seat=0, outcome="disturbed")
    renderer.regions(stand.table.snapshot(), viewer)
    assert [one.code for one in worded[shown:]] == ["sphere_disturbed"]


def test_other_players_names_are_in_the_log_of_their_game(stand: Stand) -> None:
    renderer, wall = stand.app.extensions["smugglers"].renderer, Viewer("wall", None, "en")
    stand.open(2)
    stand.do(do="roll", seat=0, value=3)
    assert "Ann" in renderer.regions(stand.table.snapshot(), wall)["log"]
    snapshot = stand.table.snapshot()
    assert snapshot.setup is not None
    players = tuple(msgspec.structs.replace(one, name=one.name.upper()) for one in snapshot.setup.players)
    renamed = msgspec.structs.replace(snapshot, setup=msgspec.structs.replace(snapshot.setup, players=players))
    log = renderer.regions(renamed, wall)["log"]
    assert "ANN" in log
    assert "Ann" not in log


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

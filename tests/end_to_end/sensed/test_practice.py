"""Trial spheres before a game (SM-13) on the simulated table: rolled, judged, and of no effect."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.games.protocol import Player, Setup
from appliance.snapshot import Accepted
from hardware.twin.world.truth import Rolled
from tests.chromium import CHROMIUM
from tests.end_to_end.lockstep import LockstepTable
from tests.end_to_end.served import KIOSK, Served, tap
from tests.web.stand import NAMES, Stand

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


@pytest.mark.thorough
def test_robots_roll_trial_spheres_that_are_judged_and_count_for_nothing(tmp_path: Path) -> None:
    table = LockstepTable(tmp_path, seed=4, players=2)
    assert table.play_until(lambda: table.table.snapshot().game is not None, 30.0)
    before = table.table.snapshot().state
    table.table.practise(True)
    table.table.step()
    said: list[str] = []

    def ended() -> bool:
        snapshot = table.table.snapshot()
        remark = snapshot.remarks.get("practice")
        if remark is not None and (not said or said[-1] != remark.code):
            said.append(remark.code)
        return not snapshot.practice

    assert table.play_until(ended, 200.0)
    with table.twin.simulation.table() as world:
        rolled = [fact.outcome for fact in world.truth if isinstance(fact, Rolled)]
    assert len(rolled) == 4
    # What is said is what happened, in its order; the same twice is said once.
    happened = [f"practice_{outcome}" for outcome in rolled]
    assert said == [code for code, last in zip(happened, [None, *happened], strict=False) if code != last]
    snapshot = table.table.snapshot()
    assert snapshot.state == before
    assert snapshot.correctable == ()
    assert table.play_until(lambda: table.view.phase != "roll", 120.0)
    table.close()


def test_the_screens_say_that_it_is_practice_and_offer_it_until_the_first_die(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    stand.open(2)
    kiosk = stand.kiosk()
    assert "Practice rolls" in kiosk.get("/kiosk/table").text
    assert kiosk.put("/api/v1/practice", json={"on": True}).status_code == 200
    for path in ("/", "/kiosk"):
        page = kiosk.get(path).text
        assert "nothing counts" in page
        assert "throws the die" not in page
    assert "End practice" in kiosk.get("/kiosk").text
    kiosk.put("/api/v1/practice", json={"on": False})
    assert "Ann throws the die" in kiosk.get("/kiosk").text
    stand.do(do="roll", seat=0, value=3)
    assert "Practice rolls" not in kiosk.get("/kiosk/table").text
    refused = kiosk.put("/api/v1/practice", json={"on": True})
    assert (refused.status_code, refused.get_json()["code"]) == (409, "practice_over")
    stand.close()


@pytest.mark.parametrize("physical", [False, True])
def test_a_game_without_the_track_has_no_practice(tmp_path: Path, physical: bool) -> None:
    stand = Stand(tmp_path)
    kiosk = stand.kiosk()
    assert kiosk.put("/api/v1/practice", json={"on": True}).status_code == 200
    players = tuple(Player(name=name) for name in NAMES)
    setup = Setup(format=1, game="prohis", players=players, options={"physical": physical})
    assert isinstance(stand.table.open_game(setup, "open"), Accepted)
    assert "Practice rolls" not in kiosk.get("/kiosk/table").text
    refused = kiosk.put("/api/v1/practice", json={"on": True})
    assert (refused.status_code, refused.get_json()["code"]) == (409, "practice_no_track")
    for path in ("/wall", "/kiosk"):
        assert "as often as you like" not in kiosk.get(path).text
    stand.close()


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM.exists(), reason=f"apt install {CHROMIUM.name}")
def test_practice_is_begun_in_the_lobby_with_a_tap(served: Served) -> None:
    kiosk = served.page("/kiosk", KIOSK)
    tap(kiosk, "button:has-text('Practice rolls')")
    kiosk.locator(".practice", has_text="nothing counts").wait_for()
    tap(kiosk, "button:has-text('End practice')")
    kiosk.locator("button", has_text="Practice rolls").wait_for()
    assert served.complaints == []

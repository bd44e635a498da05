"""Nobody learns a mass or a hidden piece: two games that differ only in those look exactly alike to everyone."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from appliance.games.catalogue import the_game
from hardware.clock import ManualClock
from tests.web.event_streams import followed, sent
from tests.web.rounds import INSPECTIONS, opening, ranking
from tests.web.seen_rolls import roll_seen, senses_work
from tests.web.stand import Stand

pytestmark = pytest.mark.slow

GETS = (
    "/", "/kiosk", "/kiosk/table", "/kiosk/corrections", "/rules", "/kiosk/setup/smugglers", "/nowhere",
    "/api/v1/view", "/api/v1/table", "/api/v1/openapi.json", "/live/picture.jpg", "/host/unlock",
)  # fmt: skip
SEAT_GETS = ("/seat/{0}", "/api/v1/view?seat={0}")
HEAVY = {0: 71.83, 2: 83.94, 3: 61.27}
LIGHT = {0: 12.05, 2: 12.61, 3: 5.49}


def everything_shown(stand: Stand) -> dict[str, bytes]:
    """Every page, answer, error and live update that anybody can get at this moment."""
    shown: dict[str, bytes] = {}
    for language in ("en", "de"):
        kiosk = stand.kiosk()
        kiosk.set_cookie("language", language)
        for path in GETS:
            shown[f"{language} kiosk {path}"] = kiosk.get(path).data
        stranger = stand.stranger()
        stranger.set_cookie("language", language)
        for path in GETS:
            shown[f"{language} stranger {path}"] = stranger.get(path).data
        for deed in stand.table.snapshot().correctable:
            path = f"/kiosk/corrections/{deed.seq}"
            shown[f"{language} {path}"] = kiosk.get(path).data
            undone = kiosk.get(path + "?action=null")
            assert undone.status_code == 200
            shown[f"{language} {path} undone"] = undone.data
    for seat in range(4):
        phone = stand.phone(seat)
        for path in SEAT_GETS:
            shown[f"phone {path.format(seat)}"] = phone.get(path.format(seat)).data
        shown[f"refused {seat}"] = phone.post(
            "/api/v1/actions", json={"id": f"x{seat}", "action": {"do": "open", "seat": seat, "found": []}}
        ).data
    feed = stand.app.extensions["smugglers"].feed
    feed.start()
    followed(feed, stand)
    shown["events"] = b"".join(sent(feed))
    for kind in ("wall", "kiosk"):
        shown[f"live {kind}"] = first_update(stand.kiosk(), f"/live?kind={kind}")
    for seat in range(4):
        shown[f"live seat {seat}"] = first_update(stand.phone(seat), f"/live?kind=seat&seat={seat}")
    return shown


def first_update(client: Any, path: str) -> bytes:
    """Return the page that a stream begins with, without its start and how often a heartbeat drew all pages again."""
    response = client.get(path, buffered=False)
    update = bytes(next(iter(response.response)))
    response.close()
    return re.sub(rb"id: [0-9a-f]{8}\.(\d+)\.\d+\n", rb"id: \1\n", update)


def course(masses: dict[int, float], hidden: dict[int, str]) -> list[dict[str, Any]]:
    return [*opening(hidden), *ranking(masses), *INSPECTIONS]


@pytest.mark.parametrize("stop", range(1, 23))
def test_pages_are_the_same_whatever_the_masses_and_the_sealed_pieces(tmp_path: Path, stop: int) -> None:
    looks = []
    for name, masses, hidden in (("a", HEAVY, {1: "bomb", 3: "sour"}), ("b", LIGHT, {1: "sweet", 3: "bomb"})):
        folder = tmp_path / name
        folder.mkdir()
        # Codes of seats are random from table to table; here they begin alike.
        (folder / "phones.json").write_bytes(b'{"start":"alike"}')
        stand = Stand(folder)
        stand.open(4)
        stand.play(*course(masses, hidden)[:stop])
        looks.append(everything_shown(stand))
        stand.close()
    first, second = looks
    assert first.keys() == second.keys()
    for what in first:
        assert first[what] == second[what], what


def test_a_roll_shown_again_and_a_search_are_the_same_whatever_the_masses_and_the_sealed_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    for name, masses, hidden in (("a", HEAVY, {1: "bomb", 3: "sour"}), ("b", LIGHT, {1: "sweet", 3: "bomb"})):
        drawn = Random(1)  # names of proposals are random from table to table; here they are alike
        monkeypatch.setattr("secrets.token_hex", lambda size=32, drawn=drawn: drawn.randbytes(size).hex())
        (tmp_path / name).mkdir()
        (tmp_path / name / "phones.json").write_bytes(b'{"start":"alike"}')
        stand = Stand(tmp_path / name)
        stand.open(4)
        stand.play(*course(masses, hidden))
        prompts = the_game("smugglers").rules.expects(stand.table.snapshot().state, None)
        (rolls,) = (prompt for prompt in prompts if prompt.do == "roll")
        assert rolls.seat is not None
        sealed = [one for one in opening({(rolls.seat + 1) % 4: hidden[1]}) if one["do"] != "roll"]
        stand.play({"do": "roll", "seat": rolls.seat, "value": 3}, *sealed)
        assert isinstance(stand.clock, ManualClock)
        stand.clock.advance_to(stand.clock.now_s() + 1.0)
        senses_work(stand)
        number = roll_seen(stand)
        shown = {
            f"{path} {who}": client.get(path).data
            for path in (f"/replays/{number}", f"/replays/{number}/pictures", f"/replays/{number}/still.jpg")
            for who, client in (("kiosk", stand.kiosk()), ("phone", stand.phone(2)))
        }
        shown |= everything_shown(stand)
        wished = stand.phone(2).post("/api/v1/commands", json={"id": "wish", "name": "search"})
        shown |= {"search wished": wished.data} | {
            f"search {what}": got for what, got in everything_shown(stand).items()
        }
        looks.append(shown)
        stand.close()
    first, second = looks
    assert first.keys() == second.keys()
    for what in first:
        assert first[what] == second[what], what


def test_no_page_has_the_digits_of_a_mass(stand: Stand) -> None:
    stand.open(4)
    stand.play(*course(HEAVY, {})[:-1])
    for what, shown in everything_shown(stand).items():
        for mass_g in HEAVY.values():
            assert str(mass_g).encode() not in shown, what


def test_no_log_line_has_the_digits_of_a_mass(stand: Stand, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    stand.open(4)
    stand.play(*course(HEAVY, {}))
    stand.kiosk().post("/api/v1/actions", json={"id": "w", "action": {"do": "weigh", "seat": 0, "mass_g": 71.83}})
    assert not re.search(r"71\.8|83\.9|61\.2", caplog.text)


def test_a_refused_weight_is_not_repeated(stand: Stand) -> None:
    stand.open(2)
    answer = stand.kiosk().post(
        "/api/v1/actions", json={"id": "w", "action": {"do": "weigh", "seat": 0, "mass_g": 71.83}}
    )
    assert answer.status_code == 409
    assert b"71" not in answer.data

"""Nobody learns what is hidden by trying: not from a correction nobody confirmed, an offer, or a refusal (AP-3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from appliance.games.protocol import Player, Setup
from tests.web.stand import ADDRESS, NAMES, Stand

ON_A_PHONE = {"Origin": f"http://{ADDRESS}"}
PROHIS = ("lieutenant", "captain", "major")


def attempt(seat: int, outcome: str) -> dict[str, Any]:
    return {"do": "attempt", "seat": seat, "outcome": outcome}


STUCK_IN_TRUTH = attempt(3, "passed")


def ranked(folder: Path, mass_of_seat_1_g: float) -> Stand:
    """Return a game in which seats 0 and 3 tied and rolled. Seat 1 would tie with seat 0, if seat 3 had been stuck."""
    folder.mkdir()
    (folder / "phones.json").write_bytes(b'{"start":"alike"}')
    stand = Stand(folder)
    stand.open(4)
    stand.play(
        {"do": "roll", "seat": 0, "value": 1},
        {"do": "time_up"},
        attempt(0, "passed"),
        attempt(1, "passed"),
        attempt(2, "stuck"),
        attempt(2, "stuck"),
        attempt(3, "stuck"),
        STUCK_IN_TRUTH,
        {"do": "weigh", "seat": 0, "mass_g": 22.9},
        {"do": "weigh", "seat": 1, "mass_g": mass_of_seat_1_g},
        {"do": "weigh", "seat": 3, "mass_g": 23.0},
        {"do": "tie_roll", "seat": 0, "value": 2},
        {"do": "tie_roll", "seat": 3, "value": 5},
    )
    return stand


def entry_of(stand: Stand, action: dict[str, Any]) -> int:
    return next(one.seq for one in stand.table.snapshot().correctable if one.action == action)


@pytest.fixture
def two_games(tmp_path: Path) -> tuple[Stand, Stand]:
    """Two games that differ in a mass alone, and look alike on every page."""
    return ranked(tmp_path / "near", 22.75), ranked(tmp_path / "far", 18.0)


def test_a_phone_is_offered_the_same_corrections_whatever_the_spheres_weigh(two_games: tuple[Stand, Stand]) -> None:
    pages = [stand.phone(2).get("/seat/2/object").text for stand in two_games]
    assert pages[0] == pages[1]
    assert f"{NAMES[3]}" in pages[0]


def test_the_touchscreen_shows_the_same_correction_whatever_the_spheres_weigh(two_games: tuple[Stand, Stand]) -> None:
    lists, pages = [], []
    for stand in two_games:
        asked = json.dumps(attempt(3, "stuck"))
        lists.append(stand.kiosk().get("/kiosk/corrections").text)
        pages.append(stand.kiosk().get(f"/kiosk/corrections/{entry_of(stand, STUCK_IN_TRUTH)}?action={asked}").text)
    assert lists[0] == lists[1]
    assert pages[0] == pages[1]
    assert "may show what is still hidden" in pages[0]


@pytest.mark.parametrize("mass_g", [18.0, 20.0, 22.74, 22.75, 22.76, 23.5])
def test_no_weight_typed_by_hand_is_compared_before_it_is_confirmed(
    two_games: tuple[Stand, Stand], mass_g: float
) -> None:
    told = []
    for stand in two_games:
        seq = entry_of(stand, {"do": "weigh", "seat": 1})
        action = {"do": "weigh", "seat": 1, "mass_g": mass_g}
        answer = stand.kiosk().post("/api/v1/amendments/preview", json={"seq": seq, "action": action})
        told.append((answer.status_code, answer.get_json()))
    assert told[0] == told[1]
    assert told[0][0] == 200
    assert told[0][1]["covered"]


def dealt(stand: Stand) -> list[Any]:
    """Open a game of Prohis whose seats are all on phones, up to the first turn."""
    players = tuple(Player(name=name) for name in NAMES[:4])
    stand.table.open_game(Setup(format=1, game="prohis", players=players), "open")
    for _ in range(20):
        stand.table.step()
    return [stand.phone(seat) for seat in range(4)]


def of_prohis(stand: Stand) -> list[Any]:
    """Open a game of Prohis as `dealt`. The first player has laid a convoy, two have let it pass."""
    phones = dealt(stand)
    state = stand.table.snapshot().state
    say(phones[state.turn], {"do": "convoy", "seat": state.turn, "cards": list(state.players[state.turn].hand[:2])})
    for seat in [seat for seat in range(4) if seat != state.turn][:2]:
        say(phones[seat], {"do": "declare", "seat": seat, "prohi": None})
    return phones


def say(phone: Any, action: dict[str, Any]) -> None:
    answer = phone.post("/api/v1/actions", json={"id": json.dumps(action), "action": action}, headers=ON_A_PHONE)
    assert answer.status_code == 200, answer.get_json()


def test_the_card_that_somebody_draws_is_in_their_own_log_alone(stand: Stand) -> None:
    phones = dealt(stand)
    drawer = stand.table.snapshot().state.turn
    say(phones[drawer], {"do": "draw", "seat": drawer})

    def told(client: Any, path: str) -> list[str]:
        happened = [line["happening"] for line in client.get(path).get_json()["log"]]
        return [one["code"] for one in happened if one["code"].startswith("pile_card")]

    for client in (stand.kiosk(), stand.stranger()):
        assert told(client, "/api/v1/view") == ["pile_card_drawn"]
    for seat, phone in enumerate(phones):
        expected = ["pile_card_drawn", *(["pile_card_seen"] if seat == drawer else [])]
        assert told(phone, f"/api/v1/view?seat={seat}") == expected


def test_the_touchscreen_cannot_try_the_cards_of_a_hand_on_a_phone(stand: Stand) -> None:
    of_prohis(stand)
    asked = stand.kiosk().get("/api/v1/view").get_json()["prompts"]
    (seat,) = {prompt["seat"] for prompt in asked if prompt["do"] == "declare"}
    for prohi in (*PROHIS, None):
        action = {"do": "declare", "seat": seat, "prohi": prohi}
        answer = stand.kiosk().post("/api/v1/actions", json={"id": f"try-{prohi}", "action": action})
        assert (answer.status_code, answer.get_json()["code"]) == (403, "hand_on_phone")


def test_no_correction_tries_the_cards_of_a_hand(stand: Stand) -> None:
    of_prohis(stand)
    now = stand.table.snapshot()
    for deed in (one for one in now.correctable if one.action["do"] == "declare"):
        for prohi in PROHIS:
            wanted = {"seq": deed.seq, "action": {"do": "declare", "seat": deed.action["seat"], "prohi": prohi}}
            preview = stand.kiosk().post("/api/v1/amendments/preview", json=wanted)
            assert preview.status_code == 200
            assert preview.get_json()["covered"]
            answer = stand.kiosk().post("/api/v1/amendments", json={"id": f"amend-{deed.seq}-{prohi}", **wanted})
            assert (answer.status_code, answer.get_json()["code"]) == (409, "not_offered")
    assert stand.table.snapshot().journal_seq == now.journal_seq

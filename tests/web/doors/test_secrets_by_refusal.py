"""Nobody learns what is hidden by trying: not from a correction nobody confirmed, an offer, or a refusal (AP-3)."""

from __future__ import annotations

import itertools
import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from appliance.games.catalogue import the_game
from appliance.games.protocol import OneOf, Player, Setup
from appliance.table.draws.dealer import Dealer
from tests.appliance.games.customs.play import TARIFF
from tests.appliance.games.haulers.little_land import little_land
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


def of_haulers(stand: Stand) -> int:
    """Open a game of Haulers whose seats are all on phones, up to the first turn. Return whose turn it is."""
    players = tuple(Player(name=name) for name in NAMES[:3])
    stand.table.open_game(Setup(format=1, game="haulers", players=players, options={"edition": little_land()}), "open")
    stand.table.step()
    for seat in range(3):
        phone = stand.phone(seat)
        for card in (1, 2):
            say(phone, {"do": "discard", "seat": seat, "card": card})
    stand.table.step()
    return int(stand.table.snapshot().state.stage.seat)


def test_the_touchscreen_cannot_try_which_deliveries_a_hand_on_a_phone_could_start(tmp_path: Path) -> None:
    """TR-20, TR-5, AP-3: a refusal said what was in the hand, and a hit started a load that its player never chose."""
    for deal in range(1, 6):
        (tmp_path / str(deal)).mkdir()
        stand = Stand(tmp_path / str(deal), dealer=Dealer(deal))
        seat = of_haulers(stand)
        before = stand.table.snapshot().journal_seq
        tried = [{"do": "start", "seat": seat, "card": card, "kind": "legal"} for card in (1, 2, 3)]
        for number, action in enumerate([*tried, {"do": "redraw", "seat": seat}]):
            answer = stand.kiosk().post("/api/v1/actions", json={"id": f"try-{number}", "action": action})
            assert (answer.status_code, answer.get_json()["code"]) == (409, "not_offered"), (deal, action)
        assert stand.table.snapshot().journal_seq == before
        stand.close()


def test_the_touchscreen_starts_deliveries_of_a_hand_that_is_not_on_a_phone(tmp_path: Path) -> None:
    for deal in itertools.count(1):
        (tmp_path / str(deal)).mkdir()
        stand = Stand(tmp_path / str(deal), dealer=Dealer(deal))
        seat = of_haulers(stand)
        prompts = the_game("haulers").rules.expects(stand.table.snapshot().state, seat)
        if starts := [prompt for prompt in prompts if prompt.do == "start"]:
            break
        stand.close()
    assert stand.kiosk().post(f"/api/v1/seats/{seat}/let_go", json={"id": "let-go"}).status_code == 200
    card = starts[0].choices["card"]
    assert isinstance(card, OneOf)
    action = {"do": "start", "seat": seat, "card": card.values[0], "kind": "smuggled"}
    answer = stand.kiosk().post("/api/v1/actions", json={"id": "start", "prompt": starts[0].prompt, "action": action})
    assert answer.status_code == 200, answer.get_json()
    stand.close()


def in_debt(stand: Stand) -> list[Any]:
    """Open a game of Customs whose seats are all on phones. Seat 1 owes more than it has."""
    options = {"tariff": TARIFF, "money": 600, "first_officer": 0}
    players = tuple(Player(name=name) for name in NAMES[:3])
    stand.table.open_game(Setup(format=1, game="customs", players=players, options=options), "open")
    stand.table.step()
    phones = [stand.phone(seat) for seat in range(3)]
    say(phones[1], {"do": "declare", "seat": 1, "goods": ["necklace"]})
    say(phones[0], {"do": "accept", "seat": 0})
    return phones


@pytest.mark.parametrize("amount", [100, 5000])
def test_the_touchscreen_cannot_try_how_much_money_a_lender_on_a_phone_has(stand: Stand, amount: int) -> None:
    """CU-61, AP-3: lending was refused above what the lender had, and below it took their money without asking them."""
    phones = in_debt(stand)
    say(phones[1], {"do": "ask_loan", "seat": 1, "lender": 2, "amount": amount})
    answer = stand.kiosk().post("/api/v1/actions", json={"id": "lend", "action": {"do": "lend", "seat": 2}})
    assert (answer.status_code, answer.get_json()["code"]) == (403, "hand_on_phone")
    assert '"do": "lend"' not in unescape(stand.kiosk().get("/kiosk").text)
    offered = [one["do"] for one in phones[2].get("/api/v1/view?seat=2").get_json()["prompts"]]
    assert offered == (["lend", "refuse"] if amount == 100 else ["refuse"])


def test_a_lender_without_a_phone_lends_behind_the_curtain_of_the_touchscreen(stand: Stand) -> None:
    phones = in_debt(stand)
    say(phones[1], {"do": "ask_loan", "seat": 1, "lender": 2, "amount": 100})
    assert stand.kiosk().post("/api/v1/seats/2/let_go", json={"id": "let-go"}).status_code == 200
    assert '"do": "lend"' in unescape(stand.kiosk().get("/kiosk/hand/2").text)
    answer = stand.kiosk().post("/api/v1/actions", json={"id": "lend", "action": {"do": "lend", "seat": 2}})
    assert answer.status_code == 200, answer.get_json()


def test_the_touchscreen_cannot_try_how_much_money_a_debtor_on_a_phone_has(stand: Stand) -> None:
    """CU-61, AP-3: a repayment was refused above what the debtor had, and below it took their money."""
    phones = in_debt(stand)
    say(phones[1], {"do": "ask_loan", "seat": 1, "lender": 2, "amount": 100})
    say(phones[2], {"do": "lend", "seat": 2})
    view = phones[1].get("/api/v1/view?seat=1").get_json()
    assert view["view"]["you"]["money"] == 60
    (name,) = (prompt["prompt"] for prompt in view["prompts"] if prompt["do"] == "repay")
    codes = set()
    for number, (amount, prompt) in enumerate(itertools.product((60, 61, 100, 101), (None, name, "no such prompt"))):
        action = {"do": "repay", "seat": 1, "creditor": 2, "amount": amount}
        body = {"id": f"try-{number}", "prompt": prompt, "action": action}
        answer = stand.kiosk().post("/api/v1/actions", json=body)
        codes.add((prompt is None, answer.status_code, answer.get_json()["code"]))
    assert codes == {(True, 409, "not_offered"), (False, 409, "prompt_closed")}
    say(phones[1], {"do": "repay", "seat": 1, "creditor": 2, "amount": 60})

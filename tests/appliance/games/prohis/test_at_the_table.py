"""Prohis on the real table, journal and pages: dealt by the table itself, sealed on disk, shown to nobody else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from appliance.games.prohis.rules.rules import RULES
from appliance.games.protocol import Rejection, Setup
from appliance.snapshot import Accepted, Submission
from appliance.table.draws.dealer import Dealer
from tests.appliance.games.playing import folded
from tests.appliance.games.prohis.deal import stacked
from tests.appliance.games.prohis.play import a_choice, a_setup
from tests.narrowed import there
from tests.web.stand import Stand


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    stand = Stand(tmp_path)
    yield stand
    stand.close()


def opened(stand: Stand, setup: Setup) -> None:
    assert isinstance(stand.table.open_game(setup, "open"), Accepted)
    for _ in range(3):
        stand.table.step()


def steps(stand: Stand, seed: int, most: int) -> Iterator[Any]:
    rng = Random(seed)
    for number in range(most):
        state = stand.table.snapshot().state
        yield state
        if RULES.outcome(state) is not None:
            return
        answer = stand.table.submit(Submission(id=f"s{seed}-{number}", action=a_choice(state, rng)))
        assert not isinstance(answer, Rejection), answer


def test_the_table_shuffles_and_draws_the_first_player_by_itself(stand: Stand) -> None:
    opened(stand, a_setup(5))
    state = stand.table.snapshot().state
    assert state.phase == "turn"
    assert [len(player.hand) for player in state.players] == [6] * 5


def test_hands_and_deck_lie_sealed_on_disk_and_come_back_after_a_restart(stand: Stand, tmp_path: Path) -> None:
    opened(stand, a_setup(4))
    *_, before = steps(stand, 1, 60)
    on_disk = b"".join(path.read_bytes() for path in tmp_path.glob("journal.sqlite3*"))
    assert b'"do":"convoy"' in on_disk
    assert not re.search(rb'"(order|cards|prohi)":', on_disk)
    history = stand.table.history()
    assert isinstance(history, tuple), history
    assert folded(RULES, *history) == stand.table.snapshot().state
    assert before.turns > 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{}, {"declarations": "hidden", "open_bribes": True, "bribe_limit_s": 60}, {"physical": True}],
    ids=["cards", "hidden", "real"],
)
def test_every_page_of_a_game_can_be_drawn_in_both_languages(
    stand: Stand, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    assert stand.kiosk().get("/kiosk/setup/prohis").status_code == 200
    opened(stand, a_setup(6, **options))
    kiosk, phones = stand.kiosk(), {seat: stand.phone(seat) for seat in (0, 1, 3, 4, 5)}
    for number, state in enumerate(steps(stand, 7, 240)):
        if number % 12 and RULES.outcome(state) is None:
            continue
        for language in ("en", "de"):
            for path in ("/", "/kiosk", "/kiosk/hand/2"):
                assert kiosk.get(path, headers={"Accept-Language": language}).status_code == 200, path
            for seat, phone in phones.items():
                assert phone.get(f"/seat/{seat}", headers={"Accept-Language": language}).status_code == 200
    for path in ("/rules", "/kiosk/corrections", "/kiosk/table"):
        assert kiosk.get(path).status_code == 200, path
    assert [record.getMessage() for record in caplog.records if "no words" in record.getMessage()] == []


def test_a_phone_shows_its_own_hand_and_the_wall_nobodys(stand: Stand) -> None:
    opened(stand, a_setup(4))
    state = stand.table.snapshot().state
    others = [seat for seat in range(4) if seat != state.turn]
    wall = stand.stranger().get("/").get_data(as_text=True)
    row = sum(1 for card in state.row if card is not None)
    scene = wall.split('class="market"')[1].split("</section>")[0]
    assert len(re.findall(r'href="#pr-(?!back)\w+"', scene)) == row
    for seat in others:
        page = stand.phone(seat).get(f"/seat/{seat}").get_data(as_text=True)
        hand = page.split('class="hand still" data-private')[1].split("</section>")[0]
        assert re.findall(r'href="#pr-(\w+)"', hand) == list(state.players[seat].hand)
    assert stand.phone(0).get("/seat/1").status_code == 403
    assert stand.stranger().get("/kiosk/hand/1").status_code in (302, 403)


def test_pr25_who_lacks_a_prohi_is_asked_on_pages_like_everybody_and_refused_without_a_word_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two games that differ in which cards B sent away before: the two Prohis, or two goods."""
    drawn = {"shuffle": {"order": stacked(["LLII", "LLII", "LLII", "LIIL"])}, "start": {"first": 1}}
    monkeypatch.setattr(Dealer, "draw", lambda dealer, prompt, *_: drawn[prompt.do])
    pages: list[tuple[str, ...]] = []
    refusals: list[str] = []
    for number, load in enumerate((["captain", "major"], ["legal", "legal"])):
        (tmp_path / str(number)).mkdir()
        stand = Stand(tmp_path / str(number))
        opened(stand, a_setup(4))
        deeds: list[dict[str, Any]] = [{"do": "convoy", "seat": 1, "cards": load}]
        deeds += [{"do": "declare", "seat": seat, "prohi": None} for seat in (2, 3, 0)]
        deeds += [{"do": "convoy", "seat": 2, "cards": ["legal", "legal"]}]
        for step, deed in enumerate(deeds):
            action = msgspec.convert(deed, RULES.action_type)
            assert isinstance(stand.table.submit(Submission(id=f"d{step}", action=action)), Accepted)
        kiosk, phone = stand.kiosk(), stand.phone(1)
        pages.append((_stable(kiosk.get("/").text), _stable(kiosk.get("/kiosk").text)))
        declares = phone.get("/seat/1").text.split('class="taps declare"')[1].split("</div>")[0]
        assert declares.count("<button") == 4
        assert "disabled" not in declares
        pages[-1] = (*pages[-1], declares)
        stand.phone(1)
        action = {"do": "declare", "seat": 1, "prohi": "lieutenant"}
        for viewer, caller, status in (("kiosk", kiosk, 403), ("phone", phone, 409)):
            body = {"id": f"x-{viewer}", "prompt": None, "action": action}
            answer = caller.post("/api/v1/actions", json=body, headers={"Accept-Language": "en"})
            assert answer.status_code == status
            refusals.append(there(answer.json)["message"])
        stand.close()
    assert pages[0] == pages[1]
    assert refusals[:2] == refusals[2:]
    assert not re.search(r"\bB\b|lieutenant|captain|major|prohi|lack", refusals[0], re.IGNORECASE)


def _stable(page: str) -> str:
    passing = r'<svg[^>]*class="qr".*?</svg>|/join/[^"]+|data-game="[^"]*"|data-page-of="[^"]*"'
    return re.sub(passing, "", page, flags=re.DOTALL)

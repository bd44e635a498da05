"""Customs at a real table: chance draws by itself, the journal seals it, pages and the hot seat keep hands apart."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient

from appliance.games.catalogue import the_game
from appliance.games.customs.robot import Robot
from appliance.games.customs.rules.cards import CARDS
from appliance.games.customs.rules.rules import RULES
from appliance.games.customs.rules.state import Declaring
from appliance.games.customs.table_data import EXAMPLE
from appliance.games.protocol import Setup
from appliance.journal.journal import Journal
from appliance.journal.safekeeping.keys import seal_key
from appliance.snapshot import Accepted, Submission
from appliance.table.draws.dealer import Dealer
from appliance.table.table import Table
from hardware.clock import ManualClock
from tests.appliance.games.customs.play import a_setup
from tests.web.stand import ADDRESS, PIN, Elsewhere
from web.app import create_app
from web.context import SeatControl
from web.doors.phones import Seat
from web.site import Site


class Counter:
    """A table in a folder, whose chance starts at `seed`, and its pages."""

    def __init__(
        self, folder: Path, seed: int = 1, robots: frozenset[int] = frozenset(), files: Path | None = None
    ) -> None:
        self.journal = Journal(folder / "journal.sqlite3", seal_key(folder)[0])
        self.table = Table(journal=self.journal, games=the_game, clock=ManualClock(100.0), dealer=Dealer(seed))
        site = Site(secret_key=b"k" * 32, pin=PIN, address=ADDRESS, files_folder=files)
        control = SeatControl(lambda seat: "robot" if seat in robots else "person", lambda seat, by: None)
        self.app = create_app(self.table, settings=site, clock=ManualClock(100.0), seat_control=control)
        self.phones: dict[int, FlaskClient] = {}
        self.ids = (f"{seed}-{number}" for number in itertools.count())

    @property
    def state(self) -> Any:
        return self.table.snapshot().state

    def open(self, setup: Setup) -> None:
        assert isinstance(self.table.open_game(setup, next(self.ids)), Accepted)

    def do(self, **fields: Any) -> None:
        action = msgspec.convert(fields, RULES.action_type)
        answer = self.table.submit(Submission(id=next(self.ids), action=action))
        assert isinstance(answer, Accepted), (fields, answer)

    def phone(self, seat: int) -> FlaskClient:
        """Return the one browser that plays `seat`, which has just scanned its code."""
        client = self.phones.setdefault(seat, Elsewhere(self.app, self.app.response_class, use_cookies=True))
        keys = self.app.extensions["smugglers"].keys
        url = keys.join_url(Seat(str(self.table.snapshot().game_id), seat))
        assert client.get("/join/" + url.rsplit("/", 1)[1]).status_code == 302
        return client

    def close(self) -> None:
        self.table.stop()
        self.journal.close()


@pytest.fixture
def counters(tmp_path: Path) -> Iterator[Any]:
    made: list[Counter] = []

    def make(
        name: str = "one", seed: int = 1, robots: frozenset[int] = frozenset(), files: Path | None = None
    ) -> Counter:
        (tmp_path / name).mkdir(exist_ok=True)
        made.append(Counter(tmp_path / name, seed, robots, files))
        return made[-1]

    yield make
    for counter in made:
        counter.close()


def test_the_table_draws_the_officer_and_the_pack_by_itself(counters: Any) -> None:
    counter = counters()
    counter.open(a_setup(4, first_officer=None))
    assert isinstance(counter.state.stage, Declaring)
    assert len(counter.state.pack) == 52


def test_hands_survive_a_restart_and_a_copied_journal_shows_none(counters: Any, tmp_path: Path) -> None:
    counter = counters()
    counter.open(a_setup(4))
    counter.do(do="declare", seat=1, goods=[])
    before = [msgspec.json.encode(RULES.view(counter.state, seat)) for seat in (None, 0, 1, 2, 3)]
    counter.close()
    files = b"".join(path.read_bytes() for path in (tmp_path / "one").iterdir() if "journal" in path.name)
    assert b"shuffle" in files
    assert not re.search(rb'"order":\s*\[', files)
    again = counters(seed=2)
    assert [msgspec.json.encode(RULES.view(again.state, seat)) for seat in (None, 0, 1, 2, 3)] == before


def test_robots_play_a_whole_game_at_the_table_and_it_is_kept(counters: Any) -> None:
    counter = counters()
    counter.open(a_setup(3, first_officer=None))
    robots = [Robot(seat, "average", 3) for seat in range(3)]
    while RULES.outcome(counter.state) is None:
        seat = next(prompt.seat for prompt in RULES.expects(counter.state, None) if prompt.seat is not None)
        view = RULES.view(counter.state, seat)
        chosen = robots[seat].choose(view, view.expects)
        assert chosen is not None
        prompt, action = chosen
        answer = counter.table.submit(Submission(id=next(counter.ids), action=action, prompt=prompt.prompt, seat=seat))
        assert isinstance(answer, Accepted), answer
    ended = counter.state
    counter.close()
    assert counters(seed=9).state == ended


def pages(counter: Counter, seats: tuple[int, ...]) -> list[str]:
    kiosk = counter.app.test_client()
    texts = [kiosk.get("/").text, kiosk.get("/kiosk").text, kiosk.get("/kiosk/corrections").text]
    texts += [counter.phone(seat).get(f"/seat/{seat}").text for seat in seats]
    return [re.sub(r"<svg[^>]*class=\"qr\".*?</svg>|/join/[^\"]+", "", text, flags=re.DOTALL) for text in texts]


def test_no_page_but_the_holders_changes_with_the_cards(counters: Any) -> None:
    """Two tables whose chance differs: the same deeds give the same pages to all who must not know."""
    deeds: list[dict[str, Any]] = [
        {"do": "declare", "seat": 1, "goods": ["wine"]},
        {"do": "accept", "seat": 0},
        {"do": "believe", "seat": 2},
    ]
    one, other = counters("one", 1), counters("other", 2)
    for counter in (one, other):
        counter.open(a_setup(4))
    assert one.state.hand != other.state.hand
    holders = (1, 1, None, 2)
    for number, holder in enumerate(holders):
        blind = tuple(seat for seat in range(4) if seat != holder)
        assert pages(one, blind) == pages(other, blind)
        if holder is not None:
            shown = [counter.phone(holder).get(f"/seat/{holder}").text for counter in (one, other)]
            assert (shown[0] != shown[1]) == (number != 2)
        if number < len(deeds):
            for counter in (one, other):
                counter.do(**deeds[number])


def test_a_hand_is_shown_to_the_kiosk_alone_and_to_nobody_of_a_robot(counters: Any) -> None:
    counter = counters(robots=frozenset({2}))
    counter.open(a_setup(4))
    kiosk = counter.app.test_client()
    shown = kiosk.get("/kiosk/hand/1")
    assert shown.status_code == 200
    assert shown.headers["Cache-Control"] == "no-store"
    assert shown.text.count('class="card k-') == 4
    assert all(f"k-{card}" in shown.text for card in counter.state.hand)
    assert 'class="card k-' not in kiosk.get("/kiosk/hand/3").text
    assert kiosk.get("/kiosk/hand/2").status_code == 403
    assert kiosk.get("/kiosk/hand/7").status_code == 404
    assert counter.phone(3).get("/kiosk/hand/1").status_code == 302


def test_who_declares_after_a_search_sees_his_own_cards_beside_the_opened_ones(counters: Any) -> None:
    counter = counters()
    counter.open(a_setup(4))
    counter.do(do="declare", seat=1, goods=["crown"] * 4)
    counter.do(do="search", seat=0)
    assert isinstance(counter.state.stage, Declaring)
    opened, own = counter.state.opened.cards, counter.state.hand
    page = counter.phone(2).get("/seat/2").text
    shown = re.findall(r'class="card k-(\w+)', page)
    assert shown == [*opened, *sorted(own, key=CARDS.index)]
    own_hand = 'class="hand" data-private'
    assert page.index(own_hand) > page.index('class="seen"')
    assert own_hand not in counter.phone(3).get("/seat/3").text


def test_the_set_up_pages_offer_an_owners_files_and_say_what_is_wrong_with_a_faulty_one(
    counters: Any, tmp_path: Path
) -> None:
    tariff = EXAMPLE.read_text("utf-8").replace("[wine]", 'name = "Omas <b>Schachtel</b>"\n\n[wine]', 1)
    (tmp_path / "box.toml").write_text(tariff, "utf-8")
    (tmp_path / "slip.toml").write_text(tariff.replace("fine = 50", "fine = -50"), "utf-8")
    kiosk = counters(files=tmp_path).app.test_client()
    kiosk.set_cookie("language", "de")
    page = kiosk.get("/kiosk/setup/customs").text
    chosen = re.findall(r'name="tariff"[^>]*checked><span>([^<]*)', page)
    assert chosen == ["Omas &lt;b&gt;Schachtel&lt;/b&gt; · box.toml"]
    faulty = re.search(r'<p class="fault">(.*?)</p>', page)
    line = tariff.splitlines().index("fine = 50") + 1
    assert faulty is not None
    assert faulty[1].startswith(f"<b>slip.toml</b> (Zeile {line}): wine.fine muss")
    assert 'class="fault"' not in kiosk.get("/kiosk/setup/haulers").text


def test_a_phone_can_do_no_more_than_its_seat(counters: Any) -> None:
    counter = counters()
    counter.open(a_setup(4))
    phone = counter.phone(2)
    action = {"do": "declare", "seat": 1, "goods": []}
    body = {"id": "x1", "prompt": None, "action": action}
    assert phone.post("/api/v1/actions", json=body).status_code == 403
    body = {"id": "x2", "prompt": None, "action": action | {"seat": 2}}
    refused = phone.post("/api/v1/actions", json=body)
    assert refused.status_code == 409
    assert refused.json["code"] == "declaration_due"


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_page_of_every_stage_renders_in_both_languages(
    counters: Any, language: str, caplog: pytest.LogCaptureFixture
) -> None:
    counter = counters()
    counter.open(a_setup(3, money=900))
    kiosk = counter.app.test_client()
    kiosk.set_cookie("language", language)

    def look() -> str:
        seat = next((prompt.seat for prompt in RULES.expects(counter.state, None)), 0)
        for path in ("/", "/kiosk", f"/kiosk/hand/{seat}", "/kiosk/corrections"):
            assert kiosk.get(path).status_code == 200
        phone = counter.phone(seat)
        phone.set_cookie("language", language)
        assert phone.get(f"/seat/{seat}").status_code == 200
        # The next look is at the touchscreen again.
        assert phone.post(f"/api/v1/seats/{seat}/let_go", json={"id": "let-go"}).status_code == 200
        return str(counter.state.stage.phase)

    assert look() == "declare"
    counter.do(do="declare", seat=1, goods=["wine"])
    assert look() == "decide"
    counter.do(do="accept", seat=0)
    assert look() == "doubt"
    counter.do(do="believe", seat=2)
    assert look() == "exchange"
    counter.do(do="discard", seat=2, card=RULES.view(counter.state, 2).you.may_go[0])
    counter.do(do="declare", seat=2, goods=["crown"] * 4)
    counter.do(do="accept", seat=0)
    assert look() == "owe"
    counter.do(do="ask_loan", seat=2, lender=1, amount=10)
    assert look() == "owe"
    counter.do(do="lend", seat=1)
    counter.do(do="ask_loan", seat=2, lender=1, amount=10)
    counter.do(do="refuse", seat=1)
    counter.do(do="give_up", seat=2)
    assert look() == "over"
    for path in ("/rules", "/kiosk/setup/customs", "/kiosk/table"):
        assert kiosk.get(path).status_code == 200
    assert [record.message for record in caplog.records if "no words" in record.getMessage()] == []

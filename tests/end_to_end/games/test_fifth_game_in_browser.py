"""Porters, a fifth game without templates: two phones, one of them German, a robot, and a player at the touchscreen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.composition.demo.demo import Demo
from appliance.composition.demo.robot_players import THINK_S
from appliance.games.catalogue import added, the_game
from hardware.clock import ManualClock, MonotonicClock
from hardware.rig import Rig
from hardware.twin.simulation import Simulation
from hardware.twin.world.world import World
from tests.end_to_end.party import Party, held
from tests.end_to_end.served import CUT_OFF, SMALL, Served, headline, needs_browser
from tests.patience import GIVEN_UP_S
from tests.porters_game.game import GAME
from tests.web.stand import Stand
from web.app import create_app
from web.context import SeatControl

pytestmark = [*needs_browser, pytest.mark.thorough]

ANN, FINN, CLARA, DAVID = range(4)
"""Ann has a phone, Finn a German one, a robot plays for Clara, and David plays at the touchscreen."""


class RobotStand(Stand):
    """A table whose seats robots play as in the demonstration; they do something when they are told to."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, clock=MonotonicClock(), port=0)
        self._robots_clock = ManualClock(0.0)
        simulation = Simulation(World(Rig(), colours=(), seed=1), self._robots_clock)
        self._demo = Demo(self.table, simulation, the_game, clock=self._robots_clock, seed=1, restarts=False)
        control = SeatControl(self._demo.who_plays, self._demo.hand_over, self._demo.keep_lobby)
        self.app = create_app(self.table, settings=self.site, clock=self.clock, seat_control=control)

    def seat_robots(self) -> None:
        self._demo.play()

    def let_robots_act(self) -> None:
        """Let the longest thinking time pass, then let robots do what is due."""
        self._demo.play()
        self._robots_clock.advance_to(self._robots_clock.now_s() + THINK_S[1])
        self._demo.play()


@pytest.fixture
def served(tmp_path: Path, browser: Any) -> Iterator[Served]:
    with added(GAME):
        served = Served(tmp_path, browser, RobotStand(tmp_path))
        yield served
        served.close()


class Porters(Party):
    """Four who play Porters, each where they play."""

    def __init__(self, served: Served) -> None:
        assert isinstance(served.stand, RobotStand)
        self.stand = served.stand
        super().__init__(served, "porters", ("Ann", "Finn", "Clara", "David"), {ANN: "en", FINN: "de"})

    def seated(self) -> None:
        self.stand.seat_robots()

    def settle(self) -> None:
        super().settle()
        self.check_layout()
        for page in self.pages():
            assert page.evaluate(CUT_OFF) == [], page.url
            assert page.evaluate(SMALL) == [], page.url

    def hide(self, seat: int, keys: str) -> None:
        """Type the mass of a load: on the phone, or at the touchscreen behind the curtain."""
        where = "main"
        if seat not in self.phones:
            assert self.kiosk.locator(".answer").count() == 0, "what is secret is not typed in the open"
            self.tap(seat, f".hold[data-hold='/kiosk/hand/{seat}']")
            where = ".curtain[open]"
        for key in keys:
            self.tap(seat, f"{where} .answer.do-hide [data-key='{key}']")
        self.act(seat, f"{where} .answer.do-hide [type=submit]")

    def cross(self, seat: int, outcome: str) -> None:
        self.answer(seat, do="cross", outcome=outcome)

    def let_the_robot_act(self) -> None:
        before = self.state
        self.stand.let_robots_act()
        while self.state == before:
            assert self.stand.table.wait_newer(self.stand.table.snapshot().version, GIVEN_UP_S) is not None
        self.settle()

    def robot_seats(self) -> list[int]:
        marked = self.wall.locator("#region-players .player").evaluate_all(
            "all => all.map((one, seat) => one.querySelector('.robot') ? seat : -1).filter(seat => seat >= 0)"
        )
        return list(marked)

    def check_secrets(self) -> None:
        """The mass of a load is on its owner's phone alone; the robot's and that of who has no phone are nowhere."""
        for seat, load in enumerate(self.state.loads):
            if load:
                for other, phone in self.phones.items():
                    assert told(phone, load) == (seat == other), (seat, other)
                assert not told(self.wall, load)
                assert not told(self.kiosk, load)


def told(page: Any, load: float) -> bool:
    """Say whether a page holds a mass, in either language."""
    mass = f"{load:g}".replace(".", "[.,]")
    return re.search(rf"\b{mass}\b", page.locator("main").inner_html()) is not None


@pytest.mark.thorough
def test_two_rounds_of_porters_from_set_up_to_the_winner(served: Served) -> None:
    players = Porters(served)
    finn = players.phones[FINN]
    assert players.robot_seats() == [CLARA, DAVID]

    # Who plays at the touchscreen takes the seat from its robot there.
    players.kiosk.goto(served.base + "/kiosk/table")
    with players.kiosk.expect_navigation():
        players.tap_at_the_table(f"[data-api='PUT /api/v1/seats/{DAVID}/control'][data-send*='person']")
    players.wall.locator(".player >> nth=3").locator(".robot").wait_for(state="detached")
    players.kiosk.goto(served.base + "/kiosk")
    assert players.robot_seats() == [CLARA]

    # Everybody hides a load at the same time. Finn types a German decimal mark.
    assert "Eine Last verstecken" in finn.locator("h1").inner_text()
    players.hide(ANN, "41.7")
    players.hide(FINN, "38,5")
    players.let_the_robot_act()
    players.hide(DAVID, "61.3")
    assert (players.state.loads[ANN], players.state.loads[FINN], players.state.loads[DAVID]) == (41.7, 38.5, 61.3)
    players.check_secrets()
    with held(finn, "[data-look]"):
        assert finn.locator(".own dd", has_text="38,5").is_visible()

    # They cross in turn; whoever is stuck has a second try.
    headline(players.wall, "Carry the load across")
    players.cross(ANN, "passed")
    players.cross(FINN, "stuck")
    players.cross(FINN, "stuck")
    assert "Finn bleibt stecken." in finn.locator(".log").inner_text()
    while len(players.state.crossed) == CLARA:
        players.let_the_robot_act()
    players.cross(DAVID, "passed")
    players.check_secrets()
    for page, sentence in (
        (players.wall, "David wins the round with the heaviest load across."),
        (finn, "David gewinnt die Runde mit der schwersten Last, die drüben ist."),
    ):
        assert sentence in page.locator(".log li").first.inner_text()
    assert players.state.round == 2

    # The second round.
    players.let_the_robot_act()
    players.hide(DAVID, "72.9")
    players.hide(FINN, "12")
    players.hide(ANN, "55.5")
    for seat in (ANN, FINN):
        players.cross(seat, "passed")
    while len(players.state.crossed) == CLARA:
        players.let_the_robot_act()
    players.cross(DAVID, "passed")

    # The end, on every screen in its language.
    for page, said in ((players.wall, "David"), (players.kiosk, "David"), (finn, "David")):
        headline(page, said)
    assert "Zwei Runden gewonnen" in finn.locator(".victory").inner_text()
    assert "Two rounds won" in players.wall.locator(".victory").inner_text()
    outcome = GAME.rules.outcome(players.state)
    assert outcome is not None
    assert (outcome.winners, outcome.reason) == ((DAVID,), "two_rounds")
    assert served.complaints == []

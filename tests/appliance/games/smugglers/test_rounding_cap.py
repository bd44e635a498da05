"""The cap on rounding (SM-30) at the table: it runs from the call to the track, warns, and decides nothing (AP-6)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.games.catalogue import the_game
from appliance.games.protocol import Player, Setup, Timer
from appliance.games.smugglers.rules.actions import Attempt, Decline, Roll, TimeUp, Weigh
from appliance.games.smugglers.rules.rules import RULES
from appliance.journal.journal import Journal
from appliance.journal.safekeeping.keys import seal_key
from appliance.snapshot import Accepted, Submission
from appliance.table.table import Table
from hardware.clock import ManualClock
from hardware.readings import SphereOnTrack
from tests.narrowed import of_kind


class Rounding:
    """A game for two on a clock of its own, both at the end of the hourglass."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder, self.clock, self.wall_s = folder, ManualClock(100.0), 1_800_000_000.0
        self.deeds = 0
        self._connect()
        players = (Player(name="Ann", putty="yellow"), Player(name="Ben", putty="pink"))
        setup = Setup(format=1, game="smugglers", players=players, options=options)
        assert isinstance(self.table.open_game(setup, "open"), Accepted)
        self.did(Roll(seat=0, value=2), TimeUp())

    def _connect(self) -> None:
        sealer = seal_key(self.folder)[0]
        self.journal = Journal(self.folder / "journal.sqlite3", sealer, lambda: self.wall_s)
        self.table = Table(journal=self.journal, games=the_game, clock=self.clock)

    def close(self) -> None:
        self.table.stop()
        self.journal.close()

    def restart_after(self, off_s: float) -> None:
        self.close()
        self.wall_s += off_s
        self.clock.advance_to(self.clock.now_s() + 5000.0)
        self._connect()

    def did(self, *actions: Any) -> None:
        for action in actions:
            self.deeds += 1
            assert isinstance(self.table.submit(Submission(id=f"do-{self.deeds}", action=action)), Accepted)

    def wait(self, duration_s: float) -> None:
        self.wall_s += duration_s
        self.clock.advance_to(self.clock.now_s() + duration_s)
        self.table.step()

    def starts_rolling(self) -> None:
        self.table.sense(SphereOnTrack(t_s=self.clock.now_s(), lane=6, colour=None))
        self.table.step()

    @property
    def left_s(self) -> float | None:
        timer = self.table.snapshot().timers.get("rounding")
        return None if timer is None else timer.ends_s - self.clock.now_s()

    @property
    def warned(self) -> int | None:
        remark = self.table.snapshot().remarks.get("rounding")
        return None if remark is None else remark.values["seat"]


@pytest.fixture
def capped(tmp_path: Path) -> Iterator[Rounding]:
    game = Rounding(tmp_path, rounding_cap_s=20)
    yield game
    game.close()


def test_a_table_that_agreed_on_no_cap_sees_no_timer(tmp_path: Path) -> None:
    game = Rounding(tmp_path)
    game.wait(700.0)
    assert (game.left_s, game.warned) == (None, None)
    game.close()


def test_it_counts_from_the_call_to_the_track_and_then_only_warns(capped: Rounding) -> None:
    assert capped.left_s == 20.0
    capped.wait(19.9)
    assert capped.warned is None
    before = RULES.view(capped.table.snapshot().state, None)
    capped.wait(0.2)
    assert capped.warned == 0
    capped.wait(600.0)
    assert RULES.view(capped.table.snapshot().state, None) == before, "people decide"
    capped.did(Attempt(seat=0, outcome="passed"))
    assert (capped.left_s, capped.warned) == (20.0, None), "putty slumps while its owner waits: his time begins now"


def test_the_own_first_attempt_ends_it_when_the_sphere_starts_to_roll(capped: Rounding) -> None:
    capped.wait(15.0)
    capped.starts_rolling()
    assert capped.left_s is None
    capped.wait(30.0)
    assert capped.warned is None


@pytest.mark.parametrize("outcome", ["short", "astray", "disturbed", "stuck"])
def test_it_does_not_come_back_for_the_same_player(capped: Rounding, outcome: Any) -> None:
    capped.did(Attempt(seat=0, outcome=outcome))
    assert (capped.left_s, capped.warned) == (None, None), "only until the own first attempt (SM-30, SM-34)"


def test_who_does_not_roll_hands_the_track_on(capped: Rounding) -> None:
    capped.wait(25.0)
    capped.did(Decline(seat=0))
    assert (capped.left_s, capped.warned) == (20.0, None)
    capped.did(Decline(seat=1))
    assert (capped.left_s, capped.warned) == (None, None)


def test_a_weighing_before_the_attempt_does_not_give_more_time(tmp_path: Path) -> None:
    game = Rounding(tmp_path, rounding_cap_s=20, same_mass_check=True)
    game.wait(12.0)
    game.did(Weigh(seat=0, mass_g=21.0))
    assert game.left_s == 8.0
    game.close()


def test_a_blind_round_is_rounded_after_its_second_roll_too(tmp_path: Path) -> None:
    game = Rounding(tmp_path, rounding_cap_s=20)
    game.did(Decline(seat=0), Decline(seat=1), Roll(seat=1, value=5), TimeUp())
    assert game.left_s is None, "nobody is at the track before the second roll"
    game.did(Roll(seat=1, value=6))
    assert game.left_s == 20.0
    game.close()


def test_a_correction_that_brings_the_first_attempt_back_brings_its_time_back(capped: Rounding) -> None:
    capped.wait(5.0)
    capped.did(Attempt(seat=0, outcome="stuck"))
    assert capped.left_s is None
    assert isinstance(capped.table.undo("undo"), Accepted)
    assert capped.left_s == 20.0


def test_it_goes_on_after_a_pulled_plug(capped: Rounding) -> None:
    capped.wait(5.0)
    capped.restart_after(6.0)
    assert capped.left_s == pytest.approx(9.0)
    capped.wait(9.1)
    assert capped.warned == 0
    capped.restart_after(1.0)
    assert capped.warned == 0


def test_an_hourglass_ends_with_the_sculpting_though_pieces_may_still_be_sealed(tmp_path: Path) -> None:
    from tests.web.rounds import INSPECTIONS, opening, ranking
    from tests.web.stand import Stand

    stand = Stand(tmp_path)
    stand.open(4)
    stand.play(*opening({1: "bomb"}), *ranking({0: 20.0, 2: 30.0, 3: 10.0}), *INSPECTIONS)
    stand.do(do="roll", seat=1, value=3)
    assert [prompt.do for prompt in RULES.expects(stand.table.snapshot().state, None)][-1] == "commit"
    assert isinstance(stand.table.command("turn_hourglass", "turn"), Accepted)
    assert set(stand.table.snapshot().timers) == {"hourglass"}
    stand.do(do="time_up")
    assert stand.table.snapshot().timers == {}


@pytest.mark.parametrize(
    ("language", "words"), [("en", ("Rounding", "roll now")), ("de", ("Runden", "Zeit zum Runden ist um"))]
)
def test_wall_kiosk_and_phone_show_the_time_and_the_warning(
    tmp_path: Path, language: str, words: tuple[str, str]
) -> None:
    from tests.web.stand import Stand

    stand = Stand(tmp_path)
    stand.open(2, rounding_cap_s=20)
    stand.do(do="roll", seat=0, value=2)
    stand.do(do="time_up")
    assert stand.table.snapshot().timers["rounding"] == Timer(name="rounding", started_s=100.0, ends_s=120.0)
    viewers = ((stand.kiosk(), "/"), (stand.kiosk(), "/kiosk"), (stand.phone(0), "/seat/0"))
    for client, path in viewers:
        client.set_cookie("language", language)
        page = client.get(path).text
        assert 'id="timer-rounding"' in page
        assert 'data-ends-s="120.0"' in page
        assert f'<span class="what">{words[0]}</span>' in page
        assert words[1] not in page
    of_kind(ManualClock, stand.clock).advance_to(121.0)
    stand.table.step()
    for client, path in viewers:
        assert words[1] in client.get(path).text

"""A table whose loop hangs: who asks is told so, and who asks again under the same id gets the first answer."""

import re
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

import web
from appliance.games.game import Game
from appliance.games.protocol import Rejection
from appliance.journal.entries import Closed, Opened
from appliance.journal.journal import Journal
from appliance.journal.safekeeping.keys import seal_key
from appliance.snapshot import Accepted, Submission
from appliance.table.table import ANSWER_WITHIN_S, Table
from hardware.clock import MonotonicClock, ended
from hardware.readings import ButtonPressed
from tests.appliance.conftest import setup
from tests.appliance.games.porters import Cross, Hide, Porters, ScriptedReferee
from tests.patience import GIVEN_UP_S

HIDE = Hide(seat=0, mass_g=22.7)

WITH_ID: dict[str, Callable[[Table], object]] = {
    "submit": lambda table: table.submit(Submission(id="again", action=Hide(seat=1, mass_g=19.3))),
    "object_to": lambda table: table.object_to("no-such-proposal", "again"),
    "confirm": lambda table: table.confirm("no-such-proposal", "again"),
    "draw": lambda table: table.draw("no-such-prompt", "again"),
    "command": lambda table: table.command("turn_hourglass", "again"),
    "watch": lambda table: table.watch(None, "again"),
    "ask_for": lambda table: table.ask_for(0, 2, None, "again"),
    "refuse": lambda table: table.refuse(0, "again"),
    "amend": lambda table: table.amend(2, Hide(seat=0, mass_g=9.0), "again"),
    "undo": lambda table: table.undo("again"),
    "open_game": lambda table: table.open_game(setup(), "again"),
    "pause": lambda table: table.pause(True, "again"),
    "close_game": lambda table: table.close_game("again"),
    "import_game": lambda table: table.import_game(setup(), [Cross(seat=0, outcome="passed")], "again"),
}
WITHOUT_ID: dict[str, Callable[[Table], object]] = {
    "preview_amendment": lambda table: table.preview_amendment(2, None),
    "alternatives": lambda table: table.alternatives(2),
    "offers": lambda table: table.offers(),
    "practise": lambda table: table.practise(True),
    "history": lambda table: table.history(),
}


PAST: dict[str, Callable[[Table], object]] = {
    "past_games": lambda table: table.past_games(),
    "past_game": lambda table: table.past_game(1),
    "opened_s": lambda table: table.opened_s(1),
    "past_history": lambda table: table.past_history(1),
    "past_log": lambda table: table.past_log(1),
    "past_transcript": lambda table: table.past_transcript(1, consent=True),
}


class Hanging:
    """A game in which somebody hid something, and a referee that hangs at the next reading until `free` is set."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.free, self.hangs = threading.Event(), threading.Event()
        self.journal = Journal(folder / "journal.sqlite3", seal_key(folder)[0])
        game = Porters().declared()
        self.table = Table(
            journal=self.journal, games={"porters": game}.__getitem__, clock=MonotonicClock(), answer_within_s=0.01
        )
        self.table.open_game(setup(), "opens")
        self.table.submit(Submission(id="hides", action=HIDE))
        monkeypatch.setattr(ScriptedReferee, "sense", self._hang)
        self.table.start()
        self.table.sense(ButtonPressed(t_s=0.0, button="hourglass"))
        assert self.hangs.wait(GIVEN_UP_S)

    def _hang(self, state: object, reading: object) -> list[object]:
        self.hangs.set()
        assert self.free.wait(GIVEN_UP_S)
        return []

    def go_on(self) -> None:
        self.free.set()
        assert self.table.alive(GIVEN_UP_S)


@pytest.fixture
def hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hanging]:
    hanging = Hanging(tmp_path, monkeypatch)
    yield hanging
    hanging.free.set()
    hanging.table.stop()
    hanging.journal.close()


def answered(ask: Callable[[], object]) -> object:
    """Ask until the table is no longer busy, as people do."""
    while (answer := ask()) == Rejection("table_busy", ""):
        pass
    return answer


@pytest.mark.parametrize("name", [*WITH_ID, *WITHOUT_ID])
def test_whoever_asks_a_table_that_hangs_is_told_that_it_is_busy(hanging: Hanging, name: str) -> None:
    ask = {**WITH_ID, **WITHOUT_ID}[name]
    assert ask(hanging.table) == Rejection("table_busy", "")


@pytest.mark.parametrize("name", WITH_ID)
def test_asked_again_under_the_same_id_it_gives_the_first_answer(hanging: Hanging, name: str) -> None:
    ask = WITH_ID[name]
    ask(hanging.table)
    ask(hanging.table)
    hanging.go_on()
    entries = hanging.journal.last_seq()
    first = answered(lambda: ask(hanging.table))
    assert answered(lambda: ask(hanging.table)) == first
    assert hanging.journal.last_seq() == entries, "it was done once, when the table went on"
    if name in ("submit", "amend", "undo", "pause", "close_game"):
        assert first == Accepted(3)


def test_a_bug_that_is_a_time_out_is_no_busy_table(hanging: Hanging, monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(*_: object) -> None:
        raise TimeoutError

    hanging.go_on()
    monkeypatch.setattr(Porters, "apply", bug)
    with pytest.raises(TimeoutError):
        answered(lambda: WITH_ID["submit"](hanging.table))


def test_no_door_of_the_table_is_left_out() -> None:
    waits = {name for name in vars(Table) if not name.startswith("_")} - {
        # These do not wait for the loop, or are told for how long; past games are read beside it.
        *(
            "post",
            "sense",
            "tell",
            "attention",
            "replay_scope",
            "snapshot",
            "wait_newer",
            "start",
            "stop",
            "step",
            "alive",
        ),
        *PAST,
    }
    assert waits == {*WITH_ID, *WITHOUT_ID}


@pytest.mark.parametrize("name", PAST)
def test_a_disk_that_hangs_keeps_nobody_who_reads_a_past_game_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    free = threading.Event()
    journal = Journal(tmp_path / "journal.sqlite3", seal_key(tmp_path)[0])
    journal.append(None, [("opens", Opened(setup=setup())), ("closes", Closed(outcome=None))])
    table = Table(journal=journal, games=dict[str, Game]().__getitem__, clock=MonotonicClock(), read_within_s=0.01)
    monkeypatch.setattr(journal, "reading", lambda: free.wait(GIVEN_UP_S))
    assert PAST[name](table) == Rejection("table_busy", "")
    assert table.snapshot().game is None, "the table itself goes on"
    free.set()
    table.stop()
    journal.close()


def test_past_games_are_read_while_the_loop_hangs(hanging: Hanging) -> None:
    assert hanging.table.past_games() == ()


def test_a_table_that_is_being_stopped_while_it_hangs_is_busy_too(hanging: Hanging) -> None:
    stopping = threading.Thread(target=hanging.table.stop)
    stopping.start()
    answer = hanging.table.undo("late")
    hanging.free.set()
    stopping.join(GIVEN_UP_S)
    assert not stopping.is_alive()
    assert answer == Rejection("table_busy", "")


def test_a_table_that_hangs_is_stopped_all_the_same_and_the_log_says_so(
    hanging: Hanging, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("appliance.table.table_loop.ended", partial(ended, within_s=0.01))
    hanging.table.stop()
    assert "the thread table has not ended" in caplog.text
    assert hanging.table.wait_newer(10**6, GIVEN_UP_S) is None, "who waits for news is let go"


def test_the_answer_comes_before_a_page_gives_up() -> None:
    taps = (Path(str(web.__file__)).parent / "static" / "send.js").read_text("utf-8")
    (patience_ms,) = re.findall(r"PATIENCE_MS = (\d+);", taps)
    assert float(patience_ms) / 1000 > ANSWER_WITHIN_S

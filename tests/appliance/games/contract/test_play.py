"""What must hold in every game, however it is played."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import msgspec
import pytest

from appliance.games.catalogue import GAMES, added, the_game
from appliance.games.game import Game
from appliance.games.protocol import Action, Number, OneOf, Prompt, Rejection, Step
from appliance.journal.archive import import_entries
from appliance.journal.fold.history import History
from appliance.journal.fold.restore import restore
from appliance.journal.journal import Journal
from appliance.journal.safekeeping.keys import seal_key
from appliance.table.offered import offers
from tests.appliance.games.contract import play
from tests.appliance.games.contract.play import EVERY
from tests.places import ROOT
from tests.porters_game.rules.actions import Flip
from tests.porters_game.rules.rules import PortersRules
from tests.porters_game.rules.state import State
from web.words.asks import asks_of

every_game = pytest.mark.parametrize("name", EVERY)


@every_game
@pytest.mark.parametrize("seed", range(3))
def test_random_play_ends_and_nothing_is_asked_after_it(name: str, seed: int) -> None:
    played = play.play(EVERY[name], seed)
    for viewer in (None, *played.seats):
        assert EVERY[name].rules.expects(played.steps[-1].state, viewer) == ()
    outcome = EVERY[name].rules.outcome(played.steps[-1].state)
    assert outcome is not None
    assert set(outcome.winners) <= set(played.seats)


@every_game
def test_every_number_of_players_can_play(name: str) -> None:
    for players in EVERY[name].rules.seats:
        play.play(EVERY[name], players, leaving=0.01, players=players)


@every_game
def test_the_next_higher_and_lower_number_of_players_is_refused(name: str) -> None:
    game = EVERY[name]
    setup = play.a_setup(game)
    for players in (game.rules.seats[0] - 1, game.rules.seats[-1] + 1):
        seated = tuple(msgspec.structs.replace(setup.players[0], name=str(seat)) for seat in range(players))
        step = game.rules.set_up(msgspec.structs.replace(setup, players=seated))
        assert isinstance(step, Rejection)
        assert step.code == "player_count"


@every_game
def test_whatever_a_prompt_offers_is_taken(name: str) -> None:
    """A page draws prompts and nothing else: any combination of the offered values must be legal."""
    game, random = EVERY[name], Random(5)
    played = play.play(game, 5)
    for step in played.steps[:: max(1, len(played.steps) // 150)]:
        for prompt in play.own_prompts(game, step.state, len(played.seats)):
            assert not prompt.veiled, "who is asked sees the choices"
            for _ in range(3):
                action = play.answer(game, prompt, random)
                assert isinstance(game.rules.apply(step.state, action), Step), (prompt, action)
                assert offers(prompt, action)
            for field, choice in prompt.choices.items():
                ends = choice.values if isinstance(choice, OneOf) else ()
                if isinstance(choice, Number):
                    ends = (choice.least, choice.most)
                for end in ends:
                    others = {key: play.one_of(other, random) for key, other in prompt.choices.items()}
                    value = int(end) if isinstance(choice, Number) and choice.whole else end
                    action = play.action_of(game, prompt.do, prompt.seat, {**others, field: value})
                    assert isinstance(game.rules.apply(step.state, action), Step), (prompt, action)


@every_game
def test_whoever_is_asked_by_name_gets_a_way_to_answer(name: str) -> None:
    game = EVERY[name]
    played = play.play(game, 6)
    for step in played.steps[:: max(1, len(played.steps) // 150)]:
        for prompt in play.own_prompts(game, step.state, len(played.seats)):
            if prompt.chance != "must":
                assert all(ask.controls for ask in asks_of([prompt])), prompt


@every_game
def test_a_prompt_once_closed_never_comes_back(name: str) -> None:
    """A late second tap must hit nothing."""
    game = EVERY[name]
    played = play.play(game, 7)
    closed: set[str] = set()
    was: set[str] = set()
    for step in played.steps:
        now = {prompt.prompt for prompt in play.own_prompts(game, step.state, len(played.seats))}
        closed |= was - now
        assert not closed & now
        was = now


@every_game
def test_anybody_may_leave_at_any_time_and_is_asked_no_more(name: str) -> None:
    """Some games begin with what all must do together; from then on everybody who is asked may go."""
    game = EVERY[name]
    played = play.play(game, 8)
    begun, taken, refused = False, 0, 0
    for step in played.steps[:: max(1, len(played.steps) // 200)]:
        prompts = play.own_prompts(game, step.state, len(played.seats))
        asked = {prompt.seat for prompt in prompts if prompt.seat is not None}
        for seat in asked:
            after = game.rules.apply(step.state, play.leave_of(game, seat))
            if isinstance(after, Rejection):
                assert not begun, after
                refused += 1
                continue
            begun, taken = True, taken + 1
            left = play.own_prompts(game, after.state, len(played.seats))
            assert seat not in {prompt.seat for prompt in left}
            assert left or game.rules.outcome(after.state) is not None
    assert taken > 3 * refused


@every_game
def test_who_does_not_exist_is_refused_and_a_refusal_changes_nothing(name: str) -> None:
    game = EVERY[name]
    played = play.play(game, 9)
    for step in played.steps[:: max(1, len(played.steps) // 50)]:
        before = msgspec.json.encode(step.state)
        for seat in (-1, len(played.seats)):
            refused = game.rules.apply(step.state, play.leave_of(game, seat))
            assert isinstance(refused, Rejection)
            assert refused.code in ("no_such_seat", "game_over")
        assert msgspec.json.encode(step.state) == before


@every_game
def test_robots_play_a_whole_game_at_every_skill(name: str) -> None:
    game = EVERY[name]
    assert game.robots is not None, "a game without robots cannot be shown, nor played by too few people"
    for number, skill in enumerate(game.robots().SKILLS):
        assert play.play_robots(game, skill, number).actions


def test_robots_go_on_where_the_table_may_always_say_something_more() -> None:
    """A fact of the table that nobody waits for does not take the robots' turn."""

    class Rained(PortersRules):
        def apply(self, state: State, action: Action) -> Step[State] | Rejection:
            if isinstance(action, Flip) and not state.flipping:
                return Step(state)
            return super().apply(state, action)

        def expects(self, state: State, seat: int | None) -> tuple[Prompt, ...]:
            asked, sides = super().expects(state, seat), {"heads": OneOf((True, False))}
            rain = Prompt(prompt=f"rain.{state.round}", seat=None, do="flip", choices=sides, optional=True, by="table")
            return (rain, *asked) if asked else ()

    played = play.play_robots(replace(EVERY["porters"], rules=Rained()), "expert", 0)
    assert len(played.actions) < 100


@every_game
def test_the_journal_leads_to_the_same_bytes(name: str, tmp_path: Path) -> None:
    """Kept with its secrets sealed, read and folded again."""
    game = EVERY[name]
    played = play.play(game, 10)

    def games(_: str) -> Game:
        return game

    entries = import_entries(played.setup, played.actions, "client", "own-", games)
    assert not isinstance(entries, Rejection)
    journal = Journal(tmp_path / "journal.sqlite3", seal_key(tmp_path)[0])
    opened = journal.append(None, entries[1], game.rules.secret_fields)[0]
    restored = restore(journal.read(opened), games)
    journal.close()
    assert isinstance(restored, History)
    assert restored.actions() == played.actions
    assert msgspec.json.encode(restored.state) == msgspec.json.encode(played.steps[-1].state)


@pytest.mark.slow
@every_game
def test_equal_histories_give_equal_bytes_in_another_process(name: str) -> None:
    """No order of a set or a hash ever gets into a state."""
    game = EVERY[name]
    played = play.play(game, 11, leaving=0.01)
    code = (
        f"import sys, msgspec; from {type(game.rules).__module__} import RULES;"
        "from appliance.games.protocol import Setup; decode = msgspec.json.decode;"
        "lines = sys.stdin.buffer.read().splitlines(); step = RULES.set_up(decode(lines[0], type=Setup))\n"
        "for line in lines[1:]: step = RULES.apply(step.state, decode(line, type=RULES.action_type))\n"
        "sys.stdout.buffer.write(msgspec.json.encode(step.state))"
    )
    lines = b"\n".join(msgspec.json.encode(line) for line in (played.setup, *played.actions))
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            input=lines,
            capture_output=True,
            check=True,
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {msgspec.json.encode(played.steps[-1].state)}


def test_a_game_from_outside_is_there_while_it_is_added() -> None:
    porters = EVERY["porters"]
    assert "porters" not in GAMES
    with added(porters) as game, pytest.raises(ValueError, match="there is a game called porters"), added(porters):
        pass
    assert game is porters
    with added(porters):
        assert the_game("porters") is porters
    assert "porters" not in GAMES

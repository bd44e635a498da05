"""A table and its journal under random deeds: play, corrections, repeats, restarts, kills and jumps of the clock.

After every step what the journal tells is what was acknowledged, and folding it anew gives the state that is shown.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Rejection, Step
from appliance.journal.safekeeping.records import open_records
from appliance.snapshot import Accepted, Answer, Submission
from appliance.table.draws.dealer import Dealer
from appliance.table.table import Table
from hardware.clock import ManualClock
from tests.appliance.games.contract import play as contract
from tests.fuzz.test_fuzz import SECONDS
from tests.patience import GIVEN_UP_S

pytestmark = pytest.mark.slow

SEEDS = st.integers(0, 2**32 - 1)
YEARS_S = 10 * 365 * 86400.0


class TableAndJournal(RuleBasedStateMachine):
    """The model is what was acknowledged: the answers by their ids, and the history after the last of them."""

    steps: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.top = Path(tempfile.mkdtemp(prefix="machine-"))
        self.lives = 0
        self.wall_s, self.clock = 1_800_000_000.0, ManualClock(100.0)
        self.answers: dict[str, Answer] = {}
        self.submitted: dict[str, Submission] = {}
        self.ids = 0
        self.folder = self.top / "0"
        self.folder.mkdir()
        self.connect()
        self.known = self.told()

    def connect(self) -> None:
        self.records = open_records(self.folder, None, lambda: self.wall_s)
        assert not self.records.remarks, self.records.remarks
        self.table = Table(
            journal=self.records.journal,
            games=the_game,
            clock=self.clock,
            dealer=Dealer(self.lives),
            answer_within_s=GIVEN_UP_S,
        )
        self.table.step()

    def told(self) -> bytes:
        """Return set-up, actions and everybody's view of the open game, and the past games, as bytes."""
        snapshot = self.table.snapshot()
        shown: list[Any] = []
        if snapshot.game is not None:
            rules = the_game(snapshot.game).rules
            seats: list[int | None] = [None, *range(len(self.players))]
            shown = [(rules.view(snapshot.state, seat), rules.expects(snapshot.state, seat)) for seat in seats]
        past = self.table.past_games()
        assert not isinstance(past, Rejection)
        return msgspec.json.encode((self.table.history(), shown, [each.game for each in past]))

    @property
    def players(self) -> tuple[Any, ...]:
        setup = self.table.snapshot().setup
        return setup.players if setup is not None else ()

    @property
    def plays(self) -> bool:
        return self.table.snapshot().game is not None

    def acknowledged(self, what: str, client_id: str, answer: Answer) -> Answer:
        self.table.step()
        self.steps[what if isinstance(answer, Accepted) else f"{what} refused"] += 1
        self.answers[client_id] = answer
        if isinstance(answer, Accepted):
            assert self.told() != self.known or what in ("amend", "repeat"), what
        else:
            assert self.told() == self.known, (what, answer)
        self.known = self.told()
        return answer

    def new_id(self) -> str:
        self.ids += 1
        return f"id-{self.ids}"

    @initialize(game=st.sampled_from(sorted(GAMES)), seed=SEEDS)
    def begin(self, game: str, seed: int) -> None:
        self.open(game, seed)

    @precondition(lambda self: not self.plays)
    @rule(game=st.sampled_from(sorted(GAMES)), seed=SEEDS)
    def open(self, game: str, seed: int) -> None:
        seats = the_game(game).rules.seats
        setup = contract.a_setup(
            the_game(game), Random(seed).randint(seats[0], seats[-1]) if game != "smugglers" else 4
        )
        client_id = self.new_id()
        assert isinstance(self.acknowledged("open", client_id, self.table.open_game(setup, client_id)), Accepted)

    @precondition(lambda self: self.plays)
    @rule(seed=SEEDS, times=st.integers(1, 12))
    def play(self, seed: int, times: int) -> None:
        random = Random(seed)
        for _ in range(times):
            snapshot = self.table.snapshot()
            game = the_game(str(snapshot.game))
            prompts = contract.own_prompts(game, snapshot.state, len(self.players))
            if not prompts:
                return
            client_id = self.new_id()
            action = contract.answer(game, random.choice(prompts), random)
            self.submitted[client_id] = Submission(id=client_id, action=action)
            self.acknowledged("play", client_id, self.table.submit(self.submitted[client_id]))

    @precondition(lambda self: self.plays)
    @rule(seed=SEEDS)
    def amend(self, seed: int) -> None:
        random, snapshot = Random(seed), self.table.snapshot()
        if not snapshot.correctable:
            return
        deed = random.choice(snapshot.correctable)
        found = self.table.alternatives(deed.seq)
        if isinstance(found, Rejection):
            return
        open_to_all = [prompt for prompt in found.prompts if not prompt.veiled and prompt.chance != "must"]
        if not open_to_all:
            return
        game = the_game(str(snapshot.game))
        action = contract.answer(game, random.choice(open_to_all), random)
        client_id = self.new_id()
        assert self.told() == self.known, "asking changes nothing"
        self.acknowledged("amend", client_id, self.table.amend(deed.seq, action, client_id))

    @precondition(lambda self: self.plays)
    @rule()
    def undo(self) -> None:
        client_id = self.new_id()
        self.acknowledged("undo", client_id, self.table.undo(client_id))

    @precondition(lambda self: self.plays)
    @rule()
    def close(self) -> None:
        client_id = self.new_id()
        self.acknowledged("close", client_id, self.table.close_game(client_id))

    @precondition(lambda self: self.submitted)
    @rule(seed=SEEDS)
    def repeat(self, seed: int) -> None:
        """A phone sends again what was answered: the first answer comes again, and nothing changes."""
        client_id = Random(seed).choice(sorted(self.submitted))
        before = self.answers[client_id]
        answer = self.table.submit(self.submitted[client_id])
        self.steps["repeat"] += 1
        if isinstance(before, Accepted):
            assert answer == before
            assert self.told() == self.known
        else:  # a refusal is no fact: the same may be possible by now
            self.answers[client_id] = answer
            self.known = self.told()

    @rule(by_s=st.one_of(st.floats(-YEARS_S, YEARS_S), st.sampled_from([0.0, -1e9, 1e9])))
    def jump(self, by_s: float) -> None:
        self.steps["jump"] += 1
        self.wall_s = max(self.wall_s + by_s, 0.0)

    @rule(by_s=st.floats(0.0, 3.0))
    def let_pass(self, by_s: float) -> None:
        self.clock.advance_to(self.clock.now_s() + by_s)
        self.table.step()
        self.known = self.told()

    @rule()
    def restart(self) -> None:
        self.steps["restart"] += 1
        self.leave()
        self.connect()

    @rule()
    def kill(self) -> None:
        """The folder as it is on the disk at this moment is all that is left."""
        self.steps["kill"] += 1
        self.lives += 1
        left = self.top / str(self.lives)
        shutil.copytree(self.folder, left, ignore=shutil.ignore_patterns("*-shm", "*.lock"))
        self.leave()
        shutil.rmtree(self.folder)
        self.folder = left
        self.connect()

    def leave(self) -> None:
        self.table.stop()
        self.records.journal.close()

    @invariant()
    def what_is_told_was_acknowledged(self) -> None:
        assert self.told() == self.known

    @invariant()
    def folding_anew_gives_what_is_shown(self) -> None:
        history = self.table.history()
        assert not isinstance(history, Rejection)
        if history is None:
            return
        setup, actions = history
        rules = the_game(setup.game).rules
        step = rules.set_up(setup)
        for action in actions:
            assert isinstance(step, Step)
            step = rules.apply(step.state, action)
        assert isinstance(step, Step)
        assert msgspec.msgpack.encode(step.state) == msgspec.msgpack.encode(self.table.snapshot().state)

    def teardown(self) -> None:
        self.leave()
        shutil.rmtree(self.top)


def run(examples: int, steps: int, *, always_the_same: bool = False) -> None:
    run_state_machine_as_test(
        TableAndJournal,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            database=None,
            derandomize=always_the_same,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate,),
        ),
    )


def test_a_few_random_lives_of_a_table() -> None:
    TableAndJournal.steps.clear()
    run(examples=8, steps=10, always_the_same=True)
    assert TableAndJournal.steps["play"] > 5


@pytest.mark.fuzz
def test_random_lives_of_a_table_for_a_while(capsys: pytest.CaptureFixture[str]) -> None:
    TableAndJournal.steps.clear()
    until_s, lives = time.monotonic() + SECONDS, 0
    while time.monotonic() < until_s:
        run(examples=10, steps=40)
        lives += 10
    with capsys.disabled():
        print(f"\ntable and journal: {lives} lives in {SECONDS:g} s: {dict(TableAndJournal.steps.most_common())}")

"""A seat may submit what its own page offers: hand-made requests from a seat's cookie, at every step of games."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import unescape
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Action, OneOf, Prompt, Rejection, Setup
from appliance.journal.transcript import Transcript
from appliance.snapshot import Accepted, Submission
from appliance.table.draws.dealer import Dealer
from tests.appliance.games.contract import play as contract
from tests.appliance.games.plays import at_least, play_of
from tests.appliance.games.recordings import NAMES, read
from tests.narrowed import of_kind, there
from tests.web.stand import Stand

pytestmark = pytest.mark.slow

FACTS = {
    "smugglers": {"roll", "time_up", "weigh", "attempt", "tie_roll"},
    "prohis": {"shuffle", "start", "end_play"},
    "haulers": {"shuffle", "roll"},
    "customs": {"appoint", "shuffle"},
}
"""What the table says and no player's phone: weights, passages, dice, shuffles, time and ends."""
CODES = {"said_by_the_table", "not_offered", "foreign_seat"}
MOST_STEPS = 60
MOST_REQUESTS = 3

Answers = Callable[[Prompt, Random], Action]
Opens = Callable[[Setup, Iterable[Action]], "Table"]


def facts_of(game: str) -> set[str]:
    return FACTS.get(game, set())


def do(action: Action) -> str:
    return str(msgspec.to_builtins(action)["do"])


class Told(Dealer):
    """Chance as it was recorded: what was drawn next, at the place where the game is."""

    def __init__(self, actions: Sequence[Action]) -> None:
        super().__init__(1)
        self.actions, self.at = actions, 0

    def draw(self, prompt: Prompt, start_value: str, before: int = 0) -> dict[str, Any]:
        for number, action in enumerate(self.actions[self.at :], self.at):
            fields = msgspec.to_builtins(action)
            if fields["do"] == prompt.do:
                self.at = number + 1
                return {name: value for name, value in fields.items() if name in prompt.choices}
        return super().draw(prompt, start_value, before)


class Table:
    """One game played by phones: what a seat may do its phone does, the rest the table itself."""

    def __init__(self, folder: Path, setup: Setup, actions: Sequence[Action]) -> None:
        self.dealer = Told(actions)
        self.done = 0
        self.stand, self.game = Stand(folder, dealer=self.dealer), setup.game
        self.rules = the_game(setup.game).rules
        self._ids = (f"tap-{number}" for number in itertools.count())
        assert isinstance(self.stand.table.open_game(setup, next(self._ids)), Accepted)
        self.phones = [self.stand.phone(seat) for seat in range(len(setup.players))]

    @property
    def state(self) -> Any:
        return self.stand.table.snapshot().state

    def history(self) -> tuple[Action, ...]:
        history = self.stand.table.history()
        assert isinstance(history, tuple)
        return history[1]

    def own_prompts(self) -> list[Prompt]:
        """Return every open prompt as the one who is asked sees it."""
        return contract.own_prompts(the_game(self.game), self.state, len(self.phones))

    def image(self) -> bytes:
        return msgspec.msgpack.encode(self.state)

    def post(self, seat: int, action: dict[str, Any], prompt: str | None) -> Any:
        body = {"id": next(self._ids), "prompt": prompt, "action": action}
        return self.phones[seat].post("/api/v1/actions", json=body)

    def do(self, action: Action) -> None:
        """Let `action` happen: by its seat's phone, or where no phone may say it by the table, or by chance."""
        self.stand.table.step()
        at, self.done = self.done, self.done + 1
        if self.history()[at:]:
            assert self.history()[at] == action
            return
        self.dealer.at = self.done
        seat = getattr(action, "seat", None)
        if seat is None or do(action) in facts_of(self.game) | {"leave"} or not self.rules.expects(self.state, seat):
            submission = Submission(id=next(self._ids), action=action)
            assert isinstance(self.stand.table.submit(submission), Accepted), action
            return
        answer = self.post(seat, msgspec.to_builtins(action), None)
        assert answer.status_code == 200, (action, answer.json)

    def hand_made(self, answered: Answers, rng: Random) -> Iterator[tuple[int, str, Action, bool]]:
        """Yield requests: the phone that sends it, the prompt it names, the action, whether its page offers that."""
        for prompt in self.own_prompts():
            action = answered(prompt, rng)
            sender = rng.randrange(len(self.phones)) if prompt.seat is None else prompt.seat
            # A deed of no seat is no phone's. A game without a list above says the others by itself.
            listed = do(action) in facts_of(self.game) or (self.game not in FACTS and prompt.by == "table")
            fact = prompt.seat is None or listed
            yield sender, prompt.prompt, action, not fact
            other = rng.randrange(len(self.phones))
            if other != sender:
                yield other, prompt.prompt, action, False
            if prompt.seat is not None and other != sender:
                theirs = msgspec.convert(msgspec.to_builtins(action) | {"seat": other}, type(action))
                if not any(each.do == prompt.do and each.seat == other for each in self.own_prompts()):
                    yield other, prompt.prompt, theirs, False

    def attack(self, answered: Answers, rng: Random) -> None:
        self.stand.table.step()
        self.dealer.at = len(self.history())
        before, version = self.image(), self.stand.table.snapshot().journal_seq
        requests = list(self.hand_made(answered, rng))
        seat = rng.randrange(len(self.phones))
        assert self.post(seat, {"do": "leave", "seat": seat}, None).status_code in (403, 409)
        for sender, prompt, action, _ in rng.sample(
            bad := [request for request in requests if not request[3]], min(len(bad), MOST_REQUESTS)
        ):
            answer = self.post(sender, msgspec.to_builtins(action), rng.choice((prompt, None)))
            assert answer.status_code in (403, 409), (sender, action, answer.json)
            assert answer.json["message"].endswith(".")
            assert not answer.json["message"].startswith("rejection.")
        assert self.stand.table.snapshot().journal_seq == version
        assert self.image() == before
        good = [request for request in requests if request[3]]
        if good:
            sender, prompt, action, _ = rng.choice(good)
            answer = self.post(sender, msgspec.to_builtins(action), prompt)
            assert answer.status_code == 200, (sender, action, answer.json)
            assert isinstance(self.stand.table.undo(next(self._ids)), Accepted)
            assert self.image() == before


@pytest.fixture
def opens(tmp_path: Path) -> Iterator[Opens]:
    tables: list[Table] = []

    def opened(setup: Setup, actions: Iterable[Action]) -> Table:
        place = tmp_path / str(len(tables))
        place.mkdir()
        tables.append(Table(place, setup, list(actions)))
        return tables[-1]

    yield opened
    for table in tables:
        table.stand.close()


def played(opens: Opens, setup: Setup, actions: Iterable[Action], answered: Answers, seed: int) -> int:
    table, rng = opens(setup, actions), Random(seed)
    steps = 0
    for action in table.dealer.actions:
        table.attack(answered, rng)
        table.do(action)
        steps += 1
    return steps


def answers(game: str) -> Answers:
    play = play_of(game)

    def answered(prompt: Prompt, rng: Random) -> Action:
        fields = {name: play.one_of(choice, rng) for name, choice in prompt.choices.items()}
        action: Action = play.action_of(prompt, fields)
        return action

    return answered


@pytest.mark.parametrize("game", [game for game in GAMES if NAMES[game]])
def test_hand_made_requests_at_every_step_of_the_recorded_games(opens: Opens, game: str) -> None:
    steps = 0
    for number, name in enumerate(NAMES[game][::4]):
        transcript = read(game, name)
        if isinstance(transcript, Transcript) and len(transcript.setup.players) > 1:
            steps += played(opens, transcript.setup, transcript.actions[:MOST_STEPS], answers(game), number)
    assert steps > at_least(game, 40)


@pytest.mark.parametrize("seed", [1])
@pytest.mark.parametrize("game", GAMES)
def test_hand_made_requests_at_every_step_of_random_games(opens: Opens, game: str, seed: int) -> None:
    play = play_of(game)
    setup = play.a_setup(3)
    actions = (action for _, action, _, _ in itertools.islice(play.played(setup, Random(seed)), MOST_STEPS))
    assert played(opens, setup, actions, answers(game), seed) > at_least(game, 40)


TAPS = re.compile(r"<button[^>]*>")


ALIKE = {
    "That cannot be played from this hand. Hold the cards to look, and choose again.",
    "That cannot be started from this hand. Hold the deliveries to look, and choose again.",
    "That is not for you to do now; use a button that your page shows.",
}
"""What a phone says when its hand cannot do what every phone offers: nothing of the hand (RULES §5)."""


def lacks(table: Table, seat: int, deed: dict[str, Any]) -> bool:
    """Say whether the hand cannot do what every phone offers alike: to declare a Prohi that it lacks (PR-25), to start
    a delivery that does not begin where a vehicle stands (TR-20)."""
    if deed["do"] == "start":
        return isinstance(table.rules.apply(table.state, msgspec.convert(deed, table.rules.action_type)), Rejection)
    if deed["do"] != "declare" or "prohi" not in deed:
        return False
    prompts = table.rules.expects(table.state, seat)
    held = {
        value
        for one in prompts
        if one.do == "declare" and one.seat == seat
        for value in of_kind(OneOf, one.choices["prohi"]).values
    }
    return deed["prohi"] not in held


@pytest.mark.parametrize("game", GAMES)
def test_every_button_of_a_phone_is_accepted_and_none_states_a_fact_of_the_table(opens: Opens, game: str) -> None:
    play, rng, tapped = play_of(game), Random(5), 0
    setup = play.a_setup(3)
    table = opens(setup, [action for _, action, _, _ in itertools.islice(play.played(setup, rng), 2 * MOST_STEPS)])
    for action in table.dealer.actions:
        seat = rng.randrange(3)
        page = table.phones[seat].get(f"/seat/{seat}").text
        assert not set(re.findall(r'"do": "(\w+)"', unescape(page))) & facts_of(game)
        buttons = [tag for tag in TAPS.findall(page) if "data-prompt" in tag and "disabled" not in tag]
        offered = [
            (unescape(found[1]), json.loads(unescape(sent[1])))
            for tag in buttons
            if (found := re.search(r'data-prompt="([^"]*)"', tag))
            and (sent := re.search(r"data-send='([^']+)'", tag) or re.search(r'data-send="([^"]+)"', tag))
        ]
        if offered:
            before = table.image()
            prompt, deed = rng.choice(offered)
            lacking = lacks(table, seat, deed)
            answer = table.post(seat, deed, prompt)
            if lacking:
                assert answer.status_code == 409, (deed, answer.json)
                assert answer.json["message"] in ALIKE, (deed, answer.json)
            else:
                assert answer.status_code == 200, (deed, answer.json)
                table.stand.table.undo(f"undo-{tapped}")
            assert table.image() == before
            tapped += 1
        table.do(action)
    assert tapped > at_least(game, 8)


def test_a_phone_cannot_state_its_own_weight_passage_or_die(stand: Stand) -> None:
    stand.open(2)
    phone, kiosk = stand.phone(0), stand.kiosk()
    for deeds, do, prompt, values in (
        ([], "roll", "r1.roll.seat0", {"value": 3}),
        ([{"do": "roll", "seat": 0, "value": 3}], "time_up", "r1.time_up", None),
        ([{"do": "time_up"}], "attempt", "r1.attempt1.seat0", {"outcome": "passed"}),
        (
            [{"do": "attempt", "seat": seat, "outcome": "passed"} for seat in (0, 1)],
            "weigh", "r1.weigh.seat0", {"mass_g": 0.01},
        ),
        (
            [{"do": "weigh", "seat": seat, "mass_g": 20.0} for seat in (0, 1)],
            "tie_roll", "r1.tie1.seat0", {"value": 6},
        ),
    ):  # fmt: skip
        stand.play(*deeds)
        before = stand.table.snapshot().journal_seq
        action = {"do": do} if values is None else {"do": do, "seat": 0, **values}
        refused = phone.post("/api/v1/actions", json={"id": f"own-{do}", "prompt": prompt, "action": action})
        assert refused.status_code in (403, 409), do
        assert there(refused.json)["code"] in CODES, do
        assert stand.table.snapshot().journal_seq == before
        page = phone.get("/seat/0").text
        assert f'"do": "{do}"' not in unescape(page)
        accepted = kiosk.post("/api/v1/actions", json={"id": f"table-{do}", "prompt": prompt, "action": action})
        assert accepted.status_code == 200, (do, accepted.json)
        assert kiosk.post("/api/v1/undo", json={"id": f"undo-{do}"}).status_code == 200


def test_a_phone_may_ask_for_the_electronic_die_where_its_page_offers_it(stand: Stand) -> None:
    stand.open(2)
    phone = stand.phone(0)
    assert 'data-chance="r1.roll.seat0"' in phone.get("/seat/0").text
    body = {"id": "die", "prompt": "r1.roll.seat0", "seat": 0}
    theirs = stand.phone(1).post("/api/v1/chance", json=body | {"id": "theirs", "seat": 1})
    assert there(theirs.json)["code"] == "not_your_seat"
    assert phone.post("/api/v1/chance", json=body).status_code == 200

"""What an action costs in each game, and how long a journal takes to fold: `python -m tests.bench.games`."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Action, Player, Rejection, Rules, Setup
from appliance.journal.entries import Acted, Opened
from appliance.journal.fold.history import History
from appliance.journal.fold.restore import restore
from appliance.journal.journal import Journal
from appliance.journal.safekeeping.keys import seal_key
from appliance.journal.transcript import Transcript, read_transcript
from tests.bench.machine import cpu_s, cpu_side_by_side
from tests.bench.page import Aim, Section, Table, show
from tests.places import RECORDINGS

ROUNDS = 5
JOURNAL_ACTIONS = 200_000


def measure(effort: float = 1.0) -> Section:
    rows = [row for name in GAMES if (row := _costs(name, effort)) is not None]
    missing = [name for name in GAMES if not list((RECORDINGS / name).glob("*.jsonl"))]
    journal, aim = _journal(max(round(JOURNAL_ACTIONS * effort), 200))
    heads = (
        "game",
        "games, actions",
        "apply",
        "expects, public",
        "expects, a seat",
        "view, public",
        "view, a seat",
        "apply ÷ copying the state",
    )
    return Section(
        title="Games and their journal",
        method="Every recorded game under `tests/recordings` is replayed action by action. The figures are processor "
        f"time per call, the minimum of {ROUNDS} rounds, averaged over all states of the games. The floor is a copy of "
        "the same states, which are encoded with msgspec and decoded again.",
        tables=[Table(title="A call", heads=heads, rows=rows), journal],
        aims=[aim],
        notes=[f"{name}: there are no recorded games, so nothing was measured." for name in missing],
    )


def _recorded(name: str, effort: float) -> list[Transcript]:
    found = []
    paths = sorted((RECORDINGS / name).glob("*.jsonl"), key=lambda path: -path.stat().st_size)
    for path in paths if effort >= 1 else paths[: max(round(len(paths) * effort), 2)]:
        with path.open("rb") as file:
            transcript = read_transcript(file)
        if isinstance(transcript, Transcript):  # some recordings are of what is refused
            found.append(transcript)
    return found


def _costs(name: str, effort: float) -> list[str] | None:
    transcripts = _recorded(name, effort)
    if not any(transcript.actions for transcript in transcripts):
        return None
    rules = the_game(name).rules
    steps = [step for transcript in transcripts for step in _steps(rules, transcript)]
    rounds = ROUNDS if effort >= 1 else 1

    def over(call: Callable[[Any, Action, int], object]) -> Callable[[], None]:
        def work() -> None:
            for state, action, seat in steps:
                call(state, action, seat)

        return work

    encoder = msgspec.msgpack.Encoder()

    def copy(state: Any, _action: Action, _seat: int) -> None:
        msgspec.msgpack.decode(encoder.encode(state))

    spent = cpu_side_by_side(
        {
            "apply": over(lambda state, action, _: rules.apply(state, action)),
            "expects, public": over(lambda state, _, __: rules.expects(state, None)),
            "expects, a seat": over(lambda state, _, seat: rules.expects(state, seat)),
            "view, public": over(lambda state, _, __: rules.view(state, None)),
            "view, a seat": over(lambda state, _, seat: rules.view(state, seat)),
            "copy": over(copy),
        },
        rounds=rounds,
    )
    each_us = {what: 1e6 * seconds / len(steps) for what, seconds in spent.items()}
    copied = each_us.pop("copy")
    counted = f"{len(transcripts)}, {len(steps)}"
    return [name, counted, *(f"{us:.0f} µs" for us in each_us.values()), f"{each_us['apply'] / copied:.2f}"]


def _steps(rules: Rules, transcript: Transcript) -> list[tuple[Any, Action, int]]:
    """Return every state of a game with the action that leaves it, and a seat that looks."""
    start = rules.set_up(transcript.setup)
    assert not isinstance(start, Rejection), start
    state, found = start.state, []
    for number, action in enumerate(transcript.actions):
        found.append((state, action, number % len(transcript.setup.players)))
        step = rules.apply(state, action)
        assert not isinstance(step, Rejection), step
        state = step.state
    return found


# -- the journal -------------------------------------------------------------------------------------------------


def _journal(count: int) -> tuple[Table, Aim]:
    """Write one endless game of so many actions, and fold it as a restart does, beside the same without our journal."""
    rules = the_game("smugglers").rules
    setup, actions = endless_game(count)
    with tempfile.TemporaryDirectory() as folder:
        path, key = Path(folder) / "journal.sqlite3", seal_key(Path(folder))[0]
        journal = Journal(path, key)
        (opened,) = journal.append(None, [("open", Opened(setup=setup))])
        fields = [msgspec.to_builtins(action) for action in actions]
        for start in range(0, count, 5000):
            bodies = [(f"bench-{n}", Acted(action=fields[n])) for n in range(start, min(start + 5000, count))]
            journal.append(opened, bodies, rules.secret_fields)
        journal.close()
        size_mb = path.stat().st_size / 2**20
        spent: dict[str, float] = {}
        rounds = 1 if count > 20_000 else 3

        def open_and_fold() -> None:
            again = Journal(path, key)
            history = restore(again.read(opened), the_game)
            assert isinstance(history, History)
            assert len(history.actions()) == count
            again.close()

        def sqlite_and_apply() -> None:
            with sqlite3.connect(path) as db:
                rows = db.execute("SELECT body FROM entries ORDER BY seq").fetchall()
            state = rules.set_up(setup).state  # type: ignore[union-attr]  # this set-up was accepted before
            for (body,) in rows[1:]:
                action = msgspec.convert(msgspec.json.decode(body)["action"], rules.action_type)
                state = rules.apply(state, action).state  # type: ignore[union-attr]  # as above

        wall = time.monotonic()
        spent["open the journal and replay it, as a restart does"] = cpu_s(open_and_fold, rounds=rounds)
        lasted_s = (time.monotonic() - wall) / rounds
        floor = "floor: SELECT, JSON and `apply`, without checks and without a history"
        spent[floor] = cpu_s(sqlite_and_apply, rounds=rounds)
    rows = [
        [what, f"{seconds:.2f} s", f"{1e6 * seconds / count:.0f} µs", f"{seconds / spent[floor]:.2f}"]
        for what, seconds in spent.items()
    ]
    ours_s = next(iter(spent.values()))
    longest = int(2.0 / (ours_s / count))
    aim = Aim(
        what="replay of the open game on a restart",
        wanted="within the 2 s of a restart",
        measured=f"{1e6 * ours_s / count:.0f} µs an action: {longest:,} actions in 2 s",
        met=longest > 5000,
        why="the longest recorded games have some hundred actions; games that were put away are not replayed",
    )
    title = f"One game of {count:,} actions in a journal of {size_mb:.0f} MiB ({lasted_s:.1f} s elapsed)"
    return Table(title=title, heads=("", "processor time", "an action", "÷ floor"), rows=rows), aim


def endless_game(count: int) -> tuple[Setup, list[Action]]:
    """A game that can go on for ever: attempts that others disturbed, which are free to repeat (SM-42)."""
    rules = the_game("smugglers").rules
    seats = (Player(name="Ann", putty="yellow"), Player(name="Ben", putty="pink"))
    course = [{"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"}]
    course += [{"do": "attempt", "seat": 0, "outcome": "disturbed"}] * (count - len(course))
    return (
        Setup(format=1, game="smugglers", players=seats),
        [msgspec.convert(action, rules.action_type) for action in course],
    )


if __name__ == "__main__":
    show(measure)

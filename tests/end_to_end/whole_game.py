"""Whole games of Smugglers in lockstep, one or many at once, and an account of each."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from appliance.games.protocol import Action
from appliance.games.smugglers.rules.actions import Open
from tests.end_to_end.lockstep import LockstepTable
from tests.end_to_end.verdicts import SENSED, Witness, name_of

LONGEST_S = 30_000.0


@dataclass(frozen=True)
class Account:
    """What came of a game: how many verdicts were judged, which were wrong, what was tapped instead of sensed."""

    seed: int
    judged: int
    wrong: tuple[str, ...]
    tapped: tuple[str, ...]
    winner: int | None
    played_s: float

    @property
    def flawless(self) -> bool:
        """Whether the sensors alone brought a winner, with every verdict true."""
        return not self.wrong and not self.tapped and self.winner is not None

    def __str__(self) -> str:
        flaws = "; ".join((*self.wrong, *(f"tapped {each}" for each in self.tapped)))
        if self.winner is None:
            flaws += " no winner"
        return f"seed {self.seed}: {self.judged} verdicts in {self.played_s:.0f} s of play, {flaws or 'all true'}"


def play_a_game(folder: Path, seed: int, *, fault: str | None = None, **options: Any) -> Account:
    """Play one game to its end, or for `LONGEST_S`.

    :param fault: what breaks (`hardware.twin.faults`) at a moment of the first rounds that the seed draws.
    """
    table = LockstepTable(folder, seed=seed, **options)
    witness = Witness(table)
    begun_s = table.clock.now_s()
    breaks_s = begun_s + Random(f"{seed} {fault}").uniform(5.0, 120.0)

    to_break = [] if fault is None else [fault]

    def over() -> bool:
        if to_break and table.clock.now_s() >= breaks_s:
            table.twin.faults.switch(to_break.pop(), True)
        witness.look()
        return table.is_over()

    try:
        table.play_until(over, LONGEST_S)
        return Account(
            seed=seed,
            judged=witness.judged,
            wrong=tuple(witness.wrong),
            tapped=tuple(str(action) for action in table.tapped if _could_be_sensed(action)),
            winner=table.view.winner,
            played_s=table.clock.now_s() - begun_s,
        )
    finally:
        table.close()


def _could_be_sensed(action: Action) -> bool:
    """An opened sphere without anything inside shows nothing to a camera: people have to say so."""
    return name_of(action) in SENSED and not (isinstance(action, Open) and action.found == ())


def play_games(seeds: Sequence[int]) -> Iterator[Account]:
    """Play a game for every seed, as many at once as there are cores for this process; yield accounts as they come."""
    with multiprocessing.get_context("spawn").Pool(len(os.sched_getaffinity(0))) as pool:
        yield from pool.imap_unordered(_play_alone, seeds)


def _play_alone(seed: int) -> Account:
    with tempfile.TemporaryDirectory() as folder:
        return play_a_game(Path(folder), seed)

"""How strong robots are beside each other, and which seat wins: `python -m tests.bench.strength`.

Four players, two of a skill against two of the next one, in every arrangement of seats in turn. Chance is drawn by
seeds from 100,000 on, which no robot was made on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Outcome, Rules
from tests.appliance.games.customs.play import a_setup
from tests.appliance.games.customs.robots import robots_played
from tests.appliance.games.haulers.test_robot import robot_game
from tests.appliance.games.prohis.test_robot import recorded_robots
from tests.appliance.games.smugglers.test_robot import play
from tests.bench.page import Aim, Section, Table, show

PAIRED_GAMES = 300
FIRST_SEED = 100_000
SEATS = 4
WANTED_ERRORS = 2.0
ARRANGEMENTS = ((0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 1, 0), (1, 0, 0, 1), (1, 0, 1, 0), (1, 1, 0, 0))


def _outcome(rules: Rules, state: object) -> Outcome:
    outcome = rules.outcome(state)
    assert outcome is not None
    return outcome


def _customs(skills: list[str], seed: int) -> Outcome:
    *_, (_, _, over) = robots_played(a_setup(SEATS, first_officer=None), skills, seed)
    return _outcome(the_game("customs").rules, over)


PLAYED: dict[str, Callable[[list[str], int], Outcome]] = {
    "smugglers": lambda skills, seed: play(seed, SEATS, skills)[2],
    "prohis": lambda skills, seed: _outcome(the_game("prohis").rules, recorded_robots(skills, seed)[0]),
    "haulers": lambda skills, seed: _outcome(the_game("haulers").rules, robot_game(seed, SEATS, skills)[0]),
    "customs": _customs,
}


def _share(shares: Sequence[float]) -> tuple[float, float]:
    """Return the mean of some shares and its standard error."""
    mean = math.fsum(shares) / len(shares)
    variance = math.fsum((one - mean) ** 2 for one in shares) / max(len(shares) - 1, 1)
    return mean, math.sqrt(variance / len(shares))


def _stronger(game: str, weak: str, strong: str, games: int) -> tuple[float, float]:
    """Return which share of wins the two stronger ones have, and its standard error; even players have 0.5."""
    shares = []
    for number in range(games):
        skills = [(weak, strong)[one] for one in ARRANGEMENTS[number % len(ARRANGEMENTS)]]
        winners = PLAYED[game](skills, FIRST_SEED + number).winners
        shares.append(sum(skills[seat] == strong for seat in winners) / len(winners) if winners else 0.5)
    return _share(shares)


def _by_seat(game: str, skill: str, games: int) -> list[tuple[float, float]]:
    """Return each seat's share of wins among equal players, and its standard error; even seats have a quarter each."""
    won: list[Counter[int]] = []
    for number in range(games):
        winners = PLAYED[game]([skill] * SEATS, 2 * FIRST_SEED + number).winners
        won.append(Counter({seat: 1 / len(winners) for seat in winners}))  # type: ignore[arg-type]  # shares
    return [_share([one[seat] for one in won]) for seat in range(SEATS)]


def measure(effort: float = 1.0) -> Section:
    """Return each skill's lead over the one below it, and each seat's share of wins, in every game."""
    games = max(round(PAIRED_GAMES * effort), len(ARRANGEMENTS))
    leads, seats, errors = [], [], []
    for game in GAMES:
        skills = list(the_game(game).robots().SKILLS)  # type: ignore[misc]  # every game of the house has robots
        for weak, strong in pairwise(skills):
            mean, error = _stronger(game, weak, strong, games)
            lead = (mean - 0.5) / error if error else math.inf
            errors.append(lead)
            leads.append([game, f"{strong} over {weak}", f"{mean:.3f} ± {error:.3f}", f"{lead:.1f}"])
        shares = _by_seat(game, skills[-1], games)
        seats.append([game, *(f"{mean:.3f} ± {error:.3f}" for mean, error in shares)])
    return Section(
        title="Robots",
        method=f"{games} games a row, {SEATS} players, no sensors. Two of a skill play two of the next one in every "
        "arrangement of seats; even players would win half. Seats: four of the strongest skill; even seats would win a "
        "quarter each. ± is one standard error.",
        tables=[
            Table(heads=("game", "who", "share of wins", "lead, standard errors"), rows=leads),
            Table(heads=("game", *(f"seat {seat + 1}" for seat in range(SEATS))), rows=seats),
        ],
        aims=[
            Aim(
                what="robots: each skill's lead over the one below",
                wanted=f"≥ {WANTED_ERRORS:.0f} standard errors",
                measured=f"least {min(errors):.1f}",
                met=min(errors) >= WANTED_ERRORS,
            )
        ],
    )


if __name__ == "__main__":
    show(measure)

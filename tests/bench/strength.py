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
from appliance.games.haulers.rules.state import State
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


def _hauled(skills: list[str], seed: int, begins: int | None = None) -> State:
    """Return the end of a game of Haulers. Where `begins` is None, the dice say who has the first turn (TR-3)."""
    return robot_game(seed, SEATS, skills, begins=begins)[0]


PLAYED: dict[str, Callable[[list[str], int], Outcome]] = {
    "smugglers": lambda skills, seed: play(seed, SEATS, skills)[2],
    "prohis": lambda skills, seed: _outcome(the_game("prohis").rules, recorded_robots(skills, seed)[0]),
    "haulers": lambda skills, seed: _outcome(the_game("haulers").rules, _hauled(skills, seed)),
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
        won.append(Counter({seat: 1 / len(winners) for seat in winners}))
    return [_share([one[seat] for one in won]) for seat in range(SEATS)]


def _by_turn(skill: str, games: int, *, by_roll: bool) -> list[tuple[float, float]]:
    """Return the shares of wins in Haulers by the order of turns, the first player's first, and standard errors.

    :param by_roll: the highest start roll has the first turn, as TR-3 says, and its number is also the start city.
        False: each seat has the first turn in turn, whatever its start city.
    """
    rules, won = the_game("haulers").rules, list[dict[int, float]]()
    for number in range(games):
        state = _hauled([skill] * SEATS, 3 * FIRST_SEED + number, None if by_roll else number % SEATS)
        assert state.first is not None
        winners = _outcome(rules, state).winners
        won.append({(seat - state.first) % SEATS: 1 / len(winners) for seat in winners})
    return [_share([one.get(place, 0.0) for one in won]) for place in range(SEATS)]


def measure(effort: float = 1.0) -> Section:
    """Return each skill's lead over the one below it, and each seat's share of wins, in every game."""
    games = max(round(PAIRED_GAMES * effort), 1)
    leads, seats, turns, errors = [], [], [], []
    for game in GAMES:
        skills = list(the_game(game).robots().SKILLS)  # type: ignore[misc]  # every game of the house has robots
        for weak, strong in pairwise(skills):
            mean, error = _stronger(game, weak, strong, games)
            lead = (mean - 0.5) / error if error else math.copysign(math.inf, mean - 0.5)
            errors.append(lead)
            leads.append([game, f"{strong} over {weak}", f"{mean:.3f} ± {error:.3f}", f"{lead:.1f}"])
        shares = _by_seat(game, skills[-1], games)
        seats.append([game, *(f"{mean:.3f} ± {error:.3f}" for mean, error in shares)])
    hauler = list(the_game("haulers").robots().SKILLS)[-1]  # type: ignore[misc]
    rolled, in_turn = (_by_turn(hauler, games, by_roll=by_roll) for by_roll in (True, False))
    for who, places in (("the highest start roll (TR-3)", rolled), ("each seat in turn", in_turn)):
        turns.append([who, *(f"{mean:.3f} ± {error:.3f}" for mean, error in places)])
    by_city, by_city_error = rolled[0][0] - in_turn[0][0], math.hypot(rolled[0][1], in_turn[0][1])
    return Section(
        title="Robots",
        method=f"{games} games per row, {SEATS} players, no sensors. Two robots of one skill play against two of the "
        "next lower skill in every arrangement of seats. Equal players would win half of the games. In the table of "
        "seats, all four have the highest skill. Equal seats would win a quarter each, and so would equal turns in "
        "Haulers. ± is one standard error.",
        tables=[
            Table(heads=("game", "who", "share of wins", "lead, standard errors"), rows=leads),
            Table(heads=("game", *(f"seat {seat + 1}" for seat in range(SEATS))), rows=seats),
            Table(heads=("haulers: who has the first turn", "first turn", "second", "third", "fourth"), rows=turns),
        ],
        aims=[
            Aim(
                what="robots: each skill's lead over the one below",
                wanted=f"≥ {WANTED_ERRORS:.0f} standard errors",
                measured=f"least {min(errors):.1f}",
                met=min(errors) >= WANTED_ERRORS,
            ),
            Aim(
                what="robots: what start cities of the map add to the share of the first turn in Haulers",
                wanted=f"nothing, within {WANTED_ERRORS:.0f} standard errors",
                measured=f"{by_city:+.3f} ± {by_city_error:.3f}",
                met=by_city <= WANTED_ERRORS * by_city_error,
                why="the highest start roll has the first turn, and its number is its start city",
            ),
        ],
    )


if __name__ == "__main__":
    show(measure)

"""The open prompts, from which pages, robots and the fuzzer play (DESIGN §4). `leave` is always legal and never listed.
So is showing a last seal once the game is over.

A prompt's name says the round and the situation; it never comes back once answered.
"""

from __future__ import annotations

from typing import Literal

from appliance.games.protocol import Choice, ManyOf, Number, OneOf, Prompt, Text
from appliance.games.smugglers.rules.actions import FOUND, PIECES, VERDICTS
from appliance.games.smugglers.rules.mass_ranking import LEAST_MASS_G, MOST_MASS_G, standing
from appliance.games.smugglers.rules.phases.opening import MOST_PIECES
from appliance.games.smugglers.rules.phases.seals import SALT_PATTERN, SEAL_PATTERN
from appliance.games.smugglers.rules.phases.skill_test import awaits_check
from appliance.games.smugglers.rules.phases.token_choice import may_forgo, sources
from appliance.games.smugglers.rules.state import (
    Inspecting,
    Opening,
    Ordering,
    Over,
    Rolling,
    Sculpting,
    State,
    Taking,
    Trying,
    Weighing,
)

DIE: dict[str, Choice] = {"value": OneOf((1, 2, 3, 4, 5, 6))}
MASS: dict[str, Choice] = {"mass_g": Number(LEAST_MASS_G, MOST_MASS_G, unit="g")}
SEAL: dict[str, Choice] = {"seal": Text(SEAL_PATTERN)}
SHOWN: dict[str, Choice] = {"piece": OneOf(PIECES), "salt": Text(SALT_PATTERN)}
OUTCOME: dict[str, Choice] = {"outcome": OneOf(VERDICTS)}
FOUND_INSIDE: dict[str, Choice] = {"found": ManyOf(FOUND, at_most=MOST_PIECES)}
FIRST: dict[str, Choice] = {"first": OneOf((True, False))}


def expects(state: State) -> tuple[Prompt, ...]:
    """Return the open prompts. They are the same for every viewer: nothing in them is secret."""
    match state.stage:
        case Over():
            return ()
        case Rolling():
            which = "second_roll" if state.blind else "roll"
            due = [_prompt(state, which, state.start, "roll", DIE, chance="may", by="table")]
        case Sculpting():
            due = [
                Prompt(prompt=f"r{state.round}.time_up", seat=None, do="time_up", by="table"),
                *(_prompt(state, "commit", seat, "commit", SEAL, optional=True) for seat in state.here()),
            ]
        case Trying():
            due = _at_track(state, state.stage)
        case Weighing():
            due = _at_scale(state, state.stage)
        case Inspecting(seat=seat):
            choices: dict[str, Choice] = {"target": OneOf(state.unopened_junk()), "guess": OneOf(PIECES)}
            again = f".again{state.lapsed}" if state.lapsed else ""
            due = [_prompt(state, "inspect", seat, "inspect", choices, more=again)]
        case Opening(seat=seat):
            by = f".by{state.inspection.inspector}" if state.inspection else ""
            due = [_prompt(state, "open", seat, "open", FOUND_INSIDE, more=by)]
        case Taking():
            due = _taking(state, state.stage)
        case Ordering(seat=seat):
            due = [_prompt(state, "order", seat, "order", FIRST)]
    return (*due, *_unsealing(state))


def before_first_roll(prompt: Prompt, round_number: int) -> bool:
    """Return whether `prompt` calls its seat to the track, before its first roll of this round."""
    return prompt.prompt in {f"r{round_number}.{first}.seat{prompt.seat}" for first in ("check1", "attempt1")}


def _at_track(state: State, trying: Trying) -> list[Prompt]:
    seat, number = trying.seat, state.players[trying.seat].attempts + 1
    if awaits_check(state, trying):
        again = f".again{trying.weighings}" if trying.weighings else ""
        answer = _prompt(state, f"check{number}", seat, "weigh", MASS, more=again, by="table")
    else:
        again = f".again{trying.rolls}" if trying.rolls else ""
        answer = _prompt(state, f"attempt{number}", seat, "attempt", OUTCOME, more=again, by="table")
    return [answer, Prompt(prompt=answer.prompt, seat=seat, do="decline")]


def _at_scale(state: State, weighing: Weighing) -> list[Prompt]:
    unweighed = [sphere.seat for sphere in weighing.spheres if sphere.mass_g is None]
    if unweighed:
        return [_prompt(state, "weigh", seat, "weigh", MASS, by="table") for seat in unweighed]
    throws = {sphere.seat: len(sphere.rolls) for sphere in weighing.spheres}
    return [
        _prompt(state, f"tie{throws[seat] + 1}", seat, "tie_roll", DIE, chance="may", by="table")
        for seat in standing(state, weighing.spheres).rollers
    ]


def _taking(state: State, taking: Taking) -> list[Prompt]:
    due = [
        _prompt(state, taking.cause, taking.seat, "take", {"source": OneOf((source,)), "token": OneOf(offered)})
        for source, offered in sources(state, taking).items()
    ]
    if may_forgo(state, taking):
        due.append(_prompt(state, taking.cause, taking.seat, "forgo", {}))
    return due


def _unsealing(state: State) -> list[Prompt]:
    """Offer what was opened to be proved, until the next round's die: whoever opened last ended the round with it."""
    just_ended = state.round - 1 if isinstance(state.stage, Rolling) and not state.blind else state.round
    sealed = [(seat, state.players[seat].opened_seal) for seat in state.here()]
    return [
        Prompt(prompt=f"r{seal.round}.unseal.seat{seat}", seat=seat, do="unseal", choices=SHOWN, optional=True)
        for seat, seal in sealed
        if seal is not None and seal.round >= just_ended
    ]


def _prompt(
    state: State,
    situation: str,
    seat: int,
    do: str,
    choices: dict[str, Choice],
    *,
    more: str = "",
    optional: bool = False,
    chance: Literal["no", "may"] = "no",
    by: Literal["seat", "table"] = "seat",
) -> Prompt:
    name = f"r{state.round}.{situation}.seat{seat}{more}"
    return Prompt(prompt=name, seat=seat, do=do, choices=choices, optional=optional, chance=chance, by=by)

"""The open prompts: with these alone pages, robots and the fuzzer play (DESIGN §4). `leave` is always legal, unlisted.

A prompt's name says the round and the situation; it never comes back once answered.
"""

from __future__ import annotations

from appliance.games.game import ManyOf, Number, OneOf, Prompt, Text
from appliance.games.smugglers.actions import FOUND, PIECES, VERDICTS
from appliance.games.smugglers.opening import MOST_PIECES
from appliance.games.smugglers.seals import SALT_PATTERN, SEAL_PATTERN
from appliance.games.smugglers.skill_test import awaits_check
from appliance.games.smugglers.standing import LEAST_MASS_G, MOST_MASS_G, standing
from appliance.games.smugglers.state import (
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
from appliance.games.smugglers.taking import may_forgo, sources

DIE = OneOf((1, 2, 3, 4, 5, 6))
MASS = Number(LEAST_MASS_G, MOST_MASS_G, unit="g")


def expects(state: State) -> tuple[Prompt, ...]:
    """Return the open prompts. They are the same for every viewer: nothing in them is secret."""
    match state.stage:
        case Over():
            return ()
        case Rolling():
            which = "second_roll" if state.blind else "roll"
            name = f"r{state.round}.{which}.seat{state.start}"
            due = [Prompt(prompt=name, seat=state.start, do="roll", choices={"value": DIE})]
        case Sculpting():
            due = _sculpting(state)
        case Trying():
            due = _at_track(state, state.stage)
        case Weighing():
            due = _at_scale(state, state.stage)
        case Inspecting(seat=seat):
            choices = {"target": OneOf(state.unopened_junk()), "guess": OneOf(PIECES)}
            due = [Prompt(prompt=f"r{state.round}.inspect.seat{seat}", seat=seat, do="inspect", choices=choices)]
        case Opening(seat=seat):
            by = f".by{state.inspection.inspector}" if state.inspection else ""
            found = ManyOf(FOUND, at_most=MOST_PIECES)
            due = [Prompt(prompt=f"r{state.round}.open.seat{seat}{by}", seat=seat, do="open", choices={"found": found})]
        case Taking():
            due = _taking(state, state.stage)
        case Ordering(seat=seat):
            first = OneOf((True, False))
            due = [Prompt(prompt=f"r{state.round}.order.seat{seat}", seat=seat, do="order", choices={"first": first})]
    return (*due, *_unsealing(state))


def _sculpting(state: State) -> list[Prompt]:
    seal = Text(SEAL_PATTERN)
    return [
        Prompt(prompt=f"r{state.round}.time_up", seat=None, do="time_up"),
        *(
            Prompt(
                prompt=f"r{state.round}.commit.seat{seat}", seat=seat, do="commit", choices={"seal": seal}, optional=True
            )
            for seat in state.here()
        ),
    ]


def _at_track(state: State, trying: Trying) -> list[Prompt]:
    seat, number = trying.seat, state.players[trying.seat].attempts + 1
    if awaits_check(state, trying):
        again = f".again{trying.weighings}" if trying.weighings else ""
        name = f"r{state.round}.check{number}.seat{seat}{again}"
        answer = Prompt(prompt=name, seat=seat, do="weigh", choices={"mass_g": MASS})
    else:
        again = f".again{trying.rolls}" if trying.rolls else ""
        name = f"r{state.round}.attempt{number}.seat{seat}{again}"
        answer = Prompt(prompt=name, seat=seat, do="attempt", choices={"outcome": OneOf(VERDICTS)})
    return [answer, Prompt(prompt=name, seat=seat, do="decline")]


def _at_scale(state: State, weighing: Weighing) -> list[Prompt]:
    unweighed = [sphere.seat for sphere in weighing.spheres if sphere.mass_g is None]
    if unweighed:
        return [
            Prompt(prompt=f"r{state.round}.weigh.seat{seat}", seat=seat, do="weigh", choices={"mass_g": MASS})
            for seat in unweighed
        ]
    throws = {sphere.seat: len(sphere.rolls) for sphere in weighing.spheres}
    return [
        Prompt(
            prompt=f"r{state.round}.tie{throws[seat] + 1}.seat{seat}", seat=seat, do="tie_roll", choices={"value": DIE}
        )
        for seat in standing(state, weighing.spheres).rollers
    ]


def _taking(state: State, taking: Taking) -> list[Prompt]:
    name, seat = f"r{state.round}.{taking.cause}.seat{taking.seat}", taking.seat
    due = [
        Prompt(prompt=name, seat=seat, do="take", choices={"token": OneOf(offered), "source": OneOf((source,))})
        for source, offered in sources(state, taking).items()
    ]
    if may_forgo(state, taking):
        due.append(Prompt(prompt=name, seat=seat, do="forgo"))
    return due


def _unsealing(state: State) -> list[Prompt]:
    choices = {"piece": OneOf(PIECES), "salt": Text(SALT_PATTERN)}
    return [
        Prompt(prompt=f"r{sealed.round}.unseal.seat{seat}", seat=seat, do="unseal", choices=choices, optional=True)
        for seat, sealed in ((seat, state.players[seat].opened_seal) for seat in state.here())
        if sealed is not None
    ]

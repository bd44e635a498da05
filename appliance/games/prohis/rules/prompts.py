"""The open prompts, from which pages, robots and the fuzzer play. `leave` is always legal and never listed.

A prompt's name says the turn and the situation; it never comes back once answered. What only its seat may know is
veiled for everybody else, and nobody can tell from the prompts who lacks a Prohi (PR-25, AP-8).
"""

from __future__ import annotations

from appliance.games.prohis.rules.cards import deck
from appliance.games.prohis.rules.phases.bribing import can_offer_more
from appliance.games.prohis.rules.phases.convoying import LARGEST, SMALLEST, prohis_of
from appliance.games.prohis.rules.phases.counting import cards_left, entry_due
from appliance.games.prohis.rules.phases.drawing import may_draw, open_slots
from appliance.games.prohis.rules.phases.inspection import unturned
from appliance.games.prohis.rules.state import State
from appliance.games.protocol import Choice, Number, OneOf, Prompt, Shuffle, SomeOf

YES_NO: tuple[bool, ...] = (True, False)


def expects(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    """Return the open prompts as `viewer` may see them."""
    match state.phase:
        case "shuffle":
            order: dict[str, Choice] = {"order": Shuffle(len(deck(len(state.players))))}
            return (Prompt(prompt="shuffle", seat=None, do="shuffle", choices=order, chance="must", by="table"),)
        case "start":
            here = tuple(seat for seat, player in enumerate(state.players) if not player.passed)
            first: dict[str, Choice] = {"first": OneOf(here)}
            return (Prompt(prompt="start", seat=None, do="start", choices=first, chance="must", by="table"),)
        case "turn":
            return _turn(state, viewer)
        case "second":
            return (*_drawing(state, "second"), _plain(state, "second", state.turn, "stop_drawing"))
        case "declare":
            return tuple(
                _private(state, "declare", seat, "declare", {"prohi": OneOf(prohis_of(state, seat))}, viewer)
                for seat in state.undeclared()
            )
        case "bribe":
            return _bribe(state, viewer)
        case "play":
            return (Prompt(prompt="play", seat=None, do="end_play", by="table"),)
        case "count":
            return tuple(prompt for seat in range(len(state.players)) for prompt in _count(state, seat))
        case "over":
            return ()
        case _:
            return _by_the_inspector(state)


def _turn(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    seat, hand = state.turn, state.players[state.turn].hand
    prompts = list(_drawing(state, "turn"))
    if len(hand) >= SMALLEST:
        choice = SomeOf(hand, SMALLEST, min(LARGEST, len(hand)))
        prompts.append(_private(state, "turn", seat, "convoy", {"cards": choice}, viewer))
    return (*prompts, _plain(state, "turn", seat, "pass"))


def _drawing(state: State, situation: str) -> tuple[Prompt, ...]:
    if not may_draw(state):
        return ()
    prompts = []
    if slots := open_slots(state):
        prompts.append(_plain(state, situation, state.turn, "take", {"slot": OneOf(slots)}))
    if state.pile:
        prompts.append(_plain(state, situation, state.turn, "draw"))
    return tuple(prompts)


def _bribe(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    assert state.convoy is not None
    seat, hand, barred = state.turn, state.players[state.turn].hand, state.convoy.just_rejected
    situation = f"bribe{state.convoy.rejected + 1}"
    stop = _plain(state, situation, seat, "stop_bribing")
    if not can_offer_more(state):
        return (stop,)
    choice = SomeOf(hand, 1, len(hand), () if barred is None else (tuple(sorted(barred)),))
    return (_private(state, situation, seat, "offer", {"cards": choice}, viewer), stop)


def _by_the_inspector(state: State) -> tuple[Prompt, ...]:
    convoy = state.convoy
    assert convoy is not None
    assert convoy.inspector is not None
    if state.phase == "answer":
        number = convoy.rejected + 1
        return (_plain(state, f"answer{number}", convoy.inspector, "answer", {"accept": OneOf(YES_NO)}),)
    if state.phase == "decide":
        return (_plain(state, "decide", convoy.inspector, "decide", {"inspect": OneOf(YES_NO)}),)
    number = len(convoy.turned) + 1
    return (_plain(state, f"inspect{number}", convoy.inspector, "turn", {"position": OneOf(unturned(convoy))}),)


def _count(state: State, seat: int) -> tuple[Prompt, ...]:
    entry = entry_due(state, seat)
    if entry is None:
        return ()
    place, card = entry
    number = Number(0, cards_left(state, card), whole=True)
    choices: dict[str, Choice] = {"place": OneOf((place,)), "card": OneOf((card,)), "number": number}
    return (Prompt(prompt=f"count.{place}.{card}.seat{seat}", seat=seat, do="count", choices=choices),)


def _plain(state: State, situation: str, seat: int, do: str, choices: dict[str, Choice] | None = None) -> Prompt:
    name = f"t{state.turns}.{situation}.seat{seat}"
    return Prompt(prompt=name, seat=seat, do=do, choices=choices or {})


def _private(
    state: State, situation: str, seat: int, do: str, choices: dict[str, Choice], viewer: int | None
) -> Prompt:
    name = f"t{state.turns}.{situation}.seat{seat}"
    if viewer != seat:
        return Prompt(prompt=name, seat=seat, do=do, veiled=True)
    return Prompt(prompt=name, seat=seat, do=do, choices=choices)

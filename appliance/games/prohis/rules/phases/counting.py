"""Keeping score for real cards: each player enters their cards at the end, kind by kind (PR-50, PR-51)."""

from __future__ import annotations

from collections.abc import Iterator

from appliance.games.prohis.rules.actions import PLACES, Count, EndPlay, Place
from appliance.games.prohis.rules.cards import CARDS, WORTH, Card, in_play
from appliance.games.prohis.rules.codes import reject
from appliance.games.prohis.rules.phases.ending import finish
from appliance.games.prohis.rules.state import Counted, State
from appliance.games.prohis.rules.step_builder import ProhisStage, StepBuilder
from appliance.games.protocol import Choice, Number, OneOf, Prompt, Rejection

ENTRIES: tuple[tuple[Place, Card], ...] = tuple(
    (place, card) for place in PLACES for card in CARDS if WORTH[place][card] != 0
)
"""The entries that players are asked for, in this order: everything that scores."""


def end_play(builder: StepBuilder, action: EndPlay) -> Rejection | None:
    """Start the count."""
    builder.change(phase="count")
    builder.tell("play_ended", "PR-50")
    return None


def entry_due(state: State, seat: int) -> tuple[Place, Card] | None:
    """Return the next entry of a player, or None when they have entered all."""
    made = len(state.players[seat].counted)
    return ENTRIES[made] if made < len(ENTRIES) else None


def cards_left(state: State, card: Card) -> int:
    """Return the number of cards of a kind that nobody has entered yet."""
    entered = sum(entry.number for player in state.players for entry in player.counted if entry.card == card)
    return in_play(len(state.players))[card] - entered


def count(builder: StepBuilder, action: Count) -> Rejection | None:
    """Record one entry. The last one ends the game."""
    state = builder.state
    wanted = entry_due(state, action.seat)
    if wanted is None:
        return reject("counted_already", "PR-50", {"seat": action.seat})
    if (action.place, action.card) != wanted:
        return reject("other_count_due", "PR-50", {"seat": action.seat, "place": wanted[0], "card": wanted[1]})
    most = cards_left(state, action.card)
    if not 0 <= action.number <= most:
        return reject("too_many_cards", "PR-1", {"seat": action.seat, "card": action.card, "most": most})
    entry = Counted(action.place, action.card, action.number)
    builder.change_player(action.seat, counted=(*state.players[action.seat].counted, entry))
    if entry_due(builder.state, action.seat) is None:
        builder.tell("cards_counted", "PR-50", seat=action.seat)
    if all(entry_due(builder.state, seat) is None for seat in range(len(state.players))):
        finish(builder, "counted", "PR-50")
    return None


# -- the stages


def _playing(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    return (Prompt(prompt="play", seat=None, do="end_play", by="table"),)


def _counting(state: State, viewer: int | None) -> Iterator[Prompt]:
    for seat in range(len(state.players)):
        entry = entry_due(state, seat)
        if entry is not None:
            place, card = entry
            number = Number(0, cards_left(state, card), whole=True)
            choices: dict[str, Choice] = {"place": OneOf((place,)), "card": OneOf((card,)), "number": number}
            yield Prompt(prompt=f"count.{place}.{card}.seat{seat}", seat=seat, do="count", choices=choices)


PLAY = ProhisStage(due=lambda state: reject("real_cards_in_play", "AP-1"), prompts=_playing, does={EndPlay: end_play})
COUNT = ProhisStage(due=lambda state: reject("count_due", "PR-50"), prompts=_counting, does={Count: count})

"""Whoever only listens knows the board: what happens is told whole, in order, and with the right values."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.games.protocol import Happening
from appliance.games.smugglers.rules.rules import RULES
from tests.appliance.games.recordings import NAMES, heard


class Listener:
    """Keeps the board by what is announced alone, as somebody would who only hears the table speak."""

    def __init__(self, players: int) -> None:
        self.tokens = [{"sweet": 0, "sour": 0} for _ in range(players)]
        self.bombs = [[1, 0] for _ in range(players)]
        """Usable and spent."""
        self.room = ["screen"] * players
        self.place: list[int | None] = [None] * players
        self.opened: list[Any] = [None] * players
        self.round, self.start = 0, -1
        self.lane: int | None = None
        self.blind = False
        self.guess: dict[str, Any] | None = None
        """An inspection of which nobody has heard how it came out."""
        self.end: tuple[Any, Any] = (None, None)

    def hear(self, happening: Happening) -> None:
        code, values = happening.code, happening.values
        seat = values.get("seat", -1)
        match code:
            case "token_taken":
                self.tokens[seat][values["token"]] += 1
            case "token_stolen":
                self.tokens[seat][values["token"]] += 1
                self.tokens[values["source"]][values["token"]] -= 1
            case "bomb_spent":
                self.bombs[seat][0] -= 1
                self.bombs[seat][1] += 1
            case "bomb_handed_over":
                self.bombs[seat][0] += 1
                self.bombs[values["target"]][0] -= 1
            case "piece_taken" if values["piece"] == "bomb":
                self.bombs[seat][0] += 1
            case "sphere_passed":
                self.room[seat] = "bar"
            case "sphere_junked" | "sphere_too_small":
                self.room[seat] = "junk"
            case "chair_taken":
                self.room[seat], self.place[seat] = "office", values["place"]
            case "sphere_opened":
                self.opened[seat] = values["pieces"]
            case "empty_sphere_opened":
                self.opened[seat] = []
            case "inspection_made":
                self.guess = dict(values)
            case "guess_right" | "guess_wrong":
                assert self.guess is not None
                assert (self.guess["seat"], self.guess["target"]) == (seat, values["target"])
                right = self.opened[values["target"]] == [self.guess["guess"]]
                assert code == ("guess_right" if right else "guess_wrong")
                self.guess = None
            case "sack_illegal" if self.guess is not None and self.guess["target"] == seat:
                self.guess = None
            case "boss_moved":
                self.lane = values["lane"]
            case "round_went_blind":
                self.blind = True
            case "start_passed":
                self.start = seat
            case "round_started":
                self.round, self.start, self.lane, self.blind = values["round"], seat, None, False
                self.room = [room if room == "left" else "screen" for room in self.room]
                self.place, self.opened = [None] * len(self.room), [None] * len(self.room)
            case "player_left":
                self.room[seat], self.place[seat], self.opened[seat] = "left", None, None
                self.tokens[seat], self.bombs[seat] = {"sweet": 0, "sour": 0}, [0, 0]
                if self.guess is not None and seat in (self.guess["seat"], self.guess["target"]):
                    self.guess = None
            case "game_won":
                self.end = values["winner"], values["reason"]
            case "game_abandoned":
                self.end = None, "abandoned"


@pytest.mark.parametrize("name", NAMES["smugglers"])
def test_who_only_listens_knows_the_board(name: str) -> None:
    listener: Listener | None = None
    for state, happened in heard("smugglers", name):
        view = RULES.view(state, None)
        listener = listener or Listener(len(view.players))
        for happening in happened:
            listener.hear(happening)
        assert listener.tokens == [{"sweet": player.sweet, "sour": player.sour} for player in view.players]
        assert listener.bombs == [[player.usable_bombs, player.spent_bombs] for player in view.players]
        rooms = ["screen" if player.room == "track" else player.room for player in view.players]
        assert listener.room == rooms
        assert listener.place == [player.place for player in view.players]
        assert listener.opened == [None if p.opened is None else list(p.opened) for p in view.players]
        assert (listener.round, listener.start) == (view.round, view.start)
        assert (listener.lane, listener.blind) == (view.lane, view.blind)
        assert listener.guess is None or view.inspection is not None
        assert listener.end == (view.winner, view.reason)


def test_every_outcome_of_a_roll_is_told_by_its_rule() -> None:
    """RULES SM-33 … SM-42: what became of each roll, and by which rule."""
    by_rule = {
        "sphere_passed": "SM-33",
        "sphere_stuck": "SM-34",
        "sphere_junked": "SM-35",
        "sphere_short": "SM-40",
        "sphere_short_thrice": "SM-40",
        "sphere_astray": "SM-41",
        "sphere_astray_again": "SM-41",
        "sphere_disturbed": "SM-42",
        "sphere_touched": "SM-42",
    }
    found = {
        (happening.code, happening.rule)
        for name in NAMES["smugglers"]
        for _, happened in heard("smugglers", name)
        for happening in happened
        if happening.code in by_rule
    }
    assert found == set(by_rule.items())

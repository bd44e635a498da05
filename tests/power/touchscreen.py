"""The touchscreen as a program: it plays the games by the API alone, and notes what the table acknowledged."""

from __future__ import annotations

import http.client
import json
from itertools import count
from random import Random
from typing import Any

import msgspec

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Prompt
from tests.appliance.games.contract import play

PLAYERS = 3
LONGEST = 400
"""Deeds after which a game is put away."""
CORRECTED = 0.05
"""How often the newest action is undone."""
ANSWERED_S = 300.0
"""When an answer that does not come counts as a hang."""


class Touchscreen:
    """Plays one game after the other at a table on this machine.

    :param port: where the table serves.
    :param name: what its ids begin with; no two touchscreens of one journal have the same.
    :param games: what it plays, in turn.

    `acknowledged` has the entry numbers that the table answered, by id. `sent` is what was sent last and has no answer:
    another touchscreen sends it again with the same id, as a browser does. `over`: a game was put away.
    """

    def __init__(self, port: int, name: str, random: Random, games: tuple[str, ...] = tuple(GAMES)) -> None:
        self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWERED_S)
        self._random, self._games = random, games
        self._ids = (f"{name}-{number}" for number in count())
        self.acknowledged: dict[str, int] = {}
        self.sent: tuple[str, dict[str, Any]] | None = None
        self.over = False
        self._of_this_game = 0

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def deed(self) -> int | None:
        """Do one thing that is possible now. Return the number of the entry that it became; None: it was refused.

        :raises OSError: the table does not answer any more.
        :raises http.client.HTTPException: it stopped in the middle of an answer.
        """
        view = self.ask("GET", "view")[1]
        if view["game"] is None:
            return self._open()
        prompts = [one for one in msgspec.convert(view["prompts"], list[Prompt]) if not one.veiled]
        if not prompts or self._of_this_game >= LONGEST:
            self.over = True
            return self.tell("games/close", {})
        self._of_this_game += 1
        if view["log"] and self._random.random() < CORRECTED:
            return self.tell("undo", {})
        prompt = self._random.choice(prompts)
        if prompt.chance == "must":
            return None  # the table itself draws it at once
        if prompt.chance == "may" and self._random.random() < 0.5:
            return self.tell("chance", {"prompt": prompt.prompt, "seat": prompt.seat})
        action = play.answer(the_game(view["game"]), prompt, self._random)
        return self.tell("actions", {"prompt": prompt.prompt, "action": msgspec.to_builtins(action)})

    def _open(self) -> int | None:
        self._of_this_game = 0
        game = the_game(self._random.choice(self._games))
        setup: dict[str, Any] = msgspec.to_builtins(play.a_setup(game, PLAYERS))
        del setup["format"]
        return self.tell("games", setup)

    def tell(self, path: str, body: dict[str, Any]) -> int | None:
        """Send something with an id of its own (or the id that `body` has) and note the answer."""
        body = {"id": next(self._ids)} | body
        self.sent = path, body
        status, answer = self.ask("POST", path, body)
        self.sent = None
        if status >= 500:
            raise AssertionError(f"the table answers {path} with {status}: {answer}")
        if status != 200:
            return None
        self.acknowledged[body["id"]] = int(answer["seq"])
        return int(answer["seq"])

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
        """Return the status and the decoded body of an answer."""
        headers = {} if body is None else {"Content-Type": "application/json"}
        self._http.request(method, f"/api/v1/{path}", None if body is None else json.dumps(body), headers)
        answer = self._http.getresponse()
        return answer.status, json.loads(answer.read())

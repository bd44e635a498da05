"""Tables of a chain that send envelopes, and what a league has to make of them by their own count."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from appliance.games.league.result import Result
from appliance.games.protocol import Outcome
from appliance.hub.envelopes import Corrected, Envelope, Happened, TheEnd, TheGame, Told, encoded
from appliance.hub.store.envelopes_kept import Arrived

EVENING_S = 1_790_000_000.0


class SendingTable:
    """One table: its envelopes in order, and the results that its people saw."""

    def __init__(self, name: str, wall_s: float = EVENING_S) -> None:
        self.name, self.wall_s = name, wall_s
        self.sent: list[Arrived] = []
        self.results: dict[int, Result] = {}
        self._opened: dict[int, tuple[str, tuple[str | None, ...], float, bool]] = {}
        self.games = 0

    def _send(self, game: int, body: Any, outcome: Outcome | None, later_s: float = 60.0) -> None:
        self.wall_s += later_s
        envelope = Envelope(
            table=self.name, seq=len(self.sent) + 1, game=game, wall_s=self.wall_s, body=body, outcome=outcome
        )
        self.sent.append(Arrived(self.name, envelope.seq, encoded(envelope)))

    def open(self, players: Sequence[str | None], kind: str = "smugglers", imported: bool = False) -> int:
        self.games += 1
        names = tuple(players)
        body = TheGame(kind=kind, players=names, imported=imported, seating=self.games)
        self._send(self.games, body, None)
        self._opened[self.games] = (kind, names, self.wall_s, imported)
        return self.games

    def goes_on(self, game: int) -> None:
        self._send(game, Happened(told=(Told(code="sphere_passed", values={"seat": 0}),)), None)

    def won(self, game: int, *winners: int) -> None:
        self._send(game, Happened(told=()), Outcome(winners, "points"))
        self._count(game, winners)

    def amended(self, game: int, *winners: int) -> None:
        outcome = Outcome(winners, "points") if winners else None
        self._send(game, Corrected(target=1, undone=not winners, told=()), outcome)
        self._count(game, winners)

    def put_away(self, game: int, *winners: int) -> None:
        self._send(game, TheEnd(), Outcome(winners, "points") if winners else None)

    def played(self, players: Sequence[str | None], *winners: int, kind: str = "smugglers") -> int:
        game = self.open(players, kind)
        self.won(game, *winners)
        self.put_away(game, *winners)
        return game

    def _count(self, game: int, winners: Sequence[int]) -> None:
        kind, names, opened_s, imported = self._opened[game]
        if not winners or imported:
            self.results.pop(game, None)
            return
        ranks = tuple(1 if seat in winners else 2 for seat in range(len(names)))
        self.results[game] = Result(table=self.name, seq=game, played_s=opened_s, game=kind, guests=names, ranks=ranks)


def evening(tables: int, games: int, seed: int) -> list[SendingTable]:
    """Some tables at which guests who wander between them play; some games are amended, undone or put away."""
    chance = random.Random(seed)
    guests = [f"Guest {n}" for n in range(5 * tables)]
    sending = [SendingTable(f"table-{n}", EVENING_S + chance.uniform(0, 3600)) for n in range(tables)]
    for _ in range(games):
        table = chance.choice(sending)
        players: list[str | None] = list(chance.sample(guests, chance.randint(2, 5)))
        if chance.random() < 0.2:
            players[0] = None
        game = table.open(players, chance.choice(("smugglers", "customs")), imported=chance.random() < 0.05)
        table.goes_on(game)
        winners: tuple[int, ...] = (chance.randrange(len(players)),)
        if chance.random() < 0.1:
            table.put_away(game)
            continue
        table.won(game, *winners)
        if chance.random() < 0.2:
            winners = (chance.randrange(len(players)),)
            table.amended(game, *winners)
        elif chance.random() < 0.05:
            table.amended(game)
            winners = ()
        table.put_away(game, *winners)
    return sending

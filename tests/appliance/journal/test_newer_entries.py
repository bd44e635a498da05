"""An older release on a journal with entries of a newer one: it says so, moves nothing away and loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.games.protocol import Rejection
from appliance.journal.entries import Body
from tests.appliance.games.porters import Cross
from tests.appliance.journal.crashed import Kept


class Rested(Body, frozen=True, tag="rested"):
    """A kind of entry that this release has never heard of."""


@pytest.mark.parametrize("last", [True, False])
def test_a_game_with_an_entry_of_an_unknown_kind_waits_for_the_newer_release(tmp_path: Path, last: bool) -> None:
    table = Kept(tmp_path)
    game = table.open()
    table.half_a_round()
    (newest,) = table.journal.append(game, [("rested", Rested())])  # type: ignore[list-item]
    if not last:
        newest = table.did(Cross(seat=1, outcome="passed"))
    rows = table.journal.rows_after(0, 100)
    for _ in range(2):
        table.reopen()
        assert table.told() == {"resume": "journal_newer"}
        assert table.table.snapshot().game is None
        assert table.journal.rows_after(0, 100) == rows
    assert not list(tmp_path.glob("damaged-*")), "nothing is taken for damaged"
    table.open()
    table.half_a_round()
    assert table.journal.rows_after(0, newest) == rows, "another game changes nothing of it"
    table.close()


def test_the_other_past_games_can_be_read_beside_one_that_waits(tmp_path: Path) -> None:
    table = Kept(tmp_path)
    first = table.open()
    table.half_a_round()
    table.accepted(table.table.close_game(table.new_id()))
    waiting = table.open()
    table.journal.append(waiting, [("rested", Rested())])  # type: ignore[list-item]
    table.reopen()

    def past() -> list[int]:
        games = table.table.past_games()
        assert isinstance(games, tuple), games
        return [game.game for game in games]

    assert past() == [first], "the one that waits may be open"
    assert isinstance(table.table.past_history(first), tuple)
    third = table.open()
    assert past() == [waiting, first]
    assert table.table.past_history(waiting) == Rejection("journal_newer", "")
    assert isinstance(table.table.past_history(third), Rejection), "it is open"
    assert isinstance(table.table.past_history(first), tuple)
    assert isinstance(table.table.past_history(third + 1), Rejection), "it opened no game"
    table.close()


def test_a_past_game_whose_opening_only_the_newer_release_can_read_is_not_listed(tmp_path: Path) -> None:
    table = Kept(tmp_path)
    first = table.open()
    table.half_a_round()
    table.accepted(table.table.close_game(table.new_id()))
    newer = table.journal.last_seq() + 1
    assert table.journal.append(newer, [("rested", Rested())]) == (newer,)  # type: ignore[list-item]
    table.reopen()
    table.open()
    past = table.table.past_games()
    assert isinstance(past, tuple), past
    assert [game.game for game in past] == [first]
    assert isinstance(table.table.past_history(newer), Rejection)
    table.close()

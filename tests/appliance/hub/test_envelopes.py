"""What leaves a table: each entry once, in order, in the same bytes whenever it is asked; and never a secret."""

from __future__ import annotations

from functools import partial
from itertools import islice
from pathlib import Path
from random import Random

import msgspec
import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Player, Rejection
from appliance.hub.envelopes import MOST_BYTES, Corrected, Happened, TheEnd, TheGame, Told
from appliance.hub.fleet import games_played
from appliance.hub.fleet.table import FleetTable
from appliance.hub.link import nkeys
from appliance.hub.link.invitation import Invitation
from appliance.journal.archive import Archive, import_entries
from appliance.journal.entries import Acted, Amended, Undone
from appliance.journal.journal import Journal
from appliance.journal.sealing import Sealer
from tests.appliance.games.contract import play
from tests.appliance.games.contract.play import EVERY, NAMES
from tests.appliance.games.contract.test_secrets import twins
from tests.appliance.hub.journals import TABLE, envelopes, open_journal, teller, write_game

PROHIS = the_game("prohis")


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_games_that_differ_in_secrets_only_leave_the_table_as_the_same_bytes(name: str, tmp_path: Path) -> None:
    game = EVERY[name]
    played = play.play(game, 3)
    others = list(islice(twins(played, Random(3)), 2))
    assert bool(others) == bool(game.rules.secret_fields)
    told = []
    for number, actions in enumerate([played.actions, *(twin.actions for twin in others)]):
        journal = open_journal(tmp_path / str(number))
        write_game(journal, game, played.setup, actions)
        told.append(list(teller(journal, games=EVERY.__getitem__).after(0, 100_000)))
        journal.close()
    assert len(told[0]) == len(played.actions) + 2
    assert all(other == told[0] for other in told[1:])
    assert max(len(one) for _, one in told[0]) < MOST_BYTES


@pytest.mark.parametrize("name", EVERY)
def test_a_hub_hears_what_everybody_heard_and_who_won(name: str, tmp_path: Path) -> None:
    game = EVERY[name]
    played = play.play(game, 5)
    journal = open_journal(tmp_path)
    write_game(journal, game, played.setup, played.actions)
    told = envelopes(journal, partial(teller, games=EVERY.__getitem__))
    assert [one.seq for one in told] == list(range(1, len(played.actions) + 3))
    assert {(one.table, one.game) for one in told} == {(TABLE, 1)}
    first, *deeds, last = (one.body for one in told)
    assert isinstance(first, TheGame)
    assert first.players == tuple(player.name for player in played.setup.players)
    heard = [[one for one in step.happened if one.to is None] for step in played.steps]
    for body, happened in zip([first, *deeds], heard, strict=True):
        assert isinstance(body, TheGame | Happened)
        assert [one.code for one in body.told] == [one.code for one in happened]
    assert last == TheEnd()
    final = game.rules.outcome(played.steps[-1].state)
    assert [one.outcome for one in told[-2:]] == [final, final]
    assert told[-3].outcome is None


def test_telling_from_the_middle_of_a_game_gives_the_same_bytes_as_from_its_start(tmp_path: Path) -> None:
    played = play.play(PROHIS, 2)
    journal = open_journal(tmp_path)
    write_game(journal, PROHIS, played.setup, played.actions)
    write_game(journal, PROHIS, played.setup, played.actions, closed=False)
    whole = list(teller(journal).after(0, 100_000))
    in_threes, at = [], 0
    going_on = teller(journal)
    while some := list(going_on.after(at, 3)):
        in_threes += some
        at = some[-1][0]
    assert in_threes == whole
    for begin in range(0, len(whole), 7):
        assert list(teller(journal).after(begin, 2)) == whole[begin : begin + 2]


@pytest.fixture
def corrected(tmp_path: Path) -> Journal:
    """A game of which six deeds are done."""
    played = play.play(PROHIS, 2)
    journal = open_journal(tmp_path)
    write_game(journal, PROHIS, played.setup, played.actions[:6], closed=False)
    return journal


def test_what_was_taken_back_does_not_count_at_the_hub(corrected: Journal) -> None:
    before = envelopes(corrected)
    corrected.append(1, [("undo", Undone(target=7))])
    told = envelopes(corrected)[-1].body
    assert isinstance(told, Corrected)
    assert (told.target, told.undone, told.set_aside) == (7, True, (7,))
    stays = [(one.seq, one.body.told) for one in before[:6] if isinstance(one.body, Happened | TheGame)]
    assert list(told.told) == [(seq, what) for seq, what in stays if what]


def test_an_amendment_tells_the_game_anew_and_what_it_set_aside(tmp_path: Path) -> None:
    game = EVERY["porters"]
    played = play.play(game, 1, leaving=0)
    journal = open_journal(tmp_path)
    write_game(journal, game, played.setup, played.actions, closed=False)
    journal.append(1, [("amend", Amended(target=2, action=None))])
    told = envelopes(journal, partial(teller, games=EVERY.__getitem__))[-1].body
    if isinstance(told, Corrected):
        assert told.target == 2
        assert 2 in told.set_aside
        assert all(seq not in told.set_aside for seq, _ in told.told)
    else:
        pytest.fail("an amendment that the rules take is told as one")


def test_a_name_that_was_erased_or_never_typed_stays_at_the_table(tmp_path: Path) -> None:
    played = play.play(PROHIS, 2)
    journal = open_journal(tmp_path)
    write_game(journal, PROHIS, played.setup, played.actions)
    names = [player.name for player in played.setup.players]

    def erased(player: Player, game: int) -> bool:
        return (player.name, game) == (names[0], 1)

    told = list(teller(journal, erased).after(0, 100_000))
    assert all(names[0].encode() not in one for _, one in told)
    assert names[1].encode() in told[0][1]


def test_a_game_from_elsewhere_and_one_that_the_hub_has_already_count_for_no_league(tmp_path: Path) -> None:
    played = play.play(PROHIS, 2)
    journal = open_journal(tmp_path)
    write_game(journal, PROHIS, played.setup, played.actions)
    imported = import_entries(played.setup, played.actions, "file", "own-", the_game)
    assert isinstance(imported, tuple)
    journal.append(None, imported[1], PROHIS.rules.secret_fields)
    last = write_game(journal, PROHIS, played.setup, played.actions)

    def marks(counts_from: int) -> list[bool]:
        told = envelopes(journal, partial(teller, counts_from=counts_from))
        return [one.body.imported for one in told if isinstance(one.body, TheGame)]

    assert marks(0) == [False, True, False]
    assert marks(last - 1) == [True, True, False]


def test_a_game_that_this_release_cannot_fold_is_told_without_what_happened(tmp_path: Path) -> None:
    played = play.play(PROHIS, 2)
    journal = open_journal(tmp_path)
    newer = msgspec.structs.replace(played.setup, rules=999)
    journal_of_newer = [(f"n{n}", Acted(action=msgspec.to_builtins(one))) for n, one in enumerate(played.actions)]
    game = write_game(journal, PROHIS, newer, (), closed=False)
    journal.append(game, journal_of_newer, PROHIS.rules.secret_fields)
    told = envelopes(journal)
    assert [one.seq for one in told] == list(range(1, len(played.actions) + 2))
    assert isinstance(told[0].body, TheGame)
    assert {one.body for one in told[1:]} == {Happened(told=())}


@pytest.mark.parametrize("name", [name for name in GAMES if the_game(name).rules.secret_fields])
def test_a_game_whose_seals_do_not_open_is_told_by_what_is_open_and_its_end(name: str, tmp_path: Path) -> None:
    game = the_game(name)
    played = play.play(game, 3)
    sealed = open_journal(tmp_path)
    write_game(sealed, game, played.setup, played.actions)
    ended = envelopes(sealed)[-1].outcome
    sealed.close()
    journal = Journal(tmp_path / "journal.sqlite3", Sealer([bytes([7] * 32)]))
    told = envelopes(journal)
    assert [one.seq for one in told] == list(range(1, len(played.actions) + 3))
    tags = [msgspec.to_builtins(action)["do"] for action in played.actions]
    first = next(number for number, tag in enumerate(tags, 1) if game.rules.secret_fields.get(tag))
    assert {(one.body, one.outcome) for one in told[first:-1]} == {(Happened(told=()), None)}
    assert isinstance(told[0].body, TheGame)
    assert (told[-1].body, told[-1].outcome) == (TheEnd(), ended)
    assert list(teller(journal).after(first + 1, 100_000)) == list(teller(journal).after(0, 100_000))[first + 1 :]
    journal.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_a_hub_that_follows_the_corrections_knows_what_the_table_says_of_the_game(name: str, tmp_path: Path) -> None:
    """Amended, undone and done again: the truth is what pages of past games show."""
    played = games_played.play(the_game(name), NAMES[:3], seed=11)
    assert played is not None
    to = Invitation(table=TABLE, host="nowhere", port=1, seed=nkeys.new_seed(), authority=b"")
    table = FleetTable(tmp_path, to, release="0")
    for _ in table.replay(played, NAMES[:3]):
        pass
    known: dict[int, tuple[Told, ...]] = {}
    corrections = 0
    for one in envelopes(table.journal):
        match one.body:
            case TheGame(told=told) | Happened(told=told):
                known[one.seq] = told
            case Corrected(told=told, set_aside=set_aside):
                corrections += 1
                assert not set_aside or set(set_aside) & {seq for seq, _ in told} == set()
                known = dict(told)
    said = Archive(table.journal, the_game).log(1)
    assert not isinstance(said, Rejection)
    shown = [(line.seq, line.happening.code, line.happening.values) for line in said if line.kind == "happening"]
    assert [(seq, one.code, one.values) for seq, told in sorted(known.items()) for one in told] == [
        (seq, code, msgspec.to_builtins(values)) for seq, code, values in shown
    ]
    assert corrections > 1
    table.close()


def test_what_is_too_long_to_send_leaves_no_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = play.play(PROHIS, 2)
    journal = open_journal(tmp_path)
    write_game(journal, PROHIS, played.setup, played.actions)
    most = sorted(len(told) for _, told in teller(journal).after(0, 1000))[-3]
    monkeypatch.setattr("appliance.hub.outbox.teller.MOST_BYTES", most)
    told = list(teller(journal).after(0, 1000))
    assert [seq for seq, _ in told] == list(range(1, len(played.actions) + 3))
    assert max(len(one) for _, one in told) == most

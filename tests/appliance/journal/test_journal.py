"""The journal file: append-only, sealed, one writer, and one clear error for whatever is wrong with it."""

import shutil
import sqlite3
from pathlib import Path

import msgspec
import pytest

from appliance.games.game import Game
from appliance.games.protocol import Action, Proposal, Rejection, Step
from appliance.journal.entries import Acted, Opened, Paused
from appliance.journal.journal import Journal
from appliance.journal.journal_file import FORMAT, JournalError
from appliance.journal.safekeeping.backup import back_up
from appliance.journal.safekeeping.keys import seal_key
from appliance.journal.sealing import Sealer, SealError
from appliance.snapshot import Accepted, Submission
from hardware.readings import ButtonPressed
from tests.appliance.conftest import PortersTable, setup
from tests.appliance.games.porters import Cross, Hide, Porters
from tests.porters_game.rules.state import State

MASS_G = 27.318281


def error_on_open(folder: Path) -> JournalError:
    with pytest.raises(JournalError) as caught:
        Journal(folder / "journal.sqlite3", seal_key(folder)[0])
    assert caught.value.values == {"path": str(folder / "journal.sqlite3")}, "the sentence says which file"
    return caught.value


def played(tmp_path: Path) -> PortersTable:
    porters = PortersTable(tmp_path)
    porters.open()
    porters.did(Hide(seat=0, mass_g=MASS_G))
    porters.did(Hide(seat=1, mass_g=19.3))
    return porters


# -- append-only -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET wall_s = 0",
        "UPDATE entries SET body = x'7b7d' WHERE seq = 2",
        "DELETE FROM entries",
        "DELETE FROM entries WHERE seq = 3",
        "INSERT OR REPLACE INTO entries SELECT * FROM entries WHERE seq = 2",
        "INSERT OR REPLACE INTO entries SELECT 4, game, client_id, 0, body, sealed, digest FROM entries WHERE seq = 2",
        "INSERT INTO entries SELECT 9, game, 'x', wall_s, body, sealed, digest FROM entries WHERE seq = 2",
    ],
)
def test_sqlite_itself_refuses_to_change_history(tmp_path: Path, statement: str) -> None:
    played(tmp_path).close()
    db = sqlite3.connect(tmp_path / "journal.sqlite3")
    before = db.execute("SELECT * FROM entries").fetchall()
    with pytest.raises(sqlite3.IntegrityError, match="never"):
        db.execute(statement)
    db.rollback()
    assert db.execute("SELECT * FROM entries").fetchall() == before
    db.close()


def test_an_id_counts_once_in_the_file_whatever_the_program_does(porters: PortersTable) -> None:
    porters.open()
    with pytest.raises(sqlite3.IntegrityError):
        porters.journal.append(None, [("new", Opened(setup=setup())), ("new", Opened(setup=setup()))])
    assert porters.journal.last_seq() == 1
    porters.did(Hide(seat=0, mass_g=22.7))


def test_it_writes_ahead_and_syncs_in_full(porters: PortersTable) -> None:
    pragma = porters.journal._db.execute
    assert pragma("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert pragma("PRAGMA synchronous").fetchone()[0] == 2


def test_entries_say_when_for_people(porters: PortersTable) -> None:
    game = porters.open()
    porters.wait(3.5)
    porters.did(Hide(seat=0, mass_g=22.7))
    assert [entry.wall_s for entry in porters.journal.read(game)] == [1_800_000_000.0, 1_800_000_003.5]


# -- secrets -----------------------------------------------------------------------------------------------------


def test_no_file_of_the_table_holds_a_mass(tmp_path: Path) -> None:
    porters = played(tmp_path)
    porters.table.amend(3, Hide(seat=1, mass_g=41.414141), "amend")
    porters.do(Hide(seat=0, mass_g=55.123456))
    porters.table.command("turn_hourglass", "turn")
    names = {path.name for path in tmp_path.iterdir()}
    assert "journal.sqlite3-wal" in names, "the log that is not folded in yet is looked at too"
    for moment in ("open", "closed"):
        for path in (path for path in tmp_path.rglob("*") if path.is_file()):
            raw = path.read_bytes()
            for mass_g in (MASS_G, 19.3, 41.414141, 55.123456):
                assert str(mass_g).encode() not in raw, (moment, path.name)
                for packed in (msgspec.msgpack.encode(mass_g)[1:], msgspec.msgpack.encode(mass_g)[:0:-1]):
                    assert packed not in raw, (moment, path.name)
            assert moment == "open" or not path.name.endswith("-wal")
        porters.close()


def test_the_length_of_a_seal_tells_nothing() -> None:
    sealer = Sealer([bytes(32)])
    lengths = {len(sealer.seal(plain, b"x")) for plain in (b"", b'{"mass_g":9}', b'{"mass_g":22.734512}')}
    assert len(lengths) == 1
    assert len({len(sealer.seal(bytes(size), b"x")) for size in range(1000)}) == 4, "powers of two from 128 to 1024"
    assert sealer.seal(b"same", b"x") != sealer.seal(b"same", b"x")
    long = b"q" * 5000
    assert sealer.open(sealer.seal(long, b"x"), b"x") == long


def test_a_seal_opens_only_where_it_was_made() -> None:
    sealer = Sealer([bytes(32)])
    blob = sealer.seal(b"22.7", b"entry 2 of game 1")
    with pytest.raises(SealError) as moved:
        sealer.open(blob, b"entry 3 of game 1")
    assert moved.value.code == "seal_broken"
    for index in range(8, len(blob)):
        with pytest.raises(SealError):
            sealer.open(blob[:index] + bytes([blob[index] ^ 1]) + blob[index + 1 :], b"entry 2 of game 1")
    with pytest.raises(SealError):
        sealer.open(b"", b"entry 2 of game 1")


def test_with_a_lost_key_the_game_is_unreadable_and_the_next_one_can_be_played(tmp_path: Path) -> None:
    porters = played(tmp_path)
    porters.close()
    old_key = (tmp_path / "seal.key").read_text()
    (tmp_path / "seal.key").unlink()
    (tmp_path / "copy" / "seal.key").unlink()
    porters = PortersTable(tmp_path)
    snapshot = porters.table.snapshot()
    assert snapshot.game is None
    assert snapshot.remarks["resume"].code == "key_missing"
    second = porters.open()
    porters.did(Hide(seat=0, mass_g=8.5))
    assert "resume" not in porters.table.snapshot().remarks
    refused = porters.table.past_history(1)
    assert isinstance(refused, Rejection)
    assert refused.code == "key_missing"
    porters.close()
    with (tmp_path / "seal.key").open("a") as file:  # the old key is found again
        file.write(old_key)
    porters = PortersTable(tmp_path)
    assert porters.table.snapshot().game_id == second
    assert porters.state.loads == (8.5, None)
    first = porters.table.past_history(1)
    assert not isinstance(first, Rejection)
    assert first[1] == (Hide(seat=0, mass_g=MASS_G), Hide(seat=1, mass_g=19.3))
    porters.close()


# -- what can be wrong with the file -----------------------------------------------------------------------------


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "journal.sqlite3").write_bytes(b"Dear diary, " * 1000)
    assert error_on_open(tmp_path).code == "journal_damaged"
    assert (tmp_path / "journal.sqlite3").read_bytes().startswith(b"Dear diary")


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "journal.sqlite3")
    db.execute("CREATE TABLE recipes (name TEXT)")
    db.commit()
    db.close()
    assert error_on_open(tmp_path).code == "journal_foreign"


def test_a_journal_of_a_newer_release_is_left_alone(tmp_path: Path) -> None:
    played(tmp_path).close()
    db = sqlite3.connect(tmp_path / "journal.sqlite3")
    db.execute(f"PRAGMA user_version = {FORMAT + 1}")
    db.close()
    assert error_on_open(tmp_path).code == "journal_newer"


def test_a_second_table_on_the_same_journal_is_refused(porters: PortersTable) -> None:
    assert error_on_open(porters.folder).code == "journal_in_use"
    porters.close()
    porters._connect()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError) as caught:
        Journal(tmp_path / "file" / "journal.sqlite3", Sealer([bytes(32)]))
    assert caught.value.code == "journal_read_only"


def test_a_truncated_file_is_damaged(tmp_path: Path) -> None:
    porters = played(tmp_path)
    for number in range(200):
        porters.did(Cross(seat=0, outcome="stuck"))
        porters.table.undo(f"undo-{number}")
    porters.close()
    path = tmp_path / "journal.sqlite3"
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2])
    assert error_on_open(tmp_path).code == "journal_damaged"


def test_a_flipped_bit_in_an_entry_is_noticed_even_where_sqlite_does_not(tmp_path: Path) -> None:
    porters = played(tmp_path)
    porters.did(Cross(seat=0, outcome="stuck"))
    porters.close()
    path = tmp_path / "journal.sqlite3"
    raw = path.read_bytes()
    assert raw.count(b'"outcome":"stuck"') == 1
    path.write_bytes(raw.replace(b'"seat":0,"outcome":"stuck"', b'"seat":1,"outcome":"stuck"'))
    porters = PortersTable(tmp_path)
    assert porters.table.snapshot().remarks["resume"].code == "journal_damaged"
    porters.open()
    porters.close()


def test_entries_of_a_copy_are_adopted_where_they_follow_and_the_game_goes_on(tmp_path: Path) -> None:
    lost = played(tmp_path / "lost")
    shutil.copytree(tmp_path / "lost", tmp_path / "copy")
    copy = PortersTable(tmp_path / "copy")
    copy.did(Cross(seat=0, outcome="stuck"))
    lost.journal.adopt(copy.journal.rows_after(3, 9))
    lost.journal.append(1, [("paused", Paused(timers=()))])
    bodies = [entry.body for entry in lost.journal.read(1)]
    assert bodies == [*(entry.body for entry in copy.journal.read(1)), Paused(timers=())]
    copy.close()
    lost.close()


def test_entries_of_a_copy_that_do_not_follow_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    whole = played(tmp_path / "whole")
    opened, hidden, other = whole.journal.rows_after(0, 9)
    whole.close()
    porters = PortersTable(tmp_path)
    for rows in ((opened, other), (opened, msgspec.structs.replace(hidden, wall_s=0.0)), (hidden,)):
        with pytest.raises(JournalError) as refused:
            porters.journal.adopt(rows)
        assert refused.value.code == "journal_damaged"
        assert porters.journal.rows_after(0, 9) == ()
    porters.close()


def test_whatever_byte_is_overwritten_the_table_says_so_or_is_unharmed(tmp_path: Path) -> None:
    porters = played(tmp_path)
    porters.did(Cross(seat=0, outcome="stuck"))
    truth = porters.table.history()
    porters.close()
    raw = (tmp_path / "journal.sqlite3").read_bytes()
    outcomes = set[str]()
    for number, position in enumerate(range(0, len(raw), 409)):
        folder = tmp_path / str(number)
        folder.mkdir()
        shutil.copy2(tmp_path / "seal.key", folder / "seal.key")
        broken = raw[:position] + bytes([raw[position] ^ 0x55]) + raw[position + 1 :]
        (folder / "journal.sqlite3").write_bytes(broken)
        try:
            again = PortersTable(folder)
        except JournalError as error:
            outcomes.add(error.code)
            continue
        problem = again.table.snapshot().remarks.get("resume")
        assert problem is not None or again.table.history() == truth, position
        outcomes.add(problem.code if problem else "unharmed")
        again.close()
    assert {"unharmed", "journal_damaged"} <= outcomes


# -- a full disk -------------------------------------------------------------------------------------------------


def fill(porters: PortersTable) -> None:
    pages = porters.journal._db.execute("PRAGMA page_count").fetchone()[0]
    porters.journal._db.execute(f"PRAGMA max_page_count = {pages}")


def free(porters: PortersTable) -> None:
    porters.journal._db.execute("PRAGMA max_page_count = 1000000")


def test_a_full_disk_refuses_whole_actions_says_so_and_the_same_tap_counts_when_there_is_space_again(
    tmp_path: Path,
) -> None:
    porters = played(tmp_path)
    fill(porters)
    for number in range(200):
        before = (porters.state, porters.journal.last_seq())
        refused = Submission(id=f"tap-{number}", action=Cross(seat=0, outcome="stuck"))
        answer = porters.table.submit(refused)
        if isinstance(answer, Rejection):
            break
        porters.table.undo(f"undo-{number}")
    assert answer == Rejection("disk_full", "")
    assert (porters.state, porters.journal.last_seq()) == before
    assert porters.table.snapshot().remarks["journal"].code == "disk_full"
    free(porters)
    assert isinstance(porters.table.submit(refused), Accepted)
    assert "journal" not in porters.table.snapshot().remarks
    state = porters.state
    porters.reopen()
    assert porters.state == state
    porters.close()


def test_a_proposal_waits_for_space(tmp_path: Path) -> None:
    porters = PortersTable(tmp_path)
    porters.open()
    fill(porters)
    number = 0
    while isinstance(porters.table.submit(Submission(id=f"a{number}", action=Hide(seat=0, mass_g=9.0))), Accepted):
        if isinstance(porters.table.undo(f"b{number}"), Rejection):
            break
        number += 1
    seat = porters.state.loads.index(None)
    weighed = Proposal(action=Hide(seat=seat, mass_g=22.7), prompt=f"hide.1.{seat}", because=("scale",), grace_s=1.0)
    porters.referee.script["sense"] = [[weighed]]
    porters.table.sense(ButtonPressed(t_s=0.0, button="hourglass"))
    porters.wait(0.0)
    porters.wait(1.5)
    assert porters.state.loads[seat] is None
    assert porters.table.snapshot().pending is not None
    free(porters)
    porters.wait(5.0)
    assert porters.state.loads[seat] == 22.7
    assert "journal" not in porters.table.snapshot().remarks
    porters.close()


# -- other releases, other rules ---------------------------------------------------------------------------------


def test_a_game_of_later_rules_goes_to_the_lobby_and_is_kept(tmp_path: Path) -> None:
    porters = played(tmp_path)
    porters.close()
    porters.game.revision = 2
    porters._connect()
    remark = porters.table.snapshot().remarks["resume"]
    assert (remark.code, remark.values) == ("rules_newer", {"rules": 3, "known": 2})
    porters.game.revision = 3
    porters.reopen()
    assert porters.state.loads == (MASS_G, 19.3), "nothing was lost meanwhile"
    porters.close()


def test_rules_that_no_longer_allow_what_happened_say_which_entry(tmp_path: Path) -> None:
    porters = played(tmp_path)
    porters.close()

    class Stricter(Porters):
        def apply(self, state: State, action: Action) -> Step[State] | Rejection:
            if isinstance(action, Hide) and action.mass_g > 25:
                return Rejection("bad_load", "P-3")
            return super().apply(state, action)

    porters.games = {"porters": Stricter().declared()}.__getitem__
    porters._connect()
    remark = porters.table.snapshot().remarks["resume"]
    assert (remark.code, remark.values) == ("rules_changed", {"entry": 2, "reason": "bad_load"})
    assert str(MASS_G) not in str(porters.table.snapshot())
    porters.close()


def test_a_game_this_release_does_not_have_goes_to_the_lobby(tmp_path: Path) -> None:
    porters = played(tmp_path)
    porters.close()
    porters.games = dict[str, Game]().__getitem__
    porters._connect()
    assert porters.table.snapshot().remarks["resume"].code == "unknown_game"
    porters.close()


# -- copies ------------------------------------------------------------------------------------------------------


def test_a_copy_made_while_playing_is_a_whole_journal(tmp_path: Path) -> None:
    porters = played(tmp_path)
    copy = tmp_path / "elsewhere"
    copy.mkdir()
    back_up(tmp_path / "journal.sqlite3", copy / "journal.sqlite3")
    shutil.copy2(tmp_path / "seal.key", copy / "seal.key")
    porters.did(Cross(seat=0, outcome="stuck"))
    restored = PortersTable(copy)
    assert restored.state.loads == (MASS_G, 19.3)
    assert restored.state.tries == 0
    restored.close()
    porters.close()


def test_entries_read_back_as_they_were_written(porters: PortersTable) -> None:
    game = porters.open()
    porters.did(Hide(seat=0, mass_g=0.1 + 0.2))
    body = list(porters.journal.read(game))[-1].body
    assert body == Acted(action={"do": "hide", "seat": 0, "mass_g": 0.1 + 0.2})

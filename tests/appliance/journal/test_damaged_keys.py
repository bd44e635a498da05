"""What a failing disk does to keys: they come back from their spares, are never empty, and are their owner's alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.games.protocol import Remark
from tests.appliance.games.porters import Cross, Hide
from tests.appliance.journal.crashed import (
    JOURNAL,
    Crashed,
    Damage,
    Kept,
    changed,
    deleted,
    deleted_with_its_wal,
    emptied,
    flipped,
    garbled,
    halved,
    zeroed,
)


@pytest.mark.parametrize("damage", [zeroed, emptied, halved, flipped, deleted])
@pytest.mark.parametrize("key", ["seal.key", "web.key"])
def test_a_damaged_key_comes_back_from_its_spare(crashed: Crashed, key: str, damage: Damage):
    was = (crashed.folder / key).read_bytes()
    changed(damage, crashed.folder / key)
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    assert table.told() == {key: "key_restored"}
    assert (crashed.folder / key).read_bytes() == was
    table.close()


@pytest.mark.parametrize("damage", [zeroed, emptied, halved, flipped, deleted])
def test_a_damaged_spare_of_the_phones_key_signs_nothing_and_is_made_anew(crashed: Crashed, damage: Damage):
    was = (crashed.folder / "web.key").read_bytes()
    changed(damage, crashed.folder / "copy/web.key")
    table = Kept(crashed.folder)
    assert table.told() == {}
    assert table.records.web_key == was
    table.close()
    changed(deleted, crashed.folder / "web.key")
    table = Kept(crashed.folder)
    assert table.records.web_key == was
    table.close()


def test_the_spare_of_a_former_release_serves(crashed: Crashed):
    was = (crashed.folder / "web.key").read_bytes()
    (crashed.folder / "copy/web.key").write_bytes(was)
    changed(emptied, crashed.folder / "web.key")
    table = Kept(crashed.folder)
    assert table.told() == {"web.key": "key_restored"}
    assert table.records.web_key == was
    table.close()


def test_a_key_that_others_can_read_is_closed_to_them(crashed: Crashed):
    (crashed.folder / "seal.key").chmod(0o644)
    table = Kept(crashed.folder)
    assert table.told() == {"seal.key": "key_was_readable"}
    assert (crashed.folder / "seal.key").stat().st_mode & 0o777 == 0o600
    assert table.table.history() == crashed.history
    table.close()


@pytest.mark.parametrize(("key", "code"), [("seal.key", "key_renewed"), ("web.key", "web_key_renewed")])
@pytest.mark.parametrize("journal", ["there", "gone"])
def test_a_key_that_is_gone_with_its_spare_is_told_as_a_damaged_one_is(
    crashed: Crashed, key: str, code: str, journal: str
):
    if journal == "gone":
        changed(deleted_with_its_wal, crashed.folder / JOURNAL)
    for path in (key, f"copy/{key}"):
        (crashed.folder / path).unlink()
    table = Kept(crashed.folder)
    assert table.told()[key] == code
    table.close()


def test_a_new_table_says_nothing_of_its_new_keys(tmp_path: Path):
    table = Kept(tmp_path / "new")
    assert table.told() == {}
    table.close()


def test_without_any_key_the_games_before_stay_closed_and_the_next_can_be_played(crashed: Crashed):
    for path in ("seal.key", "copy/seal.key"):
        (crashed.folder / path).write_bytes(b"")
    table = Kept(crashed.folder)
    assert table.told() == {"seal.key": "key_renewed", "resume": "key_missing"}
    table.open()
    table.did(Hide(seat=0, mass_g=9.0))
    table.close()


@pytest.mark.parametrize("damage", [emptied, halved])
def test_an_empty_or_short_key_never_signs(crashed: Crashed, damage: Damage):
    for path in ("web.key", "copy/web.key"):
        changed(damage, crashed.folder / path)
    table = Kept(crashed.folder)
    assert table.told() == {"web.key": "web_key_renewed"}
    assert len(table.records.web_key) == 32
    assert (crashed.folder / "web.key").read_bytes() == table.records.web_key
    table.close()


def test_every_file_is_its_owners_alone(crashed: Crashed):
    table = Kept(crashed.folder)
    table.did(Cross(seat=1, outcome="stuck"))
    table.keeper.copy()
    readable = [path for path in crashed.folder.rglob("*") if path.is_file() and path.stat().st_mode & 0o077]
    assert readable == []
    table.close()


def test_remarks_about_a_start_name_no_secret(crashed: Crashed):
    changed(garbled, crashed.folder / JOURNAL)
    table = Kept(crashed.folder)
    values = [remark for remark in table.table.snapshot().remarks.values() if isinstance(remark, Remark)]
    assert all("22.7" not in str(remark.values) for remark in values)
    table.close()

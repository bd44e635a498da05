"""What a failing disk does to keys: they come back from their spares, are never empty, and are their owner's alone."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from appliance.games.protocol import Remark
from appliance.journal.safekeeping.keys import seal_key
from appliance.journal.sealing import Sealer, SealError, keys_of
from appliance.words.errors import TableError
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

Made = Callable[[Path], None]


@pytest.mark.parametrize("damage", [zeroed, emptied, halved, flipped, deleted])
@pytest.mark.parametrize("key", ["seal.key", "web.key"])
def test_a_damaged_key_comes_back_from_its_spare(crashed: Crashed, key: str, damage: Damage) -> None:
    was = (crashed.folder / key).read_bytes()
    changed(damage, crashed.folder / key)
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    assert table.told() == {key: "key_restored"}
    assert (crashed.folder / key).read_bytes() == was
    table.close()


@pytest.mark.parametrize("made", [os.mkfifo, os.mkdir])
@pytest.mark.parametrize("key", ["seal.key", "copy/seal.key"])
def test_what_is_no_file_where_a_key_should_be_is_named_and_not_waited_for(
    tmp_path: Path, key: str, made: Made
) -> None:
    """A pipe, which a damaged file system can make of a file, is never read to its end."""
    seal_key(tmp_path)
    (tmp_path / key).unlink()
    made(tmp_path / key)
    with pytest.raises(TableError) as refused:
        seal_key(tmp_path)
    assert (refused.value.code, refused.value.values) == ("key_unreadable", {"path": str(tmp_path / key)})


@pytest.mark.parametrize("damage", [zeroed, emptied, halved, flipped, deleted])
def test_a_damaged_spare_of_the_phones_key_signs_nothing_and_is_made_anew(crashed: Crashed, damage: Damage) -> None:
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


def test_the_spare_of_a_former_release_serves(crashed: Crashed) -> None:
    was = (crashed.folder / "web.key").read_bytes()
    (crashed.folder / "copy/web.key").write_bytes(was)
    changed(emptied, crashed.folder / "web.key")
    table = Kept(crashed.folder)
    assert table.told() == {"web.key": "key_restored"}
    assert table.records.web_key == was
    table.close()


def test_a_key_that_others_can_read_is_closed_to_them(crashed: Crashed) -> None:
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
) -> None:
    if journal == "gone":
        changed(deleted_with_its_wal, crashed.folder / JOURNAL)
    for path in (key, f"copy/{key}"):
        (crashed.folder / path).unlink()
    table = Kept(crashed.folder)
    assert table.told()[key] == code
    table.close()


def test_a_new_table_says_nothing_of_its_new_keys(tmp_path: Path) -> None:
    table = Kept(tmp_path / "new")
    assert table.told() == {}
    table.close()


def test_without_any_key_the_games_before_stay_closed_and_the_next_can_be_played(crashed: Crashed) -> None:
    for path in ("seal.key", "copy/seal.key"):
        (crashed.folder / path).write_bytes(b"")
    table = Kept(crashed.folder)
    assert table.told() == {"seal.key": "key_renewed", "resume": "key_missing"}
    table.open()
    table.did(Hide(seat=0, mass_g=9.0))
    table.close()


@pytest.mark.parametrize("damage", [emptied, halved])
def test_an_empty_or_short_key_never_signs(crashed: Crashed, damage: Damage) -> None:
    for path in ("web.key", "copy/web.key"):
        changed(damage, crashed.folder / path)
    table = Kept(crashed.folder)
    assert table.told() == {"web.key": "web_key_renewed"}
    assert len(table.records.web_key) == 32
    assert (crashed.folder / "web.key").read_bytes() == table.records.web_key
    table.close()


def test_every_file_is_its_owners_alone(crashed: Crashed) -> None:
    table = Kept(crashed.folder)
    table.did(Cross(seat=1, outcome="stuck"))
    table.keeper.copy()
    readable = [path for path in crashed.folder.rglob("*") if path.is_file() and path.stat().st_mode & 0o077]
    assert readable == []
    table.close()


def test_remarks_about_a_start_name_no_secret(crashed: Crashed) -> None:
    changed(garbled, crashed.folder / JOURNAL)
    table = Kept(crashed.folder)
    values = [remark for remark in table.table.snapshot().remarks.values() if isinstance(remark, Remark)]
    assert all("22.7" not in str(remark.values) for remark in values)
    table.close()


OURS, FOUND = bytes(range(32)), bytes(32)


def test_after_a_lost_key_was_found_again_new_seals_are_made_with_the_first_of_both() -> None:
    both, ours, found = Sealer([OURS, FOUND]), Sealer([OURS]), Sealer([FOUND])
    assert ours.open(both.seal(b"22.7 g", b"entry 4"), b"entry 4") == b"22.7 g"
    assert both.open(found.seal(b"19.3 g", b"entry 2"), b"entry 2") == b"19.3 g"
    with pytest.raises(SealError) as refused:
        found.open(both.seal(b"22.7 g", b"entry 4"), b"entry 4")
    assert refused.value.code == "key_missing"


def test_a_seal_of_an_earlier_release_opens() -> None:
    """Made here with the primitives alone: BLAKE2b's name of the key, nonce, AES-256-GCM of a padded text."""
    name = hashlib.blake2b(OURS, digest_size=8, person=b"smugglers-key").digest()
    padded = (b"\0\0\0\6" + b"22.7 g").ljust(128, b"\0")
    stored = name + bytes(12) + AESGCM(OURS).encrypt(bytes(12), padded, b"entry 4")
    assert Sealer([OURS]).open(stored, b"entry 4") == b"22.7 g"


@pytest.mark.parametrize("left", [8, 10, 20, 40])
def test_a_seal_that_was_cut_off_is_told_as_broken(left: int) -> None:
    cut = Sealer([OURS]).seal(b"22.7 g", b"entry 4")[:left]
    with pytest.raises(SealError) as refused:
        Sealer([OURS]).open(cut, b"entry 4")
    assert refused.value.code == "seal_broken"


@pytest.mark.parametrize("text", [b"", b"\n", b"ab" * 31, b"ab" * 33, b"zz" * 32, "ä".encode() * 32])
def test_what_is_no_key_is_not_taken_for_one(text: bytes) -> None:
    assert keys_of(b"cd" * 32 + b"\n" + b"ef" * 32 + b"\n") == (b"\xcd" * 32, b"\xef" * 32)
    assert keys_of(text) is None

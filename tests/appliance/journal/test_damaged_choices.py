"""The owner's PIN and the host's choices through a damaged disk."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from appliance.journal.safekeeping.choices import OwnersChoices, write_owners
from appliance.journal.safekeeping.evening import EVENING, write_kept
from appliance.journal.safekeeping.evening import Kept as Evening
from appliance.journal.safekeeping.spared import write_spared
from appliance.words.catalogues import words_for
from tests.appliance.journal.crashed import Crashed, Damage, Kept, changed, deleted, emptied, halved, zeroed
from tests.appliance.journal.test_restore_cut_off import each_cut

OWNER, HOST = "owner.json", "host.json"
PIN = f"{'0123' * 8}:{'89ab' * 32}"
LOST = {OWNER: "owner_lost", HOST: "host_lost"}


@pytest.fixture
def cut(crashed: Crashed) -> Path:
    """The folder of a table that was cut off after its owner and its host had chosen."""
    write_owners(crashed.folder / OWNER, OwnersChoices(PIN, done=True))
    write_spared(crashed.folder / HOST, b'{"language": "de"}')
    return crashed.folder


def started(folder: Path) -> dict[str, str]:
    table = Kept(folder)
    told = table.told()
    table.close()
    return told


@pytest.mark.parametrize("damage", [zeroed, emptied, halved, deleted])
@pytest.mark.parametrize("name", [OWNER, HOST])
def test_a_damaged_file_comes_back_from_its_spare_and_people_are_told(cut: Path, name: str, damage: Damage) -> None:
    was = (cut / name).read_bytes()
    changed(damage, cut / name)
    assert started(cut) == {name: "choices_restored"}
    assert (cut / name).read_bytes() == was
    assert started(cut) == {}


@pytest.mark.parametrize(
    ("name", "write"),
    [
        (OWNER, lambda file: write_owners(file, OwnersChoices(PIN, done=True))),
        (HOST, lambda file: write_spared(file, b'{"language": "de"}')),
        (EVENING, lambda file: write_kept(file, Evening(erased={"Ann": 3}))),
    ],
    ids=[OWNER, HOST, EVENING],
)
def test_a_power_cut_during_the_very_first_write_is_no_damage(
    crashed: Crashed, name: str, write: Callable[[Path], object]
) -> None:
    for scene in each_cut(crashed.folder, lambda folder: write(folder / name), least=2):
        was = (scene / name).read_bytes() if (scene / name).exists() else None
        assert started(scene) == {}
        assert was is None or (scene / "copy" / name).read_bytes() == was, "from now on it has a spare"


def test_no_bit_of_the_pin_can_flip_unseen(cut: Path) -> None:
    was = (cut / OWNER).read_bytes()
    told = set()
    for place in range(0, len(was), 7):
        altered = bytearray(was)
        altered[place] ^= 1
        (cut / OWNER).write_bytes(altered)
        told.add(tuple(started(cut).items()))
        assert (cut / OWNER).read_bytes() == was
    assert told == {((OWNER, "choices_restored"),)}


@pytest.mark.parametrize("name", [OWNER, HOST])
@pytest.mark.parametrize("damage", [zeroed, emptied, halved])
def test_with_no_spare_left_people_are_told_what_to_choose_again(cut: Path, name: str, damage: Damage) -> None:
    for path in (cut / name, cut / "copy" / name):
        changed(damage, path)
    content = (cut / name).read_bytes()
    assert started(cut) == {name: LOST[name]}
    assert (cut / f"{name}.damaged").read_bytes() == content
    assert started(cut) == {}


def test_a_card_of_a_former_release_gets_spares_without_a_word(cut: Path) -> None:
    former = b'{"pin":"%s","done":true}' % PIN.encode()
    (cut / OWNER).write_bytes(former)
    for name in (OWNER, HOST):
        (cut / "copy" / name).unlink()
    assert started(cut) == {}
    (cut / OWNER).unlink()
    assert started(cut) == {OWNER: "choices_restored"}
    assert (cut / OWNER).read_bytes() == former


@pytest.mark.parametrize("chosen_before", [True, False])
def test_a_pin_that_could_not_be_stored_is_not_there_after_the_next_start(
    cut: Path, monkeypatch: pytest.MonkeyPatch, chosen_before: bool
) -> None:
    if not chosen_before:
        for path in (cut / OWNER, cut / "copy" / OWNER):
            path.unlink()
    was = (cut / OWNER).read_bytes() if chosen_before else None
    room = iter((True, False))

    def full_after_one(handle: int) -> None:
        if not next(room):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full_after_one)
    with pytest.raises(OSError, match="No space left"):
        write_owners(cut / OWNER, OwnersChoices(PIN, done=False))
    monkeypatch.undo()
    assert started(cut) == {}
    for path in (cut / OWNER, cut / "copy" / OWNER):
        assert (path.read_bytes() if path.exists() else None) == was


def test_a_new_table_has_neither_and_tells_nothing(tmp_path: Path) -> None:
    assert started(tmp_path / "new") == {}
    assert not [path.name for path in (tmp_path / "new").rglob("*.json")]


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("code", ["choices_restored", *LOST.values()])
def test_they_are_told_which_file_in_their_language(code: str, language: str) -> None:
    assert words_for(language).say(f"remark.{code}", {"file": OWNER}).startswith(OWNER)

"""A table may be called by the name it was invited under, or by any that it has or had at the hub."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from appliance.hub.broker.members import MembersFile
from appliance.hub.broker.server import listens_on, running
from appliance.words.errors import TableError


@pytest.fixture
def members(tmp_path: Path) -> MembersFile:
    members = MembersFile(tmp_path / "hub")
    members.made("127.0.0.1", 0)
    return members


@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 40, b'{"host": "\xff"}', b"[" * 9999], ids=["empty", "zeroed", "no text", "deep"]
)
def test_a_damaged_file_is_told_as_one_and_left_as_it_is(members: MembersFile, content: bytes) -> None:
    file = members.folder / "members.json"
    file.write_bytes(content)
    for wish in (members.read, lambda: members.invite("cellar"), lambda: members.made("127.0.0.1", 0)):
        with pytest.raises(TableError) as caught:
            wish()
        assert (caught.value.code, caught.value.values) == ("hub_members_damaged", {"path": str(file)})
    assert file.read_bytes() == content
    file.unlink()
    assert not members.made("127.0.0.1", 0).tables


def test_a_pipe_in_the_place_of_the_members_is_named_and_not_waited_for(members: MembersFile) -> None:
    file = members.folder / "members.json"
    file.unlink()
    os.mkfifo(file)
    for wish in (members.read, lambda: members.invite("cellar"), lambda: members.made("127.0.0.1", 0)):
        with pytest.raises(TableError) as caught:
            wish()
        assert caught.value.values == {"path": str(file), "reason": "Not an ordinary file"}


@pytest.mark.parametrize("name", ["broker.pid", "broker.conf"])
def test_a_pipe_beside_the_members_keeps_no_command_waiting(members: MembersFile, name: str) -> None:
    os.mkfifo(members.folder / name)
    assert running(members.folder) is None
    assert listens_on(members.folder) == "0.0.0.0"  # as a hub that never ran


@pytest.mark.parametrize(
    ("trouble", "code", "where"),
    [
        (errno.ENOSPC, "disk_full", "members.json"),
        (errno.EDQUOT, "disk_full", "members.json"),
        (errno.EROFS, "folder_unusable", "."),
    ],
)
def test_a_disk_that_takes_nothing_is_told_as_what_it_is_and_changes_nothing(
    members: MembersFile, monkeypatch: pytest.MonkeyPatch, trouble: int, code: str, where: str
) -> None:
    def fails(_: int) -> None:
        raise OSError(trouble, os.strerror(trouble))

    before = members.read()
    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(TableError) as caught:
        members.invite("cellar")
    assert caught.value.code == code
    assert caught.value.values["path"] == str(members.folder / where)
    assert (members.read(), len(list(members.folder.iterdir()))) == (before, 2)


def test_a_table_is_invited_anew_and_revoked_by_its_name_at_the_hub(members: MembersFile) -> None:
    assert [members.invite(name).table for name in ("cellar", "cellar", "cellar-2", "cellar-2")] == [
        "cellar",
        "cellar-2",
        "cellar-3",
        "cellar-4",
    ]
    members.revoke("cellar-3")
    kept = members.read()
    assert kept is not None
    assert {name: member.key for name, member in kept.tables.items()} == {"cellar": None}


def test_a_name_that_no_table_had_is_anothers_and_keeps_nobody_from_being_invited_anew(members: MembersFile) -> None:
    members.invite("cellar")
    assert members.invite("cellar-2").table == "cellar-2"
    with pytest.raises(TableError) as unknown:
        members.revoke("cellar-3")
    assert unknown.value.code == "hub_no_such_table"
    anew = members.invite("cellar")
    assert (anew.table, anew.again) == ("cellar-3", True)
    assert members.invite("cellar-2").table == "cellar-2-2"
    assert [members.former_names(name) for name in ("cellar-3", "cellar-2-2", "cellar", "attic")] == [
        ("cellar",),
        ("cellar-2",),
        (),
        (),
    ]
    assert members.invite("cellar-3").table == "cellar-4"
    assert members.former_names("cellar-4") == ("cellar", "cellar-3")


def test_names_without_a_key_are_known_with_what_became_of_them(members: MembersFile) -> None:
    assert members.without_key() == {}
    for name in ("cellar", "cellar", "cellar", "attic", "bay", "bay"):
        members.invite(name)
    members.revoke("attic")
    members.revoke("bay")
    assert members.without_key() == {
        "cellar": "cellar-3",
        "cellar-2": "cellar-3",
        "attic": "",
        "bay": "",
        "bay-2": "",
    }
    members.invite("attic")
    assert members.without_key()["attic"] == "attic-2"

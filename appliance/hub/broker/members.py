"""The members that may connect to the broker: the hub itself, and each table that was invited and not revoked."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from appliance.hub.broker.certificates import new_certificates
from appliance.hub.link import nkeys
from appliance.hub.link.invitation import GIVEN_MOST, NAME, PORT, Invitation
from appliance.words.errors import TableError, unusable, unwritable
from hardware.files.regular_file import UNDECODABLE, read_ordinary, write_private

MEMBERS, LOCK = "members.json", "members.lock"
_MOST_BYTES = 2**24
"""The largest file of members that is read: room for tens of thousands of tables."""


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """A table's newest name in messages and pages, and its public key; None: revoked.

    A table that is invited again gets a new name: `cellar`, `cellar-2`. The data stored under the former one stay.
    """

    table: str
    times: int = 1
    key: str | None


class Members(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the file. The hub's own seed and the broker's key are secret.

    `host` is the host at which tables reach the broker; "": the current address of its machine.
    """

    seed: str
    authority: bytes
    certificate: bytes
    private_key: bytes
    host: str = ""
    port: int = PORT
    tables: Mapping[str, Member] = {}


class MembersFile:
    """The members of one hub, in its folder. Commands may change it while the hub runs.

    :param address: of this machine. Invitations name it if no host was set.
    """

    def __init__(self, folder: Path, address: str = "127.0.0.1") -> None:
        self.folder = folder
        self._address = address
        self._path = folder / MEMBERS

    def read(self) -> Members | None:
        """Return the members; None if no hub was created here.

        :raises TableError: `file_unusable`, `hub_members_damaged`.
        """
        try:
            return msgspec.json.decode(read_ordinary(self._path, _MOST_BYTES), type=Members)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise unusable(self._path, error) from None
        except UNDECODABLE:
            raise TableError("hub_members_damaged", path=str(self._path)) from None

    def made(self, host: str, port: int) -> Members:
        """Return the members. Create a hub if there is none. A given host or port replaces the previous one.

        :param host: the host at which tables reach the broker; "" leaves it as it is.
        :param port: 0 leaves it as it is.
        :raises TableError: `folder_unusable`, `file_unusable`, `disk_full`.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise unusable(self.folder, error, "folder_unusable") from None
        with self._alone():
            before = self.read()
            if before is None:
                authority, certificate, key = new_certificates()
                before = Members(seed=nkeys.new_seed(), authority=authority, certificate=certificate, private_key=key)
            now = msgspec.structs.replace(before, host=host or before.host, port=port or before.port)
            self._write(now)
            return now

    def invite(self, name: str) -> Invitation:
        """Return an invitation for a table. If it was invited before, its key is revoked and it gets its next name.

        :raises TableError: `hub_name` (not a valid name), `hub_missing` (no hub was created here), `folder_unusable`,
            `file_unusable`, `disk_full`.
        """
        return self.invite_all([name])[0]

    def invite_all(self, names: Sequence[str]) -> list[Invitation]:
        """Return an invitation for each of `names`, like `invite`. Either all are invited or none."""
        with self._of_a_hub() as members:
            invitations = []
            for name in names:
                members, invitation = _invited(members, name, members.host or self._address)
                invitations.append(invitation)
            self._write(members)
        return invitations

    @contextlib.contextmanager
    def held(self) -> Iterator[Members]:
        """Yield the members under the lock, so that nobody changes them until the `with` ends.

        :raises TableError: `hub_missing`, `folder_unusable`, `file_unusable`, `disk_full`.
        """
        with self._of_a_hub() as members:
            yield members

    def former_names(self, table: str) -> tuple[str, ...]:
        """Return the former names at the hub of the table that is called `table` there now.

        :raises TableError: `file_unusable`.
        """
        members = self.read()
        of = {} if members is None else members.tables
        return next((_former(of, name) for name, member in of.items() if member.table == table), ())

    def without_key(self) -> dict[str, str]:
        """Return the names of tables at the hub that no key has any more.

        The value is the present name of a table that was invited again; "" if its key was revoked.

        :raises TableError: `file_unusable`.
        """
        members = self.read()
        of = {} if members is None else members.tables
        invited_again = {
            former: "" if member.key is None else member.table
            for name, member in of.items()
            for former in _former(of, name)
        }
        return invited_again | {member.table: "" for member in of.values() if member.key is None}

    def revoke(self, name: str) -> None:
        """Revoke a table's key. The data that it sent stay.

        :raises TableError: `hub_no_such_table`, `hub_missing`, `folder_unusable`, `file_unusable`, `disk_full`.
        """
        with self._of_a_hub() as members:
            name = _invited_name(members, name)
            if name not in members.tables:
                raise TableError("hub_no_such_table", name=name)
            member = msgspec.structs.replace(members.tables[name], key=None)
            self._write(msgspec.structs.replace(members, tables={**members.tables, name: member}))

    def there(self) -> Members:
        """Return the members of the hub here.

        :raises TableError: `hub_missing`, `file_unusable`.
        """
        members = self.read()
        if members is None:
            raise TableError("hub_missing", path=str(self.folder))
        return members

    def _write(self, members: Members) -> None:
        try:
            write_private(self._path, msgspec.json.encode(members))
        except OSError as error:
            raise unwritable(self._path, error) from None

    @contextlib.contextmanager
    def _of_a_hub(self) -> Iterator[Members]:
        """Yield the members under the lock. Where no hub was created, nothing is written, not even the lock's file."""
        self.there()
        with self._alone():
            yield self.there()

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock that keeps other commands from changing the file."""
        path = self.folder / LOCK
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise unwritable(path, error, in_place=True) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def _former(of: Mapping[str, Member], name: str) -> tuple[str, ...]:
    """Return the former names at the hub of the table that was first invited as `name`."""
    names = (name, *(f"{name}-{n}" for n in range(2, of[name].times)))
    return tuple(one for one in names if one != of[name].table and (one == name or one not in of))


def _invited_name(members: Members, name: str) -> str:
    """Return the name under which a table was first invited, given its current or a former name at the hub."""
    if name in members.tables:
        return name
    of = (one for one, member in members.tables.items() if name in {f"{one}-{n}" for n in range(2, member.times + 1)})
    return next(of, name)


def _invited(members: Members, name: str, host: str) -> tuple[Members, Invitation]:
    name = _invited_name(members, name)
    before, seed = members.tables.get(name), nkeys.new_seed()
    if before is None and not (re.fullmatch(NAME, name) and len(name) <= GIVEN_MOST):
        raise TableError("hub_name", name=name)
    times = 1 if before is None else before.times + 1
    while (table := name if times == 1 else f"{name}-{times}") in members.tables and times > 1:
        times += 1
    if not re.fullmatch(NAME, table):
        raise TableError("hub_name", name=table)
    member = Member(table=table, times=times, key=nkeys.public_key(seed))
    invitation = Invitation(
        table=table,
        host=host,
        port=members.port,
        seed=seed,
        authority=members.authority,
        again=times > 1,
    )
    return msgspec.structs.replace(members, tables={**members.tables, name: member}), invitation

"""Accounts of people who run a café or the chain. Passwords are stored as salted scrypt hashes."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Literal

import msgspec
from sqlalchemy import delete, func, select, update
from werkzeug.security import check_password_hash, generate_password_hash

from appliance.games.league.result import name_key
from appliance.hub.store.cafes import as_known
from appliance.hub.store.database import Database, Work
from appliance.hub.store.schema import ACCOUNTS, OWN

Role = Literal["cafe", "chain"]
PASSWORD_LEAST, PASSWORD_MOST = 10, 200
_NOBODYS = generate_password_hash(secrets.token_hex())
"""Checked if there is no account, so that the response time does not reveal which names exist."""

_SIGNED_OUT = "signed out "


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """One account. `mark` changes with the password, so cookies that were signed with the old one become invalid."""

    name: str
    role: Role
    cafe: str
    mark: str

    def runs(self, cafe: str) -> bool:
        """Return whether the account may control `cafe`."""
        return self.role == "chain" or self.cafe == cafe


class Accounts:
    """The accounts in the hub's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def any(self) -> bool:
        """Return whether there is an account at all."""
        with self._database.read() as connection:
            return bool(connection.execute(select(func.count()).select_from(ACCOUNTS)).scalar_one())

    def all(self) -> Sequence[Account]:
        """Return all accounts, sorted by name."""
        with self._database.read() as connection:
            return [_account(row) for row in connection.execute(select(ACCOUNTS).order_by(ACCOUNTS.c.name))]

    def named(self, name: str) -> Account | None:
        """Return the account of that name, or None."""
        row = self._row(name)
        return None if row is None else _account(row)

    def entered(self, name: str, password: str) -> Account | None:
        """Return the account if the password is right. This takes equally long for names without an account."""
        row = self._row(name)
        right = check_password_hash(_NOBODYS if row is None else row.password, password[:PASSWORD_MOST])
        return _account(row) if row is not None and right else None

    def add(self, name: str, password: str, role: Role, cafe: str, *, only_first: bool = False) -> bool:
        """Add an account. Return False if the name is taken, or with `only_first` if there is an account already.

        :param cafe: its café (`as_known`); "" for the chain.
        """
        row = {"name": name_key(name), "role": role, "password": generate_password_hash(password)}
        with self._database.write() as connection:
            self._database.alone(connection, Work.ADD_ACCOUNT)
            there = set(connection.execute(select(ACCOUNTS.c.name)).scalars())
            if row["name"] in there or (only_first and there):
                return False
            connection.execute(ACCOUNTS.insert(), [{**row, "cafe": as_known(connection, cafe)}])
        return True

    def set_password(self, name: str, password: str) -> bool:
        """Change a password. Return False if there is no such account. Older cookies become invalid."""
        hashed = generate_password_hash(password)
        with self._database.write() as connection:
            here = update(ACCOUNTS).where(ACCOUNTS.c.name == name_key(name))
            return connection.execute(here.values(password=hashed)).rowcount > 0

    def remove(self, name: str) -> bool:
        """Remove an account. Return False, and keep it, if it is the chain's last one. Its cookies become invalid."""
        with self._database.write() as connection:
            self._database.alone(connection, Work.ADD_ACCOUNT)
            chain = set(connection.execute(select(ACCOUNTS.c.name).where(ACCOUNTS.c.role == "chain")).scalars())
            if chain == {name_key(name)}:
                return False
            connection.execute(delete(ACCOUNTS).where(ACCOUNTS.c.name == name_key(name)))
        return True

    def sign_out(self, signing_in: str) -> None:
        """Invalidate one sign-in for ever: a clock that is set back would make its cookie young again."""
        with self._database.write() as connection:
            self._database.insert_new(connection, OWN, [{"name": _SIGNED_OUT + signing_in, "value": b""}])

    def is_signed_out(self, signing_in: str) -> bool:
        """Return whether that sign-in was invalidated."""
        with self._database.read() as connection:
            here = select(OWN.c.name).where(OWN.c.name == _SIGNED_OUT + signing_in)
            return connection.execute(here).one_or_none() is not None

    def _row(self, name: str) -> Any:
        with self._database.read() as connection:
            return connection.execute(select(ACCOUNTS).where(ACCOUNTS.c.name == name_key(name))).one_or_none()


def _account(row: Any) -> Account:
    mark = blake2b(row.password.encode(), digest_size=8).hexdigest()
    return Account(name=row.name, role=row.role, cafe=row.cafe, mark=mark)


def signing_key(database: Database) -> bytes:
    """Return the key that signs cookies, the same for all processes of a hub. Create it if there is none."""
    with database.write() as connection:
        database.insert_new(connection, OWN, [{"name": "signing_key", "value": secrets.token_bytes(32)}])
        return bytes(connection.execute(select(OWN.c.value).where(OWN.c.name == "signing_key")).scalar_one())

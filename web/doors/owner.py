"""The owner's settings from the first start: the PIN, and whether the first start is finished."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
from pathlib import Path
from typing import Literal

import msgspec

from appliance.journal.safekeeping.choices import OwnersChoices, decode_owners, write_owners
from appliance.journal.safekeeping.spared import MOST_BYTES, read_spared
from hardware.files.regular_file import read_ordinary, write_private

_PIN = re.compile(r"[0-9]{4,12}")
_CODE_BYTES = 9
_CODE = re.compile(r"[\w-]{12}", re.ASCII)


class Owner:
    """The owner's PIN and the state of the first start, in one small file.

    :param file: where they are stored; None: there is no first start, and no PIN except that of the settings.
    :param pin: the PIN of the settings. It takes precedence over the stored one.
    :raises OSError: the file cannot be read.
    :raises DamagedError: the file is damaged and was not repaired before.
    """

    def __init__(self, file: Path | None, pin: str) -> None:
        self._file, self._pin = file, pin
        self._lock = threading.Lock()
        self._choices = self._load()
        self._code = self._make_code()

    @property
    def pin_by_settings(self) -> bool:
        """Whether the settings name the PIN."""
        return bool(self._pin)

    @property
    def has_pin(self) -> bool:
        """Whether there is a PIN."""
        return bool(self._pin or self._choices.pin)

    @property
    def pin_mark(self) -> str:
        """A value that changes with the PIN. It is signed into kiosk cookies, so a new PIN invalidates them all."""
        return self._pin or self._choices.pin

    @property
    def done(self) -> bool:
        """Whether the first start is over."""
        return self._file is None or self._choices.done

    @property
    def code(self) -> str:
        """The code that gives the owner access from another machine while there is no PIN; "" afterwards."""
        return "" if self.done or self.has_pin else self._code

    def code_matches(self, entered: str) -> bool:
        """Return whether `entered` is the code, in constant time."""
        return bool(self.code) and hmac.compare_digest(entered.encode(), self.code.encode())

    def pin_matches(self, entered: str) -> bool:
        """Return whether `entered` is the PIN, in constant time. Without a PIN it is always False."""
        if self._pin:
            return hmac.compare_digest(entered.encode(), self._pin.encode())
        salt, _, wanted = self._choices.pin.partition(":")
        return bool(wanted) and hmac.compare_digest(_hashed(entered, salt).encode(), wanted.encode())

    def set_pin(self, pin: str) -> Literal["", "pin_in_settings", "not_a_pin"]:
        """Set the PIN. Return "" or an error code.

        :raises OSError: it cannot be stored.
        """
        if self._pin:
            return "pin_in_settings"
        if not _PIN.fullmatch(pin):
            return "not_a_pin"
        salt = secrets.token_hex(16)
        self._change(pin=f"{salt}:{_hashed(pin, salt)}")
        return ""

    def finish(self) -> None:
        """End the first start.

        :raises OSError: this cannot be stored.
        """
        self._change(done=True)

    def _change(self, **changes: str | bool) -> None:
        """Store these fields, and leave the other one as it is by then: two pages may be sent at once."""
        with self._lock:
            choices = msgspec.structs.replace(self._choices, **changes)
            if self._file is not None:
                write_owners(self._file, choices)
            self._choices = choices
            if self.has_pin or self.done:
                self._drop_code()

    def _load(self) -> OwnersChoices:
        return OwnersChoices() if self._file is None else read_spared(self._file, decode_owners) or OwnersChoices()

    def _make_code(self) -> str:
        """Return the code from its file, which only root and the table can read. Create the file if necessary."""
        if self._file is None or self._choices.done or self.has_pin:
            self._drop_code()
            return ""
        path = self._code_file
        kept = read_ordinary(path, MOST_BYTES).strip().decode("ascii", "ignore") if path.exists() else ""
        if not _CODE.fullmatch(kept):
            kept = secrets.token_urlsafe(_CODE_BYTES)
            write_private(path, kept.encode())
        return kept

    @property
    def _code_file(self) -> Path:
        assert self._file is not None
        return self._file.with_name("first-start.code")

    def _drop_code(self) -> None:
        if self._file is not None:
            self._code_file.unlink(missing_ok=True)


def _hashed(pin: str, salt: str) -> str:
    return hashlib.scrypt(pin.encode(), salt=bytes.fromhex(salt), n=2**14, r=8, p=1).hex()

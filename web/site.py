"""Configuration of the web part, and the settings that the host may change while it runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from appliance.journal.media.removable_media import Sticks
from appliance.journal.safekeeping.choices import decode_hosts
from appliance.journal.safekeeping.spared import read_spared, write_spared
from appliance.service.machine.lan_address import reached_at
from appliance.service.machine.machine import Machine
from appliance.service.machine.web_address import web_address
from appliance.words.catalogues import LANGUAGES
from hardware.listening import EVERY
from web.errors import WebRejection

AUTO = "auto"
"""Each browser gets the language that it requests."""
NEVER = 24
"""Value of "no hours" in a form that asks from which hour of the day."""
_HOURS = (("quiet_from_h", "quiet_until_h"), ("dark_from_h", "dark_until_h"))
"""Settings that only make sense together."""


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """Configuration of the pages.

    `secret_key` signs join links and cookies. `pin` opens the host's settings, and the kiosk from another machine; with
    "" both open on this machine alone. `address` is the host name or IP address on which the table listens, as a
    socket takes it; if it stands for all (`EVERY`), the one that phones reach is looked up. `host_names` are further
    allowed values of the Host header (IP literals, localhost and this machine's own names are always allowed). At most
    `streams_most` live streams run at once; `threads_spare` threads are for all other requests.
    `host_file` stores the host's changes (None: they last until the next start); `language` ("en", "de" or "auto": as
    each browser asks) is used until the host changes it. `owner_file` stores the owner's settings of the first start
    (None: there is no first start); `machine` controls network and touchscreen (None: the table was not installed from
    its package). `phones_file` stores which phone plays which seat, `evening_file` the data about guests (None: until
    the next start). `files_folder` contains the owner's maps, cards and tariffs, which the set-up pages offer; `sticks`
    are the USB sticks that transfer files at the appliance's own screen. A client that sends `metrics_token` may read
    the figures for monitoring ("": no client from elsewhere). Pages of `embed_origins` may show the scoreboard in a
    frame. `tells_programs`: public information is also sent to other programs; `tells_hub`: to this table's hub.
    `time_zone` returns the zone of the hours that the host chooses, such as `Europe/Berlin` ("": each browser's own).
    It may be another one when it is called again.
    """

    secret_key: bytes
    pin: str
    port: int = 8080
    address: str = EVERY
    host_names: tuple[str, ...] = ()
    streams_most: int = 240
    threads_spare: int = 16
    host_file: Path | None = None
    language: str = AUTO
    owner_file: Path | None = None
    machine: Machine | None = None
    phones_file: Path | None = None
    files_folder: Path | None = None
    evening_file: Path | None = None
    sticks: Sticks = Sticks(())
    metrics_token: str = ""
    embed_origins: tuple[str, ...] = ()
    tells_programs: bool = False
    tells_hub: bool = False
    time_zone: Callable[[], str] = lambda: ""

    def phone_base(self) -> str:
        """Return the address that goes into QR codes: the IP, because older phones do not know `.local` names."""
        return web_address(reached_at(self.address), self.port)


class HostChoices(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The settings that the host may change on the settings page, with their defaults.

    No screen plays sounds from `quiet_from_h` until `quiet_until_h` (hours of the day, 0–23); equal hours mean never.
    Likewise wall and touchscreen are black from `dark_from_h` until `dark_until_h` while no game is played.
    `hub_updates` and `hub_settings`: the hub may install releases here, and change language and hours.
    """

    language: str = AUTO
    dim_after_s: int = 180
    live_picture: bool = True
    join_codes_on_wall: bool = True
    quiet_from_h: int = 0
    quiet_until_h: int = 0
    dark_from_h: int = 0
    dark_until_h: int = 0
    hub_updates: bool = False
    hub_settings: bool = False

    def with_changes(self, shown: HostChoices, chosen: HostChoices) -> HostChoices:
        """Return these choices with what somebody changed who was shown `shown` and has `chosen`."""
        alone = [(name,) for name in self.__struct_fields__ if not any(name in pair for pair in _HOURS)]
        changed = {
            name: getattr(chosen, name)
            for group in (*_HOURS, *alone)
            if any(getattr(chosen, name) != getattr(shown, name) for name in group)
            for name in group
        }
        return msgspec.structs.replace(self, **changed)

    def problem(self) -> WebRejection | None:
        """Return the code of the first invalid choice, or None."""
        if self.language not in (AUTO, *LANGUAGES):
            return "unknown_language"
        if not 30 <= self.dim_after_s <= 3600:
            return "dim_out_of_range"
        hours = {self.quiet_from_h, self.quiet_until_h, self.dark_from_h, self.dark_until_h}
        if not hours <= set(range(24)):
            return "hours_out_of_range"
        return None


class HostStore:
    """The host's choices, in one small file.

    :raises OSError: the file cannot be read.
    :raises DamagedError: the file is damaged and was not repaired before.
    """

    def __init__(self, file: Path | None, language: str = AUTO) -> None:
        self._file = file
        self._untouched = HostChoices(language=language)
        self._lock = threading.Lock()
        self._choices = self._load()

    @property
    def choices(self) -> HostChoices:
        """The current choices."""
        return self._choices

    def change(self, choices: HostChoices, shown: HostChoices | None = None) -> None:
        """Store `choices` and use them from now on.

        :param shown: the choices on the page where these were made; what is the same there stays as it is now, because
            another page may have changed it meanwhile.
        :raises OSError: they cannot be stored; the old ones stay.
        """
        with self._lock:
            self._keep(choices if shown is None else self._choices.with_changes(shown, choices))

    def amend(self, how: Callable[[HostChoices], HostChoices | None]) -> bool:
        """Store the choices that `how` returns for the current ones, under the lock. Return False if it returns None.

        :raises OSError: they cannot be stored; the old ones stay.
        """
        with self._lock:
            choices = how(self._choices)
            if choices is not None:
                self._keep(choices)
            return choices is not None

    def _keep(self, choices: HostChoices) -> None:
        if self._file is not None:
            write_spared(self._file, msgspec.json.encode(choices))
        self._choices = choices

    def _load(self) -> HostChoices:
        said = None if self._file is None else read_spared(self._file, decode_hosts)
        return self._untouched if said is None else self._readable(said)

    def _readable(self, said: Mapping[str, Any]) -> HostChoices:
        """Return the choices of a file. An invalid one gets its default; an invalid switch is off."""
        choices = HostChoices()
        for field in msgspec.structs.fields(HostChoices):
            if field.name not in said:
                continue
            usual = False if field.type is bool else getattr(self._untouched, field.name)
            try:
                value = msgspec.convert(said[field.name], field.type)
            except msgspec.ValidationError:
                value = usual
            made = msgspec.structs.replace(choices, **{field.name: value})
            choices = made if made.problem() is None else msgspec.structs.replace(choices, **{field.name: usual})
        return choices

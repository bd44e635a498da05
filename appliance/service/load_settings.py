"""Loads the settings: defaults < TOML file < environment `SMUGGLERS_<NAME>`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args, get_type_hints
from urllib.parse import urlsplit

import msgspec

from appliance.settings import Settings
from hardware.files.regular_file import brief, parse_toml, read_text

PREFIX = "SMUGGLERS_"
NOT_SETTINGS = frozenset({"SMUGGLERS_DATA"})
"""Variables with our prefix that are not settings: the folder of test pictures."""
_PATHS = (
    "data_dir",
    "copy_dir",
    "files_dir",
    "stick_dirs",
    "machine_dir",
    "camera",
    "camera_file",
    "rig_file",
    "scale_file",
)
"""Settings that name files or folders; `camera` after `clip:`."""
_BEAM_PINS = ("pin_beam_front", "pin_beam_back")
"""Settings of pins that a table without beams does not use."""
_SPI_PINS = range(7, 12)
"""BCM pins of the bus SPI0, all of which the kernel takes."""


class SettingsError(msgspec.Struct, frozen=True):
    """What is wrong with the settings: a stable code, and one sentence that says where and what to do.

    Codes: `unreadable`, `not_toml`, `unknown_setting`, `bad_value`, `pin_used_twice`, `rate_too_high`,
    `secret_missing`.
    """

    code: str
    message: str


def load_settings(path: Path | None, environ: Mapping[str, str]) -> Settings | SettingsError:
    """Return the settings from defaults, the TOML file at `path` and the environment, the later ones winning."""
    values: dict[str, Any] = {}
    if path is not None:
        read = _read_file(path)
        if isinstance(read, SettingsError):
            return read
        for name, value in read.items():
            problem = _problem(name, value, f"{path}: {name}", strict=True)
            if problem is not None:
                return problem
        values.update(read)
    for variable, text in environ.items():
        if variable.startswith(PREFIX) and variable not in NOT_SETTINGS:
            name = variable.removeprefix(PREFIX).lower()
            problem = _problem(name, text, variable, strict=False)
            if problem is not None:
                return problem
            values[name] = text
    if not values.get("data_dir"):
        values["data_dir"] = str(_default_data_dir(environ))
    home = str(_home(environ))
    values.update({name: _from_home(values[name], home) for name in _PATHS if name in values})
    settings = msgspec.convert(values, Settings, strict=False)
    return _shared_pin(settings) or _rate_too_high(settings) or _addresses(settings) or settings


def _read_file(path: Path) -> dict[str, Any] | SettingsError:
    try:
        text = read_text(path)
    except OSError as error:
        return SettingsError("unreadable", f"{path}: {error.strerror}; give a settings file that can be read, or none")
    except ValueError as error:
        return SettingsError("not_toml", f"{path}: {error}; save the file as UTF-8")
    try:
        return parse_toml(text)
    except ValueError as error:
        return SettingsError("not_toml", f"{path}: not TOML ({error}); write one `name = value` a line")


def _problem(name: str, value: Any, where: str, *, strict: bool) -> SettingsError | None:
    types = get_type_hints(Settings, include_extras=True)
    if name not in types:
        near = difflib.get_close_matches(name, types, n=1)
        hint = f"did you mean {near[0]}?" if near else "see docs/settings.md for the list"
        return SettingsError("unknown_setting", f"{brief(where)}: there is no such setting; {hint}")
    try:
        msgspec.convert(value, types[name], strict=strict)
    except msgspec.ValidationError:
        # The value may be secret (the PIN): messages never quote it.
        return SettingsError("bad_value", f"{where}: it should be{_kind(types[name], value)}: {help_of(types[name])}")
    return None


def _rate_too_high(settings: Settings) -> SettingsError | None:
    if settings.scale_wiring != "iio" or settings.scale_rate_sps == 10:
        return None
    message = "scale_wiring iio needs scale_rate_sps 10: the kernel polls every 10 to 20 ms; or set scale_wiring pins"
    return SettingsError("rate_too_high", message)


def _addresses(settings: Settings) -> SettingsError | None:
    """Return what is wrong with the addresses of other programs. They may hold secrets: messages never quote them."""
    for name in ("webhooks", "embed_origins", "mqtt"):
        for number, address in enumerate(getattr(settings, name).split(), 1):
            try:
                usable = bool(urlsplit(address).hostname) and urlsplit(address).port != 0
            except ValueError:
                usable = False
            if not usable:
                return SettingsError(
                    "bad_value", f"{name}: number {number} is not a valid address; check its host and port"
                )
    if not settings.webhooks or settings.webhook_secret:
        return None
    return SettingsError("secret_missing", "webhooks needs webhook_secret; give it 16 characters or more")


def _shared_pin(settings: Settings) -> SettingsError | None:
    if settings.leds == "ws2812" and settings.scale_wiring == "spi":
        message = "leds and scale_wiring both use the SPI bus; set scale_wiring to pins, or leds to none"
        return SettingsError("pin_used_twice", message)
    on_bus = {"leds": settings.leds == "ws2812", "scale_wiring": settings.scale_wiring == "spi"}
    used: dict[int, str] = {}
    for name in Settings.__struct_fields__:
        if not name.startswith("pin_") or (settings.beams == "none" and name in _BEAM_PINS):
            continue
        pin = getattr(settings, name)
        if pin in used:
            message = f"{used[pin]} and {name} are both pin {pin}; give each wire a pin of its own"
            return SettingsError("pin_used_twice", message)
        if pin in _SPI_PINS and any(on_bus.values()):
            user = "lane lights" if on_bus["leds"] else "scale"
            message = f"{name} is pin {pin}, which the SPI bus of the {user} uses; give it another pin"
            return SettingsError("pin_used_twice", message)
        used[pin] = name
    return None


def _default_data_dir(environ: Mapping[str, str]) -> Path:
    """Return systemd's StateDirectory where systemd runs us, else the XDG state folder."""
    if given := environ.get("STATE_DIRECTORY"):
        return Path(given.split(":")[0])
    state_home = environ.get("XDG_STATE_HOME") or str(_home(environ) / ".local/state")
    return Path(state_home) / "smugglers-table"


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME", "~")).expanduser()


def _from_home(folders: str, home: str) -> str:
    """Return folders, separated by `:`, with the home folder in place of a leading `~`, as a shell does."""
    return ":".join(home + one[1:] if one == "~" or one.startswith("~/") else one for one in folders.split(":"))


def _kind(kind: Any, value: Any) -> str:
    """Return what a value must be beyond what its help says: " a number from 0 to 30"; "" if that says it all."""
    if kind.__origin__ is str:
        return "" if isinstance(value, str) else " text in quotes"
    if kind.__origin__ not in (int, float):
        return " " + " or ".join(map(str, get_args(kind.__origin__)))
    (least,), (most,) = (
        [bound for meta in kind.__metadata__ if (bound := getattr(meta, name)) is not None] for name in ("ge", "le")
    )
    return f" a {'whole ' if kind.__origin__ is int else ''}number from {least:g} to {most:g}"


def help_of(kind: Any) -> str:
    """Return the help of a setting of this annotated type."""
    found = ""
    for meta in kind.__metadata__:
        found = meta.description or found
    return found

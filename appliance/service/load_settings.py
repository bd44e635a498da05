"""Loads the settings: defaults < TOML file < environment `SMUGGLERS_<NAME>`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args, get_type_hints
from urllib.parse import urlsplit

import msgspec

from appliance.settings import Settings
from appliance.words.catalogues import words_for
from hardware.files.regular_file import MOST_TEXT_BYTES, TextError, as_text, parse_toml, read_ordinary

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
_LANGUAGE_LINE = re.compile(rb"""^[ \t]*language[ \t]*=[ \t]*["']([\w-]+)["']""", re.MULTILINE)
"""The language of a file that cannot be read as a whole."""
_SPI_PINS = range(7, 12)
"""BCM pins of the bus SPI0, all of which the kernel takes."""


class SettingsError(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with the settings: a stable code, and one sentence that says where and what to do.

    Codes: `unreadable`, `not_toml`, `unknown_setting`, `bad_value`, `pin_used_twice`, `rate_too_high`,
    `secret_missing`.

    :param sentence: which of the sentences `settings_error.…` of the catalogues.
    :param language: as far as it is known from what could be read of the settings.
    """

    code: str
    sentence: str
    values: dict[str, Any]
    language: str = "auto"

    @property
    def message(self) -> str:
        """The sentence."""
        words = words_for(self.language)
        either = f" {words.say('settings_error.or')} "
        values = {key: either.join(map(str, of)) if isinstance(of, tuple) else of for key, of in self.values.items()}
        return words.say(f"settings_error.{self.sentence}", values)


def _error(code: str, sentence: str, **values: Any) -> SettingsError:
    return SettingsError(code=code, sentence=sentence, values=values)


def load_settings(path: Path | None, environ: Mapping[str, str]) -> Settings | SettingsError:
    """Return the settings from defaults, the TOML file at `path` and the environment, the later ones winning."""
    read = {} if path is None else _read_file(path)
    found = read if isinstance(read, SettingsError) else _checked(read, path, environ)
    if isinstance(found, Settings):
        return found
    of_file = read.language if isinstance(read, SettingsError) else read.get("language", "")
    return msgspec.structs.replace(found, language=str(environ.get(f"{PREFIX}LANGUAGE") or of_file))


def _checked(read: dict[str, Any], path: Path | None, environ: Mapping[str, str]) -> Settings | SettingsError:
    for name, value in read.items():
        problem = _problem(name, value, f"{path}: {name}", strict=True)
        if problem is not None:
            return problem
    values = dict(read)
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
        content = read_ordinary(path, MOST_TEXT_BYTES)
    except OSError as error:
        return _error("unreadable", "unreadable", path=str(path), reason=error.strerror)
    sentence = "not_text"
    try:
        text = as_text(content)
        sentence = "not_toml"
        return parse_toml(text)
    except TextError as error:
        sentence = sentence if error.line is not None else "not_toml.far_too_long"
        found = _LANGUAGE_LINE.search(content)
        wrong = _error("not_toml", sentence, path=str(path), line=error.line)
        return msgspec.structs.replace(wrong, language=found[1].decode() if found else "")


def _problem(name: str, value: Any, where: str, *, strict: bool) -> SettingsError | None:
    types = get_type_hints(Settings, include_extras=True)
    if name not in types:
        near = difflib.get_close_matches(name, types, n=1)
        if near:
            return _error("unknown_setting", "unknown_setting.near", place=where, near=near[0])
        return _error("unknown_setting", "unknown_setting", place=where)
    try:
        msgspec.convert(value, types[name], strict=strict)
    except msgspec.ValidationError:
        # The value may be secret (the PIN): messages never quote it.
        return _wrong(types[name], value, where)
    return None


def _rate_too_high(settings: Settings) -> SettingsError | None:
    if settings.scale_wiring != "iio" or settings.scale_rate_sps == 10:
        return None
    return _error("rate_too_high", "rate_too_high")


def _addresses(settings: Settings) -> SettingsError | None:
    """Return what is wrong with the addresses of other programs. They may hold secrets: messages never quote them."""
    for name in ("webhooks", "embed_origins", "mqtt"):
        for number, address in enumerate(getattr(settings, name).split(), 1):
            try:
                usable = bool(urlsplit(address).hostname) and urlsplit(address).port != 0
            except ValueError:
                usable = False
            if not usable:
                return _error("bad_value", "bad_address", name=name, number=number)
    if not settings.webhooks or settings.webhook_secret:
        return None
    return _error("secret_missing", "secret_missing")


def _shared_pin(settings: Settings) -> SettingsError | None:
    if settings.leds == "ws2812" and settings.scale_wiring == "spi":
        return _error("pin_used_twice", "bus_used_twice")
    on_bus = {"leds": settings.leds == "ws2812", "scale_wiring": settings.scale_wiring == "spi"}
    used: dict[int, str] = {}
    for name in Settings.__struct_fields__:
        if not name.startswith("pin_") or (settings.beams == "none" and name in _BEAM_PINS):
            continue
        pin = getattr(settings, name)
        if pin in used:
            return _error("pin_used_twice", "pin_used_twice", one=used[pin], other=name, pin=pin)
        if pin in _SPI_PINS and any(on_bus.values()):
            user = "leds" if on_bus["leds"] else "scale"
            return _error("pin_used_twice", f"pin_of_the_bus.{user}", name=name, pin=pin)
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


def _wrong(kind: Any, value: Any, where: str) -> SettingsError:
    """Return what a value must be, beyond what the setting's help says of it."""
    said: dict[str, Any] = {"place": where, "help": help_of(kind)}
    if kind.__origin__ is str:
        return _error("bad_value", "bad_value" if isinstance(value, str) else "bad_value.text", **said)
    if kind.__origin__ not in (int, float):
        return _error("bad_value", "bad_value.choice", choices=get_args(kind.__origin__), **said)
    (least,), (most,) = (
        [bound for meta in kind.__metadata__ if (bound := getattr(meta, name)) is not None] for name in ("ge", "le")
    )
    form = "whole" if kind.__origin__ is int else "number"
    return _error("bad_value", f"bad_value.{form}", least=least, most=most, **said)


def help_of(kind: Any) -> str:
    """Return the help of a setting of this annotated type."""
    found = ""
    for meta in kind.__metadata__:
        found = meta.description or found
    return found

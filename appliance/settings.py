"""Every setting once: name, type, range, default and help. Defaults < TOML file < environment `SMUGGLERS_<NAME>`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_type_hints
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from appliance.words import LANGUAGES
from hardware.regular_file import parse_toml, read_text

PREFIX = "SMUGGLERS_"
NOT_SETTINGS = frozenset({"SMUGGLERS_DATA"})
"""Variables with our prefix that are not settings: the folder of test pictures."""

Pin = Annotated[int, Meta(ge=0, le=27)]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All settings, checked. Files and folders are absolute, below `~`, or relative to where the command runs."""

    data_dir: Annotated[
        str,
        Meta(
            description="Folder of the journal, its key and the calibration. Empty: systemd's state folder if systemd "
            "starts the table, else `~/.local/state/smugglers-table`.",
        ),
    ] = ""
    copy_dir: Annotated[
        str,
        Meta(
            description="Folder on a second medium, such as a USB stick, for an additional copy of the journal. "
            "Empty: the copy in the data folder is the only one.",
        ),
    ] = ""
    files_dir: Annotated[
        str,
        Meta(
            description="Folder of your own maps, cards and tariffs (`smugglers files`). "
            "Empty: `files` in the data folder.",
        ),
    ] = ""
    stick_dirs: Annotated[
        str,
        Meta(
            description="Folders under which USB sticks are mounted, one or two levels deep, separated by `:`. "
            "The touchscreen saves past games there."
        ),
    ] = "/media:/run/media:/mnt"
    machine_dir: Annotated[
        str,
        Meta(
            description="Folder of the socket for requests to the machine (network, touchscreen, updates), and of the "
            "messages of upgrades. The package's unit sets it. Empty: the table was not installed from the package."
        ),
    ] = ""
    host: Annotated[
        str, Meta(min_length=1, description="Address on which the scoreboard listens. 127.0.0.1: this machine only.")
    ] = "0.0.0.0"  # noqa: S104  # phones on the same network must reach it
    port: Annotated[int, Meta(ge=1, le=65535, description="TCP port of the scoreboard.")] = 8080
    language: Annotated[
        str,
        Meta(
            pattern=f"^(auto|{'|'.join(LANGUAGES)})$",
            description=f"{', '.join(f'`{one}`' for one in LANGUAGES)}, or `auto`: the language each browser requests.",
        ),
    ] = "auto"
    host_pin: Annotated[
        str,
        Meta(
            pattern="^([0-9]{4,12})?$",
            description="PIN of 4 to 12 digits that opens the kiosk and the host's page from any machine. "
            "Empty: both open on the appliance's own screen only.",
        ),
    ] = ""
    metrics_token: Annotated[
        str,
        Meta(
            pattern="^([A-Za-z0-9._~-]{16,200})?$",
            description="Token of at least 16 letters and digits with which Prometheus on another machine reads "
            "`/metrics` (`Authorization: Bearer TOKEN`). Empty: only this machine and the host may read it.",
        ),
    ] = ""
    webhooks: Annotated[
        str,
        Meta(
            pattern=r"^(https?://[^\s/?#@,]+([/?][^\s#]*)?( +(?=h)|$))*$",
            description="Addresses (`http://…` or `https://…`), separated by spaces, to which each public event is "
            "posted as JSON. Needs `webhook_secret`. Empty: none.",
        ),
    ] = ""
    webhook_secret: Annotated[
        str,
        Meta(
            pattern="^([!-~]{16,200})?$",
            description="Secret of at least 16 characters that signs the messages to `webhooks`.",
        ),
    ] = ""
    embed_origins: Annotated[
        str,
        Meta(
            pattern=r"^(https?://[A-Za-z0-9.:\[\]-]+( +(?=h)|$))*$",
            description="Sites (`https://club.example`), separated by spaces, whose pages may show `/widget` and "
            "`/overlay` in a frame. Empty: none.",
        ),
    ] = ""
    mqtt: Annotated[
        str,
        Meta(
            pattern=r"^(mqtts?://([^\s:@/]+(:[^\s@/]*)?@)?([^\s:@/\[\]]+|\[[0-9A-Fa-f:]+\])(:[0-9]{1,5})?)?$",
            description="MQTT broker (`mqtt://user:password@broker:1883`, or `mqtts://…`) of Home Assistant. "
            "Home Assistant then discovers the table by itself. Empty: none.",
        ),
    ] = ""
    hub: Annotated[
        str,
        Meta(
            pattern=r"^(nats\+tls://[^\s]+)?$",
            description="Invitation (`nats+tls://…`) of the hub that this table belongs to, as `smugglers hub invite` "
            "prints it. Empty: the invitation that was last given to `smugglers hub join`, if any.",
        ),
    ] = ""
    grace_s: Annotated[
        float,
        Meta(ge=0.0, le=30.0, description="Seconds in which players can object to a clear reading before it counts."),
    ] = 2.0
    weighing_shown_s: Annotated[
        float, Meta(ge=2.0, le=60.0, description="Seconds that every weighing is shown, whatever the masses.")
    ] = 6.0
    camera: Annotated[
        str,
        Meta(
            pattern="^(auto|picamera2|opencv:[0-9]+|clip:.+|none)$",
            description="`auto`, `picamera2`, `opencv:0` (a USB camera by number), `clip:PATH` (a recorded clip or a "
            "folder of pictures replaces the camera; it starts again two seconds after its end), or `none`.",
        ),
    ] = "auto"
    mains_hz: Annotated[
        Literal[50, 60],
        Meta(
            description="Frequency of the mains, 50 or 60 Hz. The camera's exposure time is chosen so that the flicker "
            "of lamps does not disturb it."
        ),
    ] = 50
    camera_file: Annotated[
        str, Meta(description="File of the lens calibration. Empty: `camera.toml` in the data folder.")
    ] = ""
    rig_file: Annotated[
        str, Meta(description="File of the table's dimensions. Empty: `rig.toml` in the data folder.")
    ] = ""
    scale_file: Annotated[
        str, Meta(description="File of the scale calibration. Empty: `scale.toml` in the data folder.")
    ] = ""
    scale_rate_sps: Annotated[
        Literal[10, 80],
        Meta(
            description="Samples per second of the HX711, set by its RATE pin: 10 (pin at ground, as boards are sold) "
            "or 80."
        ),
    ] = 10
    scale_wiring: Annotated[
        Literal["pins", "spi", "iio"],
        Meta(
            description="How the HX711 is wired and read: `pins` (DOUT and SCK as below), `spi` (SCK on MOSI, BCM 10; "
            "DOUT on MISO, BCM 9; the bus occupies BCM 7 to 11), or `iio` (the kernel's own driver reads the pins; 10 "
            "samples per second). A busy processor does not disturb `spi` and `iio`."
        ),
    ] = "pins"
    beams: Annotated[
        Literal["pins", "none"],
        Meta(
            description="Beam-breaks at the fence: `pins` (each on its pin below), or `none`: the camera judges alone."
        ),
    ] = "pins"
    leds: Annotated[
        str,
        Meta(
            pattern="^(none|ws2812)$",
            description="Lane lights: `none`, or `ws2812` for a strip on the SPI bus (its data wire on BCM 10; the bus "
            "occupies BCM 7 to 11).",
        ),
    ] = "none"
    pin_scale_dout: Annotated[Pin, Meta(description="BCM pin of the HX711's DOUT.")] = 5
    pin_scale_sck: Annotated[Pin, Meta(description="BCM pin of the HX711's SCK.")] = 6
    pin_beam_front: Annotated[Pin, Meta(description="BCM pin of the beam in front of the fence.")] = 17
    pin_beam_back: Annotated[Pin, Meta(description="BCM pin of the beam behind the fence.")] = 27
    pin_hourglass: Annotated[Pin, Meta(description="BCM pin of the hourglass button.")] = 22
    pin_buzzer: Annotated[Pin, Meta(description="BCM pin of the buzzer.")] = 18

    def path(self, name: str) -> Path:
        """Return the path of a file in the data folder, such as "journal.sqlite3" or "seal.key"."""
        return Path(self.data_dir) / name

    @property
    def files_path(self) -> Path:
        """Where the owner's maps, cards and tariffs are."""
        return Path(self.files_dir) if self.files_dir else self.path("files")

    @property
    def stick_paths(self) -> tuple[Path, ...]:
        """Where USB sticks are mounted."""
        return tuple(Path(folder) for folder in self.stick_dirs.split(":") if folder)

    @property
    def camera_path(self) -> Path:
        """Where the lens calibration is."""
        return Path(self.camera_file) if self.camera_file else self.path("camera.toml")

    @property
    def rig_path(self) -> Path:
        """Where the measures of the table are."""
        return Path(self.rig_file) if self.rig_file else self.path("rig.toml")

    @property
    def scale_path(self) -> Path:
        """Where the scale's calibration is."""
        return Path(self.scale_file) if self.scale_file else self.path("scale.toml")


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
BEAM_PINS = ("pin_beam_front", "pin_beam_back")
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
        return parse_toml(read_text(path))
    except OSError as error:
        return SettingsError("unreadable", f"{path}: {error.strerror}; give a settings file that can be read, or none")
    except ValueError as error:
        return SettingsError("not_toml", f"{path}: not TOML ({error}); write one `name = value` a line")


def _problem(name: str, value: Any, where: str, *, strict: bool) -> SettingsError | None:
    types = get_type_hints(Settings, include_extras=True)
    if name not in types:
        near = difflib.get_close_matches(name, types, n=1)
        hint = f"did you mean {near[0]}?" if near else "see docs/settings.md for the list"
        return SettingsError("unknown_setting", f"{where}: there is no such setting; {hint}")
    try:
        msgspec.convert(value, types[name], strict=strict)
    except msgspec.ValidationError:
        # The value may be secret (the PIN): messages never quote it.
        return SettingsError("bad_value", f"{where}: it should be{_kind(types[name], value)}: {_help(types[name])}")
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
        if not name.startswith("pin_") or (settings.beams == "none" and name in BEAM_PINS):
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


def _help(kind: Any) -> str:
    found = ""
    for meta in kind.__metadata__:
        found = meta.description or found
    return found


def settings_table() -> str:
    """Return the table of all settings for docs/settings.md, in Markdown."""
    rows = ["| setting | default | environment | what it does |", "|---|---|---|---|"]
    types = get_type_hints(Settings, include_extras=True)
    for field in msgspec.structs.fields(Settings):
        default = '""' if field.default == "" else field.default
        rows.append(f"| `{field.name}` | `{default}` | `{PREFIX}{field.name.upper()}` | {_help(types[field.name])} |")
    return "\n".join(rows) + "\n"

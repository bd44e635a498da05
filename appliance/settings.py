"""Every setting once: name, type, range, default and help. `appliance.service.load_settings` reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from appliance.words.catalogues import LANGUAGES

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
        str,
        Meta(
            min_length=1,
            description="Address on which the scoreboard listens. `::`: all, IPv6 and IPv4. `0.0.0.0`: all of IPv4. "
            "`127.0.0.1`: this machine only.",
        ),
    ] = "::"
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
        """Return the path of a file in the data folder, such as "rig.toml"."""
        return Path(self.data_dir) / name

    def table_folder(self, *, demo: bool) -> Path:
        """Return the folder of the real table's journal and keys, or of those of the demo, which has its own."""
        return self.path("demo") if demo else Path(self.data_dir)

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

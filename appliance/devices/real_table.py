"""The devices of a real table, wired through the sensor pipeline to the game's table.

A device that is missing is reported as health.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from appliance.devices.calibration_files import own_rig
from appliance.devices.scale_session import load_cell_opener
from appliance.sensing.camera_pipeline import CameraPipeline
from appliance.sensing.live_picture import LivePictureCache
from appliance.sensing.pipeline import ReadingSink, SensorPipeline
from appliance.sensing.roll_places import RollPlaces
from appliance.settings import Settings
from hardware.beams.beam_opener import BeamOpener
from hardware.beams.beam_pair import BeamLimits, BeamPair
from hardware.beams.transit_time import least_transit_s
from hardware.cameras.camera import Camera, CameraError, CameraFeed, Frame
from hardware.cameras.camera_model import CameraFileError, load_camera
from hardware.cameras.clip_camera import ClipCamera
from hardware.cameras.picamera2_camera import Picamera2Camera
from hardware.cameras.usb_camera import UsbCamera, first_usb_camera
from hardware.clock import Clock, MonotonicClock
from hardware.gpio.lgpio_folder import LgpioFolderError, import_on_lgpio
from hardware.gpio.stamped_input import kept_listening
from hardware.panel import Panel
from hardware.readings import Device, DeviceHealth
from hardware.rig import Beam, Rig
from hardware.rig_file import RigError
from hardware.scale.load_cell import Sample
from hardware.scale.process.child import Report
from hardware.scale.process.scale_process import ScaleProcess
from hardware.scale.scale_model import ScaleError, load_scale
from hardware.scale.weighing import Weigher
from hardware.spi.strip_lights import StripLights

_log = logging.getLogger(__name__)


class RealTable:
    """Camera, beams, scale and panel of this machine.

    :param tap: also gets every raw fact and frame (`SensorPipeline`).
    :param rolls: gets the places of a rolling sphere.
    """

    def __init__(
        self,
        sink: ReadingSink,
        clock: Clock,
        settings: Settings,
        *,
        tap: Callable[[Any], None] = lambda fact: None,
        rolls: RollPlaces | None = None,
    ) -> None:
        self._sink, self._clock, self._settings = sink, clock, settings
        rig = self._rig()
        self._lens_position: float | None = None
        self._pipeline = None if rig is None else self._camera_pipeline(rig)
        self._live = LivePictureCache(self._pipeline, clock) if self._pipeline is not None else None
        weigher = self._weigher()
        self._sensing = SensorPipeline(
            clock=clock,
            sink=sink,
            camera=self._pipeline,
            beams=self._beam_pair(rig or Rig()),
            scale=weigher,
            tap=tap,
            rolls=rolls,
            upkeep=self._open_what_was_taken,
        )
        self._rig_used = self._with_pins(rig or Rig())
        self._pins: Any = None
        self._beams: BeamOpener | None = None
        self.panel: Panel | None = None
        self._calibrated = weigher is not None
        self._scale = self._scale_process()
        self._camera = self._camera_feed() if self._pipeline is not None else None

    def live_picture(self) -> bytes | None:
        """Return the newest picture of the track that people may see, or None."""
        return self._live.newest() if self._live is not None else None

    def start(self) -> None:
        """Open all devices that are present."""
        self._sensing.start()
        settings, rig = self._settings, self._rig_used
        factory = self._pins = self._pin_factory()
        if factory is not None:
            self._beams = BeamOpener(
                rig.beams, self._clock, self._sensing.put, partial(self._report, "beams"), pin_factory=factory
            )
            self.panel = Panel(
                self._clock,
                self._sensing.put,
                lanes=len(rig.lanes),
                button_pin=settings.pin_hourglass,
                buzzer_pin=settings.pin_buzzer,
                open_lights=StripLights if settings.leds == "ws2812" else None,
                pin_factory=factory,
            )
        for part in (self._scale, self._camera):
            if part is not None:
                part.start()

    def stop(self) -> None:
        """Close all devices that were opened, also those after one that raises an error."""
        with ExitStack() as closing:
            closing.callback(self._sensing.stop)
            for part in (self._pins, self._beams, self.panel, self._scale, self._camera):
                if part is not None:
                    closing.callback(part.close)

    def _open_what_was_taken(self, now_s: float) -> None:
        if self._beams is not None:
            self._beams.tick(now_s)

    def _pin_factory(self) -> Any:
        try:
            return gpio_pins()
        except ImportError:
            self._report_no_pins("beams_no_driver")
        except LgpioFolderError as error:
            _log.error("%s", error)
            self._report_no_pins("beams_no_folder")
        except Exception as error:  # lgpio raises bare errors of its own for a missing header
            _log.info("no GPIO here: %s", error)
            self._report_no_pins("beams_no_gpio")
        return None

    def _report_no_pins(self, beams_code: str) -> None:
        if self._settings.beams != "none":
            self._report("beams", beams_code)
        self._report("panel", "panel_no_button")

    def _report(self, device: Device, code: str) -> None:
        self._sink.sense(DeviceHealth(t_s=self._clock.now_s(), device=device, status="absent", code=code))

    def _rig(self) -> Rig | None:
        """Return the measured rig, or the standard one; None, reported, if the file is damaged: nothing may be seen."""
        try:
            return own_rig(self._settings)
        except RigError:
            self._report("camera", "rig_unreadable")
            return None

    def _with_pins(self, rig: Rig) -> Rig:
        """Return the rig with the beams on the pins of the settings; without beams if the settings say so."""
        pins = {"front": self._settings.pin_beam_front, "back": self._settings.pin_beam_back}
        there = rig.beams if self._settings.beams != "none" else ()
        beams = tuple(Beam(beam.name, pins.get(beam.name, beam.pin), beam.y_mm, beam.z_mm) for beam in there)
        return Rig(**{name: getattr(rig, name) for name in Rig.__struct_fields__ if name != "beams"}, beams=beams)

    def _beam_pair(self, rig: Rig) -> BeamPair | None:
        if self._settings.beams == "none":
            self._report("beams", "beams_off")
            return None
        return BeamPair(BeamLimits(least_transit_s=least_transit_s(rig)))

    def _camera_pipeline(self, rig: Rig) -> CameraPipeline | None:
        if self._settings.camera == "none":
            self._report("camera", "camera_off")
            return None
        try:
            camera = load_camera(self._settings.camera_path)
        except CameraFileError:
            self._report("camera", "camera_not_calibrated")
            return None
        self._lens_position = camera.lens_position
        return CameraPipeline(rig, camera)

    def _weigher(self) -> Weigher | None:
        try:
            return Weigher(load_scale(self._settings.scale_path))
        except ScaleError:
            return None

    def _scale_process(self) -> ScaleProcess:
        return ScaleProcess(load_cell_opener(self._settings), self._clock, self._take_scale_report)

    def _take_scale_report(self, report: Report) -> None:
        """Take a report of the scale. Without a calibration its samples are not used, but its faults are reported."""
        if not self._calibrated and isinstance(report, Sample):
            return
        if not self._calibrated and isinstance(report, DeviceHealth) and report.status == "ok":
            report = msgspec.structs.replace(report, status="absent", code="scale_not_calibrated")
        self._sensing.put(report)

    def _camera_feed(self) -> CameraFeed:
        pipeline = self._pipeline
        assert pipeline is not None
        return CameraFeed(
            partial(
                open_camera,
                self._settings.camera,
                self._clock,
                mains_hz=self._settings.mains_hz,
                lens_position=self._lens_position,
            ),
            self._clock,
            self._take_frame,
            self._sensing.put,
            lambda: pipeline.wanted_fps,
        )

    def _take_frame(self, frame: Frame) -> None:
        if self._live is not None:
            self._live.keep(frame)
        self._sensing.put_frame(frame)


def gpio_pins() -> Any:
    """Return lgpio's pins, and no others: gpiozero would fall back to libraries without kernel stamps."""
    return kept_listening(import_on_lgpio("gpiozero.pins.lgpio").LGPIOFactory())


def any_sense(settings: Settings) -> bool:
    """Return whether pins or a camera can be opened on this machine. They are closed again, and nothing is read."""
    try:
        gpio_pins().close()
    except Exception as error:  # as above: no package, or a bare error of lgpio's own
        _log.info("no GPIO here: %s", error)
    else:
        return True
    try:
        open_camera(settings.camera, MonotonicClock()).close()
    except CameraError:
        return False
    return True


def open_camera(which: str, clock: Clock, *, mains_hz: int = 50, lens_position: float | None = None) -> Camera:
    """Open the camera that the setting names: "auto" is the Pi's own, else the first USB camera.

    A clip plays at its own rate. At its end it counts as lost, like a camera, and starts again when it is opened again.

    :param mains_hz: frequency of the mains, with which lamps flicker.
    :param lens_position: the position in which the calibration held the lens; None: the lens focuses.
    :raises CameraError: there is no such camera, or `none` is named: `camera_off`.
    """
    if which == "none":
        message = "The setting camera switches the camera off: set it to auto, or remove it."
        raise CameraError("camera_off", message)
    if which.startswith("opencv:"):
        number = int(which.removeprefix("opencv:"))
        return UsbCamera(clock, number, mains_hz=mains_hz, lens_position=lens_position)
    if which.startswith("clip:"):
        return ClipCamera(Path(which.removeprefix("clip:")), clock, wait=time.sleep)
    try:
        return Picamera2Camera(clock, mains_hz=mains_hz, lens_position=lens_position)
    except CameraError as error:
        # A fault of the Pi's own camera must be reported, and not be hidden by the absence of a USB camera.
        if which == "picamera2" or error.code not in ("camera_no_driver", "camera_absent"):
            raise
        return UsbCamera(clock, first_usb_camera(), mains_hz=mains_hz, lens_position=lens_position)

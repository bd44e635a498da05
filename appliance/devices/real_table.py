"""A real table's drivers, wired to the judges and those to the game's table. What is missing becomes health."""

from __future__ import annotations

import importlib
import logging
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from appliance.devices.scale_session import load_cell_opener
from appliance.sensing.camera_pipeline import CameraPipeline
from appliance.sensing.live_picture import LivePictureCache
from appliance.sensing.pipeline import ReadingSink, SensorPipeline
from appliance.settings import Settings
from hardware.beams.beam_break import BeamBreak, BeamError, open_beams
from hardware.beams.beam_pair import BeamPair
from hardware.cameras.camera import Camera, CameraError, CameraFeed, Frame, OpenCvCamera
from hardware.cameras.camera_model import CameraFileError, load_camera
from hardware.cameras.clip_camera import ClipCamera
from hardware.cameras.picamera2_camera import Picamera2Camera
from hardware.clock import Clock, MonotonicClock
from hardware.panel import Panel, StripLights
from hardware.readings import Device, DeviceHealth
from hardware.rig import Beam, Rig, RigError, load_rig
from hardware.scale.load_cell import Sample
from hardware.scale.scale_model import ScaleError, load_scale
from hardware.scale.scale_process import ScaleProcess
from hardware.scale.weighing import Weigher

LIGHTS_PIN = 12
"""BCM pin of the WS2812 strip: PWM0, the one that the buzzer's pin 18 leaves free."""

_log = logging.getLogger(__name__)


class RealTable:
    """Camera, beams, scale and panel of this machine.

    :param tap: is given every raw fact and frame too (`SensorPipeline`).
    """

    def __init__(
        self, sink: ReadingSink, clock: Clock, settings: Settings, *, tap: Callable[[Any], None] = lambda fact: None
    ) -> None:
        self._sink, self._clock, self._settings = sink, clock, settings
        rig = self._rig()
        self._senses = self._camera_senses(rig)
        self._live = LivePictureCache(self._senses.live_picture) if self._senses is not None else None
        weigher = self._weigher()
        self._sensing = SensorPipeline(
            clock=clock,
            sink=sink,
            camera=self._senses,
            beams=BeamPair(),
            scale=weigher,
            tap=tap,
        )
        self._rig_used = rig
        self._beams: list[BeamBreak] = []
        self.panel: Panel | None = None
        self._calibrated = weigher is not None
        self._scale = self._scale_process()
        self._camera = self._camera_feed() if self._senses is not None else None

    def live_picture(self) -> bytes | None:
        """Return the newest picture of the track that people may see, or None."""
        return self._live.newest() if self._live is not None else None

    def start(self) -> None:
        """Open all that there is."""
        self._sensing.start()
        settings, rig = self._settings, self._rig_used
        factory = self._pin_factory()
        if factory is not None:
            try:
                self._beams = open_beams(rig.beams, self._clock, self._sensing.put, pin_factory=factory)
            except BeamError as error:
                self._tell("beams", error.code)
            self.panel = Panel(
                self._clock,
                self._sensing.put,
                lanes=len(rig.lanes),
                button_pin=settings.pin_hourglass,
                buzzer_pin=settings.pin_buzzer,
                open_lights=partial(StripLights, LIGHTS_PIN, len(rig.lanes)) if settings.leds == "ws2812" else None,
                pin_factory=factory,
            )
        for part in (self._scale, self._camera):
            if part is not None:
                part.start()

    def stop(self) -> None:
        """Close all that was opened."""
        for part in (self._camera, self._scale, self.panel, *self._beams):
            if part is not None:
                part.close()
        self._sensing.stop()

    def _pin_factory(self) -> Any:
        try:
            return _gpio_pins()
        except ImportError:
            self._tell("beams", "beams_no_driver")
            self._tell("panel", "panel_no_button")
        except Exception as error:  # lgpio raises bare errors of its own for a missing header
            _log.info("no GPIO here: %s", error)
            self._tell("beams", "beams_no_gpio")
            self._tell("panel", "panel_no_button")
        return None

    def _tell(self, device: Device, code: str) -> None:
        self._sink.sense(DeviceHealth(t_s=self._clock.now_s(), device=device, status="absent", code=code))

    def _rig(self) -> Rig:
        settings = self._settings
        pins = {"front": settings.pin_beam_front, "back": settings.pin_beam_back}
        try:
            rig = load_rig(settings.rig_path) if settings.rig_path.exists() else Rig()
        except RigError:
            self._tell("camera", "rig_unreadable")
            rig = Rig()
        beams = tuple(Beam(beam.name, pins.get(beam.name, beam.pin), beam.y_mm, beam.z_mm) for beam in rig.beams)
        return Rig(**{name: getattr(rig, name) for name in Rig.__struct_fields__ if name != "beams"}, beams=beams)

    def _camera_senses(self, rig: Rig) -> CameraPipeline | None:
        if self._settings.camera == "none":
            self._tell("camera", "camera_absent")
            return None
        try:
            return CameraPipeline(rig, load_camera(self._settings.camera_path))
        except CameraFileError:
            self._tell("camera", "camera_not_calibrated")
            return None

    def _weigher(self) -> Weigher | None:
        try:
            return Weigher(load_scale(self._settings.scale_path))
        except ScaleError:
            return None

    def _scale_process(self) -> ScaleProcess:
        return ScaleProcess(load_cell_opener(self._settings), self._clock, self._hear_scale)

    def _hear_scale(self, report: Sample | DeviceHealth) -> None:
        """Without a calibration a sound scale is still of no use, but what is wrong with its wires is worth knowing."""
        if self._calibrated:
            self._sensing.put(report)
        elif isinstance(report, DeviceHealth) and report.status == "ok":
            self._tell("scale", "scale_not_calibrated")
        elif isinstance(report, DeviceHealth):
            self._sensing.put(report)

    def _camera_feed(self) -> CameraFeed:
        senses = self._senses
        assert senses is not None
        return CameraFeed(
            partial(open_camera, self._settings.camera, self._clock),
            self._clock,
            self._take,
            self._sensing.put,
            lambda: senses.wanted_fps,
        )

    def _take(self, frame: Frame) -> None:
        if self._live is not None:
            self._live.keep(frame)
        self._sensing.put_frame(frame)


def _gpio_pins() -> Any:
    """Return lgpio's pins, and no others: gpiozero would fall back to libraries without kernel stamps."""
    return importlib.import_module("gpiozero.pins.lgpio").LGPIOFactory()


def any_sense(settings: Settings) -> bool:
    """Whether pins or a camera can be opened on this machine; they are closed again, and nothing is read."""
    try:
        _gpio_pins().close()
    except Exception as error:  # as above: no package, or a bare error of lgpio's own
        _log.info("no GPIO here: %s", error)
    else:
        return True
    if settings.camera == "none":
        return False
    try:
        open_camera(settings.camera, MonotonicClock()).close()
    except CameraError:
        return False
    return True


def open_camera(which: str, clock: Clock) -> Camera:
    """Open the camera that the setting names: "auto" is the Pi's own, else the first USB camera.

    A clip plays at its own rate; at its end it is lost like a camera, and opened again it begins anew.

    :raises CameraError: there is none.
    """
    if which.startswith("opencv:"):
        return OpenCvCamera(clock, int(which.removeprefix("opencv:")))
    if which.startswith("clip:"):
        return ClipCamera(Path(which.removeprefix("clip:")), clock, wait=time.sleep)
    try:
        return Picamera2Camera(clock)
    except CameraError:
        if which == "picamera2":
            raise
        return OpenCvCamera(clock)

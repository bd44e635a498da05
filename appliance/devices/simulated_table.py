"""A simulated table with real drivers and pipeline: `smugglers demo` runs it in threads, tests run it in lockstep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from appliance.sensing.camera_pipeline import CameraPipeline
from appliance.sensing.live_picture import LivePictureCache
from appliance.sensing.pipeline import ReadingSink, SensorPipeline
from appliance.sensing.roll_places import RollPlaces
from hardware.beams.beam_break import open_beams
from hardware.beams.beam_pair import BeamPair
from hardware.cameras.camera import STREAM_SIZE_PX, CameraFeed, Frame, Size
from hardware.clock import Clock
from hardware.panel import Panel
from hardware.readings import PUTTY_COLOURS
from hardware.rig import Rig
from hardware.scale.scale_model import ScaleModel
from hardware.scale.weighing import Weigher
from hardware.twin.cameras.camera import TwinCamera
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.drawing.viewpoint import twin_view
from hardware.twin.faults import Faults
from hardware.twin.simulation import Simulation
from hardware.twin.wires.pins import SimulatedPins
from hardware.twin.wires.scale_wiring import TwinLoad
from hardware.twin.world import scale_cell
from hardware.twin.world.world import World

TWIN_SCALE = ScaleModel(
    zero_counts=scale_cell.ZERO_COUNTS,
    counts_per_gram=scale_cell.COUNTS_PER_G,
    white_sd_g=scale_cell.WHITE_SD_G,
    drift_g_per_sqrt_s=scale_cell.DRIFT_G_PER_SQRT_S,
    creep_fraction=scale_cell.CREEP_SHARE,
    creep_s=scale_cell.CREEP_TIME_S,
)
"""What a calibration of the simulated scale would find."""

TRACK_FPS = 28.0
"""Frame rate of the simulated camera while a sphere may roll."""


class TwinTable:
    """The simulated table, wired through the real drivers and the sensor pipeline to the game's table.

    The scale's driver is not included: it runs in a process of its own or, in lockstep, is polled.

    :param load: the memory through which a scale in another process gets the load, or None.
    :param size_px: size of the camera's pictures.
    :param tap: also gets every raw fact and frame (`SensorPipeline`).
    :param rolls: gets the places of a rolling sphere.
    """

    def __init__(
        self,
        sink: ReadingSink,
        clock: Clock,
        *,
        seed: int,
        load: TwinLoad | None = None,
        size_px: Size = STREAM_SIZE_PX,
        tap: Callable[[Any], None] = lambda fact: None,
        rolls: RollPlaces | None = None,
    ) -> None:
        self.clock = clock
        self.rig = Rig()
        self.faults = Faults()
        self.world = World(self.rig, colours=PUTTY_COLOURS, seed=seed, start_s=clock.now_s(), faults=self.faults)
        self.pins = SimulatedPins(clock, faults=self.faults)
        view = twin_view(*size_px)
        self.camera = TwinCamera(Renderer(self.rig, view, seed=seed), fps=TRACK_FPS, faults=self.faults)
        self.simulation = Simulation(self.world, clock, pins=self.pins, camera=self.camera, load=load)
        self.camera_pipeline = CameraPipeline(self.rig, view.camera)
        self.sensing = SensorPipeline(
            clock=clock,
            sink=sink,
            camera=self.camera_pipeline,
            beams=BeamPair(),
            scale=Weigher(TWIN_SCALE),
            tap=tap,
            rolls=rolls,
        )
        self.live = LivePictureCache(self.camera_pipeline, clock)
        self._beams = open_beams(self.rig.beams, clock, self.sensing.put, pin_factory=self.pins.factory)
        self._feed = CameraFeed(self.camera.open, clock, self.take, self.sensing.put, self.wanted_fps, comes_back=True)
        self.panel = Panel(clock, self.sensing.put, pin_factory=self.pins.factory)

    def take(self, frame: Frame) -> None:
        """Take a camera frame."""
        self.live.keep(frame)
        self.sensing.put_frame(frame)

    def wanted_fps(self) -> float | None:
        """Return the frame rate that is needed now, and set the simulated camera to it."""
        wanted = self.camera_pipeline.wanted_fps
        self.camera.fps = wanted or TRACK_FPS
        return wanted

    def start(self) -> None:
        """Run in threads until `stop`."""
        self.sensing.start()
        self.simulation.start()
        self._feed.start()

    def stop(self) -> None:
        """Stop the threads and release the pins. The table is not started again."""
        self.camera.give_up()
        self._feed.close()
        self.simulation.stop()
        self.sensing.stop()
        self.close()

    def close(self) -> None:
        """Release the pins."""
        for beam in self._beams:
            beam.close()
        self.panel.close()
        self.pins.close()

"""The sensor pipeline: edges, samples and frames of the drivers become readings for the table.

Drivers call in on threads of their own; those calls only enqueue. One thread processes everything in order of arrival.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterable
from typing import Protocol

from appliance.games.protocol import Area
from appliance.sensing.camera_watch import CameraWatch
from appliance.sensing.device_word import DeviceWord
from appliance.sensing.mishaps import Mishaps
from appliance.sensing.roll_places import RollPlaces
from hardware.beams.beam_pair import BeamEdge
from hardware.cameras.camera import Frame
from hardware.cameras.camera_model import Image
from hardware.clock import Clock, wait_out
from hardware.readings import Device, DeviceHealth, Reading, RollPlace
from hardware.scale.load_cell import ReadCounters, ReadFailure, Sample

TICK_S = 0.1
"""How often `tick` is called, in seconds of the clock."""

LATE_S = 1.0
"""After this long without a tick, no device is judged as silent: we were too busy to receive what it sent."""

MOST_WAITING_FRAMES = 8
"""While this many frames wait, new ones are dropped."""

DriverFact = BeamEdge | Sample | ReadFailure | ReadCounters | Reading
"""What a driver tells besides frames: raw data, or a reading of its own such as its health."""


class ReadingSink(Protocol):
    """Takes readings and says which areas to watch: the table, or the self-test in its place."""

    def sense(self, reading: Reading) -> None:
        """Take a reading; it only enqueues."""
        ...

    def attention(self) -> frozenset[Area]:
        """Return the areas that the camera should watch now."""
        ...


class FrameProcessor(Protocol):
    """Processes frames (`appliance.sensing.camera_pipeline.CameraPipeline`)."""

    @property
    def sees_track(self) -> bool:
        """Whether a rolling sphere would be detected now."""
        ...

    def feed(self, frame: Frame) -> Iterable[Reading]:
        """Take one frame; return new readings."""
        ...

    def replay_picture(self, frame: Frame) -> Image | None:
        """Return the picture for a replay of the frame that was fed last; None where nothing may be shown."""
        ...

    def attend(self, areas: frozenset[Area]) -> None:
        """Watch these areas only."""
        ...

    def start_afresh(self) -> None:
        """Forget what was seen, after an error."""
        ...


class EdgeProcessor(Protocol):
    """Processes beam edges (`hardware.beams.beam_pair.BeamPair`)."""

    def take_places(self) -> Iterable[RollPlace]:
        """Return the places of a sphere that follow from the edges since the last call."""
        ...

    def take_changes(self) -> Iterable[BeamEdge]:
        """Return the debounced edges since the last call."""
        ...

    def edge(self, edge: BeamEdge) -> Iterable[Reading]:
        """Take one edge; return new readings."""
        ...

    def tick(self, now_s: float) -> Iterable[Reading]:
        """Let time pass; return new readings."""
        ...

    def attend(self, track: bool, now_s: float) -> None:
        """Note whether a roll is expected now."""
        ...

    def see(self, reading: Reading) -> None:
        """Take a reading of the camera."""
        ...


class CountProcessor(Protocol):
    """Processes samples of the scale (`hardware.scale.weighing.Weigher`)."""

    def feed(self, t_s: float, counts: float) -> Iterable[Reading]:
        """Take one sample; return new readings."""
        ...

    def tick(self, now_s: float) -> Iterable[Reading]:
        """Let time pass; return new readings."""
        ...


class SensorPipeline:
    """Connects the drivers to the table.

    Samples of the scale wait for the next tick; everything else is processed at once. Waking the thread for each of 80
    samples a second costs more than processing them.

    :param sink: takes the readings.
    :param tap: also gets every raw fact and frame, on its driver's thread (`smugglers record`); it must enqueue.
    :param rolls: gets the places of a rolling sphere, which no game needs.
    :param upkeep: called at every tick with the second: it opens beams that could not be opened.
    :param recorded: the facts are those of a recording, which leaves frames out. Their absence says nothing.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        sink: ReadingSink,
        camera: FrameProcessor | None = None,
        beams: EdgeProcessor | None = None,
        scale: CountProcessor | None = None,
        tap: Callable[[DriverFact | Frame], None] = lambda fact: None,
        rolls: RollPlaces | None = None,
        upkeep: Callable[[float], None] = lambda now_s: None,
        recorded: bool = False,
    ) -> None:
        self._clock, self._sink, self._tap, self._upkeep = clock, sink, tap, upkeep
        self._rolls = rolls if rolls is not None else RollPlaces()
        self._camera, self._beams, self._scale = camera, beams, scale
        self._inbox: queue.SimpleQueue[DriverFact | Frame] = queue.SimpleQueue()
        self._news = threading.Event()
        self._room = threading.Semaphore(MOST_WAITING_FRAMES)
        self._ticked_s = clock.now_s()
        self._scale_excused = False
        self._words: dict[Device, DeviceWord] = {"scale": DeviceWord(), "camera": DeviceWord()}
        self._camera_delivers = False
        self._camera_watch = CameraWatch(clock.speed)
        self._recorded = recorded
        self._mishaps = Mishaps(sink.sense)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def put(self, fact: DriverFact) -> None:
        """Enqueue a driver's fact or reading; safe from any thread."""
        self._tap(fact)
        self._inbox.put(fact)
        if not isinstance(fact, Sample | ReadCounters):
            self._news.set()

    def put_frame(self, frame: Frame) -> None:
        """Enqueue a camera frame, or drop it when too many wait; safe from any thread."""
        self._tap(frame)
        if self._room.acquire(blocking=False):
            self._inbox.put(frame)
            self._news.set()

    def pump(self) -> None:
        """Process all that waits, in the caller's thread (lockstep play)."""
        while not self._inbox.empty():
            self._take(self._inbox.get_nowait())
        self._tick(self._clock.now_s())

    def start(self) -> None:
        """Start the processing thread. An exception does not end it; it is reported as health."""
        self._mishaps.catch()
        self._thread = threading.Thread(target=self._run, name="sensing", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread after the fact or frame that it is processing."""
        self._stopping.set()
        self._news.set()
        wait_out(self._thread)
        if self._rolls.replays is not None:
            self._rolls.replays.forget()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._news.wait(TICK_S / self._clock.speed)
            self._news.clear()
            with contextlib.suppress(queue.Empty):
                while not self._stopping.is_set():
                    fact = self._inbox.get_nowait()
                    self._take(fact)
                    # While facts wait, time is that of the last one: the queue may hold what would otherwise count as
                    # missing.
                    self._tick(self._clock.now_s() if self._inbox.empty() else fact.t_s)
            self._tick(self._clock.now_s())

    def _take(self, fact: DriverFact | Frame) -> None:
        match fact:
            case BeamEdge():
                with self._mishaps.of("beams", fact.t_s):
                    self._emit(self._beams.edge(fact) if self._beams is not None else ())
                    self._draw_by_beams()
            case Sample():
                self._scale_excused = False
                with self._mishaps.of("scale", fact.t_s):
                    self._emit(self._scale.feed(fact.t_s, fact.counts) if self._scale is not None else ())
            case ReadFailure() | ReadCounters():
                pass  # only for the tap; the driver reports lasting failures as DeviceHealth
            case Reading():
                if isinstance(fact, DeviceHealth) and fact.device == "camera":
                    self._camera_watch.reported(fact, self._clock.now_s())
                self._pass_on(fact)
            case Frame():
                self._room.release()
                if (again := self._camera_watch.frame(self._clock.now_s())) is not None:
                    self._pass_on(again)
                self._camera_delivers = True
                if self._camera is not None:
                    self._look(self._camera, fact)

    def _pass_on(self, reading: Reading) -> None:
        """Pass on a reading of a driver, or of the watch over it."""
        if isinstance(reading, DeviceHealth) and reading.device == "scale":
            self._scale_excused = reading.status != "ok"
        if isinstance(reading, DeviceHealth) and reading.device == "camera":
            self._camera_delivers = False
        if isinstance(reading, DeviceHealth) and reading.device in self._words:
            reading = self._words[reading.device].of_driver(reading)
        with self._mishaps.of("beams", reading.t_s):
            self._show_to_beams(reading)
        self._tell(reading)

    def _look(self, camera: FrameProcessor, frame: Frame) -> None:
        with self._mishaps.of("camera", frame.t_s, camera.start_afresh):
            readings = tuple(camera.feed(frame))
            with self._mishaps.of("beams", frame.t_s):
                for reading in readings:
                    self._show_to_beams(reading)
            self._emit(readings)
        with self._mishaps.of(None, frame.t_s):
            if (replays := self._rolls.replays) is not None and replays.wanted:
                replays.see(frame.t_s, camera.replay_picture(frame))

    def _tick(self, now_s: float) -> None:
        passed_s = now_s - self._ticked_s
        if passed_s < TICK_S:
            return
        self._ticked_s = now_s
        attention = self._sink.attention()
        with self._mishaps.of(None, now_s):
            if self._rolls.replays is not None:
                self._rolls.replays.tick(now_s)
        if self._camera is not None:
            with self._mishaps.of("camera", now_s, self._camera.start_afresh):
                self._camera.attend(attention)
        with self._mishaps.of("beams", now_s):
            self._upkeep(now_s)
        if self._beams is not None:
            with self._mishaps.of("beams", now_s):
                self._beams.attend("track" in attention, now_s)
                self._emit(self._beams.tick(now_s))
                self._draw_by_beams()
        # Do not judge silence that the driver has explained, or a time in which we were too busy to receive samples.
        if self._scale is not None and not self._scale_excused and passed_s < LATE_S:
            with self._mishaps.of("scale", now_s):
                self._emit(self._scale.tick(now_s))
        if passed_s >= LATE_S:
            self._camera_watch.deaf(now_s)
        elif not self._recorded and (stuck := self._camera_watch.tick(now_s)) is not None:
            self._pass_on(stuck)
        self._mishaps.tick(now_s)

    def _show_to_beams(self, reading: Reading) -> None:
        if self._beams is not None:
            self._beams.see(reading)

    def _draw_by_beams(self) -> None:
        """Move the drawn sphere by the beams while a game watches the track and no camera sees it."""
        if self._beams is None:
            return
        places, changes = self._beams.take_places(), self._beams.take_changes()
        if self._rolls.replays is not None:
            self._rolls.replays.note_edges(changes)
        if "track" in self._sink.attention():
            sees = self._camera is not None and self._camera_delivers and self._camera.sees_track
            self._rolls.tell_by_beams(places, camera_sees=sees)

    def _emit(self, readings: Iterable[Reading]) -> None:
        for reading in readings:
            if self._rolls.replays is not None:
                self._rolls.replays.note(reading)
            if isinstance(reading, RollPlace):
                self._rolls.tell(reading)
            elif isinstance(reading, DeviceHealth) and reading.device in self._words:
                self._tell(self._words[reading.device].of_judge(reading))
            else:
                self._tell(reading)

    def _tell(self, reading: Reading) -> None:
        self._sink.sense(self._mishaps.word(reading) if isinstance(reading, DeviceHealth) else reading)

"""What the whole appliance costs while a sphere rolls, and at rest, thread by thread: `python -m tests.bench.at_work`.

The real parts on recorded frames. What a real camera takes to deliver them, and real pins, is not in the figures.
"""

from __future__ import annotations

import itertools
import re
import selectors
import socket
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

from appliance.devices.simulated_table import TWIN_SCALE
from appliance.games.catalogue import the_game
from appliance.games.protocol import Area
from appliance.sensing.camera_pipeline import CameraPipeline
from appliance.sensing.live_picture import LivePictureCache
from appliance.sensing.pipeline import SensorPipeline
from appliance.table.panel_player import PanelPlayer
from hardware.beams.beam_pair import BeamPair
from hardware.cameras.camera import CameraFeed, Frame, NoControls
from hardware.cameras.camera_model import Image
from hardware.clock import MonotonicClock
from hardware.panel import Panel
from hardware.readings import PassageSeen, Reading
from hardware.rig import Rig
from hardware.scale.load_cell import Rate
from hardware.scale.process.scale_process import ScaleProcess
from hardware.scale.weighing import Weigher
from hardware.twin.wires.scale_wiring import OpenTwinCell, TwinLoad
from tests.bench.machine import cpu_of_threads, one_thread, thread_named
from tests.bench.page import Aim, Section, Table, show
from tests.bench.passage import FPS, camera_of, clips_to_judge
from tests.bench.taps import child, quiet, request
from tests.web.stand import Stand
from vision.passages.clip import Clip
from web.doors.phones import Seat
from web.live.serve import Server

SEATS = 4
PHONES = 6
WATCHING = 2
"""Phones of a game in which nobody does anything."""
RATES_SPS: tuple[Rate, ...] = (10, 80)
LASTING_S = 15.0
ROLL_EVERY_S = 2.5
SETTLE_S = 3.0
ROLLING_PCT, REST_PCT = 15.0, 2.0
SIMULATED = "scale process with its simulated pins; not in the sum"


class _Watched:
    """The table, which hears of every reading but a roll's outcome: so the same attempt goes on."""

    def __init__(self, stand: Stand) -> None:
        self._table = stand.table

    def sense(self, reading: Reading) -> None:
        if not isinstance(reading, PassageSeen):
            self._table.sense(reading)

    def attention(self) -> frozenset[Area]:
        return self._table.attention()


class _ClipCamera(NoControls):
    """Plays frames that were decoded before, over and over, at the camera's rate."""

    def __init__(self, frames: list[Image], clock: MonotonicClock) -> None:
        self._frames, self._clock = frames, clock
        self._begun_s, self._numbers = clock.now_s(), itertools.count()

    def read(self, timeout_s: float) -> Frame | None:
        number = next(self._numbers)
        time.sleep(max(self._begun_s + number / FPS - self._clock.now_s(), 0))
        return Frame(t_s=self._clock.now_s(), image=self._frames[number % len(self._frames)], index=number)

    def still(self) -> Frame:
        raise AssertionError("no picture of the full size is asked for")

    def close(self) -> None:
        pass


def measure(effort: float = 1.0) -> Section:
    lasting_s = max(LASTING_S * effort, 1.0)
    clip = str(clips_to_judge(effort)[0])
    spent: dict[str, Counter[str]] = {}
    for rate_sps in RATES_SPS:
        with TemporaryDirectory() as folder:
            settle_s = SETTLE_S * min(effort, 1)
            process, pipe = child(appliance, folder, clip, rate_sps, settle_s, daemon=False)
            port = pipe.recv()
            spent[f"at rest, scale at {rate_sps}"] = _spent(pipe, _screens(port, [], 0), lasting_s, "rest")
            if rate_sps == RATES_SPS[-1]:
                pipe.send("open")
                joins = pipe.recv()
                spent["sculpting"] = _spent(pipe, _screens(port, joins, WATCHING), lasting_s, "rest")
                pipe.send("attempt")
                spent["rolling"] = _spent(pipe, _screens(port, joins, PHONES), 2 * lasting_s, "roll")
            pipe.send("stop")
            process.join(timeout=10)
    names = sorted(set().union(*spent.values()), key=lambda name: -spent["rolling"][name])
    rows = [[thread_named(name), *(f"{each[name]:.2f} %" for each in spent.values())] for name in names]
    together = {when: sum(each.values()) - each[SIMULATED] for when, each in spent.items()}
    rows.append(["**together**", *(f"**{pct:.1f} %**" for pct in together.values())])
    screens = f"a wall, a kiosk and {PHONES} phones"
    resting = [pct for when, pct in together.items() if when.startswith("at rest")]
    return Section(
        title="At work, thread by thread",
        method=f"Camera at {FPS:.0f} frames of 768 × 432 per second, beams, a wall and a kiosk; the scale at "
        f"{RATES_SPS[0]} or {RATES_SPS[-1]} samples per second. “At rest”: no game is open. “Sculpting”: a game is "
        f"open, {WATCHING} phones have joined, and nobody does anything. “Rolling”: a game is open with {PHONES} "
        f"phones; spheres of a recorded clip roll all the time, and every {ROLL_EVERY_S:g} s a roll is written to the "
        f"journal and shown on all screens. Processor time over {lasting_s:.0f} s each (rolling: twice as long), in "
        "per cent of one core. The sum leaves out the delivery of the camera's frames, and the scale's "
        "process, which here also simulates the pins that it reads.",
        tables=[Table(heads=("thread", *spent), rows=rows)],
        aims=[
            Aim(
                what=f"the whole appliance while a sphere rolls, {screens}",
                wanted=f"{ROLLING_PCT:.0f} % of one core",
                measured=f"{together['rolling']:.1f} %",
                met=together["rolling"] <= ROLLING_PCT if effort >= 1 else None,
            ),
            Aim(
                what="the same at rest, with a wall and a kiosk",
                wanted=f"{REST_PCT:.0f} % of one core",
                measured=" and ".join(f"{pct:.1f} %" for pct in resting),
                met=max(resting) <= REST_PCT if effort >= 1 else None,
                why=f"scale at {RATES_SPS[0]} and {RATES_SPS[-1]}; while people sculpt, with {WATCHING} phones, "
                f"{together['sculpting']:.1f} %, because the camera looks for the boss",
            ),
        ],
    )


def _screens(port: int, joins: list[str], phones: int) -> list[socket.socket]:
    """Open the streams of the wall, the kiosk and so many phones, which share the seats."""
    paths = ["kind=wall", "kind=kiosk"]
    streams = [request(port, f"GET /live?{path} HTTP/1.1\r\nHost: localhost\r\n\r\n") for path in paths]
    for number in range(phones):
        seat = number % len(joins)
        joining = request(port, f"GET {joins[seat]} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = b""
        while part := joining.recv(1 << 16):
            answer += part
        joining.close()
        cookie = re.search(rb"Set-Cookie: (seat-\d=[^;]+)", answer)
        head = f"Host: localhost\r\nCookie: {cookie[1].decode()}\r\n" if cookie else "Host: localhost\r\n"
        streams.append(request(port, f"GET /live?kind=seat&seat={seat} HTTP/1.1\r\n{head}\r\n"))
    return streams


def _spent(pipe: Connection, streams: list[socket.socket], lasting_s: float, what: str) -> Counter[str]:
    """Return the processor time of each thread, in per cent of a core; the screens take all that they are sent."""
    ready = selectors.DefaultSelector()
    for stream in streams:
        ready.register(stream, selectors.EVENT_READ)
    pipe.send((what, lasting_s))
    while not pipe.poll(0):
        quiet(ready, 0.05)
    for stream in streams:
        stream.close()
    spent: Counter[str] = pipe.recv()
    return spent


# -- the appliance's process -------------------------------------------------------------------------------------


@one_thread()
def appliance(pipe: Connection, folder: str, clip: str, rate_sps: Rate, settle_s: float) -> None:
    """Serve one table with a camera and a scale; told ("roll" or "rest", seconds), answer what each thread spent.

    :param settle_s: how long nothing is measured after each change.
    """
    clock = MonotonicClock()
    stand = Stand(Path(folder), clock=clock, port=0)
    sight = CameraPipeline(Rig(), camera_of(Path(clip)))
    sensing = SensorPipeline(
        clock=clock,
        sink=_Watched(stand),
        camera=sight,
        beams=BeamPair(),
        scale=Weigher(TWIN_SCALE),
        rolls=stand.rolls,
    )
    live = LivePictureCache(sight, clock)
    scale = ScaleProcess(OpenTwinCell(load=TwinLoad(), rate_sps=rate_sps), clock, sensing.put)

    def take(frame: Frame) -> None:
        live.keep(frame)
        sensing.put_frame(frame)

    frames = list(Clip(Path(clip)).frames())
    feed = CameraFeed(lambda: _ClipCamera(frames, clock), clock, take, sensing.put, lambda: sight.wanted_fps)
    server = Server(stand.app, stand.site, host="127.0.0.1")
    panel = Panel(clock, sensing.put, button_pin=None, buzzer_pin=None)
    player = PanelPlayer(stand.table, the_game, lambda: panel, clock)
    for part in (stand.table, sensing, scale, player, server, feed):
        part.start()
    server.warmed_up.wait()
    pipe.send(server.port)
    while (asked := pipe.recv()) != "stop":
        if asked == "open":
            pipe.send(_opened(stand))
            continue
        if asked == "attempt":
            stand.do(do="time_up")
            continue
        what, lasting_s = asked
        time.sleep(settle_s)
        before, begun_s = _threads(scale), clock.now_s()
        while (left_s := begun_s + lasting_s - clock.now_s()) > 0:
            time.sleep(min(ROLL_EVERY_S, left_s))
            if what == "roll":
                stand.do(do="attempt", seat=0, outcome="disturbed")
        after, lasted_s = _threads(scale), clock.now_s() - begun_s
        pipe.send(Counter({name: 100 * (after[name] - before.get(name, 0.0)) / lasted_s for name in after}))
    for close in (feed.close, server.stop, player.stop, scale.close, sensing.stop, stand.close):
        close()


def _opened(stand: Stand) -> list[str]:
    """Open a game, let the hourglass run, and return where each seat is joined."""
    stand.open(SEATS)
    stand.do(do="roll", seat=0, value=3)
    game_id = str(stand.table.snapshot().game_id)
    return ["/join/" + stand.keys.join_url(Seat(game_id, seat)).rsplit("/", 1)[1] for seat in range(SEATS)]


def _threads(scale: ScaleProcess) -> dict[str, float]:
    """Return the processor seconds of each kind of thread, and of the scale's process; this one's own are left out."""
    spent: dict[str, float] = {**cpu_of_threads()}
    if scale.pid is not None:
        fields = Path(f"/proc/{scale.pid}/schedstat").read_text().split()
        spent[SIMULATED] = int(fields[0]) / 1e9
    return spent


if __name__ == "__main__":
    show(measure)

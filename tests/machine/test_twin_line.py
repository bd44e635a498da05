"""What the twin tells a guest, over a real socket and real shared memory; the guest is a thread of this test."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path
from typing import Any

import numpy as np

from hardware.cameras.camera import STREAM_SIZE_PX
from tests.machine.guest.outside import LENGTH, NOW, TICK_S
from tests.machine.twin import BACK_PIN, FRONT_PIN, SHARED_BYTES, Twin
from tests.patience import GIVEN_UP_S

LASTS_S = 3.0


def test_nothing_is_told_after_it_was_due_and_the_pictures_lie_in_shared_memory(tmp_path: Path) -> None:
    memory, twin = tmp_path / "pictures", Twin(2)
    memory.write_bytes(bytes(SHARED_BYTES))
    told: list[tuple[float, dict[str, Any]]] = []

    def deed(now_s: float) -> bool:
        if not told:
            lane = twin.simulation.rig.lanes[2]
            with twin.simulation.table() as world:
                world.sculpt(0, 0.8 * lane.hole_mm, ())
                world.start_roll(0, lane.number, 0.5)
        return now_s < 100.0 + LASTS_S

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "wires"))
        listening.listen()
        listening.settimeout(GIVEN_UP_S)
        host = threading.Thread(target=twin.serve, args=(tmp_path / "wires", memory, deed))
        host.start()
        line, _ = listening.accept()
        with line:
            now_s, answer = 100.0, dict[str, Any]()
            while not answer.get("end"):
                line.sendall(NOW.pack(now_s))
                (length,) = LENGTH.unpack(line.recv(LENGTH.size, socket.MSG_WAITALL))
                answer = json.loads(line.recv(length, socket.MSG_WAITALL))
                told.append((now_s, answer))
                now_s += TICK_S
        host.join()
    edges = [(asked_s, *edge) for asked_s, answer in told for edge in answer["edges"]]
    assert {pin for _, _, pin, _ in edges} == {FRONT_PIN, BACK_PIN}, "the sphere passed both beams"
    assert all(at_s >= asked_s for asked_s, at_s, _, _ in edges)
    shown = [(asked_s, at_s) for asked_s, answer in told for at_s in answer["pictures_s"]]
    assert all(at_s >= asked_s for asked_s, at_s in shown[1:])
    stamps = [at_s for _, at_s in shown]
    assert stamps == sorted(set(stamps))
    width, height = STREAM_SIZE_PX
    picture = np.frombuffer(memory.read_bytes()[: 2 * width * height], np.uint8).reshape(height, 2 * width)
    assert picture[:, ::2].std() > 10, "a table is seen"

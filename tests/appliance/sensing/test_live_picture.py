"""The live picture is of now, or there is none."""

from __future__ import annotations

import numpy as np

from appliance.sensing.live_picture import LIVE_S, LivePictureCache
from hardware.cameras.camera import Frame
from hardware.clock import ManualClock

DARK = np.zeros((4, 4, 3), np.uint8)


class Sight:
    """Encodes a frame as its time, while the track may be seen."""

    sees_track = True

    def live_picture(self, frame: Frame) -> bytes | None:
        return f"{frame.t_s}".encode() if self.sees_track else None


def test_a_camera_that_has_gone_leaves_no_live_picture() -> None:
    clock = ManualClock(100.0)
    live = LivePictureCache(Sight(), clock)
    assert live.newest() is None
    live.keep(Frame(100.0, DARK, 0))
    assert live.newest() == b"100.0"
    clock.advance_to(100.0 + LIVE_S)
    assert live.newest() == b"100.0"
    clock.advance_to(100.1 + LIVE_S)
    assert live.newest() is None
    live.keep(Frame(clock.now_s(), DARK, 0))
    assert live.newest() is not None, "it is back"


def test_a_picture_that_was_drawn_is_gone_when_the_track_may_no_longer_be_seen() -> None:
    clock, sight = ManualClock(100.0), Sight()
    live = LivePictureCache(sight, clock)
    live.keep(Frame(100.0, DARK, 0))
    assert live.newest() is not None
    sight.sees_track = False
    assert live.newest() is None, "the table was covered, or a roll is over: what was drawn before is not shown"


def test_on_a_clock_that_runs_faster_a_picture_is_live_as_long() -> None:
    class Fast(ManualClock):
        speed = 100.0

    clock = Fast(100.0)
    live = LivePictureCache(Sight(), clock)
    live.keep(Frame(100.0, DARK, 0))
    clock.advance_to(150.0)
    assert live.newest() is not None

"""The self-test's check of the calibrations: whether they are old, and whether the sensors still agree with them."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterable, Iterator

from appliance.devices.calibration_files import read_calibration
from appliance.devices.self_test import Finding
from appliance.settings import Settings
from calibration.freshness import Stale, by_age, by_counts, by_picture
from hardware.cameras.camera import Frame
from hardware.cameras.camera_model import CameraModel
from hardware.rig import Rig
from hardware.scale.load_cell import Sample
from hardware.scale.scale_model import ScaleError, ScaleModel, parse_scale

KEPT_SAMPLES = 400
"""40 s at 10 samples a second."""


class DriftCheck:
    """Takes the drivers' raw facts and keeps what shows drift: the newest frame and the last counts."""

    def __init__(self) -> None:
        self._frame: Frame | None = None
        self._counts: deque[float] = deque(maxlen=KEPT_SAMPLES)

    def take(self, fact: object) -> None:
        """Take a raw fact from a driver's thread."""
        if isinstance(fact, Frame):
            self._frame = fact
        elif isinstance(fact, Sample):
            self._counts.append(float(fact.counts))

    def findings(self, rig: Rig, camera: CameraModel | None, texts: dict[str, str]) -> Iterator[Finding]:
        """Yield what is no longer as it was calibrated; call it when the drivers have stopped."""
        if self._frame is not None and camera is not None:
            yield from _findings(by_picture(self._frame.image, rig, camera))
        scale = _scale(texts)
        if scale is not None:
            yield from _findings(by_counts(list(self._counts), scale))


def stale_files(settings: Settings) -> Iterator[Finding]:
    """Yield the calibration files that are stale by their own stamps."""
    rig, camera, texts = read_calibration(settings)
    yield from _findings(by_age(camera, rig, _scale(texts)))


def _findings(stale: Iterable[Stale]) -> Iterator[Finding]:
    for each in stale:
        yield Finding(what=each.what, verdict="look", code=each.code, sentence=each.sentence)


def _scale(texts: dict[str, str]) -> ScaleModel | None:
    with contextlib.suppress(ScaleError, KeyError):
        return parse_scale(texts["scale.toml"])
    return None

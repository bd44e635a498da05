"""The self-test's check of the calibrations: whether they are old, and whether the sensors still agree with them."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterable, Iterator
from typing import get_args

from appliance.devices.calibration_files import Calibration
from appliance.devices.self_test import Finding
from appliance.words.catalogues import Words
from calibration.freshness import Stale, StaleCalibration, by_age, by_counts, by_picture
from hardware.cameras.camera import Frame
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

    def findings(self, calibration: Calibration, words: Words, *, weighs: bool = True) -> Iterator[Finding]:
        """Yield the calibrations that the sensors no longer agree with.

        :param weighs: whether findings about the pan are allowed; not while a game is open (AP-4).
        """
        rig, camera, texts = calibration
        if self._frame is not None and camera is not None:
            yield from _findings(by_picture(self._frame.image, rig, camera), words)
        scale = _scale(texts)
        if scale is not None and weighs:
            yield from _findings(by_counts(list(self._counts), scale), words)


def stale_files(calibration: Calibration, words: Words) -> Iterator[Finding]:
    """Yield the calibration files that are stale by their own stamps."""
    rig, camera, texts = calibration
    yield from _findings(by_age(camera, rig if "rig.toml" in texts else None, _scale(texts)), words)


def told_once(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings without the good ones of calibrations that others doubt."""
    found = list(findings)
    doubted = {finding.what for finding in found if finding.verdict != "good"} & set(get_args(StaleCalibration))
    return [finding for finding in found if finding.verdict != "good" or finding.what not in doubted]


def _findings(stale: Iterable[Stale], words: Words) -> Iterator[Finding]:
    for each in stale:
        sentence = words.say(f"check.{each.code}", each.values)
        yield Finding(what=each.what, verdict="look", code=each.code, sentence=sentence)


def _scale(texts: dict[str, str]) -> ScaleModel | None:
    with contextlib.suppress(ScaleError, KeyError):
        return parse_scale(texts["scale.toml"])
    return None

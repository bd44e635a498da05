"""The whole self-test for `smugglers check` and the host's page. It turns facts from the drivers into findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from appliance.devices.calibration_drift_check import DriftCheck, stale_files, told_once
from appliance.devices.calibration_files import Calibration
from appliance.devices.camera_check import CameraCheck
from appliance.devices.machine_check import check_machine
from appliance.devices.processor_check import ProcessorCheck
from appliance.devices.self_test import Finding, HealthCollector, check_ground, check_wiring
from appliance.settings import Settings
from appliance.words.catalogues import Words
from hardware.readings import DeviceHealth


class WholeSelfTest:
    """Collects facts from the drivers' tap, and returns what is wrong.

    :param calibration: reads the calibration in use.
    :param twin: the table is simulated: the machine that it runs on is not tested.
    :param serving: the appliance runs, and holds the port.
    """

    def __init__(
        self, settings: Settings, calibration: Callable[[], Calibration], *, twin: bool, serving: bool = False
    ) -> None:
        self._settings, self._calibration = settings, calibration
        self._twin, self._serving = twin, serving
        self.listens = True
        """Whether facts are collected, which costs time."""
        self._renew()

    def _renew(self) -> None:
        self._drift, self._processor = DriftCheck(), ProcessorCheck()
        self._camera = CameraCheck(self._settings.mains_hz)

    def begin(self) -> None:
        """Discard the facts collected so far, and collect again."""
        self._renew()
        self.listens = True

    def take(self, fact: object) -> None:
        """Take a raw fact or a frame, on its driver's thread."""
        if self.listens:
            self._drift.take(fact)
            self._camera.take(fact)
            self._processor.take(fact)

    def findings(self, devices: HealthCollector, words: Words, *, game_open: bool = False) -> list[Finding]:
        """Return all findings, with sentences in the language of `words`.

        :param game_open: then there are no findings about the pan (AP-4).
        """
        found: list[Finding] = []
        calibration = self._calibration()
        if not self._twin:
            found += check_ground(self._settings, words, serving=self._serving)
            found += check_machine(words)
            found.append(check_wiring(self._settings, devices, words))
        found += devices.findings(words)
        if not self._twin:
            found += self._processor.findings(words)
            found += stale_files(calibration, words)
        found += self._drift.findings(calibration, words, weighs=not game_open)
        rig, camera, _ = calibration
        found += self._camera.findings(rig, camera, words)
        return told_once(found)


def collected(health: Iterable[DeviceHealth]) -> HealthCollector:
    """Return a collector that has received `health`."""
    collector = HealthCollector()
    for reading in health:
        collector.sense(reading)
    return collector

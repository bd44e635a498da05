"""The whole self-test: what it listens to, and its findings, for `smugglers check` and for the host's page."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from appliance.devices.calibration_drift_check import DriftCheck, stale_files
from appliance.devices.calibration_files import Calibration
from appliance.devices.camera_check import CameraCheck
from appliance.devices.machine_check import check_machine
from appliance.devices.processor_check import ProcessorCheck
from appliance.devices.self_test import Finding, HealthCollector, check_ground
from appliance.settings import Settings
from appliance.words import Words
from hardware.readings import DeviceHealth


class WholeSelfTest:
    """Listens at the drivers' tap, and says what is wrong.

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
        """Whether facts are taken: they cost time."""
        self._renew()

    def _renew(self) -> None:
        self._drift, self._processor = DriftCheck(), ProcessorCheck()
        self._camera = CameraCheck(self._settings.mains_hz)

    def begin(self) -> None:
        """Forget what was heard and listen anew."""
        self._renew()
        self.listens = True

    def take(self, fact: object) -> None:
        """Take a raw fact or a frame, on its driver's thread."""
        if self.listens:
            self._drift.take(fact)
            self._camera.take(fact)
            self._processor.take(fact)

    def findings(self, devices: HealthCollector, say: Words, *, game_open: bool = False) -> list[Finding]:
        """Return everything, in a language.

        :param game_open: then nothing is said of what lies on the pan (AP-4).
        """
        found: list[Finding] = []
        calibration = self._calibration()
        if not self._twin:
            found += check_ground(self._settings, say, serving=self._serving)
            found += check_machine(say)
        found += devices.findings(say)
        if not self._twin:
            found += self._processor.findings(say)
            found += stale_files(calibration, say)
        found += self._drift.findings(calibration, say, weighs=not game_open)
        rig, camera, _ = calibration
        found += self._camera.findings(rig, camera, say)
        return found


def collected(health: Iterable[DeviceHealth]) -> HealthCollector:
    """Return a collector that has heard `health`."""
    collector = HealthCollector()
    for reading in health:
        collector.sense(reading)
    return collector

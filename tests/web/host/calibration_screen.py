"""A stand with the calibrations as pages, on simulated devices."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from appliance.guided_calibration.devices import SimulatedDevices
from appliance.guided_calibration.session import CalibrationPaths, CalibrationSession
from appliance.settings import Settings
from hardware.clock import ManualClock
from hardware.twin.drawing.viewpoint import twin_camera
from tests.web.stand import PIN, Stand
from web.app import create_app


class CalibrationScreen:
    """A stand whose simulated devices live on a clock that waiting moves."""

    def __init__(self, folder: Path) -> None:
        self.stand = Stand(folder)
        clock = ManualClock(100.0)
        self.settings = Settings(data_dir=str(folder))
        self.loans: list[str] = []
        self.paths = CalibrationPaths(
            folder / "camera.toml", folder / "rig.toml", folder / "scale.toml", folder / "reports"
        )
        devices = SimulatedDevices(clock, lambda seconds: clock.advance_to(clock.now_s() + seconds))
        self.touches: list[str] = []
        self.session = CalibrationSession(
            devices,
            self.paths,
            self.lent,
            self.game_open,
            twin_camera(),
            touched=lambda: self.touches.append("touched"),
        )
        app = create_app(
            self.stand.table,
            settings=self.stand.site,
            clock=self.stand.clock,
            calibration_session=self.session,
        )
        self.host = app.test_client()
        self.host.post("/host/unlock", data={"pin": PIN}, headers={"Origin": "http://localhost"})
        self.other = app.test_client()

    @contextmanager
    def lent(self) -> Iterator[None]:
        self.loans.append("lent")
        try:
            yield
        finally:
            self.loans.append("back")

    def game_open(self) -> bool:
        return self.stand.table.snapshot().game is not None

    def post(self, path: str, **form: str) -> int:
        """Post a form of the page as it is now, whose answers name the question; `form` may name another."""
        named = {"question": str(self.session.state.question), **form}
        answer = self.host.post(f"/host/calibration{path}", data=named, headers={"Origin": "http://localhost"})
        return answer.status_code

    def asked(self, code: str) -> None:
        """Wait until the page asks that."""
        self.until(lambda: self.session.state.stage == "asking" and self.session.state.ask == code)

    def panel(self, language: str = "en") -> str:
        return self.host.get("/host/calibration/panel", headers={"Accept-Language": language}).get_data(as_text=True)

    def close(self) -> None:
        self.session.close()
        self.stand.close()

    def until(self, done: Callable[[], bool]) -> None:
        """Let the screen's thread work; the wait is bounded and no assertion rests on its length."""
        for _ in range(30_000):
            if done():
                return
            time.sleep(0.01)
        raise AssertionError(self.session.state)

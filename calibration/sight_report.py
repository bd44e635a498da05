"""Evaluates vision on a folder of pictures with ground truth: right, unknown and wrong readings, diameter errors.

    python -m calibration.sight_report DATA

DATA is a folder like that in `SMUGGLERS_DATA`: `table/<session>/…` and `dice/…`, each with its ground truth as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from hardware.cameras.camera_model import CameraModel
from hardware.rig import Rig
from vision.boss.boss import read_boss
from vision.markers import find_view
from vision.observations import SightError
from vision.observe_file import load_picture
from vision.sphere.sphere import read_pan
from vision.tray.die import read_die
from vision.tray.die_close_up import read_die_close_up
from vision.tray.gems import read_gems

Result = Literal["right", "unknown", "wrong"]


class Judgement(msgspec.Struct, frozen=True):
    """One reading compared with its ground truth."""

    what: str
    file: str
    result: Result
    said: str
    truth: str


class DiameterError(msgspec.Struct, frozen=True):
    """One sphere: diameter error and stated standard deviation in mm; its true deviation from roundness in %."""

    file: str
    error_mm: float
    sd_mm: float
    out_of_round_pct: float


class SightReport(msgspec.Struct, frozen=True):
    """All judgements and diameter errors of a data folder."""

    judgements: tuple[Judgement, ...]
    diameters: tuple[DiameterError, ...]

    def count(self, what: str, result: Result) -> int:
        """Return the number of readings of this kind with this result."""
        return sum(each.what == what and each.result == result for each in self.judgements)

    def rms_mm(self, below_pct: float = np.inf) -> float:
        """Return the RMS diameter error, in mm, of spheres that are less than `below_pct` out of round."""
        errors = [each.error_mm for each in self.diameters if each.out_of_round_pct < below_pct]
        return float(np.sqrt(np.mean(np.square(errors)))) if errors else float("nan")


def session_camera(session: dict[str, Any]) -> CameraModel:
    """Return the true camera of a session of rendered pictures."""
    mode = max(session["camera"]["modes"].values(), key=lambda each: each["width"])
    K = mode["K"]
    return CameraModel(
        width_px=mode["width"],
        height_px=mode["height"],
        focal_px=(K[0][0], K[1][1]),
        centre_px=(K[0][2], K[1][2]),
        distortion=tuple(session["camera"]["dist"]),
        source="truth",
    )


def report_on(data: Path) -> SightReport:
    """Evaluate vision on every still in a data folder.

    :raises SightError: a picture file cannot be read.
    """
    judgements: list[Judgement] = []
    diameters: list[DiameterError] = []
    for folder in sorted(path.parent for path in data.glob("table/*/session.json")):
        camera = session_camera(_json(folder / "session.json"))
        for judgement, error in _session(folder, camera):
            judgements.append(judgement)
            if error is not None:
                diameters.append(error)
    truth_file = data / "dice" / "truth.json"
    if not truth_file.exists():
        return SightReport(tuple(judgements), tuple(diameters))
    for item in _json(truth_file):
        said = read_die_close_up(load_picture(data / "dice" / item["file"])).value
        judgements.append(_judge("real die, close-up", f"dice/{item['file']}", said, item["value"]))
    return SightReport(tuple(judgements), tuple(diameters))


def _session(folder: Path, camera: CameraModel) -> Iterator[tuple[Judgement, DiameterError | None]]:
    rig = Rig()
    for kind in ("pan", "boss", "die", "gem"):
        for item in _items(folder, kind):
            name = f"{folder.name}/{item['file']}"
            image = load_picture(folder / item["file"])
            try:
                view = find_view(image, rig, camera)
            except SightError as error:
                yield Judgement(kind, name, "unknown", str(error), ""), None
                continue
            if kind == "pan":
                sphere = read_pan(image, view, rig)
                said = None if sphere is None or sphere.colour == "unknown" else sphere.colour
                measured = None
                if sphere is not None and sphere.diameter_mm is not None and sphere.diameter_sd_mm is not None:
                    error_mm = sphere.diameter_mm - item["mean_diameter"]
                    measured = DiameterError(name, error_mm, sphere.diameter_sd_mm, item["out_of_round_pct"])
                yield _judge("sphere's colour", name, said, item["colour"]), measured
            elif kind == "boss":
                boss = read_boss(image, view, rig)
                state = None if boss.state == "unknown" else (boss.state, boss.lane)
                yield _judge("boss", name, state, (item["state"], item["lane"])), None
            elif kind == "die":
                yield _judge("die", name, read_die(image, view, rig).value, item["value"]), None
            else:
                colours = read_gems(image, view, rig).colours
                wanted = tuple(sorted(gem["colour"] for gem in item["gems"]))
                yield _judge("gems", name, None if "unknown" in colours else colours, wanted), None


def _judge(what: str, file: str, said: object, truth: object) -> Judgement:
    result: Result = "unknown" if said is None else "right" if said == truth else "wrong"
    return Judgement(what, file, result, str(said), str(truth))


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _items(folder: Path, kind: str) -> list[Any]:
    path = folder / kind / f"{kind}.json"
    return list(_json(path)["items"]) if path.exists() else []


def markdown(report: SightReport) -> str:
    """Return the report as markdown."""
    lines = ["| what | right | unknown | wrong |", "|---|---:|---:|---:|"]
    for what in dict.fromkeys(each.what for each in report.judgements):
        right, unknown, wrong = (report.count(what, result) for result in ("right", "unknown", "wrong"))
        lines.append(f"| {what} | {right} | {unknown} | {wrong} |")
    if report.diameters:
        scaled = np.array([each.error_mm / each.sd_mm for each in report.diameters])
        lines += [
            "",
            "| diameter of spheres on the pan | spheres | RMS error | mean error |",
            "|---|---:|---:|---:|",
            _diameter_row(report, "out of round under 2 %", 2.0),
            _diameter_row(report, "all", np.inf),
            "",
            f"Of the stated 95 % intervals {int((np.abs(scaled) < 1.96).sum())} of {len(scaled)} hold; "
            f"RMS of error ÷ stated standard deviation {np.sqrt((scaled**2).mean()):.2f}.",
        ]
    missed = [each for each in report.judgements if each.result != "right"]
    if missed:
        lines += ["", "| not right | said | truth |", "|---|---|---|"]
        lines += [f"| {each.file} | {each.said} | {each.truth} |" for each in missed]
    return "\n".join(lines)


def _diameter_row(report: SightReport, title: str, below_pct: float) -> str:
    errors = [each.error_mm for each in report.diameters if each.out_of_round_pct < below_pct]
    mean = float(np.mean(errors)) if errors else float("nan")
    return f"| {title} | {len(errors)} | {report.rms_mm(below_pct):.3f} mm | {mean:+.3f} mm |"


def main(arguments: list[str]) -> int:
    """Print the report of the data folder given on the command line; return the exit code."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        sys.stderr.write("usage: python -m calibration.sight_report DATA   (a folder with table/ and dice/)\n")
        return 2
    report = report_on(Path(arguments[0]))
    if not report.judgements:
        sys.stderr.write(
            f"{arguments[0]}: holds no pictures with truth: expected table/*/session.json or dice/truth.json\n"
        )
        return 2
    sys.stdout.write(markdown(report) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

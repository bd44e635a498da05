"""`smugglers calibrate track`: the camera's pose, the markers and the lanes, guided before the camera or from files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from appliance.cli import WrongUse
from appliance.commands.options import (
    camera_option,
    first_rig_option,
    out_option,
    report_option,
    settings_option,
    undo_option,
)

if TYPE_CHECKING:
    from calibration.live_guide import Image


@click.command()
@click.argument("pictures", nargs=-1, metavar="[PICTURE...]", type=click.Path(path_type=Path))
@camera_option
@first_rig_option
@click.option(
    "--hole",
    "holes",
    multiple=True,
    metavar="LANE=MM",
    help="Diameter of a hole, measured with callipers, such as 3=36.2. It has more weight than the printed circle.",
)
@out_option
@report_option
@click.option("--twin", is_flag=True, help="Use a simulated table.")
@undo_option
@settings_option
def command(
    pictures: tuple[Path, ...],
    camera_file: Path | None,
    rig_file: Path | None,
    holes: tuple[str, ...],
    out: Path | None,
    report: Path | None,
    twin: bool,
    undo_last: bool,
    settings_file: Path | None,
) -> None:
    """Measure where markers, lanes and the camera are. The table is empty and all markers are in view.

    Without PICTURE the command guides you in front of the camera and takes the pictures itself. Ctrl-C leaves all files
    unchanged. A folder stands for all pictures in it.
    """
    from appliance.commands.calibrate.terminal import open_terminal
    from appliance.guided_calibration.procedures import pictures_of_the_table
    from appliance.guided_calibration.results import store_track
    from calibration.track.fit import must_have_one_size
    from hardware.files.regular_file import unfolded
    from hardware.rig_file import hole_range_mm
    from vision.observe_file import PICTURE_SUFFIXES

    holes_mm: dict[int, float] = {}
    for lane, hole_mm in map(_hole, holes):
        if lane in holes_mm:
            raise WrongUse("hole_twice", lane=lane)
        holes_mm[lane] = hole_mm

    terminal = open_terminal("track", out, settings_file, twin=twin)
    if undo_last:
        terminal.undo(pictures, holes, report)
        return
    with terminal.calibrating(report, from_files=bool(pictures)):
        rig = terminal.rig(rig_file, fresh=True)
        if missing := holes_mm.keys() - {lane.number for lane in rig.lanes}:
            raise WrongUse("hole_no_lane", lane=min(missing))
        least, most = hole_range_mm(rig)
        for lane, hole_mm in holes_mm.items():
            if not least <= hole_mm <= most:
                raise WrongUse("hole_size", lane=lane, hole_mm=hole_mm, least=least, most=most)
        camera = terminal.lens(camera_file)
        images: Sequence[Image]
        if pictures:
            files = list(unfolded(pictures, PICTURE_SUFFIXES))
            images = [terminal.picture(file) for file in files]
            must_have_one_size(zip(map(str, files), images, strict=True))
        else:
            devices = terminal.devices()
            with terminal.dialogue() as dialogue:
                images = pictures_of_the_table(dialogue, devices, rig)
        terminal.tell(store_track(images, rig, camera, terminal.places(report), holes_mm))


def _hole(text: str) -> tuple[int, float]:
    found = re.fullmatch(r"([1-9]\d?)=(\d{1,3}(?:[.,]\d{1,2})?)", text.strip(), re.ASCII)
    if found is None:
        raise WrongUse("hole_form", text=text)
    return int(found[1]), float(found[2].replace(",", "."))

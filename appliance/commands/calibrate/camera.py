"""`smugglers calibrate camera`: the lens's intrinsics from the printed board, guided live or from files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from appliance.cli import FAILED
from appliance.commands.options import out_option, report_option, settings_option, undo_option

if TYPE_CHECKING:
    from appliance.commands.calibrate.terminal import CalibrationTerminal
    from calibration.camera.intrinsics import BoardView


@click.command()
@click.argument("pictures", nargs=-1, metavar="[PICTURES...]", type=click.Path(path_type=Path))
@out_option
@report_option
@click.option("--twin", is_flag=True, help="Use a simulated camera, board and hand.")
@undo_option
@settings_option
def command(
    pictures: tuple[Path, ...],
    out: Path | None,
    report: Path | None,
    twin: bool,
    undo_last: bool,
    settings_file: Path | None,
) -> None:
    """Measure the lens's intrinsics with the ChArUco board (one of the pages of `smugglers calibrate sheets`).

    Without PICTURES the command guides you in front of the camera and takes the pictures itself. Ctrl-C leaves all
    files unchanged. As PICTURES give eight or more files of one size, or a folder of them. They show the board near and
    far, tilted, and in every corner of the picture.
    """
    from appliance.commands.calibrate.terminal import open_terminal
    from appliance.guided_calibration.procedures import BoardViews, views_of_the_board
    from appliance.guided_calibration.results import store_camera

    terminal = open_terminal("camera", out, settings_file, twin=twin)
    if undo_last:
        terminal.undo(pictures, report)
        return
    with terminal.calibrating(report, from_files=bool(pictures)):
        if pictures:
            views, all_read = _from_files(terminal, pictures)
            board = BoardViews(views)
        else:
            devices = terminal.devices()
            with terminal.dialogue() as dialogue:
                board, all_read = views_of_the_board(dialogue, devices), True
        terminal.tell(store_camera(board.views, terminal.places(report), board.lens_position))
    if not all_read:
        sys.exit(FAILED)


def _from_files(terminal: CalibrationTerminal, pictures: tuple[Path, ...]) -> tuple[Sequence[BoardView], bool]:
    """Return the board as the pictures show it, and whether all of them could be read."""
    from calibration.camera.intrinsics import find_board
    from hardware.files.regular_file import unfolded
    from vision.observations import SightError
    from vision.observe_file import PICTURE_SUFFIXES

    views: list[BoardView] = []
    all_read = True
    for picture in unfolded(pictures, PICTURE_SUFFIXES):
        try:
            view = find_board(str(picture), terminal.picture(picture))
        except SightError as error:
            all_read = False
            terminal.tell_failure(error)
            continue
        if view is None:
            terminal.say("no_board", path=picture)
        else:
            views.append(view)
    return views, all_read

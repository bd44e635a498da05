"""The guided calibrations on a terminal: what to do next, what was seen so far, how far along."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from appliance.words import words
from calibration.ball_guide import PICTURES as BALL_PICTURES
from calibration.ball_guide import BallState
from calibration.camera import ENOUGH_VIEWS
from calibration.camera_guide import TILTS, GuideState
from calibration.track_guide import PICTURES, TrackState

_SEEN, _UNSEEN = "███", "░░░"


def camera_screen(state: GuideState) -> RenderableType:
    """Return the present state of the camera's calibration as a few lines."""
    say = words("en").say
    picture = Text("\n").join(
        Text(" ").join(Text(_SEEN, "green") if seen else Text(_UNSEEN, "dim") for seen in row) for row in state.covered
    )
    tilts = Text("  ").join(
        Text(f"{'●' if tilt in state.tilts else '○'} {say(f'calibrate.tilt.{tilt}')}") for tilt in TILTS
    )
    fit = "" if state.rms_px is None else f"   corners {state.rms_px:.2f} px off"
    facts = Table.grid(padding=(0, 2))
    facts.add_row("seen", picture)
    facts.add_row("tilted", tilts)
    facts.add_row("pictures", f"{state.views} of {ENOUGH_VIEWS} or more{fit}")
    facts.add_row("still", ProgressBar(total=1.0, completed=state.still, width=24))
    facts.add_row("done", ProgressBar(total=1.0, completed=state.share, width=24))
    return Group(Text(say(f"calibrate.camera.{state.ask}"), "bold"), facts)


def track_screen(state: TrackState) -> RenderableType:
    """Return the present state of the track's calibration as a few lines."""
    say = words("en").say
    markers = Text("  ").join(
        [Text(f"● {number}", "green") for number in sorted(state.seen)]
        + [Text(f"○ {number}", "red") for number in state.missing]
    )
    facts = Table.grid(padding=(0, 2))
    facts.add_row("markers", markers)
    facts.add_row("calm", ProgressBar(total=1.0, completed=state.calm, width=24))
    facts.add_row("pictures", f"{state.pictures} of {PICTURES}")
    missing = ", ".join(map(str, state.missing))
    return Group(Text(say(f"calibrate.track.{state.ask}", {"missing": missing}), "bold"), facts)


def ball_screen(state: BallState) -> RenderableType:
    """Return the present state of the look at a known ball as a few lines."""
    facts = Table.grid(padding=(0, 2))
    facts.add_row("calm", ProgressBar(total=1.0, completed=state.calm, width=24))
    facts.add_row("pictures", f"{state.pictures} of {BALL_PICTURES}")
    return Group(Text(words("en").say(f"calibrate.balls.{state.ask}"), "bold"), facts)

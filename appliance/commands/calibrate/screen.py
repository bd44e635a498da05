"""The guided calibrations on a terminal: what to do next, what was seen so far, how far along."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from appliance.words import Words
from calibration.balls.guide import PICTURES as BALL_PICTURES
from calibration.balls.guide import BallState
from calibration.camera.guide import TILTS, GuideState
from calibration.camera.intrinsics import ENOUGH_VIEWS
from calibration.track.guide import PICTURES, TrackState

_SEEN, _UNSEEN = "███", "░░░"


def camera_screen(state: GuideState, speaker: Words) -> RenderableType:
    """Return the present state of the camera's calibration as a few lines."""
    say = speaker.say
    picture = Text("\n").join(
        Text(" ").join(Text(_SEEN, "green") if seen else Text(_UNSEEN, "dim") for seen in row) for row in state.covered
    )
    tilts = Text("  ").join(
        Text(f"{'●' if tilt in state.tilts else '○'} {say(f'calibrate.tilt.{tilt}')}") for tilt in TILTS
    )
    taken = {"taken": state.views, "wanted": ENOUGH_VIEWS, "rms_px": state.rms_px}
    pictures = say(f"calibrate.screen.{'of_or_more' if state.rms_px is None else 'off'}", taken)
    facts = Table.grid(padding=(0, 2))
    facts.add_row(say("calibrate.screen.seen"), picture)
    facts.add_row(say("calibrate.screen.tilted"), tilts)
    facts.add_row(say("calibrate.screen.pictures"), pictures)
    facts.add_row(say("calibrate.screen.still"), ProgressBar(total=1.0, completed=state.still, width=24))
    facts.add_row(say("calibrate.screen.done"), ProgressBar(total=1.0, completed=state.share, width=24))
    return Group(Text(say(f"calibrate.camera.{state.ask}"), "bold"), facts)


def track_screen(state: TrackState, speaker: Words) -> RenderableType:
    """Return the present state of the track's calibration as a few lines."""
    say = speaker.say
    markers = Text("  ").join(
        [Text(f"● {number}", "green") for number in sorted(state.seen)]
        + [Text(f"○ {number}", "red") for number in state.missing]
    )
    facts = Table.grid(padding=(0, 2))
    facts.add_row(say("calibrate.screen.markers"), markers)
    facts.add_row(say("calibrate.screen.calm"), ProgressBar(total=1.0, completed=state.calm, width=24))
    facts.add_row(say("calibrate.screen.pictures"), _of(state.pictures, PICTURES, speaker))
    missing = ", ".join(map(str, state.missing))
    return Group(Text(say(f"calibrate.track.{state.ask}", {"missing": missing}), "bold"), facts)


def ball_screen(state: BallState, speaker: Words) -> RenderableType:
    """Return the present state of the look at a known ball as a few lines."""
    say = speaker.say
    facts = Table.grid(padding=(0, 2))
    facts.add_row(say("calibrate.screen.calm"), ProgressBar(total=1.0, completed=state.calm, width=24))
    facts.add_row(say("calibrate.screen.pictures"), _of(state.pictures, BALL_PICTURES, speaker))
    return Group(Text(say(f"calibrate.balls.{state.ask}"), "bold"), facts)


def _of(taken: int, wanted: int, speaker: Words) -> str:
    return speaker.say("calibrate.screen.of", {"taken": taken, "wanted": wanted})

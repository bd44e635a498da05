"""One sphere's points: when it rests, however its outline flickers, and when it was pushed, however it is lit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from hardware.rig import Rig
from tests.narrowed import of_kind
from vision.passages.roll_events import RollEnded, RollEvent, RollStarted
from vision.passages.roll_outcomes import REST_MM, REST_S
from vision.passages.sheet.track_blobs import SheetBlobs, TrackBlob
from vision.passages.spheres.mismatch import other_part
from vision.passages.spheres.over_or_through import OverOrThrough
from vision.passages.spheres.tracked_sphere import TrackedSphere
from vision.passages.track_monitor import TrackMonitor

FPS = 28.0


def followed(place: Callable[[int], tuple[float, float]], frames: int = 60) -> TrackedSphere:
    """Return a roll seen in `frames` frames, each at `place(number)` → (y of its middle, y of its uphill rim), mm."""

    def seen(number: int) -> TrackBlob:
        y_mm, uphill_y_mm = place(number)
        return TrackBlob(
            x_mm=0.4 * (number % 2),
            y_mm=y_mm,
            uphill_y_mm=uphill_y_mm,
            radius_mm=7.4,
            bgr=(60.0, 190.0, 200.0),
            face_cover=0.0,
            compact=False,
            box=(100, 106, 60, 66),
        )

    roll = TrackedSphere(Rig(), 0.0, seen(0))
    roll.stage, roll.started_s = "rolling", 0.0
    for number in range(1, frames):
        roll.add(number / FPS, seen(number))
    return roll


@pytest.mark.parametrize(
    "place",
    [lambda n: (20.4, 26.6 if n % 3 else 24.0), lambda n: (20.4 if n % 4 else 17.6, 26.6)],
    ids=["its rim flickers by a row of cells", "its middle moves with what hides it"],
)
def test_a_wedged_sphere_rests_though_its_outline_flickers(place: Callable[[int], tuple[float, float]]) -> None:
    roll = followed(place)
    assert roll.rested(roll.last.t_s, REST_S, REST_MM)


def test_a_sphere_that_creeps_does_not_rest() -> None:
    roll = followed(lambda n: (20.4 - 0.2 * n, 26.6 - 0.2 * n))
    assert not roll.rested(roll.last.t_s, REST_S, REST_MM)


RADIUS_MM, AT_MM = 12.0, 220.0
STEPS = 40


def watched_at_rest(shown: Callable[[float], tuple[float, float, float]]) -> bool:
    """Watch a sphere that waits, at `shown(0)` and then slowly on to `shown(1)` and `shown(2)`; was it told as pushed?

    `shown` gives its place and how much of it is hidden below and above, mm.
    """
    down, across = np.mgrid[-15.0:15.0:0.1, -15.0:15.0:0.1]
    told = False
    sphere: TrackedSphere | None = None
    changes = np.linspace(0, 1, STEPS)
    shares = [*np.zeros(STEPS), *changes, *np.ones(STEPS), *(1 + changes), *np.full(STEPS, 2.0)]
    for number, share in enumerate(shares):
        place, below, above = shown(share)
        seen = (np.hypot(down, across) < RADIUS_MM) & (down > below - RADIUS_MM) & (down < RADIUS_MM - above)
        blob = TrackBlob(
            x_mm=0.0,
            y_mm=place + float(down[seen].mean()),
            uphill_y_mm=place + float(down[seen].max()),
            radius_mm=float(np.sqrt(seen.sum() * 0.01 / np.pi)),
            bgr=(60.0, 190.0, 200.0),
            face_cover=0.0,
            compact=True,
            box=(0, 10, 60, 70),
        )
        if sphere is None:
            sphere = TrackedSphere(Rig(), 0.0, blob)
        else:
            sphere.add(number / FPS, blob)
        told |= sphere.resting_place.shifted()
    return told


@pytest.mark.slow
@pytest.mark.parametrize("strip_mm", [2.0, 5.0, 9.0])
@pytest.mark.parametrize("side", ["below", "above"])
def test_a_shadow_that_passes_over_a_waiting_sphere_is_no_push(side: str, strip_mm: float) -> None:
    def shown(share: float) -> tuple[float, float, float]:
        hidden = strip_mm * (1 - abs(share - 1))
        return (AT_MM, hidden, 0.0) if side == "below" else (AT_MM, 0.0, hidden)

    assert not watched_at_rest(shown)


@pytest.mark.parametrize("push_mm", [2.2, 3.0, 4.5])
def test_a_push_of_a_few_millimetres_is_told(push_mm: float) -> None:
    assert watched_at_rest(lambda share: (AT_MM - push_mm * min(share, 1.0), 0.0, 0.0))


def blob(
    x_mm: float,
    y_mm: float,
    *,
    radius_mm: float = RADIUS_MM,
    bgr: tuple[float, float, float] = (60.0, 190.0, 200.0),
    face_cover: float = 0.0,
) -> TrackBlob:
    return TrackBlob(x_mm, y_mm, y_mm + radius_mm, radius_mm, bgr, face_cover, True, (0, 10, 60, 70))


def told_of(places: list[TrackBlob]) -> list[str]:
    """Return what is told of a sphere that is seen so, frame by frame."""
    monitor = TrackMonitor(Rig(), lambda bgr: ("yellow", 1.0))
    events = [each for n, seen in enumerate(places) for each in monitor.step(n / FPS, SheetBlobs((seen,), ()))]
    names = ["started" if isinstance(each, RollStarted) else "" for each in events]
    return [each.outcome if isinstance(each, RollEnded) else name for each, name in zip(events, names, strict=True)]


def test_what_ends_where_it_began_did_not_fall_short_and_may_be_pushed_later() -> None:
    away = [blob(0.0, AT_MM - 2.0 * n) for n in range(8)]
    rests = [blob(0.0, AT_MM)] * 30
    pushed = [*away, *[away[-1]] * 30]
    assert told_of(rests + away + away[::-1] + rests) == ["started", "unknown"]
    assert told_of(rests + away + away[::-1] + rests + pushed) == ["started", "unknown", "started", "short"]


def test_what_joins_a_waiting_sphere_in_another_light_is_no_roll_of_it() -> None:
    """Its middle goes downhill and its size hardly grows, but ground of another colour is a part of it now."""
    joined = [blob(0.0, AT_MM - 2.0 * n, bgr=(60.0 + 25 * n, 190.0, 200.0)) for n in range(8)]
    assert told_of([blob(0.0, AT_MM)] * 30 + joined) == []


def test_what_moves_aside_rather_than_downhill_is_no_roll() -> None:
    assert told_of([blob(0.0, AT_MM)] * 30 + [blob(-5.0 * n, AT_MM - 2.0 * n) for n in range(8)]) == []


def test_the_shadow_that_runs_before_a_rolling_sphere_does_not_roll() -> None:
    monitor = TrackMonitor(Rig(), lambda bgr: ("orange", 1.0))
    events: list[RollEvent] = []
    for number in range(50):
        y_mm = AT_MM - max(0, number - 20) * 6.0
        shadow = (blob(44.0, y_mm - 30.0, radius_mm=9.0),) if y_mm < 190.0 else ()
        events += monitor.step(number / FPS, SheetBlobs((blob(0.0, y_mm), *shadow), ()))
    assert [each.lane for each in events if isinstance(each, RollStarted)] == [4]


@pytest.mark.parametrize("over_mm_s", [60.0, 100.0, 300.0])
def test_a_hand_that_carries_a_rolling_sphere_over_the_fence_does_not_make_it_pass(over_mm_s: float) -> None:
    monitor = TrackMonitor(Rig(), lambda bgr: ("orange", 1.0))
    events: list[RollEvent] = []
    y_mm, speed_mm_s = AT_MM, 0.0
    for number in range(140):
        lifted = y_mm < 32.0
        speed_mm_s = over_mm_s if lifted else min(speed_mm_s + 32.0 * (number > 20), 330.0)
        y_mm -= speed_mm_s / FPS
        hides = 1.0 if lifted and y_mm > -5.0 else 0.0
        seen = blob(0.0, y_mm, radius_mm=13.2 if lifted else RADIUS_MM, face_cover=hides)
        events += monitor.step(number / FPS, SheetBlobs((seen,), (seen.box,) if lifted else ()))
    assert [each.outcome for each in events if isinstance(each, RollEnded)] == ["astray"]


@pytest.mark.parametrize("blurred", [0.0, 0.19])
def test_what_the_fence_cuts_in_two_is_one_sphere_behind_its_face(blurred: float) -> None:
    """The blur of what shows in the hole may lie over the face."""
    roll = followed(lambda n: (220.0 - 1.2 * n, 227.0 - 1.2 * n))
    over, through = blob(0.0, 12.0, radius_mm=3.0), blob(0.0, 1.0, radius_mm=4.5, face_cover=blurred)
    assert other_part(roll, over, [blob(40.0, 1.0, radius_mm=4.5)]) is None
    assert other_part(roll, over, [blob(0.0, -30.0)]) is None
    assert other_part(roll, over, [through]) is through
    roll.add(roll.last.t_s + 1 / FPS, over, through)
    roll.over_or_through.add(0.0, -8.0, 1.2, 0.0, 20.0)
    assert roll.over_or_through.way == "through"


def test_parts_that_both_hide_the_face_are_not_behind_it() -> None:
    roll = followed(lambda n: (220.0 - 1.2 * n, 227.0 - 1.2 * n))
    parts = [blob(0.0, y_mm, radius_mm=4.0, face_cover=0.5) for y_mm in (12.0, 1.0)]
    roll.add(roll.last.t_s + 1 / FPS, *parts)
    roll.over_or_through.add(0.0, -8.0, 1.2, 0.0, 20.0)
    assert roll.over_or_through.way != "through"


@pytest.mark.parametrize(("lasting_s", "way"), [(0.12, "over"), (0.5, "through")])
def test_what_stays_before_the_fences_face_is_not_in_the_air(lasting_s: float, way: str) -> None:
    """One that rests in its hole hides the face in a picture of little detail, frame after frame."""
    classified = OverOrThrough()
    frames = round(lasting_s * FPS)
    for frame in range(frames):
        classified.add(frame / FPS, 12.0, 0.95, 2.0 / frames, 0.0)
    assert classified.way == way


def test_a_small_sphere_in_the_air_that_has_not_come_to_the_face_is_not_behind_it() -> None:
    """As a traced flight of a 15 mm sphere looks at 40 frames a second: one frame before the face, the next beyond."""
    classified = OverOrThrough()
    for t_s, y_mm, size, face_cover, ahead_mm in (
        (0.725, 48.3, 0.975, 0.0, -6.7),
        (0.750, 20.97, 1.098, 0.067, -6.7),
        (0.775, -9.4, 1.225, 0.0, -15.5),
        (0.800, -42.3, 1.207, 0.0, -5.9),
    ):
        classified.add(t_s, y_mm, size, face_cover, ahead_mm)
    assert classified.way == "unsure"


def test_a_shadow_beyond_the_fence_is_not_the_sphere_that_a_hand_took_from_the_ramp() -> None:
    """A coloured shadow that a wedged sphere throws through its hole flickers where a passed one would be."""
    monitor = TrackMonitor(Rig(), lambda bgr: ("yellow", 1.0))
    waits = [SheetBlobs((blob(0.0, 184.0),), ())] * 30
    taken = [SheetBlobs((), ((0, 30, 60, 70),))] * 8
    shadow = [SheetBlobs((blob(8.0, y_mm),), ()) for y_mm in (*[-14.0] * 10, -16.0, -19.0, -22.0, *[-26.0] * 10)]
    events = [each for n, sheet in enumerate(waits + taken + shadow) for each in monitor.step(n / FPS, sheet)]
    assert events == []


def test_what_a_hand_moved_while_it_hid_the_sphere_did_not_roll() -> None:
    monitor = TrackMonitor(Rig(), lambda bgr: ("yellow", 1.0))
    shown = [SheetBlobs((blob(0.0, 200.0),), ())] * 30
    shown += [SheetBlobs((), ((10, 40, 60, 70),))] * 2 + [SheetBlobs((), ())] * 3
    shown += [SheetBlobs((blob(0.0, 120.0),), ())] * 2
    events = [each for n, sheet in enumerate(shown) for each in monitor.step(n / FPS, sheet)]
    assert events == []


@pytest.mark.parametrize(("rolls_since_s", "radius_mm", "strayed"), [(0.0, 7.4, 3), (0.0, 4.0, 0), (3 / FPS, 7.4, 1)])
def test_only_a_whole_sphere_that_was_seen_to_roll_strays(rolls_since_s: float, radius_mm: float, strayed: int) -> None:
    """What is smaller is a part of it, or of a hand. Before it was seen to roll, a hand may have carried it."""
    whole = blob(0.0, 150.0, radius_mm=7.4)
    sphere = TrackedSphere(Rig(), -1.0, whole)
    sphere.stage, sphere.rolls_since_s = "rolling", rolls_since_s
    for number in range(1, 4):
        sphere.add(number / FPS, whole._replace(x_mm=30.0, radius_mm=radius_mm, compact=False))
    assert sphere.strayed(0.0, 24.0) == strayed


def test_what_is_seen_farther_on_than_it_can_have_rolled_is_not_stuck() -> None:
    """At 30 frames a second one that flies leaps farther from frame to frame than any that rolls."""
    rolls = [
        blob(0.0, y_mm) for y_mm in (208, 208, 208, 208, 208, 208, 206, 198, 188, 176, 163, 147, 130, 112, 91, 71, 41)
    ]
    flies = [blob(0.0, -47.0, radius_mm=1.2 * RADIUS_MM)]
    for beyond, outcome in ((flies, "unknown"), ([], "stuck")):
        monitor = TrackMonitor(Rig(), lambda bgr: ("yellow", 1.0))
        frames = [SheetBlobs((seen,), ()) for seen in [*rolls, *beyond]] + [SheetBlobs((), ())] * 30
        events = [each for n, sheet in enumerate(frames) for each in monitor.step(n / 30, sheet)]
        assert [each.outcome for each in events if isinstance(each, RollEnded)] == [outcome]


@pytest.mark.parametrize(("rests_frames", "outcome"), [(14, "stuck"), (4, "unknown")])
def test_a_recording_that_ends_while_a_hand_takes_the_sphere_from_its_hole(rests_frames: int, outcome: str) -> None:
    """One that had settled there was stuck. One that had just come may have bounced, or slip through in the hand."""
    way_mm = (208, 208, 208, 208, 208, 208, 206, 198, 188, 176, 163, 147, 130, 112, 91, 71, 46)
    shown = [SheetBlobs((blob(0.0, y_mm),), ()) for y_mm in (*way_mm, *[18.0] * rests_frames)]
    in_hand = ((0, 30, 60, 70),)
    hidden = [SheetBlobs((), in_hand)] * 6
    shown += [*hidden, SheetBlobs((blob(-3.0, 23.0, radius_mm=13.0),), in_hand), *hidden]
    monitor = TrackMonitor(Rig(), lambda bgr: ("yellow", 1.0))
    for n, sheet in enumerate(shown):
        assert not [each for each in monitor.step(n / 30, sheet) if isinstance(each, RollEnded)]
    assert [of_kind(RollEnded, each).outcome for each in monitor.finish(len(shown) / 30)] == [outcome]

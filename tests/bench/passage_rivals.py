"""Passages as tutorials watch them: find round or moving things in each frame, tie them together by place and pace.

Each finder gives middles in pixels. One tracker serves them all: constant velocity, nearest first, as SORT and norfair
do without a network. It is told the true camera, the track and the lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from hardware.cameras.camera_model import Array, CameraView, Image
from hardware.rig import Rig

RIG = Rig()
RADIUS_MM = 14.0
"""Of a typical sphere: its middle is so far above the track."""
GATE_MM, PATIENCE, LEAST_SEEN = 30.0, 8, 4
"""A track takes what lies so near to where it goes on to, is dropped after so many frames without, and counts from so
many with."""
ROLLED_MM, REST_MM, REST_FRAMES, AT_FENCE_Y_MM = 12.0, 2.5, 12, 45.0
LEAST_AREA_PX, MOST_AREA_PX = 80, 2600
"""Of a disc of 10 and of 57 px: spheres of 15–45 mm have 17–55."""
Finder = Callable[[Image], Array]
"""Middles of what may be a sphere, (n, 2) px."""


@dataclass
class Track:
    """Places, mm, of one thing by frame."""

    seen: list[tuple[int, float, float]] = field(default_factory=list)

    def expected(self, frame: int) -> tuple[float, float]:
        """Return where it goes on to at the pace of its last two places."""
        last = self.seen[-1]
        if len(self.seen) < 2:
            return last[1], last[2]
        before = self.seen[-2]
        share = (frame - last[0]) / (last[0] - before[0])
        return last[1] + share * (last[1] - before[1]), last[2] + share * (last[2] - before[2])


def mog2() -> Finder:
    """Blobs of OpenCV's background subtraction."""
    subtractor = cv2.createBackgroundSubtractorMOG2(detectShadows=True)

    def find(image: Image) -> Array:
        moved = (np.asarray(subtractor.apply(image)) == 255).astype(np.uint8)
        moved = np.asarray(cv2.morphologyEx(moved, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)))
        _, _, stats, middles = cv2.connectedComponentsWithStats(moved)
        area = stats[1:, cv2.CC_STAT_AREA]
        return np.asarray(middles[1:][(area > LEAST_AREA_PX) & (area < MOST_AREA_PX)], dtype=np.float64)

    return find


def hough() -> Finder:
    """Circles of OpenCV's Hough transform."""

    def find(image: Image) -> Array:
        grey = cv2.medianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), 5)
        found = cv2.HoughCircles(grey, cv2.HOUGH_GRADIENT, 1.5, 25, None, 120, 28, 8, 28)
        return np.zeros((0, 2)) if found is None else np.asarray(found[0, :, :2], dtype=np.float64)

    return find


def simple_blobs() -> Finder:
    """OpenCV's blob detector on saturation."""
    wanted = cv2.SimpleBlobDetector.Params()
    wanted.filterByArea, wanted.minArea, wanted.maxArea = True, LEAST_AREA_PX, MOST_AREA_PX
    wanted.filterByCircularity, wanted.minCircularity = True, 0.6
    wanted.filterByColor, wanted.blobColor = True, 255
    detector = cv2.SimpleBlobDetector.create(wanted)

    def find(image: Image) -> Array:
        saturation = np.ascontiguousarray(cv2.cvtColor(image, cv2.COLOR_BGR2HSV)[..., 1])
        return np.array([each.pt for each in detector.detect(saturation)], dtype=np.float64).reshape(-1, 2)

    return find


RIVALS: dict[str, Callable[[], Finder]] = {
    "MOG2 blobs, tracked by position and speed": mog2,
    "HoughCircles, likewise": hough,
    "SimpleBlobDetector on saturation, likewise": simple_blobs,
}


def tracks_in(frames: Sequence[Image], view: CameraView, finder: Finder) -> list[Track]:
    """Find and tie together what moves on the track."""
    tracks: list[Track] = []
    for number, image in enumerate(frames):
        places = _on_track(view, finder(image))
        free = [place for place in places if abs(place[0]) < RIG.half_width_mm and -95.0 < place[1] < 245.0]
        for track in sorted(tracks, key=lambda each: -len(each.seen)):
            if number - track.seen[-1][0] > PATIENCE or not free:
                continue
            x, y = track.expected(number)
            best = min(free, key=lambda place: float(np.hypot(place[0] - x, place[1] - y)))
            if np.hypot(best[0] - x, best[1] - y) < GATE_MM:
                free.remove(best)
                track.seen.append((number, *best))
        tracks += [Track([(number, *place)]) for place in free]
    return tracks


def verdict(tracks: Sequence[Track], frames: int) -> tuple[str, int | None, float | None]:
    """Return outcome, lane and the frame of the crossing of the track that rolled farthest; "none" without one."""
    rolled = [
        track
        for track in tracks
        if len(track.seen) >= LEAST_SEEN
        and track.seen[0][2] > 20.0
        and track.seen[0][2] - track.seen[-1][2] > ROLLED_MM
    ]
    if not rolled:
        return "none", None, None
    track = max(rolled, key=lambda each: each.seen[0][2] - each.seen[-1][2])
    ramp = [x for _, x, y in track.seen if y > AT_FENCE_Y_MM] or [track.seen[0][1]]
    x = float(np.median(ramp))
    lane = min(RIG.lanes, key=lambda each: abs(each.x_mm - x)).number
    for before, after in zip(track.seen, track.seen[1:], strict=False):
        if before[2] > 0 >= after[2]:
            return "passed", lane, before[0] + (after[0] - before[0]) * before[2] / (before[2] - after[2])
    late = [y for _, _, y in track.seen[-REST_FRAMES:]]
    if max(late) - min(late) > REST_MM and track.seen[-1][0] >= frames - 2:
        return "unknown", lane, None
    return ("stuck" if track.seen[-1][2] < AT_FENCE_Y_MM else "short"), lane, None


def _on_track(view: CameraView, pixels: Array) -> list[tuple[float, float]]:
    """Return where rays meet the plane of the ramp, a radius above it, mm."""
    if not len(pixels):
        return []
    (foot_y, foot_z), (top_y, top_z) = RIG.ramp_foot, RIG.ramp_top
    normal = np.array([0.0, -(top_z - foot_z) / (top_y - foot_y), 1.0])
    height = foot_z + RADIUS_MM * float(np.linalg.norm(normal)) + normal[1] * foot_y
    rays, eye = view.rays(pixels) @ view.pose.R, view.pose.camera_position_mm
    at = eye + rays * ((height - normal @ eye) / (rays @ normal))[:, None]
    return [(float(x), float(y)) for x, y, _ in at]

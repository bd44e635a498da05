"""The rig: the geometry of one table, in a file that calibration writes.

Units are millimetres. X points right, Y away from the front player, Z up. The origin is on the table under the middle
of the fence (DESIGN §5). The defaults are those of the simulated table and of the rendered pictures; a real table is
measured.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Length = Annotated[float, Meta(gt=0.0)]
MARKER_IDS = 50
"""Number of markers in the dictionary DICT_4X4_50."""


class Lane(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One lane: its number from the left, the x of its middle and the diameter of its hole, in mm."""

    number: Annotated[int, Meta(ge=1, le=99)]
    x_mm: float
    hole_mm: Length


class Marker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One ArUco marker (DICT_4X4_50) printed upright: its id and centre on the table, in mm.

    `turn_deg` is its rotation, counter-clockwise seen from above.
    """

    id: Annotated[int, Meta(ge=0, lt=MARKER_IDS)]
    x_mm: float
    y_mm: float
    z_mm: float = 0.5
    turn_deg: float = 0.0


class Beam(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One beam across all lanes: its name, BCM pin, and height and distance from the fence, in mm."""

    name: str
    pin: Annotated[int, Meta(ge=0, le=27)]
    y_mm: float
    z_mm: float


class Putty(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The colour of one putty as this table's camera sees it.

    `red` and `blue` are ln(R/G) and ln(B/G) of its reflectance divided by that of white paper.
    """

    name: Literal["yellow", "green", "orange", "pink"]
    red: float
    blue: float


_HOLES_MM = (30.0, 24.0, 36.0, 27.0, 33.0, 21.0, 39.0)


class Rig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One table, in mm. `made_utc` is when it was calibrated, ISO 8601, or "" if it was not.

    `fence_overhang_mm` is how far the fence extends beyond the track at either end.
    Balls of known diameter were measured as `ball_scale` · diameter + `ball_offset_mm`, with an error of
    `ball_sd_mm`. A putty that was never shown to the camera is not in `putties`.
    """

    source: str = "demo"
    made_utc: str = ""
    lanes: tuple[Lane, ...] = tuple(Lane(n + 1, -120.0 + 40.0 * n, d) for n, d in enumerate(_HOLES_MM))
    markers: tuple[Marker, ...] = (
        Marker(0, -200.0, -60.0),
        Marker(1, 270.0, -60.0),
        Marker(2, -200.0, 265.0),
        Marker(3, 270.0, 265.0),
    )
    marker_side_mm: Length = 30.0
    lane_pitch_mm: Length = 40.0
    ramp_foot: tuple[float, float] = (0.0, 8.0)
    ramp_top: tuple[float, float] = (200.0, 55.0)
    platform_end_y_mm: float = 240.0
    wall_height_mm: float = 6.0
    wall_thickness_mm: float = 2.0
    fence_y_mm: float = 0.0
    fence_thickness_mm: float = 2.0
    fence_top_mm: float = 70.0
    fence_overhang_mm: Annotated[float, Meta(ge=0.0)] = 14.0
    landing_y_mm: tuple[float, float] = (-95.0, 0.0)
    landing_z_mm: float = 1.0
    boss_slot_y_mm: float = 247.0
    boss_base_z_mm: float = 53.0
    boss_size_mm: tuple[float, float, float] = (26.0, 2.0, 48.0)
    pan_centre_mm: tuple[float, float] = (205.0, 60.0)
    pan_z_mm: float = 25.0
    pan_diameter_mm: Length = 60.0
    tray_centre_mm: tuple[float, float] = (205.0, -45.0)
    tray_z_mm: float = 1.0
    tray_side_mm: Length = 70.0
    beams: tuple[Beam, ...] = (Beam("front", 17, 14.0, 16.0), Beam("back", 27, -14.0, 8.0))
    ball_scale: Annotated[float, Meta(ge=0.8, le=1.25)] = 1.0
    ball_offset_mm: float = 0.0
    ball_sd_mm: Annotated[float, Meta(ge=0.0)] = 0.0
    putties: tuple[Putty, ...] = ()

    def __post_init__(self) -> None:
        """Check constraints between fields.

        :raises ValueError: two lanes or markers have the same number, there are none, or the ramp's top is not behind
            its foot.
        """
        for what, numbers in (
            ("lane", [lane.number for lane in self.lanes]),
            ("marker", [marker.id for marker in self.markers]),
        ):
            if not numbers or len(set(numbers)) < len(numbers):
                raise ValueError(f"`{what}s` needs every {what} once, and one at least - at `$.{what}s`")
        if self.ramp_top[0] <= self.ramp_foot[0]:
            raise ValueError("the ramp's top must be behind its foot - at `$.ramp_top`")

    @property
    def half_width_mm(self) -> float:
        """Half the width of ramp and platform, including the outer walls."""
        return (self.lanes[-1].x_mm - self.lanes[0].x_mm + self.lane_pitch_mm + self.wall_thickness_mm) / 2

    def lane(self, number: int) -> Lane:
        """Return the lane with this number.

        :raises KeyError: there is no such lane.
        """
        for lane in self.lanes:
            if lane.number == number:
                return lane
        raise KeyError(number)

    def ramp_z_mm(self, y_mm: float) -> float:
        """Return the height of the running surface at `y_mm` (ramp, then level platform)."""
        (y0, z0), (y1, z1) = self.ramp_foot, self.ramp_top
        fraction = min(max((y_mm - y0) / (y1 - y0), 0.0), 1.0)
        return z0 + fraction * (z1 - z0)

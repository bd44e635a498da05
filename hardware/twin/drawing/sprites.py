"""Draws each movable object into a small patch of the picture: putty, die, gems, boss figure, hands."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import CameraView, Image
from hardware.readings import PuttyColour
from hardware.rig import Rig
from hardware.twin.drawing.art import DIE_FACES, GEM_BGR, PUTTY_BGR, boss_card, die_face
from hardware.twin.drawing.empty_table import EmptyTable
from hardware.twin.drawing.hand import draw_hand
from hardware.twin.drawing.patch import Patch, smeared
from hardware.twin.drawing.shading import AMBIENT, FILL, KEY, Floats, Shadows, lamp_points, linear, pixels
from hardware.twin.world.scene import BossFigure, DiePose, Reach, Stone, VisibleSphere

SHUTTER_S = 1 / 250
DIE_HALF_MM = 8.0
_FINE = 3


def _triple(x: float, y: float, z: float) -> Floats:
    return np.array([x, y, z], dtype=np.float32)


class Sprites:
    """Draws objects into patches, as one camera sees them."""

    def __init__(self, rig: Rig, view: CameraView, empty_table: EmptyTable) -> None:
        self._rig, self._view, self._empty_table = rig, view, empty_table
        self._size = (view.camera.height_px, view.camera.width_px)
        self._shadows = Shadows(rig)
        self._faces = {value: die_face(value) for value in range(1, 7)}
        self._card = boss_card()

    def _box(self, spots: Floats, margin_px: float) -> tuple[slice, slice] | None:
        seen = self._view.project(spots.astype(np.float64))
        low, high = seen.min(axis=0) - margin_px, seen.max(axis=0) + margin_px
        left, top = max(int(low[0]), 0), max(int(low[1]), 0)
        right, bottom = min(int(high[0]) + 2, self._size[1]), min(int(high[1]) + 2, self._size[0])
        return (slice(top, bottom), slice(left, right)) if right - left > 1 and bottom - top > 1 else None

    # Putty

    def ball(self, ball: VisibleSphere) -> Patch | None:
        """Draw a sphere: an ellipsoid in exact perspective, shaded, with motion blur, and occluded by the fence."""
        centre = np.asarray(ball.centre_mm, dtype=np.float32)
        radius = float(np.linalg.norm(ball.form, ord=2))
        velocity = np.asarray(ball.velocity_mm_s, dtype=np.float32)
        smear = velocity * np.float32(SHUTTER_S)
        reach = radius * 1.9
        around = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 0.7)], dtype=np.float32)
        box = self._box(np.vstack([centre + around * reach - smear / 2, centre + around * reach + smear / 2]), 2)
        if box is None:
            return None
        tight = np.vstack([centre + around * radius * 1.05 - smear / 2, centre + around * radius * 1.05 + smear / 2])
        inner = self._box(tight, 3)
        key = self._key_share(centre, radius)
        rays = self._empty_table.rays[box]
        colour = np.zeros((*rays.shape[:2], 3), dtype=np.float32)
        cover = np.zeros((*rays.shape[:2], 1), dtype=np.float32)
        if inner is not None:
            light, alpha, shown = self._ellipsoid(inner, centre, np.linalg.inv(ball.form), ball.colour, key)
            ends = self._view.project(np.array([centre - smear / 2, centre + smear / 2], dtype=np.float64))
            light, alpha = smeared(light, alpha, ends[1] - ends[0])
            rows, columns = (
                slice(one.start - all_.start, one.stop - all_.start) for one, all_ in zip(inner, box, strict=True)
            )
            colour[rows, columns], cover[rows, columns] = pixels(light), (alpha * shown)[..., None]
        return Patch(box, colour, cover, self._ball_shadow(rays, box, centre, radius, key))

    def _key_share(self, centre: Floats, radius: float) -> float:
        """Return the fraction of the key lamp's light that reaches a ball. The fence shades the landing board."""
        if centre[1] > 0 or centre[0] > 160:
            return 1.0
        spots = np.array([centre, centre + _triple(0, 0, radius * 0.7)], dtype=np.float32)
        return 1 - float(np.mean([self._shadows.blocked(spots, lamp) for lamp in lamp_points(KEY, 5)]))

    def _ellipsoid(
        self, box: tuple[slice, slice], centre: Floats, inverse: Floats, putty: PuttyColour, key: float
    ) -> tuple[Floats, Floats, Floats]:
        """Return an ellipsoid's linear colour, its alpha, and the fraction of it that the fence does not hide.

        The edge is anti-aliased by the exact distance to it, so it is accurate to hundredths of a pixel.
        """
        rays, inverse = self._empty_table.rays[box], inverse.astype(np.float32)
        eye = inverse @ (self._empty_table.eye_mm - centre)
        way = rays @ inverse.T
        a = np.einsum("ijk,ijk->ij", way, way)
        b = way @ eye
        miss = np.sqrt(np.maximum(eye @ eye - b * b / a, 0))
        down, across = np.gradient(miss)
        alpha = np.clip(0.5 + (1 - miss) / np.maximum(np.hypot(down, across), 1e-5), 0, 1)
        depth = (-b - np.sqrt(np.maximum(b * b - a * (eye @ eye - 1), 0))) / a
        unit = eye + depth[..., None] * way
        normal = unit @ inverse
        normal /= np.maximum(np.sqrt(np.einsum("ijk,ijk->ij", normal, normal))[..., None], 1e-6)
        behind = self._empty_table.eye_mm[1] + depth * rays[..., 1] > self._rig.fence_y_mm
        shown = np.where(behind, 1 - self._empty_table.fence[box], 1)
        paint = linear(np.asarray(PUTTY_BGR[putty], dtype=np.uint8))
        return self._lit(normal, rays, centre, paint, key), np.asarray(alpha), np.asarray(shown)

    def _lit(self, normal: Floats, rays: Floats, centre: Floats, paint: Floats, key: float) -> Floats:
        """Return the linear colour of silicone putty: wrapped Lambert shading with a broad highlight."""
        light = AMBIENT * np.float32(1.15) * (0.72 + 0.28 * normal[..., 2:3])
        sheen = np.zeros(normal.shape[:2], dtype=np.float32)
        for lamp, share in ((KEY, key), (FILL, 1.0)):
            towards = np.asarray(lamp.place_mm, dtype=np.float32) - centre
            distance = np.linalg.norm(towards)
            towards /= distance
            level = np.float32(lamp.level * share * (900.0 / distance) ** 2)
            wrapped = np.clip((normal @ towards + 0.12) / 1.12, 0, None)
            light = light + wrapped[..., None] * (np.asarray(lamp.colour, dtype=np.float32) * level)
            half = towards - rays
            along = np.einsum("ijk,ijk->ij", normal, half) / np.sqrt(np.einsum("ijk,ijk->ij", half, half))
            sheen += np.clip(along, 0, 1) ** 26 * level * np.float32(0.16)
        return np.asarray(paint * light + sheen[..., None], dtype=np.float32)

    def _floor(self, rays: Floats, centre: Floats) -> Floats:
        """Return the points where the rays meet the surface under an object at `centre`, shape (h, w, 3)."""
        rig = self._rig
        (y0, z0), (y1, z1) = rig.ramp_foot, rig.ramp_top
        slope, base = 0.0, z1
        if centre[0] > 160:
            on_pan = abs(centre[1] - rig.pan_centre_mm[1]) < rig.pan_diameter_mm
            base = rig.pan_z_mm if on_pan else rig.tray_z_mm
        elif centre[1] < y0:
            base = rig.landing_z_mm
        elif centre[1] < y1:
            slope = (z1 - z0) / (y1 - y0)
            base = z0 - slope * y0
        eye = self._empty_table.eye_mm
        depth = (base + slope * eye[1] - eye[2]) / (rays[..., 2] - slope * rays[..., 1])
        return np.asarray(eye + depth[..., None] * rays, dtype=np.float32)

    def _ball_shadow(self, rays: Floats, box: tuple[slice, slice], centre: Floats, radius: float, key: float) -> Floats:
        """Return the shade (h, w, 1) of the surface under a ball: a soft cast shadow and a dark contact."""
        floor = self._floor(rays, centre)
        towards = np.asarray(KEY.place_mm, dtype=np.float32) - centre
        towards /= np.linalg.norm(towards)
        from_centre = floor - centre
        along = from_centre @ towards
        aside = np.sqrt(np.maximum(np.einsum("ijk,ijk->ij", from_centre, from_centre) - along * along, 0))
        soft = 1.0 + np.abs(along) * np.float32(2 * KEY.radius_mm / 900)
        cast = np.clip((radius - aside) / soft + 0.5, 0, 1) * (along < radius * 0.3)
        near = np.einsum("ijk,ijk->ij", from_centre, from_centre) / radius**2
        contact = 0.55 * np.exp(-np.maximum(near - 1, 0) * 2.2)
        dark = np.clip(0.62 * key * cast + contact * (1 - 0.6 * cast), 0, 0.9)
        dark *= np.where(floor[..., 1] > self._rig.fence_y_mm, 1 - self._empty_table.fence[box], 1)
        edge = np.minimum.reduce([floor[..., 1] * 0 + 1, np.clip((3.4 - near) / 0.8, 0, 1)])
        return np.asarray(np.power(1 - dark * edge, 1 / 2.2)[..., None], dtype=np.float32)

    # Flat-sided things

    def _polygon_box(self, spots: Floats, centre: Floats, radius: float) -> tuple[slice, slice] | None:
        ring = centre + np.array([[2 * radius, -radius, -radius], [-radius, -2 * radius, -radius]], dtype=np.float32)
        return self._box(np.vstack([spots, ring]), 3)

    def _shrunk(self, box: tuple[slice, slice], colour: Image, cover: Image, shade: Floats) -> Patch:
        """Scale a patch that was drawn `_FINE` times as large down to its final size."""
        size = (box[1].stop - box[1].start, box[0].stop - box[0].start)
        alpha = cv2.resize(cover.astype(np.float32) / 255, size, interpolation=cv2.INTER_AREA)
        tinted = colour.astype(np.float32) * (cover.astype(np.float32) / 255)[..., None]
        small = cv2.resize(tinted, size, interpolation=cv2.INTER_AREA)
        return Patch(box, np.asarray(small / np.maximum(alpha, 1e-4)[..., None]), np.asarray(alpha[..., None]), shade)

    def _spots_px(self, spots: Floats, box: tuple[slice, slice]) -> NDArray[np.float32]:
        """Return the pixels of table points in a patch that is drawn `_FINE` times as large."""
        seen = self._view.project(spots.astype(np.float64)) - [box[1].start, box[0].start]
        return np.asarray((seen + 0.5) * _FINE - 0.5, dtype=np.float32)

    def _blank(self, box: tuple[slice, slice]) -> tuple[Image, Image]:
        rows, columns = (box[0].stop - box[0].start) * _FINE, (box[1].stop - box[1].start) * _FINE
        return np.zeros((rows, columns, 3), dtype=np.uint8), np.zeros((rows, columns), dtype=np.uint8)

    def die(self, die: DiePose) -> Patch | None:
        """Draw the die: its visible faces with their pips."""
        centre = np.asarray(die.centre_mm, dtype=np.float32)
        turn = die.turn.astype(np.float32)
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float32)
        box = self._polygon_box(centre + corners * DIE_HALF_MM @ turn.T, centre, DIE_HALF_MM)
        if box is None:
            return None
        colour, cover = self._blank(box)
        for value, (out, right) in DIE_FACES.items():
            normal = turn @ np.asarray(out, dtype=np.float32)
            middle = centre + normal * DIE_HALF_MM
            if normal @ (self._empty_table.eye_mm - middle) <= 0:
                continue
            across = turn @ np.asarray(right, dtype=np.float32) * DIE_HALF_MM
            down = np.cross(across, normal)
            quad = np.array(
                [middle - across - down, middle + across - down, middle + across + down, middle - across + down]
            )
            self._paint(self._faces[value], quad, box, self._flat_light(normal, middle), colour, cover)
        rays = self._empty_table.rays[box]
        shade = self._ball_shadow(rays, box, centre, DIE_HALF_MM * 1.15, 1.0)
        return self._shrunk(box, colour, cover, shade)

    def _flat_light(self, normal: Floats, at: Floats) -> Floats:
        """Return the gain of 8-bit colour on a flat face, shape (3,)."""
        light = AMBIENT * np.float32(0.75 + 0.25 * normal[2])
        for lamp in (KEY, FILL):
            towards = np.asarray(lamp.place_mm, dtype=np.float32) - at
            distance = np.linalg.norm(towards)
            level = lamp.level * (900.0 / distance) ** 2 * max(float(normal @ towards / distance), 0.0)
            light = light + np.asarray(lamp.colour, dtype=np.float32) * np.float32(level)
        return np.asarray(np.power(light * 0.92, 1 / 2.2), dtype=np.float32)

    def _paint(
        self, picture: Image, quad: Floats, box: tuple[slice, slice], gain: Floats, colour: Image, cover: Image
    ) -> None:
        """Warp a BGRA picture onto a quadrilateral of table points (from its upper left corner clockwise)."""
        height, width = picture.shape[:2]
        source = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32) - np.float32(0.5)
        warp = cv2.getPerspectiveTransform(source, self._spots_px(quad, box))
        size = (colour.shape[1], colour.shape[0])
        drawn = cv2.warpPerspective(picture, warp, size, flags=cv2.INTER_AREA)
        alpha = drawn[..., 3:4].astype(np.float32) / 255
        colour[:] = np.clip(colour * (1 - alpha) + drawn[..., :3] * gain * alpha, 0, 255).astype(np.uint8)
        np.maximum(cover, drawn[..., 3], out=cover)

    def stone(self, stone: Stone) -> Patch | None:
        """Draw a faceted gem."""
        centre = np.asarray(stone.centre_mm, dtype=np.float32)
        turns = stone.turn_rad + np.arange(8) * np.pi / 4
        circle = np.column_stack([np.cos(turns), np.sin(turns), np.zeros(8)]).astype(np.float32)
        girdle, crown = centre + circle * 4.0, centre + circle * 2.3 + _triple(0, 0, 3.0)
        foot = centre + circle * 2.6 - _triple(0, 0, 3.2)
        box = self._polygon_box(np.vstack([girdle, crown, foot]), centre, 4.0)
        if box is None:
            return None
        colour, cover = self._blank(box)
        base = np.asarray(GEM_BGR[stone.piece], dtype=np.float32)
        for low, high in ((foot, girdle), (girdle, crown)):
            for k in range(8):
                quad = np.array([low[k], low[(k + 1) % 8], high[(k + 1) % 8], high[k]])
                normal = np.cross(quad[1] - quad[0], quad[3] - quad[0])
                normal /= np.linalg.norm(normal)
                if normal @ (self._empty_table.eye_mm - quad[0]) > 0:
                    self._facet(quad, base * self._flat_light(normal, quad[0]), box, colour, cover)
        self._facet(crown, base * self._flat_light(_triple(0, 0, 1), centre) * 1.12 + 14, box, colour, cover)
        rays = self._empty_table.rays[box]
        return self._shrunk(box, colour, cover, self._ball_shadow(rays, box, centre, 3.8, 1.0))

    def _facet(self, spots: Floats, bgr: Floats, box: tuple[slice, slice], colour: Image, cover: Image) -> None:
        outline = np.round(self._spots_px(spots, box) * 16).astype(np.int32)
        tone = [float(v) for v in np.clip(bgr, 0, 255)]
        cv2.fillConvexPoly(colour, outline, tone, cv2.LINE_8, 4)
        cv2.fillConvexPoly(cover, outline, 255, cv2.LINE_8, 4)

    def boss(self, figure: BossFigure) -> Patch | None:
        """Draw the boss: a standing card."""
        rig = self._rig
        width, thick, height = rig.boss_size_mm
        turn = np.deg2rad(figure.yaw_deg)
        across = np.array([np.cos(turn), np.sin(turn), 0]) * width / 2
        back = np.array([-np.sin(turn), np.cos(turn), 0]) * thick
        foot = np.array([figure.x_mm, rig.boss_slot_y_mm, rig.boss_base_z_mm]) - back / 2
        top = foot + _triple(0, 0, height)
        front = np.array([top - across, top + across, foot + across, foot - across], dtype=np.float32)
        ridge = np.array([top - across + back, top + across + back, top + across, top - across], dtype=np.float32)
        stand = foot + np.array([[-9, -6, 0], [9, -6, 0], [9, -6, 5], [-9, -6, 5], [-9, 6, 5], [9, 6, 5]])
        box = self._box(np.vstack([front, ridge, stand]).astype(np.float32), 3)
        if box is None:
            return None
        colour, cover = self._blank(box)
        normal = np.asarray(-back / thick, dtype=np.float32)
        self._paint(self._card, front, box, self._flat_light(normal, front[0]) * 1.15, colour, cover)
        self._facet(ridge, _triple(70, 86, 96), box, colour, cover)
        self._facet(stand[[0, 1, 2, 3]].astype(np.float32), _triple(24, 24, 26), box, colour, cover)
        self._facet(stand[[3, 2, 5, 4]].astype(np.float32), _triple(46, 46, 50), box, colour, cover)
        shade = np.ones((box[0].stop - box[0].start, box[1].stop - box[1].start, 1), dtype=np.float32)
        return self._shrunk(box, colour, cover, shade)

    def reach(self, reach: Reach) -> Patch | None:
        """Draw a hand."""
        drawn = draw_hand(self._view, reach)
        if drawn is None:
            return None
        box, colour, cover = drawn
        return Patch(box, colour, cover, np.ones_like(cover))

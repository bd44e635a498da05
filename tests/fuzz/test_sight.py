"""No rubbish in a picture stops the readers of pieces, spheres and rolls, or brings what is none of their answers."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from itertools import count

import numpy as np
import pytest

from hardware.cameras.camera_model import Array
from tests.bench.drawn_table import RIG, Scene, boss_scene, die_scene, gems_scene
from tests.fuzz.scribbles import scribbled
from tests.fuzz.test_fuzz import FEWEST, SECONDS, SEED
from tests.narrowed import there
from tests.vision.staged import LANE_X, Ball, Stage, way_down
from tests.vision.staged_passages import FPS, ends, watch
from vision.boss.boss import read_boss
from vision.sphere.sphere import read_pan, read_sphere_close_up
from vision.tray.die import read_die
from vision.tray.die_close_up import read_die_close_up
from vision.tray.gems import read_gems, read_gems_close_up

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

SCENES = 40
NAMES = {"red", "yellow", "purple", "unknown"}
SIDES_PX = (16, 17, 40, 120, 240, 320)


def look_at_a_table(number: int) -> str:
    """Read everything in a drawn scene with rubbish on it; return what was read of its pieces."""
    rng = np.random.default_rng(number)
    scene = (boss_scene, die_scene, gems_scene)[number % 3](830_000 + number // 3 % SCENES)
    image = scribbled(scene.picture, _places(scene, rng), rng)
    boss, die, gems = (
        read_boss(image, scene.view, RIG),
        read_die(image, scene.view, RIG),
        read_gems(image, scene.view, RIG),
    )
    assert (boss.state == "lane") == (boss.lane is not None)
    assert (die.state == "seen") == (die.value in range(1, 7))
    assert set(gems.colours) <= NAMES
    sphere = read_pan(image, scene.view, RIG)
    assert sphere is None or np.isfinite(there(sphere.diameter_mm))
    return f"boss {boss.state}, die {die.state}"


def look_closely(number: int) -> str:
    """Read everything in a close-up that is nothing but rubbish on an even ground."""
    rng = np.random.default_rng(number)
    height, width = rng.choice(SIDES_PX, 2)
    even = np.full((height, width, 3), rng.integers(0, 256, 3), np.uint8)
    image = scribbled(even, np.array([[width / 2, height / 2]]), rng)
    die = read_die_close_up(image)
    assert (die.state == "seen") == (die.value in range(1, 7))
    assert set(read_gems_close_up(image).colours) <= NAMES
    read_sphere_close_up(image)
    return f"die {die.state}"


def look_at_a_roll(number: int) -> str:
    """Watch a sphere roll while rubbish comes and goes."""
    rng = np.random.default_rng(number)
    ys, _ = way_down(FPS)
    x, radius_mm = LANE_X[1 + number % 7], rng.uniform(8.0, 20.0)
    path = [ys[0]] * 12 + ys + [ys[-1]] * 12
    stage, begins = Stage(), rng.integers(len(path), size=6)
    frames = [stage.draw(Ball(x, y, radius_mm, "pink")) for y in path]
    height, width = frames[0].shape[:2]
    spots = np.array([width / 2, height / 2]) + rng.normal(0, 120, (4, 2))
    for begin in begins:
        seed, lasts = int(rng.integers(2**32)), int(rng.integers(1, 20))
        for index in range(begin, min(begin + lasts, len(frames))):
            frames[index] = scribbled(frames[index], spots, np.random.default_rng(seed))
    return f"{len(ends(watch(frames)))} rolls"


LOOKS: tuple[Callable[[int], str], ...] = (look_at_a_table, look_closely, look_at_a_roll)
EVERY_LOOK = pytest.mark.parametrize("look", LOOKS, ids=[look.__name__ for look in LOOKS])


@EVERY_LOOK
def test_a_few_pictures_with_rubbish(look: Callable[[int], str]) -> None:
    for number in range(6):
        look(number)


@pytest.mark.fuzz
@EVERY_LOOK
def test_rubbish_for_a_while(look: Callable[[int], str], capsys: pytest.CaptureFixture[str]) -> None:
    until_s, read, number = time.monotonic() + SECONDS, Counter[str](), SEED
    for number in count(SEED):
        try:
            read[look(number)] += 1
        except BaseException:
            with capsys.disabled():
                print(f"\n{look.__name__}({number})")
            raise
        if number - SEED >= FEWEST and time.monotonic() > until_s:
            break
    with capsys.disabled():
        print(f"\n{look.__name__}: {number - SEED + 1} looks, {dict(read.most_common(6))}")


def _places(scene: Scene, rng: np.random.Generator) -> Array:
    """Return pixels to scribble at: the tray's, the pan's, and two anywhere."""
    height, width = scene.picture.shape[:2]
    x, y = RIG.tray_centre_mm
    tray = scene.view.project(np.array([[x, y, RIG.tray_z_mm]]))
    return np.vstack([tray, tray, rng.uniform(0, [width, height], (2, 2))])

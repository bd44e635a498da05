"""A sphere's diameter against its Cramér–Rao bound and against what others do: `python -m tests.bench.sphere`."""

from __future__ import annotations

from functools import partial

import numpy as np

from tests.bench.discs import LENS_PX, LEVEL_SD, Disc, taken
from tests.bench.machine import cpu_side_by_side, on_all_cores, one_thread
from tests.bench.page import Aim, Section, Table, show
from tests.bench.rim_rivals import RIVALS, Rival, has_skimage
from vision.sphere.sphere import read_sphere_close_up

DISCS = 100
OURS = "**this project**"
BLUNDER_PX = 5.0

PHYSICAL = "flat disc, blurred in linear light"
SCENES = {
    PHYSICAL: {"blurs_light": True},
    "flat disc, blurred in pixel levels": {"blurs_light": False},
    "ball: shading, highlight, contact shadow, mottled ground": {"lit": True},
}


def ours(picture: np.ndarray) -> float | None:
    seen = read_sphere_close_up(picture)
    return None if seen is None else seen.diameter_px


METHODS: dict[str, Rival] = {OURS: ours, **RIVALS}


def measure(effort: float = 1.0) -> Section:
    count = max(round(DISCS * effort), 6)
    tables: list[Table] = []
    scatter = bias_px = np.nan
    for number, (scene, options) in enumerate(SCENES.items()):
        errors, bounds = _errors(options, count, 1000 * number)
        tables.append(_table(f"{scene} ({count} pictures)", errors, bounds))
        if scene == PHYSICAL:
            sound = errors[OURS] - np.mean(errors[OURS])
            scatter, bias_px = float(np.sqrt(np.mean((sound / bounds) ** 2))), float(np.mean(errors[OURS]))
    tables.append(_costs())
    aims = [
        Aim(
            what="diameter of synthetic discs: scatter",
            wanted="≤ 2 × the Cramér–Rao bound",
            measured=f"{scatter:.2f} ×",
            met=scatter <= 2,
        ),
        Aim(
            what="diameter of synthetic discs: bias",
            wanted="< 0.02 px",
            measured=f"{bias_px:+.3f} px",
            met=abs(bias_px) < 0.02,
            why="blur in linear light, as of a lens; the tables also have blur in pixel levels, and shaded balls",
        ),
    ]
    notes = [
        "Bias is the mean error. Scatter is the standard deviation of the error, where each error is divided by the "
        "bound of its picture. Bias, scatter and RMS leave out blunders (nothing found, or an error over "
        f"{BLUNDER_PX:g} px).",
        "The bound assumes that everything except the diameter is known, so no method can quite reach it.",
    ]
    if not has_skimage():
        notes.append("scikit-image is not installed: `pip install -e .[bench]` adds it.")
    return Section(
        title="A sphere's diameter on drawn discs",
        method=f"Discs of 60–200 px at random positions, lens blur {LENS_PX} px, noise of {LEVEL_SD:g} levels, drawn "
        "by a generator that shares no code with the product. The bound is computed from the slope of each "
        "picture's edge.",
        tables=tables,
        aims=aims,
        notes=notes,
    )


def _errors(options: dict[str, bool], count: int, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return each method's errors in px (NaN: nothing found) and the bounds, over the same pictures."""
    rng = np.random.default_rng(seed)
    discs = []
    for number in range(count):
        diameter = rng.uniform(60, 200)
        x, y = 139.5 + rng.uniform(-2, 2, 2)
        discs.append((Disc(x, y, diameter, **options), seed + number))
    found = on_all_cores(_measured, discs)
    errors = np.array([each for each, _ in found])
    return {name: errors[:, column] for column, name in enumerate(METHODS)}, np.array([bound for _, bound in found])


def _measured(drawn: tuple[Disc, int]) -> tuple[list[float], float]:
    """Return the error of every method on a disc, drawn with the noise of a seed, and the bound."""
    disc, seed = drawn
    picture, bound = taken(disc, seed)
    found = [method(picture) for method in METHODS.values()]
    return [np.nan if each is None else each - disc.diameter_px for each in found], bound


def _table(title: str, errors: dict[str, np.ndarray], bounds: np.ndarray) -> Table:
    rows = []
    for name, each in errors.items():
        sound = np.abs(each) <= BLUNDER_PX
        if not sound.any():
            rows.append([name, f"{len(each)}", "–", "–", "–", "–"])
            continue
        kept, bound = each[sound], bounds[sound]
        scatter = np.sqrt(np.mean(((kept - kept.mean()) / bound) ** 2))
        rms = np.sqrt(np.mean((kept / bound) ** 2))
        rows.append(
            [
                name,
                f"{(~sound).sum()}",
                f"{kept.mean():+.3f} px",
                f"{np.sqrt(np.mean(kept**2)):.3f} px",
                f"{scatter:.1f} ×",
                f"{rms:.1f} ×",
            ]
        )
    return Table(title=title, heads=("method", "blunders", "bias", "RMS", "scatter ÷ bound", "RMS ÷ bound"), rows=rows)


@one_thread()
def _costs() -> Table:
    picture, _ = taken(Disc(139.5, 139.5, 130.0, lit=True), 1)
    spent = cpu_side_by_side({name: partial(method, picture) for name, method in METHODS.items()})
    rows = [[name, f"{1e3 * each:.1f} ms", f"{each / spent[OURS]:.2f}"] for name, each in spent.items()]
    return Table(
        title="Cost of one 280 × 280 picture, one thread", heads=("method", "processor time", "÷ ours"), rows=rows
    )


if __name__ == "__main__":
    show(measure)

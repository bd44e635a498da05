"""The table's life: deeds take a hand's time, the truth log says what happened, one seed gives one history."""

from __future__ import annotations

from typing import Any

import pytest

from hardware.rig import Rig
from hardware.twin.world.scale_cell import ScaleCell, force_g
from hardware.twin.world.tabletop import HandAction
from hardware.twin.world.truth import BossMoved, DieFell, Rolled, SphereOpened, TrueEvent, Weighed
from hardware.twin.world.world import World
from tests.narrowed import of_kind, there

RIG = Rig()


def world(seed: int = 1, **more: Any) -> World:
    return World(RIG, colours=("yellow", "green", "orange", "pink"), seed=seed, **more)


def run(one: World, deed: HandAction, limit_s: float = 30.0) -> World:
    until = one.now_s + limit_s
    while not deed.done:
        assert one.now_s < until, f"{deed.name} does not end"
        one.advance_to(one.now_s + 0.05)
    return one


def test_a_thrown_die_tumbles_then_shows_the_value_it_was_drawn() -> None:
    one = world()
    deed = one.throw_die()
    one.advance_to(0.9)
    assert there(one.scene().die).moving
    run(one, deed)
    assert one.truth == [DieFell(one.truth[0].t_s, upper_face(one))]
    assert not there(one.scene().die).moving
    assert 0.8 < one.truth[0].t_s < 2.5


def test_every_face_comes_up_about_as_often() -> None:
    one = world(seed=9)
    for _ in range(600):
        run(one, one.throw_die())
    faces = [of_kind(DieFell, fact).value for fact in one.truth]
    for face in range(1, 7):
        assert 70 < faces.count(face) < 130


@pytest.mark.parametrize("value", range(1, 7))
def test_the_face_that_counts_lies_on_top(value: int) -> None:
    """Where opposite faces sum to seven; the die's own 1 looks up when 1 is thrown."""
    assert upper_face(run_throw(value)) == value


def upper_face(one: World) -> int:
    axes = {1: (0, 0, 1), 6: (0, 0, -1), 2: (0, 1, 0), 5: (0, -1, 0), 3: (1, 0, 0), 4: (-1, 0, 0)}
    turn = there(one.scene().die).turn
    (face,) = (face for face, axis in axes.items() if turn @ axis == pytest.approx((0, 0, 1), abs=1e-9))
    return face


def run_throw(value: int) -> World:
    one = world(seed=value)
    return run(one, one.throw_die(value))


def test_an_attempt_drives_the_beams_in_order_at_their_moments() -> None:
    edges = []
    one = world(on_beam=lambda name, broken, t_s: edges.append((name, broken, t_s)))
    one.sculpt(0, 24.0, ("sweet",))
    run(one, one.start_roll(0, 4))
    assert [(name, broken) for name, broken, _ in edges] in (
        [("front", True), ("front", False), ("back", True), ("back", False)],
        [("front", True), ("back", True), ("front", False), ("back", False)],
    )
    rolled = one.truth[-1]
    assert isinstance(rolled, Rolled)
    assert rolled.outcome == "passed"
    assert edges[0][2] < rolled.crossed_s < edges[-1][2]


def test_lifting_a_wedged_sphere_frees_the_beam() -> None:
    edges = []
    one = world(on_beam=lambda name, broken, t_s: edges.append((name, broken)))
    one.sculpt(0, 28.5, ("sweet",))
    run(one, one.start_roll(0, 4))
    assert of_kind(Rolled, one.truth[-1]).outcome == "stuck"
    assert edges[-1] == ("front", True)
    run(one, one.lift_sphere(0))
    assert edges[-1] == ("front", False)
    assert one.scene().balls == ()


def test_the_pan_swings_and_settles_at_the_true_mass() -> None:
    one = world()
    one.sculpt(2, 30.0, ("bomb",))
    run(one, one.put_on_pan(2))
    put_s = one.truth[-1].t_s
    assert isinstance(one.truth[-1], Weighed)
    swing = [one.load_g(put_s + 0.01 * k) for k in range(8)]
    assert max(swing) - min(swing) > 1.0
    one.advance_to(put_s + 3.0)
    assert one.load_g(put_s + 3.0) == pytest.approx(one.spheres[2].lump.mass_g, abs=1e-6)
    run(one, one.lift_from_pan())
    one.advance_to(one.now_s + 3.0)
    assert one.load_g(one.now_s) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("diameter_mm", [24.0, 28.5])
def test_a_sphere_that_rolled_lies_on_the_pan_once_it_is_put_there(diameter_mm: float) -> None:
    edges = []
    one = world(on_beam=lambda name, broken, t_s: edges.append((name, broken)))
    one.sculpt(0, diameter_mm, ("sweet",))
    run(one, one.start_roll(0, 4))
    run(one, one.put_on_pan(0))
    (ball,) = one.scene().balls
    assert ball.centre_mm[:2] == pytest.approx(RIG.pan_centre_mm, abs=15.0)
    assert edges[-1][1] is False, "a sphere taken from the hole no longer breaks the beam"


def test_the_load_remembers_what_was_a_moment_ago() -> None:
    changes = ((0.0, 0.0), (5.0, 20.0), (9.0, 0.0))
    assert force_g(changes, 4.9) == 0.0
    assert force_g(changes, 8.9) == pytest.approx(20.0)
    assert force_g(changes, 12.0) == pytest.approx(0.0, abs=1e-6)


def test_a_load_cell_settles_near_the_mass_and_creeps_by_its_share() -> None:
    cell = ScaleCell(lambda t_s: 0.0 if t_s < 10 else 50.0, seed=3)
    counts = [cell.counts_at(0.1 * k) for k in range(400)]
    empty, loaded = sum(counts[50:100]) / 50, sum(counts[110:160]) / 50
    assert (loaded - empty) / 8000 == pytest.approx(50.0, abs=0.03)
    still = ScaleCell(lambda t_s: 0.0 if t_s < 10 else 50.0, seed=3)
    assert counts == [still.counts_at(0.1 * k) for k in range(400)]


def test_opening_lays_the_gems_apart_into_the_tray_and_clearing_empties_it() -> None:
    one = world()
    run(one, one.throw_die())
    one.sculpt(1, 30.0, ("sweet", "bomb"))
    run(one, one.open_sphere(1))
    assert one.truth[-1] == SphereOpened(one.truth[-1].t_s, "green", ("bomb", "sweet"))
    assert not one.die_in_tray
    spots = [stone.centre_mm for stone in one.scene().stones]
    assert sorted(stone.piece for stone in one.scene().stones) == ["bomb", "sweet"]
    assert abs(spots[0][0] - spots[1][0]) > 8.0
    x, y = RIG.tray_centre_mm
    for spot in spots:
        assert abs(spot[0] - x) < 31
        assert abs(spot[1] - y) < 31
    run(one, one.clear_tray())
    assert one.scene().stones == ()


def test_the_boss_walks_to_his_lane_and_the_button_is_held_for_a_moment() -> None:
    presses = []
    one = world(on_button=lambda name, pressed, t_s: presses.append((pressed, t_s)))
    run(one, one.place_boss(7))
    assert there(one.boss).x_mm == pytest.approx(RIG.lane(7).x_mm, abs=6)
    assert [fact.lane for fact in one.truth if isinstance(fact, BossMoved)] == [7]
    run(one, one.press_hourglass())
    assert [pressed for pressed, _ in presses] == [True, False]
    assert presses[1][1] - presses[0][1] == pytest.approx(0.12)


def test_a_hand_is_over_the_tray_while_it_throws_and_gone_afterwards() -> None:
    one = world()
    deed = one.throw_die()
    one.advance_to(0.5)
    assert len(one.scene().reaches) == 1
    run(one, deed)
    one.advance_to(one.now_s + 2.0)
    assert one.scene().reaches == ()


def history(seed: int) -> list[TrueEvent]:
    one = world(seed=seed)
    for seat in range(4):
        one.sculpt(seat, 22.0 + 2 * seat, ("sour",))
        run(one, one.start_roll(seat, 4))
        run(one, one.lift_sphere(seat))
        run(one, one.throw_die())
    return one.truth


def test_one_seed_one_history() -> None:
    assert history(5) == history(5)
    assert history(5) != history(6)


def test_new_players_find_a_clear_table() -> None:
    edges = []
    one = world(on_beam=lambda name, broken, t_s: edges.append((name, broken)))
    one.sculpt(0, 28.5, ("sweet",))
    run(one, one.start_roll(0, 4))
    one.seat(("pink", "green"))
    assert edges[-1] == ("front", False)
    assert one.scene().balls == ()
    one.sculpt(0, 25.0, ("sour",))
    assert one.spheres[0].lump.colour == "pink"

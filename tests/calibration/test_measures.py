"""A maker's own measures: what is nonsense is refused with one sentence, what can be built is kept."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from appliance.cli import main
from appliance.words.catalogues import LANGUAGES, words_for
from calibration.measures import MeasureError, changed
from calibration.measures import measures as every_measure
from calibration.track.fit import to_toml
from hardware.rig import Rig
from hardware.rig_file import RigError, load_rig
from tests.places import ROOT


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    return tmp_path


def measures(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["calibrate", "measures", "--", *arguments])


def measures_undo(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["calibrate", "measures", "--undo", *arguments])


def test_changes_are_kept_and_shown(data: Path) -> None:
    assert measures("hole.3=36,2", "marker.0=-210, −70.5", "marker.1=270;−60,5", "pan_diameter_mm = 80").exit_code == 0
    assert measures("tray_side_mm=64").exit_code == 0
    rig = load_rig(data / "rig.toml")
    assert (rig.lanes[2].hole_mm, rig.pan_diameter_mm, rig.tray_side_mm) == (36.2, 80.0, 64.0)
    assert (rig.markers[0].x_mm, rig.markers[0].y_mm) == (-210.0, -70.5)
    assert (rig.markers[1].x_mm, rig.markers[1].y_mm) == (270.0, -60.5)
    shown = dict(line.split(maxsplit=1) for line in measures().stdout.splitlines())
    assert shown["hole.3"] == "36.2"
    assert shown["marker.0"] == "-210; -70.5"


def test_a_new_pitch_lays_the_lanes_anew_about_their_middle(data: Path) -> None:
    assert measures("lane.7=140", "lane_pitch_mm=44").exit_code == 0
    assert [lane.x_mm for lane in load_rig(data / "rig.toml").lanes] == [-132, -88, -44, 0, 44, 88, 140]


def test_the_first_change_can_be_undone_and_made_again(data: Path) -> None:
    assert measures("hole.3=36.2").exit_code == 0
    changed_to = (data / "rig.toml").read_text()
    undone = measures_undo()
    assert (undone.exit_code, (data / "rig.toml").exists()) == (0, False)
    assert "standard measures" in undone.stdout
    assert measures_undo().exit_code == 0
    assert (data / "rig.toml").read_text() == changed_to
    assert measures("hole.3=34").exit_code == 0
    assert "calibrate measures wrote both, and --undo once more swaps them again" in measures_undo().stdout
    assert (data / "rig.toml").read_text() == changed_to


@pytest.mark.parametrize("kind", ["track", "balls", "measures"])
def test_undo_names_what_changed_the_rig_last_and_before(kind: str, data: Path) -> None:
    (data / "rig.toml").write_text(to_toml(Rig(source="calibrated"), "balls"))
    assert measures("hole.3=34").exit_code == 0
    done = CliRunner().invoke(main, ["calibrate", kind, "--undo"])
    assert (
        "of calibrate balls is back; --undo once more brings back the other one, of calibrate measures" in done.stdout
    )
    assert load_rig(data / "rig.toml") == Rig(source="calibrated")
    again = CliRunner().invoke(main, ["calibrate", kind, "--undo"])
    assert (
        "of calibrate measures is back; --undo once more brings back the other one, of calibrate balls" in again.stdout
    )
    assert load_rig(data / "rig.toml").lanes[2].hole_mm == 34.0


def test_undo_of_a_rig_whose_first_line_is_gone_names_all_that_may_have_written_it(data: Path) -> None:
    (data / "rig.toml").write_text("fence_top_mm = 75.0\n")
    assert measures("hole.3=34").exit_code == 0
    assert "whether track, balls or measures made it" in measures_undo().stdout


def test_a_first_calibration_is_not_undone_as_if_people_had_entered_it(data: Path) -> None:
    (data / "rig.toml").write_text(to_toml(Rig(source="calibrated")))
    assert measures_undo().stderr.endswith("[store_nothing_to_undo]\n")
    assert (data / "rig.toml").exists()


def test_undo_takes_no_measures(data: Path) -> None:
    assert measures("hole.3=36.2").exit_code == 0
    done = measures_undo("hole.4=28")
    assert (done.exit_code, "--undo" in done.stderr) == (2, True)
    assert load_rig(data / "rig.toml").lanes[2].hole_mm == 36.2


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("hole.3=nan", "measure_no_number"),
        ("hole.3=inf", "measure_no_number"),
        ("hole.3=1e5", "measure_no_number"),
        ("hole.3=", "measure_without_number"),
        ("hole.3", "measure_without_number"),
        ("hole.3=٣٠", "measure_no_number"),
        ("hole.3=30;31", "measure_no_number"),
        ("marker.0=-200", "measure_no_number"),
        ("marker.0=-200,-60,3", "measure_no_number"),
        ("hole.3=" + "9" * 5000, "measure_no_number"),
        ("", "measure_unknown"),
        ("=", "measure_unknown"),
        ("hole.8=30", "measure_unknown"),
        ("ball_scale=1.1", "measure_unknown"),
        ("\x1b[31m\n" + "x" * 5000, "measure_unknown"),
        ("hole.3=-5", "rig_hole_size"),
        ("hole.3=0", "rig_hole_size"),
        ("hole.3=400", "rig_hole_size"),
        ("hole.3=45", "rig_hole_size"),
        ("fence_top_mm=20", "rig_no_room"),
        ("fence_top_mm=47.5", "rig_hole_size"),
        ("lane_pitch_mm=30", "rig_holes_meet"),
        ("lane.3=500", "rig_lanes_out_of_order"),
        ("lane.3=0", "rig_lanes_out_of_order"),
        ("ramp_top=0;55", "rig_not_rising"),
        ("ramp_top=200;3", "rig_not_rising"),
        ("ramp_foot=0;-1", "rig_not_rising"),
        ("platform_end_y_mm=150", "rig_out_of_order"),
        ("platform_end_y_mm=200", "rig_out_of_order"),
        ("landing_y_mm=-95,-120", "rig_out_of_order"),
        ("landing_y_mm=-95,30", "rig_out_of_order"),
        ("landing_y_mm=-95,3", "rig_out_of_order"),
        ("marker.0=270;-60", "rig_markers_meet"),
        ("marker.0=250;-60", "rig_markers_meet"),
        ("marker.0=99999;0", "rig_out_of_range"),
        ("beam.front=14;-3", "rig_out_of_range"),
        ("pan_diameter_mm=0", "rig_out_of_range"),
        ("wall_thickness_mm=-1", "rig_out_of_range"),
        ("wall_height_mm=41", "rig_out_of_range"),
        ("beam.front=301;16", "rig_out_of_range"),
        ("marker.0=0,100", "rig_on_track"),
        ("marker.0=0,0", "rig_on_track"),
        ("marker.0=0,-50", "rig_on_track"),
        ("marker.0=-160,0", "rig_on_track"),
        ("marker.0=0,255", "rig_on_track"),
        ("pan_centre_mm=0,100", "rig_on_track"),
        ("pan_centre_mm=180,0", "rig_on_track"),
        ("tray_centre_mm=0,-45", "rig_on_track"),
        ("tray_side_mm=150", "rig_on_track"),
        ("pan_centre_mm=205,-45", "rig_parts_meet"),
        ("pan_centre_mm=205,10", "rig_parts_meet"),
        ("marker.3=205,60", "rig_parts_meet"),
        ("marker.1=250,-45", "rig_parts_meet"),
        ("marker.1=247,60", "rig_parts_meet"),
        ("beam.front=1,2", "rig_beam_side"),
        ("beam.front=-14,16", "rig_beam_side"),
        ("beam.front=14,11", "rig_beam_low"),
        ("beam.back=50,8", "rig_beam_side"),
        ("beam.back=-2,8", "rig_beam_side"),
        ("beam.back=-14,1", "rig_beam_low"),
    ],
)
def test_nonsense_is_refused_with_one_sentence_and_changes_nothing(change: str, code: str, data: Path) -> None:
    done = measures(change)
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert line.endswith(f"[{code}]")
    assert line.isprintable()
    assert len(line) < 300
    assert not (data / "rig.toml").exists()


@pytest.mark.parametrize(
    "changes",
    [
        ["marker.0=-170,0"],
        ["marker.1=249,60"],
        ["marker.1=151,-105"],
        ["lane_pitch_mm=20", *(f"hole.{lane}=18" for lane in range(1, 8))],
        ["fence_top_mm=48"],
        ["pan_centre_mm=-205,60", "marker.0=-200,-80"],
        ["tray_centre_mm=175,-45"],
        ["lane_pitch_mm=44", "marker.0=-210,-70"],
        ["beam.front=3,10", "beam.back=-3,8"],
        ["beam.front=100,40", "beam.back=-95,1.5"],
    ],
)
def test_what_can_be_built_is_kept(changes: list[str], data: Path) -> None:
    assert measures(*changes).exit_code == 0
    assert load_rig(data / "rig.toml") != Rig()


@pytest.mark.parametrize(
    "changes",
    [("hole.3=30", "hole.3=31"), ("hole.3=30", " hole.3 =30"), ("lane_pitch_mm=44", "hole.3=30", "lane_pitch_mm=45")],
)
def test_a_measure_that_is_given_twice_is_refused_and_changes_nothing(changes: tuple[str, ...], data: Path) -> None:
    done = measures(*changes)
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert line.endswith("[measure_twice]")
    assert changes[-1].partition("=")[0].strip() in line
    assert not (data / "rig.toml").exists()


NAMES = [name for name, _ in every_measure(Rig())]


@given(
    st.lists(
        st.one_of(
            st.text(),
            st.builds(
                "{}={}".format,
                st.sampled_from(NAMES),
                st.one_of(st.text(), st.from_regex(r"\A[+-]?\d{1,4}([.,]\d)?([;,]-?\d{1,4}){0,2}\Z")),
            ),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_whatever_is_typed_gives_a_table_or_a_sentence(changes: list[str]) -> None:
    try:
        rig = changed(Rig(), changes)
    except (MeasureError, RigError) as error:
        said = str(error)
    else:
        said = ""
        assert all(math.isfinite(number) for _, numbers in every_measure(rig) for number in numbers)
        assert all(16 <= lane.hole_mm < rig.fence_top_mm for lane in rig.lanes)
    assert said.isprintable()
    assert len(said) < 300


def test_a_rig_file_that_no_table_can_have_is_refused_wherever_it_is_read(data: Path) -> None:
    assert measures("hole.3=36.2").exit_code == 0
    text = (data / "rig.toml").read_text()
    assert "hole_mm = 36.2" in text
    (data / "rig.toml").write_text(text.replace("hole_mm = 36.2", "hole_mm = 362.0"))
    done = CliRunner().invoke(main, ["calibrate", "sheets", "--out", str(data / "sheets.pdf")])
    assert done.exit_code == 2
    assert "the hole of lane 3 is 362 mm" in done.stderr
    assert str(data / "rig.toml") in done.stderr
    assert not (data / "sheets.pdf").exists()


def test_every_refusal_has_words_in_every_language() -> None:
    source = (ROOT / "hardware" / "rig_file.py").read_text() + (ROOT / "calibration" / "measures.py").read_text()
    codes = {word for word in source.split('"') if word.startswith(("rig_", "measure_")) and word.isidentifier()}
    codes -= set(Rig.__struct_fields__) | {"rig_file_unreadable", "rig_file_cut", "rig_file_invalid"}
    assert len(codes) == 16
    for language in LANGUAGES:
        assert not {code for code in codes if f"calibrate.why.{code}" not in words_for(language)}

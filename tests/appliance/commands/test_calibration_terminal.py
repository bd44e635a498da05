"""What calibrations share in a terminal, as a hand that types too early and a wide sentence find it."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Generator, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from appliance.commands.calibrate.terminal import CalibrationTerminal
from appliance.commands.calibrate.terminal_dialogue import UNATTENDED_WAIT_S, TerminalDialogue, guide_step_screen
from appliance.devices.scale_session import LiveSample
from appliance.guided_calibration.devices import SimulatedDevices
from appliance.guided_calibration.dialogue import GuideStep
from appliance.guided_calibration.procedures import masses_on_the_pan, pictures_of_the_table
from appliance.guided_calibration.results import Calibrated
from appliance.journal.open_game_check import GameOpenError
from appliance.settings import Settings
from appliance.words.catalogues import LANGUAGES, words_for
from calibration.balls.fit import KnownBall
from calibration.messages import CalibrationVerdict, Message
from calibration.scale.coins import KnownMass, parse_mass
from hardware.cameras.camera import REOPEN_CAMERA_AFTER_S, CameraError
from hardware.clock import ManualClock
from hardware.rig import Rig
from hardware.scale.load_cell import Sample
from tests.appliance.commands.scale_files import record, run
from tests.appliance.commands.test_stop_signals import Terminal
from tests.appliance.conftest import PortersTable
from tests.appliance.guided_calibration.test_lost_devices import Wobbly
from tests.places import ROOT


def test_an_enter_typed_before_the_question_does_not_answer_it(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        keyboard, screen = os.openpty()
    except OSError as error:
        pytest.skip(f"this machine has no pseudo-terminals: {error}")
    with os.fdopen(keyboard, "wb", buffering=0) as hand, os.fdopen(screen, "r", encoding="utf-8") as typed:
        monkeypatch.setattr(sys, "stdin", typed)
        console = Console(file=io.StringIO())

        def answered(*_: object, **__: object) -> str:
            hand.write(b"100\n")
            return typed.readline()

        monkeypatch.setattr(console, "input", answered)
        dialogue = TerminalDialogue(console, words_for("en"), lambda: False)
        hand.write(b"\n\n")  # two Enters of an impatient finger, while the pan before was measured
        known = dialogue.ask_mass(GuideStep(ask="calibrate.scale.next", share=0.3), [parse_mass("0")])
        assert known == parse_mass("100")


def test_what_follows_an_answer_from_a_file_begins_a_new_line(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO("100\n"))
    monkeypatch.setattr(sys, "stdout", screen)  # where `input` prints the question
    dialogue = TerminalDialogue(Console(file=screen), words_for("en"), lambda: False)
    assert dialogue.ask_mass(GuideStep(ask="calibrate.scale.next", share=0.3), [parse_mass("0")]) == parse_mass("100")
    assert screen.getvalue().endswith("\n")


def test_a_verdict_is_wrapped_between_words_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.get_terminal_size", lambda fallback=(80, 24): os.terminal_size((60, 20)))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    terminal = CalibrationTerminal("scale", Path("scale.toml"), Settings(data_dir=".", language="de"))
    values = {"weighing_g": 0.0024, "apart_g": 0.0086, "tie_band_g": 0.2}
    judged = CalibrationVerdict("good", (Message("verdict.scale.apart", values),))
    terminal.tell(Calibrated((), judged, (Path("scale.toml"),)))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Urteil gut"
    assert all(len(line) <= 60 for line in lines)
    assert " ".join(" ".join(lines[1:-1]).split()).endswith("(nach den Regeln gelten sie bis 0,2 g als gleich schwer).")


@pytest.mark.slow
@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize(
    "command",
    [
        ("calibrate", "scale", "--point", "0=a.csv", "--point", "100=b.csv", "--out", "s.toml"),
        ("calibrate", "scale", "--coins"),
        ("calibrate", "measures", "hole.3=99"),
        ("calibrate", "sheets"),
        ("calibrate", "track", "--hole", "3"),
        ("weigh",),
        ("see", "a.png"),
        ("record", "--out", "a.rec"),
        ("backup", "copy"),
        ("restore", "copy"),
        ("draws",),
        ("support",),
    ],
    ids=" ".join,
)
def test_no_word_is_cut_in_two_at_the_edge_of_a_narrow_terminal(
    command: tuple[str, ...], language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("SMUGGLERS_CAMERA", "none")
    monkeypatch.setenv("COLUMNS", "50")
    for name, counts in (("a.csv", range(0, 3000, 10)), ("b.csv", range(9000, 6000, -10))):
        (tmp_path / name).write_text("t_s,counts\n" + "".join(f"{t / 10},{c}\n" for t, c in enumerate(counts)))
    terminal = Terminal(*command, language=language)
    assert terminal.status() in (0, 1, 2)
    lines = terminal.screen.decode().splitlines()
    assert lines
    # A path that is wider than the terminal stays whole, so that it can be copied.
    assert [line for line in lines if len(line) > 50 and " " in line.strip()] == []


@pytest.mark.slow
def test_the_progress_of_a_recording_stays_in_its_line_and_what_follows_begins_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.chdir(tmp_path)
    terminal = Terminal("record", "--twin", "--consent", "--seconds", "3", "--out", "a.rec", language="de")
    assert terminal.status() == 0
    shown = [part for line in terminal.screen.decode().split("\n") for part in line.strip("\r").split("\r")]
    progress = [number for number, part in enumerate(shown) if part.lstrip()[:1].isdigit() and " s  " in part]
    assert progress
    assert all(len(shown[number]) < 40 for number in progress)
    ended = next(line for line in terminal.screen.decode().splitlines() if "a.rec: zu Ende" in line)
    assert " s  " not in ended


class Hearing:
    """A dialogue that notes which sentences a procedure says, and stops it after the first mass or ball."""

    def __init__(self, answer: KnownMass | None = None) -> None:
        self.said: list[str] = []
        self._answer = answer

    def show(self, step: GuideStep) -> None:
        self.said.append(step.ask)

    def ask_mass(self, step: GuideStep, weighed: Sequence[KnownMass]) -> KnownMass | None:
        self.said.append(step.ask)
        return self._answer if not weighed else None

    def ask_ball(self, step: GuideStep, shown: Sequence[KnownBall]) -> KnownBall | None:
        return None


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_terminal_says_the_sentences_of_the_touchscreen(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hearing = Hearing(parse_mass("0"))
    clock = ManualClock(100.0)
    devices = SimulatedDevices(clock, lambda seconds: clock.advance_to(clock.now_s() + seconds))
    monkeypatch.setattr(devices, "samples", lambda: steady_cell(25.0))  # a scale that needs no waiting
    masses_on_the_pan(hearing, devices)
    assert hearing.said[0] == "calibrate.scale.empty"
    assert "calibrate.scale.hold" in hearing.said
    speaker = words_for(language)
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=False, width=200)
    typed = iter(["", "50", ""])
    monkeypatch.setattr(console, "input", lambda prompt="", **_: (screen.write(prompt), next(typed))[1])
    with TerminalDialogue(console, speaker, lambda: False) as dialogue:
        masses_on_the_pan(dialogue, devices)
    assert [code for code in hearing.said if speaker.say(code) not in screen.getvalue()] == []


@pytest.mark.parametrize(("language", "word"), [("en", "Sharpness"), ("de", "Schärfe")])
def test_a_terminal_shows_the_bar_of_sharpness_while_the_lens_is_turned(language: str, word: str) -> None:
    def shown(sharpness: float) -> str:
        screen = io.StringIO()
        step = GuideStep(ask="calibrate.focus.turn", share=0.0, sharpness=sharpness)
        Console(file=screen, width=80, color_system="truecolor", force_terminal=True).print(
            guide_step_screen(step, words_for(language))
        )
        return screen.getvalue()

    assert word in shown(0.5)
    assert shown(0.2) != shown(0.8), "the bar is longer"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reopens", [[], [3, 0, 2]], ids=["never back", "back for some frames"])
def test_without_a_terminal_a_lost_camera_is_waited_for_a_minute(language: str, reopens: list[int]) -> None:
    """It is counted from its last frame. Nobody is there to stop, as in a service or over a pipe."""
    speaker, screen, devices = (
        words_for(language),
        io.StringIO(),
        Wobbly([5, *reopens], absent=range(2 + len(reopens), 99)),
    )
    console = Console(file=screen, width=200)
    with (
        TerminalDialogue(console, speaker, lambda: False, clock=devices.clock) as dialogue,
        pytest.raises(CameraError) as lost,
    ):
        pictures_of_the_table(dialogue, devices, Rig())
    assert lost.value.code == "camera_absent"
    assert len(devices.opened) - len(reopens) == 1 + UNATTENDED_WAIT_S / REOPEN_CAMERA_AFTER_S
    assert speaker.say("calibrate.why.camera_absent") in screen.getvalue()
    assert speaker.say("calibrate.told.waits", {"seconds": 60.0}) in screen.getvalue()


def test_at_a_terminal_a_lost_camera_is_waited_for_until_it_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    devices = Wobbly([5], absent=range(2, 99))
    with TerminalDialogue(Console(file=io.StringIO()), words_for("en"), lambda: False, clock=devices.clock) as dialogue:
        assert pictures_of_the_table(dialogue, devices, Rig())
    assert len(devices.opened) == 99


def test_a_game_that_opens_ends_a_calibration_in_a_terminal() -> None:
    opened = iter([False, True])
    step = GuideStep(ask="calibrate.track.hold", share=0.0)
    with TerminalDialogue(Console(file=io.StringIO()), words_for("en"), lambda: next(opened)) as dialogue:
        dialogue.show(step)
        with pytest.raises(GameOpenError):
            dialogue.show(step)


@pytest.mark.parametrize(
    "arguments",
    [
        ["balls", "26=pan.jpg"],
        ["balls", "26=pan.jpg", "--twin"],
        ["camera", "board.jpg"],
        ["track", "empty.jpg"],
        ["track"],
        ["measures", "hole.3=36"],
        *([kind, "--undo"] for kind in ("measures", "camera", "track", "balls", "scale")),
    ],
    ids=" ".join,
)
def test_nothing_is_calibrated_or_brought_back_while_a_game_is_open(
    arguments: list[str], porters: PortersTable, tmp_path: Path
) -> None:
    settings, out = settings_of(porters, tmp_path), tmp_path / "out.toml"
    out.write_text("now")
    out.with_name("out.toml.previous").write_text("before")
    porters.open()
    done = run("calibrate", *arguments, "--settings", settings, "--out", out)
    assert done.exit_code == 1
    assert done.stderr.rstrip().endswith("[game_open]")
    assert done.stdout == ""
    assert out.read_text() == "now"


def test_the_tables_own_scale_stays_while_a_game_is_open(porters: PortersTable, tmp_path: Path) -> None:
    settings = settings_of(porters, tmp_path)
    points = [part for mass in (0.0, 100.0) for part in ("--point", f"{mass:g}={record(tmp_path, mass)}")]
    porters.open()
    for more in ([], ["--twin", "--out", f"{tmp_path}/simulated.toml"]):
        done = run("calibrate", "scale", *points, *more, "--settings", settings)
        assert done.stderr.rstrip().endswith("[game_open]")
    assert not (porters.folder / "scale.toml").exists()
    assert not (tmp_path / "simulated.toml").exists()
    porters.accepted(porters.table.close_game(porters.new_id()))
    assert run("calibrate", "scale", *points, "--settings", settings).exit_code == 0
    assert (porters.folder / "scale.toml").exists()


def test_sheets_measures_and_a_simulated_table_are_free_while_a_game_is_open(
    porters: PortersTable, tmp_path: Path
) -> None:
    settings = settings_of(porters, tmp_path)
    porters.open()
    assert run("calibrate", "sheets", "--out", tmp_path / "s.pdf", "--settings", settings).exit_code == 0
    assert "hole.3" in run("calibrate", "measures", "--settings", settings).stdout
    simulated = run("calibrate", "balls", "--twin", "--out", tmp_path / "rig.toml", "--settings", settings)
    assert "[game_open]" not in simulated.output


def settings_of(porters: PortersTable, folder: Path) -> Path:
    (folder / "settings.toml").write_text(f'data_dir = "{porters.folder}"')
    return folder / "settings.toml"


def steady_cell(lasting_s: float) -> Generator[LiveSample]:
    noise = np.random.default_rng(1)
    for k in range(round(lasting_s * 10)):
        yield Sample(100.0 + k / 10, int(noise.normal(5000, 6)))

"""What calibrations share in a terminal, as a hand that types too early and a wide sentence find it."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest
from rich.console import Console

from appliance.commands.calibrate.terminal import CalibrationTerminal
from appliance.settings import Settings
from calibration.messages import Said, Verdict


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

        console.input = answered  # type: ignore[method-assign]  # stands in for the prompt
        terminal = CalibrationTerminal("scale", Path("scale.toml"), Settings(data_dir="."), console=console)
        hand.write(b"\n\n")  # two Enters of an impatient finger, while the pan before was measured
        assert terminal.ask("mass", number=2).strip() == "100"


def test_a_verdict_is_wrapped_between_words_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((60, 20)))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    terminal = CalibrationTerminal("scale", Path("scale.toml"), Settings(data_dir=".", language="de"))
    values = {"weighing_g": 0.0024, "apart_g": 0.0086, "tie_band_g": 0.2}
    terminal.tell_verdict(Verdict("good", (Said("verdict.scale.apart", values),)), (Path("scale.toml"),))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Urteil gut"
    assert all(len(line) <= 60 for line in lines)
    assert " ".join(" ".join(lines[1:-1]).split()).endswith("(nach den Regeln gelten sie bis 0,2 g als gleich schwer).")

"""`smugglers record`: consent is asked for first, and whatever ends a recording leaves a whole file or none."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner

from appliance.cli import main
from appliance.commands.senses.record import command as record
from appliance.composition import senses
from appliance.sensing.recordings.recorder import Recorder
from appliance.service.lifecycle import Part
from appliance.settings import Settings
from appliance.words.catalogues import words_for
from hardware.recording.recording_reader import Recording
from hardware.scale.load_cell import Sample

pytestmark = pytest.mark.slow


def test_who_is_recorded_is_asked_in_the_language_of_the_house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("SMUGGLERS_LANGUAGE", "de")
    out = tmp_path / "a.rec"
    monkeypatch.setattr("appliance.composition.senses.build_recording", lambda *_, **__: [])
    monkeypatch.setattr(
        "appliance.commands.senses.record._record", lambda recorder, *_: recorder.take(Sample(1.0, 4_000))
    )
    refused = CliRunner().invoke(record, ["--twin", "--out", str(out)], input="yes\n")
    assert refused.exit_code == 1
    assert "Kein Ton." in refused.stdout
    assert not out.exists()
    agreed = CliRunner().invoke(record, ["--twin", "--out", str(out)], input="Ja\n")
    assert agreed.exit_code == 0, agreed.output
    assert Recording(out).head.consent == words_for("de").say("record.consent.track")


@pytest.mark.parametrize("seconds", [0, 4])
def test_a_recording_whose_folder_is_gone_ends_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    folder = tmp_path / "stick"
    folder.mkdir()

    def pulled(settings: Settings, recorder: Recorder, *, twin: bool) -> list[Part]:
        def start() -> None:
            shutil.rmtree(folder)
            for second in range(seconds):
                recorder.take(Sample(float(second), 0))
            if not seconds:
                raise KeyboardInterrupt

        return [Part(start, lambda: None)]

    monkeypatch.setattr(senses, "build_recording", pulled)
    done = CliRunner().invoke(main, ["record", "--twin", "--consent", "--out", str(folder / "a.rec")])
    assert done.exit_code == 2, done.output
    said = done.stderr.strip().splitlines()[-1]
    assert said.endswith(f"[{'recording_unwritable' if seconds else 'stopped'}]")
    assert not isinstance(done.exception, OSError)


def test_without_a_typed_yes_nothing_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path / "data"))
    out = tmp_path / "a.rec"
    for answer in ("no\n", "\n", "y\n", ""):
        result = CliRunner().invoke(record, ["--twin", "--out", str(out), "--seconds", "1"], input=answer)
        assert result.exit_code == 1
        assert words_for("en").say("record.consent.track") in result.stdout
        assert not out.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_recording_that_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path / "data"))
    out = tmp_path / "a.rec"
    pump, signals = Recorder.pump, [number]

    def then_a_signal(self: Recorder) -> None:
        pump(self)
        if (self.tally.counts or self.tally.frames) and signals:
            signal.raise_signal(signals.pop())

    monkeypatch.setattr(Recorder, "pump", then_a_signal)
    # What starts in the background of a shell ignores SIGINT from its first moment, and under `nohup` SIGHUP.
    former = signal.signal(number, signal.default_int_handler)
    try:
        result = CliRunner().invoke(main, ["record", "--twin", "--out", str(out), "--consent"])
    finally:
        left = signal.signal(number, former)
    assert (result.exit_code, left) == (0, signal.default_int_handler)
    recording = Recording(out)
    assert list(recording.facts())
    assert recording.ended == "stopped"


def test_while_a_game_is_open_nothing_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("appliance.journal.open_game_check.game_is_open", lambda settings: True)
    result = CliRunner().invoke(main, ["record", "--out", str(tmp_path / "a.rec"), "--consent"])
    assert result.exit_code == 2
    assert "a game is open" in result.stderr
    assert not (tmp_path / "a.rec").exists()

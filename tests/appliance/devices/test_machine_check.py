"""The self-test of the machine. Truth: the kernel's files, written here as a Pi has them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from appliance.devices.machine_check import FLAGS, check_machine
from appliance.words.catalogues import LANGUAGES, words_for

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def found(root: Path, now: datetime = NOW, firmware: str = "", language: str = "en") -> dict[str, tuple[str, str]]:
    findings = check_machine(words_for(language), root, now, lambda: firmware)
    return {finding.code: (finding.verdict, finding.sentence) for finding in findings}


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text + "\n")


@pytest.mark.parametrize(
    ("flags", "codes"),
    [
        ("0", {"power_ok": "good"}),
        ("50005", {"undervoltage": "bad", "throttled": "look"}),
        ("50000", {"undervoltage_before": "look"}),
        ("4", {"power_ok": "good", "throttled": "look"}),
        ("nonsense", {}),
    ],
)
@pytest.mark.parametrize("by_file", [True, False])
def test_the_firmware_s_flags_tell_of_the_supply(
    tmp_path: Path, flags: str, codes: dict[str, str], by_file: bool
) -> None:
    if by_file:
        write(tmp_path, FLAGS, flags)
    told = found(tmp_path, firmware="" if by_file else f"throttled=0x{flags}\n")
    power = {code: verdict for code, (verdict, _) in told.items() if not code.startswith("clock")}
    assert power == codes


@pytest.mark.parametrize(("alarm", "code"), [("1", "undervoltage"), ("0", "power_ok")])
def test_the_kernel_s_alarm_tells_of_the_supply_too(tmp_path: Path, alarm: str, code: str) -> None:
    write(tmp_path, "sys/class/hwmon/hwmon2/in0_lcrit_alarm", alarm)
    assert code in found(tmp_path)


@pytest.mark.parametrize(
    ("milli_c", "verdict"), [("54321", "good"), ("80500", "look"), ("86000", "bad"), ("warm", None)]
)
def test_the_temperature_is_told_with_what_to_do(tmp_path: Path, milli_c: str, verdict: str | None) -> None:
    write(tmp_path, "sys/class/thermal/thermal_zone0/temp", milli_c)
    told = {code: said for code, said in found(tmp_path).items() if code in ("too_hot", "temperature_ok")}
    assert [said[0] for said in told.values()] == ([] if verdict is None else [verdict])
    assert "too_hot" not in told or "cooling" in told["too_hot"][1]


def test_a_clock_that_nobody_sets_is_told(tmp_path: Path) -> None:
    assert found(tmp_path)["clock_unsure"][0] == "look"
    assert found(tmp_path, datetime(1970, 1, 1, tzinfo=UTC))["clock_not_set"][0] == "look"
    write(tmp_path, "run/systemd/timesync/synchronized", "")
    assert found(tmp_path)["clock_ok"][0] == "good"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_machine_that_tells_nothing_of_itself_is_not_blamed(tmp_path: Path, language: str) -> None:
    assert set(found(tmp_path, language=language)) == {"clock_unsure"}

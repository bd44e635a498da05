"""The zone's name is the one that `timedatectl` set, or that the process was given."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.service.machine.time_zone import time_zone


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"),
        ("../usr/share/zoneinfo/America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
        ("/usr/share/zoneinfo/Etc/GMT+5", "Etc/GMT+5"),
        ("/home/somebody/zone", ""),
        ('/usr/share/zoneinfo/"><b>', ""),
    ],
)
def test_the_machines_zone_is_the_one_that_its_link_names(target: str, name: str, tmp_path: Path) -> None:
    link = tmp_path / "localtime"
    link.symlink_to(target)
    assert time_zone({}, link) == name
    assert time_zone({"TZ": ""}, link) == name


def test_the_zone_of_the_process_goes_first(tmp_path: Path) -> None:
    link = tmp_path / "localtime"
    link.symlink_to("/usr/share/zoneinfo/Europe/Berlin")
    assert time_zone({"TZ": "Asia/Tokyo"}, link) == "Asia/Tokyo"
    assert time_zone({"TZ": ":Asia/Tokyo"}, link) == "Asia/Tokyo"
    assert time_zone({"TZ": "CET-1CEST,M3.5.0"}, link) == "", "browsers know no rules, only names"


def test_a_machine_without_the_link_names_none(tmp_path: Path) -> None:
    assert time_zone({}, tmp_path / "localtime") == ""
    (tmp_path / "localtime").write_bytes(b"TZif2")
    assert time_zone({}, tmp_path / "localtime") == ""

"""What pip is asked for on each system that the table runs on."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import pytest
from packaging.requirements import Requirement

from tests.places import ROOT


def asked_for(python_version: str) -> Iterator[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for text in (*project["dependencies"], *project["optional-dependencies"]["pi"]):
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"python_version": python_version}):
            yield requirement


def allowed(name: str, version: str, python_version: str) -> bool:
    wanted = [requirement for requirement in asked_for(python_version) if requirement.name == name]
    assert wanted
    return all(version in requirement.specifier for requirement in wanted)


@pytest.mark.parametrize(
    ("name", "fits", "too_new"), [("numpy", "1.26.4", "2.0.0"), ("opencv-python", "4.11.0", "4.12.0")]
)
def test_on_debian_12_nothing_pulls_the_numpy_that_breaks_its_picamera2(name: str, fits: str, too_new: str) -> None:
    assert allowed(name, fits, "3.11")
    assert not allowed(name, too_new, "3.11")
    assert allowed(name, too_new, "3.13"), "Debian 13 is built on numpy 2"


def test_lgpio_is_not_asked_of_pip_where_it_has_no_wheel() -> None:
    assert {"lgpio", "rpi-lgpio"} <= {requirement.name for requirement in asked_for("3.11")}
    assert not {"lgpio", "rpi-lgpio"} & {requirement.name for requirement in asked_for("3.13")}

"""What the documents say is so: commands exist, links lead somewhere, the reference is what the commands print."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import msgspec
import pytest
from gpiozero.pins.pi import PiBoardInfo

from appliance.cli import main
from appliance.settings import Settings
from calibration.sheets import wiring
from tests import building_docs
from tests.places import ROOT

LAYERS = ("appliance", "hardware", "vision", "calibration", "web", "tests")
HEADER = PiBoardInfo.from_revision(0xC03111).headers["J8"].pins
"""The header of a Pi 4, as gpiozero has it."""

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_reference_is_what_the_commands_print() -> None:
    printed = subprocess.run(  # a process of its own: click's commands remember the first context that asked for help
        [sys.executable, "-m", "appliance.commands.cli_reference"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        encoding="utf-8",
    ).stdout
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == printed, "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_that_exist(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert not missing


def commands_of(text: str) -> list[str]:
    """What stands after `smugglers` in code: between backticks, in indented blocks and in fenced ones."""
    fenced = "\n".join(re.findall(r"^```[a-z]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    code = [*re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text), *re.findall(r"^ {4,}(.+)$", text, re.MULTILINE)]
    lines = [line for line in code if line not in fenced]
    return [found for line in lines for found in re.findall(r"(?:^|[ /])(?<!-[ugo] )smugglers (\S.*)", line)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_a_page_names_exist_with_the_options_it_gives(page: Path) -> None:
    for line in commands_of(page.read_text(encoding="utf-8")):
        words = line.split("#")[0].split()
        command: click.Command = main
        with click.Context(main) as context:
            while words and isinstance(command, click.Group):
                if words[0].startswith(("-", "[")) or not words[0].strip(".,;:)"):
                    break
                found = command.get_command(context, words[0].strip(".,;:)"))
                assert found is not None, f"{page.name}: there is no `smugglers {line}`"
                command, words = found, words[1:]
        known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        asked = {word.strip("[].,;:)") for word in words if re.match(r"\[?--[a-z]", word)}
        assert asked <= known, f"{page.name}: {line!r} has options that {command.name} lacks"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    named = re.findall(
        r"`((?:appliance|hardware|vision|calibration|web|systemd|tests|docs)/[\w./-]+)`", page.read_text("utf-8")
    )
    assert not [path for path in named if not (ROOT / path).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_modules_that_a_page_names_without_their_folder_exist(page: Path) -> None:
    names = {path.name for layer in LAYERS for path in (ROOT / layer).rglob("*.*")}
    named = re.findall(r"`([\w-]+\.(?:py|js|css|html))`", page.read_text("utf-8"))
    assert not [name for name in named if name not in names]


def linked(page: Path) -> set[Path]:
    return {
        (page.parent / target).resolve()
        for target in re.findall(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    }


def test_every_page_is_two_clicks_from_the_readme() -> None:
    first = linked(ROOT / "README.md")
    reached = first | {page for each in first if each.exists() for page in linked(each)}
    assert sorted(path.name for path in set(PAGES) - reached - {ROOT / "README.md"}) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_into_a_page_lead_to_a_heading_of_it(page: Path) -> None:
    for target, name in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text(encoding="utf-8")):
        there = page.parent / target if target else page
        headings = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
        assert name in anchors, f"{page.name}: {target}#{name}"


def data_attributes(script: str) -> set[str]:
    """Return the names of the `data-` attributes that a script reads or writes, without `data-`."""
    kept_as = re.findall(r"const (\w+) = [\w.]+\.dataset;", script)
    of = "|".join(["dataset", *(rf"(?<![\w.]){name}" for name in kept_as)])
    taken = [
        name
        for names in re.findall(rf"const {{ ([^}}]+) }} = (?:[\w.]*\.)?(?:{of});", script)
        for name in names.split(", ")
    ]
    camel = {
        *(name.split(":")[0] for name in taken),
        *re.findall(rf"(?:{of})\??\.(\w+)", script),
        *re.findall(rf'"(\w+)" in (?:[\w.]*\.)?(?:{of})\b', script),
    }
    dashed = {re.sub(r"[A-Z]", lambda big: "-" + big[0].lower(), name) for name in camel}
    return dashed | set(re.findall(r"data-([a-z]+(?:-[a-z]+)*)", script))


def test_the_attributes_that_scripts_read_are_those_of_the_tables() -> None:
    page = (ROOT / "docs" / "web.md").read_text(encoding="utf-8").partition("## What scripts read from a page")[2]
    scripts = [*(ROOT / "web/static").glob("*.js"), *(ROOT / "appliance/games").glob("*/pages/static/*.js")]
    read = {name: path.name for path in scripts for name in data_attributes(path.read_text(encoding="utf-8"))}
    assert len(read) > 100
    told = set(re.findall(r"data-([a-z]+(?:-[a-z]+)*)", page))
    assert {name: script for name, script in read.items() if name not in told} == {}
    assert told - read.keys() == set()


def test_every_line_of_the_threat_model_names_a_test_that_exists() -> None:
    lines = [line for line in (ROOT / "docs" / "security.md").read_text("utf-8").splitlines() if line.startswith("| ")]
    named = [re.search(r"`(tests/[\w/]+\.py)::(\w+)` \|$", line) for line in lines if "| test |" not in line]
    assert len(named) > 20
    for line in named:
        assert line is not None, "a line without its test"
        assert f"def {line[2]}(" in (ROOT / line[1]).read_text("utf-8"), line[2]


class TestBuildingInstructions:
    def test_their_tables_are_what_the_defaults_say(self) -> None:
        page = building_docs.PAGE.read_text(encoding="utf-8")
        assert "| fence | 1 | 310 × 70 × 2 |" in page
        assert building_docs.filled(page) == page, "run `make docs`"

    def test_their_drawings_are_what_the_defaults_draw(self) -> None:
        drawn = building_docs.drawings()
        assert {path.name for path in building_docs.OUT.iterdir()} == drawn.keys()
        for name, text in drawn.items():
            assert (building_docs.OUT / name).read_text(encoding="utf-8") == text, f"{name}: run `make docs`"
            assert f"(img/table/{name})" in building_docs.PAGE.read_text(encoding="utf-8")

    def test_every_pin_of_the_settings_is_wired_to_the_pin_that_gpiozero_knows(self) -> None:
        page = building_docs.PAGE.read_text(encoding="utf-8")
        pins = {field.name: field.default for field in msgspec.structs.fields(Settings) if field.name[:4] == "pin_"}
        assert len(pins) == 6
        for name, bcm in {**pins, "the strip's data": 10}.items():
            (found,) = set(re.findall(rf"header pin (\d+) \(BCM {bcm}\)", page))
            assert HEADER[int(found)].name == f"GPIO{bcm}", name

    def test_every_pin_of_the_header_is_the_one_that_gpiozero_knows(self) -> None:
        assert {number for number, pin in HEADER.items() if pin.name == "GND"} == set(wiring.GROUND_PINS)
        assert all(HEADER[pin].name == rail for rail, pin in wiring.RAIL_PINS.items())
        assert all(HEADER[pin].name == f"GPIO{bcm}" for bcm, pin in wiring.HEADER.items())
        assert len(wiring.HEADER) == sum(pin.name.startswith("GPIO") for pin in HEADER.values())

    def test_other_pins_are_wired_elsewhere(self) -> None:
        names = ("scale_dout", "scale_sck", "beam_front", "beam_back", "hourglass", "buzzer")
        wires = wiring.wires({f"pin_{name}": bcm for bcm, name in enumerate(names, 20)})
        assert {wire.to for wire in wires if isinstance(wire.to, int)} == {*range(20, 26), wiring.STRIP_BCM}

"""What the documents say is so: commands exist, links lead somewhere, the reference is what the commands print."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from appliance.cli import main
from tests.places import ROOT

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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_a_page_names_exist_with_the_options_it_gives(page: Path) -> None:
    for line in re.findall(r"\bsmugglers ((?:[a-z]+ ?)(?:[^`\n]*))", page.read_text(encoding="utf-8")):
        words = line.split("#")[0].split()
        command: click.Command = main
        with click.Context(main) as context:
            while words and isinstance(command, click.Group):
                found = command.get_command(context, words[0])
                if found is None:
                    break
                command, words = found, words[1:]
        if command is main:
            continue
        known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        asked = {word.strip("[].,;:)") for word in words if re.match(r"\[?--[a-z]", word)}
        assert asked <= known, f"{page.name}: {line!r} has options that {command.name} lacks"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    named = re.findall(
        r"`((?:appliance|hardware|vision|calibration|web|systemd|tests|docs)/[\w./-]+)`", page.read_text("utf-8")
    )
    assert not [path for path in named if not (ROOT / path).exists()]

"""Every command takes a file of settings, and reads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from appliance.cli import main
from tests.appliance.commands.scale_files import record, run
from tests.appliance.conftest import PortersTable

NEED_NONE = {("files", "example")}
"""Commands that print the same for every table."""


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name in group.list_commands(click.Context(group)):
        found = group.get_command(click.Context(group), name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from commands(found, (*path, name))
        else:
            yield (*path, name), found


ALL = dict(commands(main))


@pytest.mark.parametrize("name", sorted(ALL.keys() - NEED_NONE), ids=" ".join)
def test_every_command_takes_a_file_of_settings(name: tuple[str, ...]) -> None:
    (option,) = (one for one in ALL[name].params if "--settings" in one.opts)
    assert isinstance(option, click.Option)
    assert option.help == "A settings file."


@pytest.mark.parametrize(
    "command",
    [
        ["weigh"],
        ["weigh", "--from", "run.csv"],
        ["see", "--as", "die", "die.png"],
        *(["calibrate", kind] for kind in ("sheets", "measures", "camera", "track", "balls", "scale")),
    ],
    ids=" ".join,
)
def test_a_wrong_file_of_settings_is_said_by_all_that_look_or_weigh(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("colour = 'red'")
    done = run(*command, "--settings", tmp_path / "settings.toml")
    assert done.exit_code == 1
    assert done.output.rstrip().endswith("[unknown_setting]")


def test_nothing_is_weighed_while_a_game_is_open_at_the_table_of_the_settings(
    porters: PortersTable, tmp_path: Path
) -> None:
    porters.open()
    (tmp_path / "settings.toml").write_text(f'data_dir = "{porters.folder}"')
    recording, settings = record(tmp_path, 25.0), tmp_path / "settings.toml"
    done = run("weigh", "--from", recording, "--settings", settings)
    assert done.exit_code == 1
    assert done.output.rstrip().endswith("[game_open]")
    assert "25" not in done.output
    porters.accepted(porters.table.close_game(porters.new_id()))
    assert "[game_open]" not in run("weigh", "--from", recording, "--settings", settings).output

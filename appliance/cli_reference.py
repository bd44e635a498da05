"""The reference in docs/cli.md, made from the commands' own `--help`: `python -m appliance.cli_reference`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from appliance.cli import main


def reference() -> str:
    """Return the reference in Markdown."""
    parts = ["# The `smugglers` command", "Made by `make docs` from the commands' own help."]
    for path, command in _walk(main, ("smugglers",)):
        with click.Context(command, info_name=" ".join(path), terminal_width=100) as context:
            parts.append(f"## {' '.join(path)}\n\n```\n{command.get_help(context)}\n```")
    return "\n\n".join(parts) + "\n"


def _walk(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        with click.Context(command) as context:
            for name in command.list_commands(context):
                if (found := command.get_command(context, name)) is not None:
                    yield from _walk(found, (*path, name))


if __name__ == "__main__":
    click.echo(reference(), nl=False)

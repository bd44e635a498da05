"""The reference in docs/cli.md, made from the commands' own `--help`: `python -m appliance.commands.cli_reference`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from appliance.cli import main


def reference() -> str:
    """Return the reference in Markdown."""
    parts = ["# The `smugglers` command", "Made by `make docs` from the commands' own help."]
    with click.Context(main, info_name="smugglers", terminal_width=100, **main.context_settings) as context:
        for path, text in _walk(context):
            parts.append(f"## {path}\n\n```\n{text}\n```")
    return "\n\n".join(parts) + "\n"


def _walk(context: click.Context) -> Iterator[tuple[str, str]]:
    """Yield each command's path and help, as its own context under its parents' prints it."""
    command = context.command
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            if (found := command.get_command(context, name)) is not None:
                with click.Context(found, parent=context, info_name=name) as inner:
                    yield from _walk(inner)


if __name__ == "__main__":
    click.echo(reference(), nl=False)

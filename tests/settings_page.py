"""The table of all settings in docs/settings.md: `python -m tests.settings_page` writes it."""

from __future__ import annotations

from typing import get_type_hints

import msgspec

from appliance.service.load_settings import PREFIX, help_of
from appliance.settings import Settings
from tests.places import DOCS

PAGE = DOCS / "settings.md"
HEAD = "| setting | default | environment | what it does |\n|---|---|---|---|\n"


def table() -> str:
    """Return the table in Markdown."""
    types = get_type_hints(Settings, include_extras=True)
    rows = []
    for field in msgspec.structs.fields(Settings):
        default = '""' if field.default == "" else field.default
        rows.append(f"| `{field.name}` | `{default}` | `{PREFIX}{field.name.upper()}` | {help_of(types[field.name])} |")
    return HEAD + "".join(f"{row}\n" for row in rows)


def filled(page: str) -> str:
    """Return the page with its table made anew. What follows the table stays."""
    before, _, rest = page.partition(HEAD)
    rows = rest.splitlines(keepends=True)
    while rows and rows[0].startswith("|"):
        del rows[0]
    return before + table() + "".join(rows)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
